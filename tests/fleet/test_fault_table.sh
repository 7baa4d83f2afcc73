#!/usr/bin/env bash
# The table of faults with more ranks, and with our own recordings.
# long: it simulates and packs fifty jobs
. "$(dirname "$0")/fleet_common.sh"

python3 "$fleet_directory/fault_table.py" "$PROF_BIN/../test/make_job" "${FLEET_SEEDS:-1}" --sizes 32 --healthy "${FLEET_HEALTHY:-10}" >table.txt 2>err.txt ||
    fail "faults were not found, or others were: $(cat err.txt)"
