#!/usr/bin/env bash
# A program calls CUPTI and cuBLAS while one of its constructors holds the loader's lock and waits for that: libprof, which
# stands before them, needs neither that lock nor the loader's error.
. "$(dirname "$0")/cuda_common.sh"

[[ -e $SIM_LIB/libcublas.so.13 ]] || skip "the simulated cuBLAS is not built"
compile_cuda constructed -rdynamic -l:libcupti.so.13 -l:libcublas.so.13 -ldl
"$CC" -shared -fPIC -DLIBRARY "$cuda_programs/constructed.c" -o constructed.so
export SIM_CUPTI_LAYOUT=13.0

for way in cupti cublas errors; do
    wanted=$(bare ./constructed $way)
    found -E 'called$|^[0-9 ]*errno .*nonexistent' <<<"$wanted" || fail "$way, without libprof: $wanted"
    same "$way, while nothing is recorded" "$wanted" "$(PROF_START=api simulate none.prof ./constructed $way)"
done
[[ ! -e none.prof ]] || fail "there is a file"
