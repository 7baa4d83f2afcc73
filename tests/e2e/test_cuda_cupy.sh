#!/usr/bin/env bash
# CuPy's ranges and marks, which need no device. Its packages have the CUDA runtime as a static library, which the simulated driver
# does not satisfy: the first call that needs one fails, with libprof and without. Fetched once into the build directory.
# long: it fetches some hundred megabytes
export SIM_CUPTI_LAYOUT=13.0
. "$(dirname "$0")/cuda_common.sh"
. "$e2e_directory/packages_common.sh"

fetch cupy cupy-cuda13x==14.2.0 || skip "pip cannot fetch CuPy: $(tail -n 1 fetch.txt)"

cat >work.py <<'PYTHON'
import cupy
from cupy.cuda import nvtx

nvtx.RangePush("of CuPy")
nvtx.Mark("a mark")
try:
    print("devices", cupy.cuda.runtime.getDeviceCount())
except cupy.cuda.runtime.CUDARuntimeError as error:
    print(error)
nvtx.RangePop()
PYTHON

export PYTHONPATH=$packages/cupy
bare python3 -W ignore work.py >bare.txt 2>&1 || fail "CuPy alone: $(cat bare.txt)"
found -E '^(devices [0-9]+|cudaErrorCallRequiresNewerDriver: .*)$' <bare.txt || fail "CuPy alone says: $(cat bare.txt)"
simulate cupy.prof python3 -W ignore work.py >with.txt 2>&1 || fail "CuPy: $(cat with.txt)"
unset PYTHONPATH
same "what CuPy prints" "$(cat bare.txt)" "$(cat with.txt)"
expect_cuda cupy.prof -- "count['of CuPy'] == count['a mark'] == 1 and process['closed']"
no_violations "CuPy"
