/* cuda_by_hand.h - the few CUDA runtime functions the C examples call, for machines without a CUDA toolkit.
 *
 * What nvcc would generate around a kernel is written out: its name is registered with the runtime, a launch
 * passes the host function that stands for it. There is no device code behind it, so these programs
 * run on the simulated CUDA only.
 */
#ifndef CUDA_BY_HAND_H
#define CUDA_BY_HAND_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef int cudaError_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct {
    unsigned x, y, z;
} dim3;
enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
enum { cudaStreamCaptureModeGlobal = 0 };

cudaError_t cudaMalloc(void **pointer, size_t size);
cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, int kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                 unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream);
const char *cudaGetErrorString(cudaError_t error);

void **__cudaRegisterFatBinary(void *fat_binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host_function, char *device_function,
                            const char *device_name, int thread_limit, void *thread_id,
                            void *block_id, void *block_dim, void *grid_dim, int *warp_size);

/* The wrapper nvcc puts around its device code: here around none. */
static struct {
    int magic, version;
    const void *data;
    void *unused;
} cuda_no_code = {0x466243b1, 1, &cuda_no_code, NULL};

/* Registers a kernel under its C++ name, as nvcc's generated constructor would. */
static inline void cuda_register_kernel(const void *host_function, const char *mangled_name)
{
    void **handle = __cudaRegisterFatBinary(&cuda_no_code);
    __cudaRegisterFunction(handle, host_function, (char *)(size_t)mangled_name, mangled_name, -1,
                           NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
}

static inline void cuda_check(cudaError_t error, const char *what)
{
    if (error != 0) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}

#endif
