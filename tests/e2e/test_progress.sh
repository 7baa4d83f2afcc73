#!/usr/bin/env bash
# Long work shows a line on a terminal, after one second; and nothing where standard error is no terminal.
#
# A pipe that nobody reads for two seconds makes the work long.
. "$(dirname "$0")/common.sh"

profdump=$PROF_BIN/profdump
command -v python3 >/dev/null || skip "needs python3"

python3 - <<'E2' >trace.json
print('{"traceEvents":[')
for i in range(20000):
    print('{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":%d,"dur":5},' % (i * 10))
print('{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":999999,"dur":5}]}')
E2
mkfifo slow
read_slowly() {
    exec 3<slow
    sleep "$1"
    cat <&3 >written.pftrace
}

# shown SECONDS: what a terminal of 70 columns shows when the output is read after so long
shown() {
    read_slowly "$1" &
    python3 "$e2e_directory/in_terminal.py" 70 "$profdump" -o slow --to perfetto trace.json
    wait $!
}

shown 2 >terminal.txt
found $'\rwriting slow  .* s left\x1b\\[K' <terminal.txt || fail "no line: $(cat -v terminal.txt)"
tr '\r' '\n' <terminal.txt | sed 's/\x1b\[K//' | awk 'length > 69 { exit 1 }' || fail "a line is too long for the terminal"
[[ $(tail -c 4 terminal.txt) == $'\r\x1b[K' ]] || fail "the line stays: $(cat -v terminal.txt)"
"$profdump" -o straight.pftrace trace.json
cmp written.pftrace straight.pftrace

same "short work" "" "$(shown 0)"

read_slowly 2 &
"$profdump" -o slow --to perfetto trace.json 2>error.txt
wait $!
same "without a terminal" "" "$(cat error.txt)"

# What was written is reported to a terminal alone.
python3 "$e2e_directory/in_terminal.py" 70 "$profdump" -o out.svg -o out.json trace.json >terminal.txt
for name in out.svg out.json; do
    found "profdump: wrote $name (.*[0-9].*)" <terminal.txt || fail "no report of $name: $(cat -v terminal.txt)"
done
same "not to a file" "" "$("$profdump" -o out.svg trace.json 2>&1)"

# A table on the same terminal begins on an empty line, whatever was shown before.
python3 "$e2e_directory/in_terminal.py" 70 "$profdump" --rows 1 trace.json >terminal.txt
found '^Program: ' <terminal.txt || fail "$(cat -v terminal.txt)"
