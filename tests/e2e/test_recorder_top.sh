#!/usr/bin/env bash
# profdump top and --follow: a recording while it goes on, after its end, and after kill -9.
. "$(dirname "$0")/common.sh"

profdump=$PROF_BIN/profdump
compile looping

# start FILE [ARGUMENT]: the program, recorded into FILE; sets $pid
start() {
    LD_PRELOAD=$lib PROF_OUTPUT=$1 ./looping "${@:2}" &
    pid=$!
    await "a forward pass in $1" has_forward "$1"
}
has_forward() { [[ $(count_of forward "$1") -gt 0 ]]; }

# await_lines COUNT PATTERN FILE
await_lines() { await "$1 lines of '$2' in $3" has_lines "$@"; }
has_lines() { [[ $(grep -sc "$2" "$3") -ge $1 ]]; }

stop() {
    kill -"${1:-TERM}" "$pid"
    wait "$pid" || true
}

start run.prof
"$profdump" top --once "$pid" >pid.txt
"$profdump" top --once run.prof >file.txt
for text in pid.txt file.txt; do
    found "looping, pid $pid, recording: " <"$text" || fail "no program: $(cat $text)"
    found '^Steps: *[0-9.]*/s, median .*ms, longest .*, last ProfilerStep#' <"$text" || fail "no steps: $(cat $text)"
    found '^ *forward .*ms' <"$text" || fail "no range: $(cat $text)"
done

# Standard output is no terminal: lines without escape sequences, until the program ends.
"$profdump" top --interval 200ms run.prof >plain.txt &
top=$!
"$profdump" --follow --interval 500ms --rows 5 run.prof >follow.txt &
follow=$!
await_lines 3 'recording: last' plain.txt
await_lines 3 '^ *forward ' follow.txt
stop
wait "$top" || fail "top failed"
wait "$follow" || fail "--follow failed"
found 'looping, pid .*, ended: ' <plain.txt || fail "top did not see the end"
! found $'\033' <plain.txt || fail "escape sequences without a terminal"

# What --follow printed are parts of the run: none twice.
python3 - <<'E2' || fail "--follow printed something twice: $(grep Shown follow.txt)"
import re
parts = re.findall(r"Shown: +what began from (\S+?)(m?s) to (\S+?)(m?s) ", open("follow.txt").read())
times = [(float(a) * (1 if u == "s" else 1e-3), float(b) * (1 if v == "s" else 1e-3)) for a, u, b, v in parts]
assert len(times) >= 3 and all(before[1] <= after[0] + 2e-3 for before, after in zip(times, times[1:])), times
E2

# After the end: the last seconds, and all of it at once.
found 'looping, pid .*, ended: ' <<<"$("$profdump" top run.prof)" || fail "top of an ended recording"
same "--follow of an ended recording" "$("$profdump" --rows 3 run.prof | grep -c forward)" \
    "$("$profdump" --follow --rows 3 run.prof | grep -c forward)"

# A recording with windows: one table for each.
PROF_START=api start windows.prof 20
"$profdump" --follow --interval 60s windows.prof >windows.txt &
follow=$!
await_lines 3 '^ *forward ' windows.txt # a table for each window
stop KILL
wait "$follow" || fail "--follow of a killed program failed"

# A long recording: what is before is not read. The long ranges around it are not known then.
start long.prof
"$profdump" top --once long.prof >/dev/null
stop KILL
found 'ended: ' <<<"$("$profdump" top long.prof)" || fail "a killed program is not running"

# What cannot be shown.
refused() {
    local status=0
    "$profdump" "${@:2}" >out.txt 2>error.txt </dev/null || status=$?
    [[ $status == 1 ]] || fail "${*:2}: status $status"
    found "$1" <error.txt || fail "${*:2}: $(cat error.txt)"
}
refused 'there is no process 4194305' top 4194305
refused "process $$ is not recording" top $$
refused 'not a libprof trace' top "$0"
refused 'No such file' top missing.prof
refused 'name one recording, not 2' top run.prof long.prof
refused 'No such file' --follow missing.prof
