#!/usr/bin/env bash
# exports.sh: libprof.so in $PROF_LIB exports what libprof/prof.sym lists, without a version, the functions of
# collect/cublas/cublas_abi.h under the version names of cuBLAS, and those of cupti/other_tool_entry.c; no more and no less. Says what differs.
set -euo pipefail

cublas=$SOURCE_DIR/collect/cublas/cublas_abi.h
functions() { sed -n 's/^    X(\(cublas[A-Za-z0-9_]*\), .*/\1/p' "$cublas"; }
wanted() {
    grep -v '^#' "$SOURCE_DIR/libprof/prof.sym"
    functions | sed 's/$/@libcublas.so.11/'
    for major in 12 13; do
        functions | sed "s/\$/@libcublas.so.$major/; p; s/@/_64@/"
    done
    for soname in libcupti.so.{11.8,12,13}; do
        printf '%s@'"$soname"'\n' cuptiActivity{RegisterCallbacks,RegisterTimestampCallback,Disable,FlushAll} \
            cuptiFinalize
    done
    printf 'cublasLtMatmul@libcublasLt.so.%d\n' 11 12 13
}

[[ $(functions | wc -l) -gt 20 ]] || {
    echo "FAILED: no functions found in $cublas"
    exit 1
}
# The version names themselves are absolute symbols; a linker may list local ones.
diff <(wanted | sort) <(nm -D --defined-only "$PROF_LIB/libprof.so" | awk '$2 ~ /[B-Ziu]/ { print $3 }' | sort)
