#!/usr/bin/env bash
# Jobs of eight ranks, as torch.profiler writes their traces: each fault is named where it is, and nothing in healthy jobs.
# The table of docs/ranks.md is made by the same program: fault_table.py build/test/make_job 10 --healthy 200
. "$(dirname "$0")/fleet_common.sh"

python3 "$fleet_directory/fault_table.py" "$PROF_BIN/../test/make_job" 1 --sizes 8 --sources kineto --healthy 10 >table.txt 2>err.txt ||
    fail "faults were not found, or others were: $(cat err.txt)"
same "rows" 25 "$(grep -c '^|' table.txt)"
