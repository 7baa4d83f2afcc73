/* driver_api.c - a program of the driver API alone. What it launches is counted in test_cuda_driver.sh. */
#include "cuda_test.h"

#include <prof/prof.h>

static void check(CUresult result, const char *what)
{
    if (result != 0) {
        printf("%s: %d\n", what, result);
        exit(1);
    }
}

static const char image[] = ".version 8.0\n.visible .entry _Z6squarePi(\n)\n{ ret; }\n";

int main(void)
{
    static int host[1024];
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction square;
    CUstream stream;
    CUdeviceptr array;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuCtxCreate_v2(&context, 0, device), "cuCtxCreate");
    check(cuModuleLoadData(&module, image), "cuModuleLoadData");
    check(cuModuleGetFunction(&square, module, "_Z6squarePi"), "cuModuleGetFunction");
    check(cuStreamCreate(&stream, 0), "cuStreamCreate");
    check(cuMemAlloc_v2(&array, sizeof host), "cuMemAlloc");
    prof_range_push("driver work");
    check(cuMemcpyHtoD_v2(array, host, sizeof host), "cuMemcpyHtoD");
    check(cuMemsetD32Async(array, 7, 100, stream), "cuMemsetD32Async");
    void *arguments[] = {&array};
    for (int i = 0; i < 25; i++) {
        check(
            cuLaunchKernel(square, 6, 5, 4, 32, 2, 1, 1024, i % 2 ? stream : NULL, arguments, NULL),
            "cuLaunchKernel");
    }
    check(cuMemcpyDtoHAsync_v2(host, array, sizeof host, stream), "cuMemcpyDtoHAsync");
    check(cuStreamSynchronize(stream), "cuStreamSynchronize");
    check(cuCtxSynchronize(), "cuCtxSynchronize");
    prof_range_pop();
    check(cuMemFree_v2(array), "cuMemFree");
    check(cuStreamDestroy_v2(stream), "cuStreamDestroy");
    check(cuModuleUnload(module), "cuModuleUnload");
    check(cuCtxDestroy_v2(context), "cuCtxDestroy");
    puts("OK");
    return 0;
}
