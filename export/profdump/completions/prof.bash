# Completion of profdump and profrun for bash. profdump lists its commands and options itself: see help.h.

# The options of $1 --help.
_prof_words() {
    "$1" --help 2>/dev/null | grep -E '^ +-' | grep -oE -- '^ +-.{0,60}' | grep -oE -- '--[a-z0-9][a-z0-9-]*'
}

# The command that the words name, "-" if none: its first word, or both of a family.
_profdump_command() {
    local word name=-
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ $name == - ]] && grep -q "^command	$word	" <<<"$1"; then
            name=$word
        elif [[ $name != - ]] && grep -q "^command	$name $word	" <<<"$1"; then
            name="$name $word"
        fi
    done
    echo "$name"
}

_profdump() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} list command words
    COMPREPLY=()
    list=$("${COMP_WORDS[0]}" --list-options 2>/dev/null)
    command=$(_profdump_command "$list")
    if [[ $word == -* ]]; then
        words=$(awk -F'\t' -v c="$command" '$1 == "option" && $2 == c && $5 == "shown" { print $3 }' <<<"$list")
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        return
    fi
    words=$(awk -F'\t' -v c="$command" -v o="$before" '$1 == "option" && $2 == c && $3 == o && $6 != "-" { print $6 }' <<<"$list")
    if [[ -n $words ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        return
    fi
    if [[ $command == - || $COMP_CWORD -eq 2 ]]; then
        words=$(awk -F'\t' -v c="$command" '$1 == "command" && $3 == "shown" && c == "-" && $2 !~ / / { print $2 }
            $1 == "command" && index($2, c " ") == 1 { print substr($2, length(c) + 2) }' <<<"$list")
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
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
        -o | -e | --output | --env | --rows | --sort | --graphs | --budget | --summary | --hang | --prometheus | --attach | --for | --sample) i=$((i + 1)) ;;
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
