/* sim_blas.c - libraries linked with cuBLAS load: calls functions that PyTorch uses. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    static const char *const names[] = {
        "cublasSgetrfBatched",  "cublasZgetriBatched",     "cublasCgetrsBatched",
        "cublasDgeqrfBatched",  "cublasSgelsBatched",      "cublasDtrsm_v2",
        "cublasCtrsmBatched",   "cublasSdot_v2",           "cublasZdotc_v2",
        "cublasDotEx",          "cublasSgemv_v2",          "cublasZgemv_v2",
        "cublasSetAtomicsMode", "cublasGetPointerMode_v2", "cublasScopy_v2_64",
        "cublasSgeam",          "cublasHSHgemvBatched",    "cublasLoggerConfigure",
        "cublasDsyrk_v2",       "cublasZherk_v2",
    };
    void *library = dlopen("libcublas.so.13", RTLD_NOW);
    int missing = !library;
    for (size_t i = 0; library && i < sizeof names / sizeof *names; i++) {
        if (dlsym(library, names[i]))
            continue;
        fprintf(stderr, "no %s\n", names[i]);
        missing++;
    }
    int (*factorise)(void) = library ? (int (*)(void))dlsym(library, "cublasSgetrfBatched") : NULL;
    if (factorise && factorise() != 15) {
        fprintf(stderr, "what is not simulated succeeds\n");
        return 1;
    }
    puts(missing ? "missing" : "OK");
    return missing != 0;
}
