/* graphs.c [early|switched|copies|endless] - CUDA graphs, captured in some ranges and replayed in others.
 *
 * Without an argument: one graph captured in two layers, one built by hand with a graph inside it, a clone of the
 * first, and an executable graph that takes over another capture. early: captured and instantiated before
 * prof_start(). switched: with a node switched off. copies: nothing but copies. endless: replays until killed. */
#include "cuda_test.h"

#include <prof/prof.h>
#include <unistd.h>

typedef struct CUgraphNode_st *cudaGraphNode_t;
struct cudaKernelNodeParams {
    const void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
struct update_info {
    int result;
    void *node, *from;
};
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const struct cudaKernelNodeParams *params);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const struct cudaMemsetParams *params);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *after, size_t count,
                                       cudaGraph_t child);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                struct update_info *info);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *params);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node,
                                    unsigned enabled);

static cudaStream_t stream;
static void *device, *host;

static void layers(void)
{
    prof_range_push("layer 0");
    launch_work(2, stream);
    prof_range_pop();
    prof_range_push("layer 1");
    cuda_check(launch_shaped(&kernel_other, 4, 64, 0, stream), "other");
    cuda_check(cudaMemsetAsync(device, 0, 4096, stream), "cudaMemsetAsync");
    prof_range_pop();
    cuda_check(cudaMemcpyAsync(host, device, 4096, cudaMemcpyDeviceToHost, stream),
               "cudaMemcpyAsync");
}

static cudaGraph_t capture(const char *range)
{
    cudaGraph_t graph;
    prof_range_push(range);
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin of capture");
    layers();
    cuda_check(cudaStreamEndCapture(stream, &graph), "end of capture");
    prof_range_pop();
    return graph;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph)
{
    cudaGraphExec_t executable;
    prof_range_push("instantiate");
    cuda_check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    prof_range_pop();
    return executable;
}

static void replay(const char *range, cudaGraphExec_t executable, int times)
{
    for (int i = 0; i < times; i++) {
        prof_range_push(range);
        cuda_check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
        prof_range_pop();
    }
    cuda_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

/* A kernel and a set, then all of `inside`. */
static cudaGraph_t build(cudaGraph_t inside, cudaGraphNode_t *kernel)
{
    static float *array;
    static int count;
    void *arguments[] = {&array, &count};
    const struct cudaKernelNodeParams launch = {&kernel_work, {1, 1, 1}, {32, 1, 1}, 0,
                                                arguments,    NULL};
    const struct cudaMemsetParams set = {device, 0, 0, 4, 64, 1};
    cudaGraph_t graph;
    cudaGraphNode_t nodes[2], child;
    prof_range_push("build");
    cuda_check(cudaGraphCreate(&graph, 0), "cudaGraphCreate");
    cuda_check(cudaGraphAddKernelNode(&nodes[0], graph, NULL, 0, &launch),
               "cudaGraphAddKernelNode");
    cuda_check(cudaGraphAddMemsetNode(&nodes[1], graph, nodes, 1, &set), "cudaGraphAddMemsetNode");
    if (inside)
        cuda_check(cudaGraphAddChildGraphNode(&child, graph, &nodes[1], 1, inside),
                   "cudaGraphAddChildGraphNode");
    prof_range_pop();
    *kernel = nodes[0];
    return graph;
}

static void set_parameters(cudaGraphExec_t executable, cudaGraphNode_t kernel)
{
    static float *array;
    static int count;
    void *arguments[] = {&array, &count};
    const struct cudaKernelNodeParams launch = {&kernel_work, {2, 1, 1}, {32, 1, 1}, 0,
                                                arguments,    NULL};
    prof_range_push("set parameters");
    cuda_check(cudaGraphExecKernelNodeSetParams(executable, kernel, &launch), "SetParams");
    prof_range_pop();
}

static void run_all(void)
{
    cudaGraphNode_t kernel;
    struct update_info info;
    cudaGraph_t first = capture("capture"), clone, built = build(first, &kernel), second;
    cudaGraphExec_t executable = instantiate(first), whole;
    replay("step", executable, 10);
    prof_range_push("clone");
    cuda_check(cudaGraphClone(&clone, first), "cudaGraphClone");
    prof_range_pop();
    replay("step of clone", instantiate(clone), 3);
    whole = instantiate(built);
    replay("step of built", whole, 2);
    set_parameters(whole, kernel);
    replay("step of set", whole, 1);
    second = capture("capture again");
    prof_range_push("update");
    cuda_check(cudaGraphExecUpdate(executable, second, &info), "cudaGraphExecUpdate");
    prof_range_pop();
    replay("step of updated", executable, 4);
    cuda_check(cudaGraphExecDestroy(whole), "cudaGraphExecDestroy");
    cuda_check(cudaGraphDestroy(built), "cudaGraphDestroy");
}

static void run_early(void)
{
    cudaGraphExec_t executable = instantiate(capture("capture"));
    replay("unseen", executable, 2);
    prof_start();
    replay("step", executable, 5);
    prof_stop();
    replay("unseen", executable, 2);
    prof_start();
    replay("step", executable, 1);
}

static void run_switched(void)
{
    cudaGraphNode_t kernel;
    cudaGraph_t built = build(NULL, &kernel);
    cudaGraphExec_t executable = instantiate(built);
    replay("step", executable, 2);
    cuda_check(cudaGraphNodeSetEnabled(executable, kernel, 0), "cudaGraphNodeSetEnabled");
    replay("switched off", executable, 2);
}

static void run_copies(void)
{
    cudaGraph_t graph;
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin of capture");
    for (int i = 0; i < 3; i++)
        cuda_check(cudaMemcpyAsync(host, device, 4096, cudaMemcpyDeviceToHost, stream),
                   "cudaMemcpyAsync");
    cuda_check(cudaStreamEndCapture(stream, &graph), "end of capture");
    replay("step", instantiate(graph), 4);
}

static void run_endless(void)
{
    cudaGraphExec_t executable = instantiate(capture("capture"));
    puts("OK");
    fflush(stdout);
    for (;;) {
        replay("step", executable, 1);
        usleep(1000);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    cuda_check(cudaMalloc(&device, 4096), "cudaMalloc");
    cuda_check(cudaHostAlloc(&host, 4096, 0), "cudaHostAlloc");
    if (strcmp(what, "early") == 0)
        run_early();
    else if (strcmp(what, "switched") == 0)
        run_switched();
    else if (strcmp(what, "copies") == 0)
        run_copies();
    else if (strcmp(what, "endless") == 0)
        run_endless();
    else
        run_all();
    puts("OK");
    return 0;
}
