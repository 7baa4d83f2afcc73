/* cuda_test.h - what the C test programs call of CUDA beside examples/cuda_by_hand.h: prototypes of our own, so that
 * they build where there is no CUDA toolkit. They run on the simulated CUDA only.
 */
#ifndef CUDA_TEST_H
#define CUDA_TEST_H

#include "../../examples/cuda_by_hand.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { cudaMemcpyDeviceToDevice = 3, cudaMemcpyDefault = 4 };
enum { cudaStreamNonBlocking = 1, cudaMemAttachGlobal = 1 };

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaGetLastError(void);
cudaError_t cudaFree(void *pointer);
cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags);
cudaError_t cudaMemcpy(void *to, const void *from, size_t size, int kind);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t size, cudaStream_t stream);
cudaError_t cudaMemset(void *to, int value, size_t size);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *user);

/* What --default-stream per-thread turns the names above into. */
cudaError_t cudaLaunchKernel_ptsz(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                  size_t shared, cudaStream_t stream);
cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, size_t size, int kind,
                                 cudaStream_t stream);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream);

/* The driver. */
typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;

CUresult cuInit(unsigned flags);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuCtxSynchronize(void);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuModuleUnload(CUmodule module);
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size);
CUresult cuMemFree_v2(CUdeviceptr address);
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size);
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream);
CUresult cuStreamCreate(CUstream *stream, unsigned flags);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamDestroy_v2(CUstream stream);
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **arguments, void **extra);

/* Two kernels that every C test program has: work(float*, int) and other(). */
static char kernel_work, kernel_other;

__attribute__((constructor)) static void register_kernels(void)
{
    cuda_register_kernel(&kernel_work, "_Z4workPfi");
    cuda_register_kernel(&kernel_other, "_Z5otherv");
}

static inline cudaError_t launch_shaped(const void *kernel, unsigned blocks, unsigned threads,
                                        size_t shared, cudaStream_t stream)
{
    static float *array;
    static int count;
    void *arguments[] = {&array, &count};
    return cudaLaunchKernel(kernel, (dim3){blocks, 1, 1}, (dim3){threads, 1, 1}, arguments, shared,
                            stream);
}

/* Launches work() `times` times into the stream; ends the program when a launch fails. */
static inline void launch_work(int times, cudaStream_t stream)
{
    for (int i = 0; i < times; i++) {
        cuda_check(launch_shaped(&kernel_work, 4, 64, 0, stream), "work");
    }
}

#endif
