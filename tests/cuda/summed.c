/* summed STEPS [PAUSE_US [fork]]: a job whose steps have everything that summaries are made of: nested ranges, ranges on other
 * threads, kernels (one of a communication library), copies, sets, a graph; PAUSE_US between steps. Afterwards a forked child
 * does its own steps. */
#include "../../examples/cuda_by_hand.h"

#include <prof/prof.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 2, KERNELS = 3, REPLAYS = 2 };

static char multiply, reduce, template_reduce;
static int pause_us;

static void register_kernels(void)
{
    cuda_register_kernel(&multiply, "_Z4gemmIfLi16EEvPT_PKS0_S3_ii");
    cuda_register_kernel(&reduce, "_Z34ncclDevKernel_AllReduce_Sum_bf16_RPf");
    cuda_register_kernel(&template_reduce, "_Z10ncclKernelIfEvPT_");
}

static void launch(const void *kernel, cudaStream_t stream)
{
    void *argument = NULL;
    void *arguments[] = {&argument, &argument, &argument, &argument, &argument};
    cuda_check(cudaLaunchKernel(kernel, (dim3){64, 1, 1}, (dim3){128, 1, 1}, arguments, 0, stream),
               "cudaLaunchKernel");
}

/* Ranges of its own, which begin and end in any step. */
static void *load(void *unused)
{
    for (int i = 0; i < 200; i++) {
        prof_range_push("load");
        prof_range_push(i % 2 ? "decode" : "read");
        usleep((unsigned)(i % 3) * 10);
        prof_range_pop();
        prof_range_pop();
    }
    return unused;
}

static void *backward(void *stream)
{
    prof_range_push("backward");
    for (int i = 0; i < KERNELS; i++)
        launch(&multiply, stream);
    prof_range_pop();
    return NULL;
}

static cudaGraphExec_t capture(cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin of capture");
    launch(&multiply, stream);
    launch(&template_reduce, stream);
    cuda_check(cudaStreamEndCapture(stream, &graph), "end of capture");
    cuda_check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    return executable;
}

static void step(cudaStream_t compute, cudaStream_t other, void *memory, cudaGraphExec_t graph)
{
    static char host[4096];
    pthread_t thread;
    prof_step();
    prof_range_push("forward");
    cuda_check(cudaMemcpyAsync(memory, host, sizeof host, cudaMemcpyHostToDevice, compute), "copy");
    for (int i = 0; i < KERNELS; i++) {
        prof_range_push("layer");
        launch(&multiply, compute);
        launch(&reduce, other);
        prof_range_pop();
    }
    prof_range_pop();
    if (pthread_create(&thread, NULL, backward, compute) == 0)
        pthread_join(thread, NULL);
    for (int i = 0; i < REPLAYS; i++)
        cuda_check(cudaGraphLaunch(graph, compute), "cudaGraphLaunch");
    cuda_check(cudaMemsetAsync(memory, 0, 4096, other), "set");
    cuda_check(cudaMemcpyAsync(host, memory, sizeof host, cudaMemcpyDeviceToHost, compute), "copy");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

static void run_on_device(int steps)
{
    cudaStream_t streams[2];
    void *memory;
    pthread_t threads[THREADS];
    register_kernels();
    cuda_check(cudaStreamCreate(&streams[0]), "cudaStreamCreate");
    cuda_check(cudaStreamCreate(&streams[1]), "cudaStreamCreate");
    cuda_check(cudaMalloc(&memory, 4096), "cudaMalloc");
    cudaGraphExec_t graph = capture(streams[0]);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, load, NULL) != 0)
            exit(1);
    for (int i = 0; i < steps; i++) {
        step(streams[0], streams[1], memory, graph);
        usleep((unsigned)pause_us);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void run_in_child(int steps)
{
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < steps; i++) {
            prof_step();
            prof_range_push("of the child");
            prof_range_pop();
        }
        exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 20;
    pause_us = argc > 2 ? atoi(argv[2]) : 0;
    run_on_device(steps);
    if (argc > 3)
        run_in_child(steps);
    return 0;
}
