#!/usr/bin/env bash
# What collect/cublas/cublas_abi.h states agrees with NVIDIA's own headers, where a toolkit has them, or CUBLAS_INCLUDE names
# the directory of a wheel that does.
set -euo pipefail

includes=()
for place in "${CUBLAS_INCLUDE:-}" "${CUDA_HOME:-}/include" "${CUDA_PATH:-}/include" /usr/local/cuda/include; do
    if [[ $place == /* && -d $place ]]; then
        includes+=(-isystem "$place")
    fi
done

# compare DIRECTORY: with the facts in DIRECTORY. C has no declarations of the functions of halves.
compare() {
    "$CC" -std=gnu17 -fsyntax-only -Wall -Wconversion -Werror -Wno-implicit-function-declaration -Wno-discarded-qualifiers \
        -I"$1" "${includes[@]}" "$1/cublas_abi_check.c"
}

if ! echo '#include <cublasLt.h>' | "$CC" -fsyntax-only "${includes[@]}" -x c - 2>/dev/null; then
    echo "skipped: no cublasLt.h"
    exit 77
fi
compare "$SOURCE_DIR/collect/cublas"

# A fact that is wrong is found.
for fact in 's/X(14, CUDA_R_16BF/X(15, CUDA_R_16BF/' 's/_LAYOUT_COLS = 3/_LAYOUT_COLS = 4/' 's/_FAST_TF32 = 77/_FAST_TF32 = 78/' \
    's/workspace, workspace_bytes, stream)/workspace_bytes, workspace, stream)/'; do
    rm -rf wrong && mkdir wrong && cp "$SOURCE_DIR"/collect/cublas/*abi* wrong
    sed -i "$fact" wrong/cublas_abi.h
    if cmp -s wrong/cublas_abi.h "$SOURCE_DIR/collect/cublas/cublas_abi.h"; then
        echo "FAILED: nothing to change for $fact"
        exit 1
    fi
    if compare wrong >/dev/null 2>&1; then
        echo "FAILED: not found: $fact"
        exit 1
    fi
done
