/* capture_first.c - a program whose first work on a device is a capture: whoever puts work of their own there
 * meanwhile breaks it. With a second device, another thread uses that while the capture lasts, and after it. */
#include "cuda_test.h"

#include <pthread.h>

enum { cudaStreamCaptureModeThreadLocal = 1 };

static pthread_barrier_t captured, used;

static void *use_second_device(void *unused)
{
    void *array = NULL;
    cuda_check(cudaSetDevice(1), "cudaSetDevice");
    cuda_check(cudaMalloc(&array, 4096), "cudaMalloc");
    launch_work(2, NULL);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    pthread_barrier_wait(&used);
    pthread_barrier_wait(&captured);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return unused;
}

int main(void)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    pthread_t thread;
    int devices = 0;
    pthread_barrier_init(&captured, NULL, 2);
    pthread_barrier_init(&used, NULL, 2);
    cuda_check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    cuda_check(cudaStreamBeginCapture(stream, devices > 1 ? cudaStreamCaptureModeThreadLocal
                                                          : cudaStreamCaptureModeGlobal),
               "begin of capture");
    launch_work(2, stream);
    if (devices > 1) {
        pthread_create(&thread, NULL, use_second_device, NULL);
        pthread_barrier_wait(&used);
    }
    launch_work(1, stream);
    cuda_check(cudaStreamEndCapture(stream, &graph), "end of capture");
    if (devices > 1) {
        pthread_barrier_wait(&captured);
        pthread_join(thread, NULL);
    }
    cuda_check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    for (int i = 0; i < 3; i++) {
        cuda_check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
    }
    cuda_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    puts("OK");
    return 0;
}
