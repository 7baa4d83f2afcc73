/* timed.c - timed WHAT [COUNT]: ranges around work on the device, for timing by CUDA events.
 *
 * What each part does is counted in test_cuda_events.sh: change both. Prints OK.
 */
#include "cuda_test.h"

#include <prof/prof.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

CUresult cuCtxSetCurrent(CUcontext context);

static void timed_work(const char *name, int kernels, cudaStream_t stream)
{
    prof_range_push(name);
    launch_work(kernels, stream);
    prof_range_pop();
}

/* outer holds 3 + 2 + 1 kernels, left 3, right 2, leaf none. */
static void nested(void)
{
    prof_range_push("outer");
    timed_work("left", 3, NULL);
    prof_range_push("right");
    launch_work(2, NULL);
    timed_work("leaf", 0, NULL);
    prof_range_pop();
    launch_work(1, NULL);
    prof_range_pop();
}

/* A thread has no context before its first CUDA call: "second" and its first step are not timed. */
static void *in_thread(void *name)
{
    if (strcmp(name, "first") == 0) {
        cuda_check(cudaFree(NULL), "context");
    }
    prof_range_push(name);
    for (int i = 0; i < 50; i++) {
        timed_work("step", 1, NULL);
    }
    prof_range_pop();
    return NULL;
}

static void threads(void)
{
    static char names[2][8] = {"first", "second"};
    pthread_t made[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&made[i], NULL, in_thread, names[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(made[i], NULL);
    }
}

/* A blocking stream is waited for by the legacy stream, a non-blocking one is not. */
static void streams(void)
{
    cudaStream_t blocking, other;
    cuda_check(cudaStreamCreate(&blocking), "stream");
    cuda_check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "stream");
    timed_work("blocking", 10, blocking);
    timed_work("non-blocking", 10, other);
}

/* "both" begins on device 0 and is popped while device 1 is current. */
static void devices(void)
{
    prof_range_push("both");
    for (int i = 0; i < 2; i++) {
        cuda_check(cudaSetDevice(i), "device");
        cuda_check(cudaFree(NULL), "context");
        timed_work(i ? "one" : "zero", 2, NULL);
    }
    prof_range_pop();
}

/* "inside" and "across" begin during the capture: they cannot be timed. */
static void capture(void)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cuda_check(cudaStreamCreate(&stream), "stream");
    timed_work("before", 1, stream);
    prof_range_push("around");
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin");
    timed_work("inside", 1, stream);
    prof_range_push("across");
    cuda_check(cudaStreamEndCapture(stream, &graph), "end"); /* nothing spoiled it */
    prof_range_pop();
    prof_range_pop();
    timed_work("after", 1, stream);
}

static void contexts(void)
{
    CUcontext context;
    CUdevice device;
    if (cuInit(0) || cuDeviceGet(&device, 0)) {
        exit(1);
    }
    for (int i = 0; i < 70; i++) { /* more than are kept track of at once */
        if (cuCtxCreate_v2(&context, 0, device)) {
            exit(1);
        }
        prof_range_push("lives");
        prof_range_pop();
        prof_range_push("outlives");
        if (cuCtxDestroy_v2(context)) {
            exit(1);
        }
        prof_range_pop();
    }
    prof_range_push("nowhere");
    prof_range_pop();
}

static void reset(void)
{
    for (int i = 0; i < 5; i++) {
        timed_work("round", 1, NULL);
        cuda_check(cudaDeviceSynchronize(), "synchronise");
        usleep(250000); /* the times are read meanwhile */
        cuda_check(cudaDeviceReset(), "reset");
        cuda_check(cudaFree(NULL), "context");
    }
}

static void many(int count)
{
    prof_range_push("all");
    for (int i = 0; i < count; i++) {
        prof_range_push("one");
        prof_range_pop();
    }
    prof_range_pop();
}

/* Recording goes off with a range open. */
static void switches(void)
{
    prof_range_push("cut");
    prof_stop();
    prof_range_pop();
    timed_work("unseen", 1, NULL);
    prof_start();
    timed_work("again", 1, NULL);
    errno = 0;
    prof_range_push("errno");
    prof_range_pop();
    if (errno) {
        exit(1);
    }
}

static void forks(void)
{
    timed_work("parent", 1, NULL);
    pid_t child = fork();
    if (child == 0) {
        prof_range_push("child");
        prof_range_pop();
        _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0) {
        exit(1);
    }
    timed_work("parent", 1, NULL);
}

static void killed(void)
{
    for (int i = 0; i < 10; i++) {
        timed_work("read", 1, NULL);
    }
    cuda_check(cudaDeviceSynchronize(), "synchronise");
    usleep(500000);
    prof_range_push("open");
    raise(SIGKILL);
}

static void deep(void)
{
    for (int i = 0; i < 70; i++) {
        prof_range_push("level");
    }
    for (int i = 0; i < 70; i++) {
        prof_range_pop();
    }
    timed_work("after", 1, NULL);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "contexts") == 0) {
        contexts();
        puts("OK");
        return 0;
    }
    cuda_check(cudaFree(NULL), "context");
    const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"nested", nested},   {"threads", threads},   {"streams", streams},
                 {"devices", devices}, {"capture", capture},   {"reset", reset},
                 {"forks", forks},     {"switches", switches}, {"killed", killed},
                 {"deep", deep}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(what, parts[i].name) == 0) {
            parts[i].run();
        }
    }
    if (strcmp(what, "many") == 0) {
        many(atoi(argv[2]));
    }
    cuda_check(cudaDeviceSynchronize(), "synchronise");
    puts("OK");
    return 0;
}
