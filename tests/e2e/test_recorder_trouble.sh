#!/usr/bin/env bash
# What cannot be recorded costs no more than what is, and is counted exactly where there is a file to say so.
. "$(dirname "$0")/common.sh"

compile lost_costs

# at_most WHAT FACTOR LOST RECORDED: ns of processor time per pair. A system call for each would be 10 to 40 times as much;
# the factor leaves room for a loaded machine.
at_most() {
    awk -v lost="$3" -v recorded="$4" -v factor="$2" 'BEGIN { exit !(lost <= factor * recorded) }' ||
        fail "$1: a lost pair takes $3 ns, a recorded one $4 ns"
}

read -r recorded rest events < <(record whole.prof ./lost_costs)
expect whole.prof "count['pair'] * 2 == $events" 'not any(raw.loss)'

read -r rest lost rest < <(record "$here/nowhere/x.prof" ./lost_costs 2>stderr.txt)
at_most "without a file" 5 "$lost" "$recorded"
same "lines on stderr" 1 "$(wc -l <stderr.txt)"

export PROF_MAX_MB=2 PROF_FULL=stop
read -r recorded lost events < <(record full.prof ./lost_costs)
at_most "beyond the limit" 5 "$lost" "$recorded"
expect full.prof "count['pair'] * 2 - loss['unclosed'] + loss['full'] == $events" "loss['full'] == loss['lost_host']"
