#!/usr/bin/env bash
# The GPU suite on the simulated CUDA: what a machine with a GPU runs must at least run here.
# long: it builds and runs all that a GPU's suite does
[ -n "${CUDA_NVCC:-}" ] || { echo "no nvcc"; exit 77; }
[ -d "$SIM_LIB" ] || { echo "the simulated CUDA was not built"; exit 77; }
[ -z "${SANITIZE:-}" ] || { echo "not with sanitizers: they would have to be preloaded"; exit 77; }
SIM=1 LAUNCHES=2000 exec bash "$SOURCE_DIR/tests/gpu/run.sh" "$BUILD_DIR"
