/* ledger ROUNDS [SEED]: one of everything, on several threads, devices and streams at once.
 *
 * Four threads, each with a device (one after the other, as many as there are), two streams of its own, the default
 * stream of its device and a graph. In each round every thread makes 40 calls, chosen by the seed: kernels, copies, sets,
 * allocations, launches of the graph, events. Calls may fail (SIM_FAIL): the program goes on. Between rounds recording is
 * off for a while, and each thread launches 5 kernels into a stream that is used for nothing else.
 *
 * Prints "off N" (operations launched while recording was off) and "failed CALL CODE N" for every kind of failure.
 */
#include "cuda_test.h"

#include <prof/prof.h>
#include <pthread.h>

enum { THREADS = 4, CALLS = 40, OFF_CALLS = 5, BYTES = 4096, FAILURES = 64 };

struct failure {
    const char *call;
    int code, count;
};

static struct failure failures[FAILURES];
static int off_operations;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* over the two above */
static pthread_barrier_t everybody;
static int rounds, seed, devices;

static void note_failure(const char *call, int code)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < FAILURES; i++) {
        struct failure *failure = &failures[i];
        if (failure->call && (strcmp(failure->call, call) || failure->code != code))
            continue;
        *failure = (struct failure){call, code, failure->count + 1};
        break;
    }
    pthread_mutex_unlock(&lock);
}

/* Whether it succeeded. */
static bool note(const char *call, int code)
{
    if (code)
        note_failure(call, code);
    return code == 0;
}

struct worker {
    pthread_t thread;
    int number;
    uint32_t random;
    cudaStream_t streams[3], off_stream; /* the last of streams[] is the default stream */
    void *device_memory, *host_memory;
    cudaGraphExec_t graph;
    cudaEvent_t event;
};

static unsigned pick(struct worker *worker, unsigned below)
{
    worker->random = worker->random * 1664525u + 1013904223u;
    return (worker->random >> 16) % below;
}

static void make_graph(struct worker *worker)
{
    cudaGraph_t graph;
    cudaStream_t stream = worker->streams[0];
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin of capture");
    launch_work(3, stream);
    cuda_check(cudaMemsetAsync(worker->device_memory, 0, BYTES, stream), "captured set");
    cuda_check(cudaStreamEndCapture(stream, &graph), "end of capture");
    cuda_check(cudaGraphInstantiate(&worker->graph, graph, 0), "cudaGraphInstantiate");
    cuda_check(cudaGraphDestroy(graph), "cudaGraphDestroy");
}

static void prepare(struct worker *worker)
{
    cuda_check(cudaSetDevice(worker->number % devices), "cudaSetDevice");
    cuda_check(cudaStreamCreate(&worker->streams[0]), "cudaStreamCreate");
    cuda_check(cudaStreamCreateWithFlags(&worker->streams[1], cudaStreamNonBlocking), "a stream");
    cuda_check(cudaStreamCreate(&worker->off_stream), "cudaStreamCreate");
    cuda_check(cudaHostAlloc(&worker->host_memory, BYTES, 0), "cudaHostAlloc");
    cuda_check(cudaMalloc(&worker->device_memory, BYTES), "cudaMalloc");
    cuda_check(cudaEventCreate(&worker->event), "cudaEventCreate");
}

static void one_call(struct worker *worker)
{
    cudaStream_t stream = worker->streams[pick(worker, 3)];
    void *device = worker->device_memory, *host = worker->host_memory, *memory;
    switch (pick(worker, 12)) {
    case 0:
        note("cudaMemcpyAsync",
             cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
        break;
    case 1:
        note("cudaMemcpyAsync",
             cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, stream));
        break;
    case 2:
        note("cudaMemcpy", cudaMemcpy(device, host, BYTES, cudaMemcpyHostToDevice));
        break;
    case 3:
        note("cudaMemsetAsync", cudaMemsetAsync(device, 1, BYTES, stream));
        break;
    case 4:
        if (note("cudaMalloc", cudaMalloc(&memory, BYTES)))
            note("cudaFree", cudaFree(memory));
        break;
    case 5:
        note("cudaGraphLaunch", cudaGraphLaunch(worker->graph, worker->streams[0]));
        break;
    case 6:
        note("cudaEventRecord", cudaEventRecord(worker->event, stream));
        cudaStreamQuery(stream); /* not ready is no failure */
        break;
    default:
        note("cudaLaunchKernel", launch_shaped(&kernel_work, 4, 64, 0, stream));
        break;
    }
}

static void off_calls(struct worker *worker)
{
    int launched = 0;
    for (int i = 0; i < OFF_CALLS; i++)
        launched += launch_shaped(&kernel_other, 1, 32, 0, worker->off_stream) == 0;
    pthread_mutex_lock(&lock);
    off_operations += launched;
    pthread_mutex_unlock(&lock);
}

/* All at once; one of them switches. */
static void switch_recording(struct worker *worker, bool on)
{
    pthread_barrier_wait(&everybody);
    if (worker->number == 0)
        on ? prof_start() : prof_stop();
    pthread_barrier_wait(&everybody);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    prepare(worker);
    pthread_barrier_wait(&everybody);
    if (worker->number == 0) /* captures forbid others what is unsafe */
        for (int i = 0; i < THREADS; i++) {
            cuda_check(cudaSetDevice(i % devices), "cudaSetDevice");
            make_graph(&worker[i]);
        }
    cuda_check(cudaSetDevice(worker->number % devices), "cudaSetDevice");
    pthread_barrier_wait(&everybody);
    for (int round = 0; round < rounds; round++) {
        prof_range_push("round");
        for (int i = 0; i < CALLS; i++)
            one_call(worker);
        prof_range_pop();
        if (round % 4 != 3)
            continue;
        switch_recording(worker, false);
        off_calls(worker);
        switch_recording(worker, true);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct worker workers[THREADS];
    rounds = argc > 1 ? atoi(argv[1]) : 20;
    seed = argc > 2 ? atoi(argv[2]) : 1;
    cuda_check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    pthread_barrier_init(&everybody, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        workers[i].random = (uint32_t)(seed * 1000 + i);
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int device = 0; device < devices; device++) {
        cuda_check(cudaSetDevice(device), "cudaSetDevice");
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
    printf("off %d\n", off_operations);
    for (int i = 0; i < FAILURES && failures[i].call; i++)
        printf("failed %s %d %d\n", failures[i].call, failures[i].code, failures[i].count);
    return 0;
}
