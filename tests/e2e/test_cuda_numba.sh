#!/usr/bin/env bash
# A program that others built, unmodified: numba compiles a Python function to PTX and launches it through the driver. Fetched
# once into the build directory, some hundred megabytes.
# long: it fetches some hundred megabytes
export SIM_CUPTI_LAYOUT=13.0
. "$(dirname "$0")/cuda_common.sh"
. "$e2e_directory/packages_common.sh"

environment=$packages/numba
fetch_environment numba 'numba-cuda[cu13]' || skip "pip cannot fetch numba-cuda: $(tail -n 1 fetch.txt)"

cat >add.py <<'PYTHON'
import libprof
import numpy
from numba import cuda

@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]

ones = numpy.ones(1024, numpy.float32)
a, b, c = cuda.to_device(ones), cuda.to_device(ones), cuda.device_array(1024, numpy.float32)
with libprof.record_function("adding"):
    for _ in range(5):
        add[4, 256](a, b, c)
cuda.synchronize()
c.copy_to_host()
PYTHON

PYTHONPATH=$e2e_directory/../../python_shim LIBPROF_LIBRARY=$lib simulate add.prof "$environment/bin/python" -W ignore add.py
expect_cuda add.prof -- "sum(n for name, n in ops.items() if '::add' in name) == 5" \
    "ops['Memcpy HtoD (Pageable -> Device)'] == 2 and ops['Memcpy DtoH (Device -> Pageable)'] == 1" \
    "count['adding'] == 1 and under('adding') == rows['range', 'adding']['cuda_total_ns'] > 0" \
    "loss['launched'] == loss['recorded'] == 8 and process['closed']"
no_violations "numba"

# libprof.bench() of such a kernel, which numba launches through the driver.
sed '/^with libprof/,$d' add.py >bench.py
cat >>bench.py <<'PYTHON'
result = libprof.bench(lambda: add[4, 256](a, b, c), repeats=8)
assert result.kernels == 1 and result.copies == 0 and result.cache == "cold" and "add" in result.operations[0].name, result
assert (result.operations[0].grid, result.operations[0].block) == ("4x1x1", "256x1x1")
PYTHON
PYTHONPATH=$e2e_directory/../../python_shim LIBPROF_LIBRARY=$lib LIBPROF_BIN=$PROF_BIN PROF_START=api \
    simulate bench.prof "$environment/bin/python" -W ignore bench.py
no_violations "numba, measured"
