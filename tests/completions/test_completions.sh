#!/usr/bin/env bash
# bash, zsh and fish complete commands and options of profdump and profrun; shells that are missing are left out.
set -u
export PATH=$BIN_DIR:$PATH
folder=$SOURCE_DIR/export/profdump/completions
failed=0

# check WHAT EXPECTED ACTUAL
check() {
    if [[ " $3 " == *"$2"* ]]; then
        return
    fi
    echo "FAILED: $1: no '$2' in '$3'"
    failed=1
}

# What bash completes of the words given, the last one being typed.
in_bash() {
    bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_$1"; echo "${COMPREPLY[@]}"' "$folder/prof.bash" "$@"
}

touch trace.prof
check "bash: an output" " --chrome " "$(in_bash profdump --chr)"
check "bash: an option" " --group-by " "$(in_bash profdump --gr)"
check "bash: a command" " graphs " "$(in_bash profdump gra)"
check "bash: a file" " trace.prof " "$(in_bash profdump graphs tra)"
check "bash: an option of profrun" " --doctor " "$(in_bash profrun --doc)"
check "bash: a program" " env " "$(in_bash profrun --sim en)"
check "bash: an option of a command" " --fail-if-slower " "$(in_bash profdump diff --fail-i)"
check "bash: a command of a family" " blocks " "$(in_bash profdump executorch bl)"
check "bash: a value" " markdown " "$(in_bash profdump stats --format ma)"
if [[ " $(in_bash profdump stats --fo) " == *--folded* ]]; then
    echo "FAILED: bash: an option of another command"
    failed=1
fi
while IFS=$'\t' read -r kind command option _ state _; do
    if [[ $kind == option && $state == shown && $command == @(-|diff|"executorch blocks") ]]; then
        # shellcheck disable=SC2086 # the words of a command
        check "bash: $command $option" " $option " "$(in_bash profdump ${command#-} "$option")"
    fi
done < <(profdump --list-options)

if command -v zsh >/dev/null; then
    in_zsh() { zsh -f "$SOURCE_DIR/tests/completions/zsh_complete.zsh" "$folder" "$1" "$2" | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g'; }
    check "zsh: an output" "--chrome" "$(in_zsh 'profdump --chr' --chrome)"
    check "zsh: a command" "phs" "$(in_zsh 'profdump gra' phs)"
    check "zsh: an option of a command" "slower" "$(in_zsh 'profdump diff --fail-if' slower)"
    check "zsh: an option of profrun" "--doctor" "$(in_zsh 'profrun --doc' --doctor)"
else
    echo "note: zsh is missing, not tested"
fi

if command -v fish >/dev/null; then
    in_fish() { HOME=$PWD fish --no-config -c "set -p fish_complete_path $folder; complete -C '$1'"; }
    check "fish: an output" "--chrome" "$(in_fish 'profdump --chr')"
    check "fish: a command" "graphs" "$(in_fish 'profdump gra')"
    check "fish: an option of a command" "--fail-if-slower" "$(in_fish 'profdump diff --fail-i')"
    check "fish: a command of a family" "blocks" "$(in_fish 'profdump executorch bl')"
    check "fish: a value" "markdown" "$(in_fish 'profdump stats --format ma')"
    check "fish: an option of profrun" "--doctor" "$(in_fish 'profrun --doc')"
else
    echo "note: fish is missing, not tested"
fi

[ "$failed" = 0 ] && echo "all passed"
exit "$failed"
