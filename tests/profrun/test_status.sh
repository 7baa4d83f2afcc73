#!/usr/bin/env bash
# profrun ends as the program ends, leaves stdout alone and cleans up after itself.
. "$(dirname "$0")/common.sh"
make_tree

run true
check "status of true" 0 "$status"
check "stdout of true" "" "$out"
check "nothing recorded is two lines" 2 "$(grep -c '^profrun: ' err.txt)"
check_has "which say why" "profrun: true recorded nothing: it pushed no range" "$err"
check_has "and what to do" "'profrun --doctor' checks" "$err"

# The library's reason comes first; of several processes, that of the one that came closest to a recording.
for note in 'off:never switched on:--help-env' 'cold:not initialised:--sim' 'idle:copied and allocated nothing:server' \
    'refused:could not be recorded:--doctor' 'failed:could not be created:-o'; do
    IFS=: read -r word why remedy <<<"$note"
    export STAND_IN_SAYS="# $word"
    run true
    check "two lines for $word" 2 "$(grep -c '^profrun: ' err.txt)"
    check_has "what: $word" "true recorded nothing: " "$err"
    check_has "why: $word" "$why" "$(head -n 1 err.txt)"
    check_has "remedy: $word" "$remedy" "$(tail -n 1 err.txt)"
done
STAND_IN_SAYS='# cold' run sh -c 'STAND_IN_SAYS="# idle" /bin/true; STAND_IN_SAYS="# off" /bin/true; :'
check_has "of several processes" "copied and allocated nothing" "$err"
STAND_IN_SAYS='# later' run true
check_lacks "a word of a later library" "later" "$err"
STAND_IN_SAYS='# cold' run -o said.prof true
check_lacks "a recording needs no excuse" "recorded nothing" "$err"
unset STAND_IN_SAYS

# Values that would be ignored are wrong usage: the program does not run.
for option in --sim=12.9 --sim= --budget=0 --budget=101% --budget=x; do
    run "$option" sh -c 'echo ran'
    check "status of $option" 2 "$status"
    check "$option runs nothing" "" "$out"
    check_has "$option says what is possible" "needs" "$err"
done
run --help
check "lines of the help over 80 columns" "" "$(awk 'length > 80' <<<"$out")"
run sh -c 'exit 127'
check_has "a program that misses a library" "exited with status 127" "$err"

run sh -c 'exit 7'
check "status 7" 7 "$status"
run sh -c 'exit 255'
check "status 255" 255 "$status"
run sh -c 'echo out; echo err >&2'
check "stdout passes" "out" "$out"
check_has "stderr passes" "err" "$err"
check "stdin passes" "in" "$(echo in | "$PROFRUN" cat 2>/dev/null)"

run ./missing
check "missing file" 127 "$status"
check_has "missing file is named" "./missing: No such file" "$err"
run missing-program
check "missing program" 127 "$status"
run /etc/passwd
check "not executable" 126 "$status"
run /tmp
check "a directory" 126 "$status"
check_has "a directory is said to be one" "is a directory" "$err"
printf '#!/no/such/interpreter\n' >script
chmod +x script
run ./script
check "missing interpreter" 127 "$status"
check_has "missing interpreter is named as the cause" "its interpreter does not exist" "$err"
printf 'exit 9\n' >script
run ./script
check "a script without #! runs in sh, as from a shell" 9 "$status"

run
check "no program" 2 "$status"
run --no-such-option true
check "unknown option" 2 "$status"
check_has "unknown option is named" "unknown option: --no-such-option" "$err"
for option in --stats --stats=true -t --force-overwrite; do
    run $option true
    check "$option" 2 "$status"
    check_has "$option of another profiler" "unknown option: $option; " "$err"
done
for word in record profile; do
    run $word true
    check "$word, as with other profilers" 0 "$status"
done
run --quiet=yes true
check "a value that an option does not take" 2 "$status"
check_has "is said to be one" "option takes no value: --quiet=yes" "$err"
run -Z true
check_has "unknown letter is named" "-Z" "$err"
run --sort bogus touch ran
check "what profdump will not take is found before the run" 2 "$status"
check "in profdump's words" "profdump: no such column" "$err"
check "and the program not run" "" "$(ls ran 2>/dev/null)"
run -o
check "-o without a value" 2 "$status"
for question in --help --help-env --version -h -V; do
    run $question
    check "status of $question" 0 "$status"
    check "stderr of $question" "" "$err"
    check_has "stdout of $question" " " "$out"
done
"$PROFRUN" --help >/dev/full 2>err.txt
check "--help into a full device" 2 "$?"

run -- sh -c 'echo "$1"' sh --help
check "options after the program are the program's" "--help" "$out"
run sh -c 'echo "$#:$1:$2"' sh 'a b' '$(x) "'\'
check "arguments pass unquoted and unsplit" '2:a b:$(x) "'\' "$out"
run -e 'GREETING=a b=c' sh -c 'echo "$GREETING"'
check "-e sets the program's environment" "a b=c" "$out"
run -e GREETING true
check "-e without a value" 2 "$status"

check "the session file is removed" "" "$(ls tmp)"
finish
