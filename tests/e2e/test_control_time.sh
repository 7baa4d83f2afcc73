#!/usr/bin/env bash
# PROF_START and PROF_STOP with times; the thread behind them keeps no program alive.
. "$(dirname "$0")/common.sh"

compile steps

# It ends ten steps after the second switch, which comes no earlier than it should.
begin=$(date +%s%N)
same "what the program saw" "on off" "$(PROF_START=time:100ms PROF_STOP=time:3s record time.prof ./steps follow 2 | tail -n +2 | paste -sd ' ')"
(($(date +%s%N) - begin >= 3000000000)) || fail "it was not on for three seconds"
expect time.prof 'count["work"] >= 10' '[(w["start"], w["stop"]) for w in process["windows"]] == [("time", "time")]'
same "what the program saw" off "$(PROF_STOP=time:3s record until.prof ./steps follow 1 | tail -n +2)"
expect until.prof 'count["step 0"] == 1' '[(w["start"], w["stop"]) for w in process["windows"]] == [("start-up", "time")]'

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
