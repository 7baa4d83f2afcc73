#!/usr/bin/env bash
# JAX with its CUDA plugin, unmodified: its annotations, the ranges that XLA emits through NVTX, and the kernels that XLA compiles
# and launches through the driver. Fetched once into the build directory, a gigabyte; NVML and cuDNN are a few functions that
# tests/cuda/jax_parts.c plays.
# long: it fetches a gigabyte
export SIM_CUPTI_LAYOUT=13.0
. "$(dirname "$0")/cuda_common.sh"
. "$e2e_directory/packages_common.sh"

environment=$packages/jax
fetch_environment jax jax==0.10.2 jaxlib==0.10.2 jax-cuda13-plugin==0.10.2 jax-cuda13-pjrt==0.10.2 || skip "pip cannot fetch JAX: $(tail -n 1 fetch.txt)"

[[ -x ${CUDA_HOME:-/usr/local/cuda}/bin/ptxas ]] || command -v ptxas >/dev/null || skip "XLA compiles with ptxas, which is not here"

"$CC" -std=gnu17 -O1 -Wall -Wextra -fPIC -shared "$cuda_programs/jax_parts.c" -o libcudnn.so.9
ln -s libcudnn.so.9 libnvidia-ml.so.1

cat >work.py <<'PYTHON'
import jax, jax._src.hardware_utils
jax._src.hardware_utils.has_visible_nvidia_gpu = lambda: True  # it looks for /dev/nvidia0
from libprof.hooks.jax import record_annotations
record_annotations()
record_annotations()

total = jax.jit(lambda a: (a * 2 + 1).sum())

@jax.profiler.annotate_function
def evaluate(a):
    return total(a)

assert jax.devices()[0].platform == "gpu", jax.devices()
a = jax.numpy.ones((512, 512))
for step in range(3):
    with jax.profiler.StepTraceAnnotation("train", step_num=step):
        with jax.profiler.TraceAnnotation("forward", batch=7):
            total(a).block_until_ready()
try:
    with jax.profiler.TraceAnnotation("failing"):
        raise KeyError("mine")
except KeyError:
    pass
evaluate(a).block_until_ready()
PYTHON

export PYTHONPATH=$e2e_directory/../../python_shim JAX_PLATFORMS=cuda JAX_SKIP_CUDA_CONSTRAINTS_CHECK=1
env LD_LIBRARY_PATH="$SIM_LIB:$here" LD_PRELOAD="$lib" PROF_OUTPUT=jax.prof LIBPROF_LIBRARY="$lib" \
    timeout 300 "$environment/bin/python" work.py >out.txt 2>&1 || fail "JAX: $(tail -n 30 out.txt)"
unset PYTHONPATH
expect_cuda jax.prof -- "count['train'] == count['forward'] == 3 and count['evaluate'] == count['failing'] == 1" \
    "count['ProfilerStep*'] == 3" \
    "args('user_annotation', 'train')['step_num'] == {0, 1, 2} and args('user_annotation', 'forward')['batch'] == {7}" \
    "any(name.startswith('TSL:XlaCompile:') for name in count)" \
    "rows['range', 'forward']['cuda_total_ns'] > 0 == rows['range', 'forward']['self_cuda_total_ns']" \
    "rows['range', 'evaluate']['cuda_total_ns'] > 0" \
    "sum(n for name, n in ops.items() if name.startswith('input_reduce_fusion')) >= 4" \
    "loss['launched'] == loss['recorded'] > 0 and process['closed']"
no_violations "JAX"
