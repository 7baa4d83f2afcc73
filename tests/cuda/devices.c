/* devices.c - one thread per device, each with two streams; copies between neighbours; a managed array; a graph
 * whose branches overlap. What it launches is counted in test_cuda_devices.sh. */
#include "cuda_test.h"

#include <prof/prof.h>

#include <pthread.h>

enum { DEVICES = 8, KERNELS = 20, PEER_BYTES = 1 << 20, BRANCHES = 4 };

static void *arrays[DEVICES];
static pthread_barrier_t all_allocated;

static void enable_peer(int peer)
{
    cuda_check(cudaDeviceEnablePeerAccess(peer, 0), "cudaDeviceEnablePeerAccess");
}

static void *drive(void *number)
{
    const int device = (int)(intptr_t)number, peer = (device + 1) % DEVICES;
    char name[32];
    cudaStream_t streams[2];
    snprintf(name, sizeof name, "device %d", device);
    prof_thread_name(name);
    prof_range_push(name);
    cuda_check(cudaSetDevice(device), "cudaSetDevice");
    cuda_check(cudaMalloc(&arrays[device], PEER_BYTES), "cudaMalloc");
    cuda_check(cudaStreamCreate(&streams[0]), "cudaStreamCreate");
    cuda_check(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking), "cudaStreamCreate");
    pthread_barrier_wait(&all_allocated);
    enable_peer(peer);
    launch_work(KERNELS, streams[0]);
    launch_work(KERNELS, streams[1]);
    cuda_check(
        cudaMemcpyPeerAsync(arrays[peer], peer, arrays[device], device, PEER_BYTES, streams[0]),
        "cudaMemcpyPeerAsync");
    cuda_check(
        cudaLaunchKernel_ptsz(&kernel_other, (dim3){1, 1, 1}, (dim3){32, 1, 1}, NULL, 0, NULL),
        "per-thread launch");
    cuda_check(cudaStreamSynchronize_ptsz(NULL), "per-thread synchronisation");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    prof_range_pop();
    return NULL;
}

/* Forks the captured stream into branches: their kernels have no order among each other. */
static void run_branches(void)
{
    cudaStream_t main_stream, side[BRANCHES];
    cudaEvent_t forked, joined[BRANCHES];
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cuda_check(cudaStreamCreate(&main_stream), "cudaStreamCreate");
    cuda_check(cudaEventCreate(&forked), "cudaEventCreate");
    for (int i = 0; i < BRANCHES; i++) {
        cuda_check(cudaStreamCreate(&side[i]), "cudaStreamCreate");
        cuda_check(cudaEventCreate(&joined[i]), "cudaEventCreate");
    }
    cuda_check(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal),
               "begin of capture");
    cuda_check(cudaEventRecord(forked, main_stream), "fork");
    for (int i = 0; i < BRANCHES; i++) {
        cuda_check(cudaStreamWaitEvent(side[i], forked, 0), "fork");
        cuda_check(launch_shaped(&kernel_other, 2, 64, 0, side[i]), "branch");
        cuda_check(cudaEventRecord(joined[i], side[i]), "join");
        cuda_check(cudaStreamWaitEvent(main_stream, joined[i], 0), "join");
    }
    cuda_check(cudaStreamEndCapture(main_stream, &graph), "end of capture");
    cuda_check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    cuda_check(cudaGraphLaunch(executable, main_stream), "cudaGraphLaunch");
    cuda_check(cudaGraphLaunch(executable, main_stream), "cudaGraphLaunch");
    cuda_check(cudaStreamSynchronize(main_stream), "cudaStreamSynchronize");
}

static void use_managed(void)
{
    int *shared = NULL;
    prof_range_push("managed");
    cuda_check(cudaMallocManaged((void **)&shared, 4096, cudaMemAttachGlobal), "cudaMallocManaged");
    shared[0] = 1;
    cuda_check(cudaMemset(shared, 0, 4096), "cudaMemset");
    launch_work(1, NULL);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    if (shared[0] != 0) {
        puts("the managed array was not set");
    }
    prof_range_pop();
}

int main(void)
{
    pthread_t threads[DEVICES];
    pthread_barrier_init(&all_allocated, NULL, DEVICES);
    for (int i = 0; i < DEVICES; i++) {
        pthread_create(&threads[i], NULL, drive, (void *)(intptr_t)i);
    }
    for (int i = 0; i < DEVICES; i++) {
        pthread_join(threads[i], NULL);
    }
    run_branches();
    use_managed();
    puts("OK");
    return 0;
}
