#!/usr/bin/env bash
# PROF_HANG and profdump hang with faults injected several times each, and without false alarms: hang_faults.py. `soak.sh hang`
# does the same at a limit of 10 s, and measures how soon each is detected.
. "$(dirname "$0")/cuda_common.sh"
. "$e2e_directory/nvtx_common.sh"
need_nvtx

compile_nvtx hangs
compile_cuda stuck
python3 "$e2e_directory/hang_faults.py" "$PROF_BIN/profdump" "$lib" "$SIM_LIB" "${HANG_LIMIT:-2.5}" "${HANG_TIMES:-1}" \
    ${HANG_WITHIN:+"$HANG_WITHIN"}
