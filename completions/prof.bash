# Completion of profdump and profrun for bash.

# The words of $1 --help: options, or (with "commands") what may come first instead of a file.
_prof_words() {
    local pattern='s/^ +((-[a-zA-Z], )?--[a-z0-9-]+).*/\1/p'
    if [ "${2:-}" = commands ]; then
        pattern='s/^  ([a-z]+) .*/\1/p'
        "$1" --help 2>/dev/null | sed -nE "$pattern"
    else
        "$1" --help 2>/dev/null | grep -E '^ +-' | grep -oE -- '^ +-.{0,60}' | grep -oE -- '--[a-z0-9][a-z0-9-]*'
    fi
}

_profdump() {
    local word=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_prof_words "${COMP_WORDS[0]}")" -- "$word")
        return
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_prof_words "${COMP_WORDS[0]}" commands)" -- "$word")
    fi
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
    compopt -o filenames 2>/dev/null
}

# After the program's name, its own words are completed as those of a command line of its own.
_profrun() {
    local word=${COMP_WORDS[COMP_CWORD]} i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -o | -e | --output | --env | --rows | --sort | --graphs | --budget) i=$((i + 1)) ;;
        --) ;;
        -*) ;;
        *)
            if declare -F _command_offset >/dev/null; then
                _command_offset "$i"
            else
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
            fi
            return
            ;;
        esac
    done
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_prof_words "${COMP_WORDS[0]}")" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
        compopt -o filenames 2>/dev/null
    fi
}

complete -F _profdump profdump
complete -F _profrun profrun
