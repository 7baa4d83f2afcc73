#!/usr/bin/env bash
# libprof.so exports what is listed, nothing else; what it has of cuBLAS is found by nobody who was not linked with it.
. "$(dirname "$0")/common.sh"

PROF_LIB=$PROF_LIB bash "$e2e_directory/exports.sh" || fail "exports are not those listed (wanted <, there >)"

cat >present.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
extern int cublasSgemm_v2(void) __attribute__((weak));
extern int cublasLtMatmul(void) __attribute__((weak));
int main(void)
{
    printf("%d%d%d%d%d\n", cublasSgemm_v2 != NULL, cublasLtMatmul != NULL,
           dlsym(RTLD_DEFAULT, "cublasSgemm_v2") != NULL, dlsym(RTLD_DEFAULT, "cublasLtMatmul") != NULL,
           dlvsym(RTLD_DEFAULT, "cublasSgemm_v2", "libcublas.so.13") != NULL);
    return 0;
}
C
"$CC" -fPIE -pie present.c -o present -ldl
same "a program that looks whether cuBLAS is there" 00000 "$(./present)"
same "the same under libprof, where only the exact version is found" 00001 "$(record x.prof ./present)"

# Who links with libprof does not get cuBLAS's functions from it.
echo 'int cublasSgemm_v2(void); int main(void) { return cublasSgemm_v2(); }' >linked.c
if "$CC" linked.c -o linked -L"$PROF_LIB" -lprof 2>link.txt; then
    fail "the linker takes cublasSgemm_v2 from libprof"
fi
found cublasSgemm_v2 link.txt <link.txt
