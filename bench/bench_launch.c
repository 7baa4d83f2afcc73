/* bench_launch.c - cost of a CUDA call before the first start, while recording, and after a stop,
 * for each PROF_GPU_DETAIL. The floor is a call of the runtime that libprof does not follow.
 *
 * Two seconds after a stop the callbacks are off: then a launch costs what it did before the first start.
 */
#include "bench_sim.h"

#include "../examples/cuda_by_hand.h"

#include <prof/prof.h>

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
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

/* A call that waits, and one that libprof does not follow but at PROF_GPU_DETAIL=full. */
static void loop_wait(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++)
        cudaStreamSynchronize(NULL);
}

static cudaEvent_t event;

static void loop_event(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++)
        cuda_check(cudaEventRecord(event, NULL), "cudaEventRecord");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

static void measure(const char *when)
{
    static const struct {
        const char *what;
        void (*loop)(void *user, uint64_t iterations);
        uint64_t iterations;
    } rows[] = {{"launch", loop_launch, LAUNCHES},
                {"wait", loop_wait, LAUNCHES},
                {"event", loop_event, LAUNCHES},
                {"graph of 16 kernels", loop_graph, GRAPH_LAUNCHES}};
    char name[80];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(name, sizeof name, "%s: %s", rows[i].what, when);
        bench_print(name, bench_against(loop_floor, rows[i].loop, NULL, rows[i].iterations));
    }
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

static void measure_level(const char *level)
{
    char when[40];
    struct prof_options options;
    be_threaded();
    prof_options_default(&options);
    options.output = "bench_launch-%p.prof";
    prof_configure(&options);
    cuda_register_kernel(&kernel, "_Z6kernelv");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    cuda_check(cudaEventCreate(&event), "cudaEventCreate");
    make_graph();
    if (strcmp(level, "minimal") == 0)
        measure("before the first start");
    prof_start();
    make_graph();
    snprintf(when, sizeof when, "recording, %s", level);
    measure(when);
    prof_stop();
    if (strcmp(level, "full") == 0) {
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        sleep(SECONDS_AFTER_STOP);
        measure("after a stop");
    }
    unlink(prof_output_path());
}

/* libprof reads its variables once: a process for each level. */
static int run_level(const char *level)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        setenv("PROF_GPU_DETAIL", level, 1);
        execl("/proc/self/exe", "bench_launch", level, (char *)NULL);
        _exit(1);
    }
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    bench_sim_without_launch_time(argv);
    if (argc == 2) {
        measure_level(argv[1]);
        return 0;
    }
    bench_print_header("floor");
    fflush(stdout);
    return run_level("minimal") || run_level("standard") || run_level("full");
}
