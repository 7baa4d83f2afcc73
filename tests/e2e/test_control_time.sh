#!/usr/bin/env bash
# PROF_START and PROF_STOP with times; the thread behind them keeps no program alive.
. "$(dirname "$0")/common.sh"

compile steps

PROF_START=time:100ms PROF_STOP=time:300ms record time.prof ./steps slow 300 >/dev/null
expect time.prof '10 < count["work"] < 200 and count["step 0"] == count["step 299"] == 0' \
    '[(w["start"], w["stop"]) for w in process["windows"]] == [("time", "time")]' \
    '150e6 < process["windows"][0]["end_ns"] - process["windows"][0]["start_ns"]'
PROF_STOP=time:100ms record until.prof ./steps slow 200 >/dev/null
expect until.prof 'count["step 0"] == 1 and count["step 199"] == 0'

# Ends before its time: nothing is left, and nobody waits for it.
mkdir never && cd never
SECONDS=0
PROF_START=time:1h record never.prof ../steps run
PROF_STOP=time:1h PROF_START=api record never.prof ../steps run
((SECONDS < 10)) || fail "a time delays the end"
same "files" "" "$(ls)"

# Nor where the main thread has left: with a writer thread and without.
same "after pthread_exit" gone "$(PROF_START=time:1h timeout 600 env LD_PRELOAD="$lib" ../steps leaves)"
same "after pthread_exit, recording" gone "$(PROF_STOP=time:1h record left.prof timeout 600 ../steps leaves)"
