#!/usr/bin/env bash
# What cupti/abi*.h state of CUPTI's interface agrees with NVIDIA's own headers, where a toolkit has them.
set -euo pipefail

cupti=$SOURCE_DIR/cupti
toolkit=
for place in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
    if [[ -n $place && -z $toolkit && -e $place/include/cuda.h ]]; then
        toolkit=$place
    fi
done
if [[ ! -e $toolkit/include/cupti.h && ! -e $toolkit/extras/CUPTI/include/cupti.h ]]; then
    echo "skipped: no CUPTI headers"
    exit 77
fi

# compare DIRECTORY: compiles abi_check.c with the facts in DIRECTORY, which is on no include path: libprof has a cupti.h,
# too.
compare() {
    "$CC" -std=gnu17 -fsyntax-only -Wall -I"$SOURCE_DIR/libprof/include" -isystem "$toolkit/include" \
        -isystem "$toolkit/extras/CUPTI/include" "$1/abi_check.c" "$1/abi_check_records.c"
}

compare "$cupti"

# A fact that is wrong is found (older headers are not compared: see abi_check.c).
if grep -rqE 'define CUPTI_API_VERSION +1[3-9]0000|define CUPTI_API_VERSION +130' "$toolkit"/include/cupti_version.h \
    "$toolkit"/extras/CUPTI/include/cupti_version.h 2>/dev/null; then
    for fact in 's/(MEMORY_BYTES, bytes, 24, 8)/(MEMORY_BYTES, bytes, 32, 8)/' 's/CALL(20, cudaMalloc_v3020/CALL(21, cudaMalloc_v3020/' \
        's/ABI_KIND_MEMORY_POOL = 50/ABI_KIND_MEMORY_POOL = 51/'; do
        rm -rf wrong && mkdir wrong && cp "$cupti"/abi* wrong
        sed -i "$fact" wrong/abi*.h
        if cmp -s wrong/abi_memory.h "$cupti/abi_memory.h" && cmp -s wrong/abi.h "$cupti/abi.h"; then
            echo "FAILED: nothing to change for $fact"
            exit 1
        fi
        if compare wrong >/dev/null 2>&1; then
            echo "FAILED: not found: $fact"
            exit 1
        fi
    done
fi
