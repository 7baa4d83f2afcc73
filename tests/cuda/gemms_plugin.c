/* gemms_plugin.c - a library that was linked with cuBLAS; who opens it was not. */
#include "cublas_by_hand.h"

int plugin_multiply(int times);

int plugin_multiply(int times)
{
    static char places[5];
    void *handle;
    int failed = cublasCreate_v2(&handle);
    for (int i = 0; i < times && !failed; i++)
        failed = cublasSgemm_v2(handle, OP_N, OP_N, 2, 3, 4, &places[0], &places[1], 2, &places[2],
                                4, &places[3], &places[4], 2);
    return failed ? failed : cublasDestroy_v2(handle);
}
