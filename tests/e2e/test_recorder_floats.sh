#!/usr/bin/env bash
# Arithmetic of libprof's raises no SIGFPE in the program's threads, and leaves no flags there.
. "$(dirname "$0")/common.sh"

compile floats -lm
same "bare output" "done" "$(./floats)"
same "output" "done" "$(record floats.prof ./floats)"
expect floats.prof 'count["range"] == 410010' 'not any(raw.loss)' 'process["closed"]'
same "output with a budget" "done" "$(PROF_BUDGET=0.01% PROF_SUMMARY=1 record budget.prof ./floats)"
