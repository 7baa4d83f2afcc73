#!/usr/bin/env bash
# Jobs with an injected fault: it is found, and nothing is found in healthy ones.
# long: it simulates and packs a job for each fault
. "$(dirname "$0")/fleet_common.sh"

python3 "$fleet_directory/verdicts.py" "$PROF_BIN/../test/make_job" "${FLEET_SEEDS:-2}" || fail "faults were not found, or others were"
