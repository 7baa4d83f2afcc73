/* What a CUDA launch costs before the first start, while recording, and after a stop: on the simulated CUDA, whose
 * own launch is made to take no time. The floor is a call of the runtime that libprof does not follow.
 *
 * Two seconds after a stop the callbacks are off: then a launch costs what it did before the first start. */
#include "bench_sim.h"

#include "../examples/cuda_by_hand.h"

#include <prof/prof.h>

#include <pthread.h>
#include <unistd.h>

#define LAUNCHES 2000u
#define SECONDS_AFTER_STOP 3

cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);

static char kernel;

static void loop_floor(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++)
        cudaStreamQuery(NULL);
}

static void loop_launch(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++)
        cuda_check(cudaLaunchKernel(&kernel, (dim3){1, 1, 1}, (dim3){32, 1, 1}, NULL, 0, NULL),
                   "cudaLaunchKernel");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

/* A graph of NODES kernels, launched. */
#define NODES 16u
#define GRAPH_LAUNCHES 200u

static cudaGraphExec_t executable;

static void make_graph(void)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cuda_check(cudaStreamCreateWithFlags(&stream, 1), "cudaStreamCreateWithFlags");
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin of capture");
    for (unsigned i = 0; i < NODES; i++)
        cuda_check(cudaLaunchKernel(&kernel, (dim3){1, 1, 1}, (dim3){32, 1, 1}, NULL, 0, stream),
                   "cudaLaunchKernel");
    cuda_check(cudaStreamEndCapture(stream, &graph), "end of capture");
    cuda_check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
}

static void loop_graph(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++)
        cuda_check(cudaGraphLaunch(executable, NULL), "cudaGraphLaunch");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

static void measure_graph(const char *name)
{
    bench_print(name, bench_against(loop_floor, loop_graph, NULL, GRAPH_LAUNCHES));
}

static void measure(const char *name)
{
    bench_print(name, bench_against(loop_floor, loop_launch, NULL, LAUNCHES));
}

static void *sleep_on(void *unused)
{
    for (;;)
        pause();
    return unused;
}

/* With one thread libc takes its locks without atomics; CUDA programs never have just one. */
static void be_threaded(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, sleep_on, NULL) != 0)
        exit(1);
}

int main(int argc, char **argv)
{
    (void)argc;
    bench_sim_without_launch_time(argv);
    be_threaded();
    struct prof_options options;
    prof_options_default(&options);
    options.output = "bench_launch-%p.prof";
    prof_configure(&options);
    cuda_register_kernel(&kernel, "_Z6kernelv");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    bench_print_header("floor");
    measure("launch: before the first start");
    make_graph();
    measure_graph("graph of 16 kernels: before the first start");
    prof_start();
    measure("launch: recording");
    make_graph();
    measure_graph("graph of 16 kernels: recording");
    prof_stop();
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    sleep(SECONDS_AFTER_STOP);
    measure("launch: after a stop");
    unlink(prof_output_path());
    return 0;
}
