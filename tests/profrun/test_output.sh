#!/usr/bin/env bash
# -o: the library gets an absolute pattern, and no existing file is ever overwritten unasked.
. "$(dirname "$0")/common.sh"
make_tree
here=$PWD

run -o run.prof true
check "status" 0 "$status"
check "stdout stays the program's" "" "$out"
check "the file" "recording" "$(cat run.prof)"
check "table, then where the file is" "TABLE -- $here/run.prof
profrun: wrote run.prof (10 B)
profrun: 'profdump run.prof' shows the table, --chrome out.json writes the timeline" "$err"

# As perf does: the previous recording stays, and the one before that does not.
printf '\211PROF\r\n\032 and what was recorded' >run.prof
for previous in 'and what was recorded' recording; do
    run -o run.prof true
    check "a second recording of that name" "0 recording" "$status $(cat run.prof)"
    check_has "the previous one stays" "$previous" "$(cat run.prof.old)"
    check_has "and it is said" "the previous recording is kept as $here/run.prof.old" "$err"
    printf '\211PROF\r\n\032recording' >run.prof
done
echo 'print("hours of work")' >run.prof.old
run -o run.prof touch ran
check "what is no recording is not replaced by one" 2 "$status"
check_has "and named" "run.prof.old exists and is not a recording" "$err"
check "and the program not run" "" "$(ls ran 2>/dev/null)"
rm run.prof.old
# recording_of PID: the header of a recording that is not complete.
recording_of() {
    printf '\211PROF\r\n\032'
    head -c 16 /dev/zero
    printf "$(printf '\\x%02x\\x%02x\\x%02x\\x00' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16)))"
    head -c 8 /dev/zero
    printf '\001'
    head -c 4059 /dev/zero
}
recording_of $$ >run.prof
run -o run.prof touch ran
check "a recording in progress stays" 2 "$status"
check_has "and is named" "process $$ is recording into $here/run.prof" "$err"
recording_of 4194305 >run.prof # no process has this number
run -o run.prof true
check "one that was killed does not hinder" "0 recording" "$status $(cat run.prof)"
# All that profdump writes, by the endings that it knows.
endings=$("$BIN_DIR/profdump" export --help | awk '/^Options/ { exit } { for (i = 2; $i ~ /^[.]/; i++) print $i }')
check_has "endings of profdump" ".speedscope.json" "$endings"
for ending in $endings .csv.gz .json.zst; do
    run -o run$ending true
    check "-o run$ending" 2 "$status"
    check_has "-o run$ending" "'profdump -o run$ending run.prof' converts it" "$err"
done
printf '\211PROF\r\n\032 and what was recorded' >run.prof
run --force -o run.prof true
check "--force" 0 "$status"
check "--force replaces" "recording" "$(cat run.prof)"
: >empty.prof
run --force -o empty.prof true
check "--force replaces an empty file" "0 recording" "$status $(cat empty.prof)"
echo 'print("hours of work")' >train.py
for force in --force --quiet; do
    run $force -o train.py true
    check "$force: what is no recording is refused" 2 "$status"
    check_has "and named" "train.py exists and is not a recording; name another file" "$err"
    check "and stays" 'print("hours of work")' "$(cat train.py)"
done
mkdir directory
run --force -o directory true
check "a directory is never replaced" 2 "$status"
ln -s run.prof link
run --force -o link true
check "a link is never followed" 2 "$status"
run --force -o /dev/null true
check "/dev/null is never removed" 2 "$status"
check "/dev/null is there" 0 "$([ -c /dev/null ]; echo $?)"

run -o missing/run.prof true
check "a missing directory is found before the run" 2 "$status"
check_has "and named" "missing: No such file or directory" "$err"
run -o '' true
check "an empty name" 2 "$status"
run -o 'run-%x.prof' true
check "an unknown % sequence" 2 "$status"
check_has "and named" "'%x'" "$err"
run -o 'run-%q{}.prof' true
check "%q without a name" 2 "$status"
run -o 'run%' true
check "% at the end" 2 "$status"

run -o '%p-%h-%r-%e-%n-%q{HOME}-%%.prof' sh -c 'echo "$PROF_OUTPUT"'
check "the pattern is handed over" "$here/%p-%h-%r-%e-%n-%q{HOME}-%%.prof" "$out"
echo x >'100%.prof'
run -o '100%%.prof' true
check "a pattern without a variable part is a fixed name" 2 "$status"
mkdir '50%off' && cd '50%off' || exit 1
run -o a.prof sh -c 'echo "$PROF_OUTPUT"'
check "a % in the directory is doubled" "$here/50%%off/a.prof" "$out"
cd "$here" || exit 1

run -o 'with space.prof' true
check_has "a name to be typed is quoted" "'profdump 'with space.prof''" "$err"
run --no-table -o quiet.prof true
check_lacks "--no-table" "TABLE" "$err"
check_has "--no-table still says what was written" "wrote quiet.prof" "$err"
run --rows 5 --sort count -o rows.prof true
check_has "--rows and --sort reach profdump" "TABLE --rows 5 --sort count -- $here/rows.prof" "$err"
run -q -o silent.prof true
check "-q says nothing" "" "$err"
check "-q records" "recording" "$(cat silent.prof)"
run -o many.prof sh -c "echo x >other.prof; echo '$here/other.prof' >>\"\$PROF_SESSION_FILE\"; exit 3"
check "status with several files" 3 "$status"
check_has "several files are listed" "wrote 2 files" "$err"
check_has "each of them" "other.prof (2 B)" "$err"
check_has "one table of all" "TABLE -- $here/many.prof $here/other.prof" "$err"
rm tree/bin/profdump
run -o lonely.prof true
check "without profdump the status is still the program's" 0 "$status"
check_has "and it is said" "no table: profdump is not in profrun's directory" "$err"

check "the session files are removed" "" "$(ls tmp)"
finish
