#!/usr/bin/env bash
# PROF_SCHEDULE, and steps in PROF_START and PROF_STOP: just those steps are recorded, each window apart.
. "$(dirname "$0")/common.sh"

compile steps

# recorded FILE STEP...: the ranges are those steps, whole, and nothing else.
recorded() {
    local file=$1 names
    shift
    names=$(printf '"step %s": 1, ' "$@")
    expect "$file" "count == {$names 'work': $#, 'ProfilerStep*': $#}" 'loss["unclosed"] == loss["unopened"] == 0' \
        'process["closed"] and not any(raw.loss)'
}

PROF_SCHEDULE=skip_first=10,wait=5,warmup=1,active=3,repeat=2 record schedule.prof ./steps run
recorded schedule.prof 16 17 18 25 26 27
expect schedule.prof '[on for _, _, on in raw.controls] == [1, 0, 1, 0]' \
    '[(w["start"], w["stop"]) for w in process["windows"]] == [("schedule", "schedule")] * 2'
"$PROF_BIN/profdump" schedule.prof >summary.txt
grep -q "^Windows:   recording was on 2 times$" summary.txt || fail "windows are not in the summary"
grep -q "on by schedule, off by schedule$" summary.txt || fail "reasons are not in the summary"

# Windows without a gap are windows of their own all the same, as torch writes a trace of each.
PROF_SCHEDULE=active=2,repeat=3 record adjacent.prof ./steps run
recorded adjacent.prof 0 1 2 3 4 5
expect adjacent.prof 'len(process["windows"]) == 3'

# For ever: the last window is open when the program ends.
PROF_SCHEDULE=wait=3,active=2 record endless.prof ./steps run 15
recorded endless.prof 3 4 8 9 13 14
expect endless.prof 'process["windows"][-1]["stop"] is None and len(process["windows"]) == 3'

PROF_START=step:10 PROF_STOP=step:20 record between.prof ./steps run
recorded between.prof {10..19}
expect between.prof '[(w["start"], w["stop"]) for w in process["windows"]] == [("step", "step")]'
PROF_START=step:95 record from.prof ./steps run
recorded from.prof {95..99}
PROF_STOP=step:5 record until.prof ./steps run
recorded until.prof {0..4}
expect until.prof '[(w["start"], w["stop"]) for w in process["windows"]] == [("start-up", "step")]'
PROF_SCHEDULE=wait=2,active=1 PROF_STOP=step:9 record both.prof ./steps run
recorded both.prof 2 5 8

# Whose steps never come to it records nothing and leaves nothing.
mkdir never && cd never
PROF_START=step:100 record never.prof ../steps run
PROF_SCHEDULE=skip_first=100,active=1 record never.prof ../steps run
PROF_STOP=step:0 PROF_START=step:0 record never.prof ../steps run
same "files of recordings that never began" "" "$(ls)"
cd ..

# A wrong value is named and ignored.
PROF_SCHEDULE=active=none record wrong.prof ./steps run 3 2>wrong.txt
recorded wrong.prof 0 1 2
grep -q "PROF_SCHEDULE=active=none ignored" wrong.txt || fail "a wrong schedule is not named: $(cat wrong.txt)"

# A session without events costs the file 64 bytes.
PROF_START=api record empty.prof ./steps empty 10000
expect empty.prof 'count == {"only": 1} and len(process["windows"]) == 10001' 'size < 64 * 10000 + 4 * 65536'

# Four threads abreast that count steps together: steps 100 to 110 are those of rounds 25 to 27. Who comes first in a
# round switches; the others of that round may be before or behind it, and all of round 26 are recorded.
PROF_START=step:100 PROF_STOP=step:110 record threads.prof ./steps threads 100
expect threads.prof '5 <= count["work"] <= 12' 'len(process["windows"]) == 1'

# A child counts from 0: its schedule begins anew.
PROF_SCHEDULE=wait=3,active=2,repeat=1 record fork%n.prof ./steps fork 10
recorded fork1.prof 3 4
recorded fork2.prof 3 4
