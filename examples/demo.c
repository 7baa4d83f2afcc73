/* demo.c - the program of demo.cu for machines without nvcc: the same launches, copies and graph through the
 * runtime API, on the simulated CUDA. Like demo.cu it knows nothing of any profiler. */
#include "cuda_by_hand.h"

enum { ROWS = 256, FEATURES = 512, CLASSES = 128, TILE = 16, BATCHES = 24, REPLAYS = 40 };

/* What stands for the kernels on the host; only their addresses are used. */
static char gemm, bias_relu, argmax;

static void register_kernels(void)
{
    cuda_register_kernel(&gemm, "_Z4gemmIfLi16EEvPT_PKS0_S3_ii");
    cuda_register_kernel(&bias_relu, "_Z9bias_reluIfEvPT_PKS0_i");
    cuda_register_kernel(&argmax, "_Z6argmaxPiPKfi");
}

/* One batch in flight: its memory on both sides and the stream it runs in. */
struct slot {
    cudaStream_t stream;
    cudaEvent_t copied;
    void *host_input, *input;
    void *host_best, *best;
};

struct network {
    void *first, *second, *bias, *hidden, *scores;
};

static void *device_array(size_t size)
{
    void *array = NULL;
    cuda_check(cudaMalloc(&array, size), "cudaMalloc");
    cuda_check(cudaMemsetAsync(array, 0, size, NULL), "cudaMemsetAsync");
    return array;
}

static struct network make_network(void)
{
    return (struct network){
        .first = device_array(sizeof(float) * FEATURES * FEATURES),
        .second = device_array(sizeof(float) * FEATURES * CLASSES),
        .bias = device_array(sizeof(float) * FEATURES),
        .hidden = device_array(sizeof(float) * ROWS * FEATURES),
        .scores = device_array(sizeof(float) * ROWS * CLASSES),
    };
}

static struct slot make_slot(void)
{
    struct slot slot;
    cuda_check(cudaStreamCreate(&slot.stream), "cudaStreamCreate");
    cuda_check(cudaEventCreate(&slot.copied), "cudaEventCreate");
    cuda_check(cudaHostAlloc(&slot.host_input, sizeof(float) * ROWS * FEATURES, 0),
               "cudaHostAlloc");
    cuda_check(cudaHostAlloc(&slot.host_best, sizeof(int) * ROWS, 0), "cudaHostAlloc");
    slot.input = device_array(sizeof(float) * ROWS * FEATURES);
    slot.best = device_array(sizeof(int) * ROWS);
    return slot;
}

static void launch(const void *kernel, dim3 grid, dim3 block, void **arguments, cudaStream_t stream)
{
    cuda_check(cudaLaunchKernel(kernel, grid, block, arguments, 0, stream), "cudaLaunchKernel");
}

static void multiply(void *out, void *a, void *b, int inner, int columns, cudaStream_t stream)
{
    const dim3 grid = {(unsigned)columns / TILE, ROWS / TILE, 1}, block = {TILE, TILE, 1};
    void *arguments[] = {&out, &a, &b, &inner, &columns};
    launch(&gemm, grid, block, arguments, stream);
}

static void classify(struct network *network, struct slot *slot, cudaStream_t stream)
{
    int features = FEATURES, classes = CLASSES;
    void *relu_arguments[] = {&network->hidden, &network->bias, &features};
    void *argmax_arguments[] = {&slot->best, &network->scores, &classes};
    multiply(network->hidden, slot->input, network->first, FEATURES, FEATURES, stream);
    launch(&bias_relu, (dim3){ROWS * FEATURES / 256, 1, 1}, (dim3){256, 1, 1}, relu_arguments,
           stream);
    multiply(network->scores, network->hidden, network->second, FEATURES, CLASSES, stream);
    launch(&argmax, (dim3){ROWS / 128, 1, 1}, (dim3){128, 1, 1}, argmax_arguments, stream);
}

/* What a loader thread of a real program would do. */
static void fill(float *input, int batch)
{
    for (int i = 0; i < ROWS * FEATURES; i++) {
        input[i] = (float)((i * 7 + batch) % 13) / 13.0f;
    }
}

static void run_streams(struct network *network, struct slot *slots, cudaStream_t compute)
{
    for (int batch = 0; batch < BATCHES; batch++) {
        struct slot *slot = &slots[batch % 2];
        cuda_check(cudaStreamSynchronize(slot->stream), "cudaStreamSynchronize");
        fill(slot->host_input, batch);
        cuda_check(cudaMemcpyAsync(slot->input, slot->host_input, sizeof(float) * ROWS * FEATURES,
                                   cudaMemcpyHostToDevice, slot->stream),
                   "copy of a batch");
        cuda_check(cudaEventRecord(slot->copied, slot->stream), "cudaEventRecord");
        cuda_check(cudaStreamWaitEvent(compute, slot->copied, 0), "cudaStreamWaitEvent");
        classify(network, slot, compute);
        cuda_check(cudaMemcpyAsync(slot->host_best, slot->best, sizeof(int) * ROWS,
                                   cudaMemcpyDeviceToHost, compute),
                   "copy of the answers");
    }
    cuda_check(cudaStreamSynchronize(compute), "cudaStreamSynchronize");
}

static void run_graph(struct network *network, struct slot *slot)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cuda_check(cudaStreamBeginCapture(slot->stream, cudaStreamCaptureModeGlobal),
               "begin of capture");
    classify(network, slot, slot->stream);
    cuda_check(cudaStreamEndCapture(slot->stream, &graph), "end of capture");
    cuda_check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    for (int replay = 0; replay < REPLAYS; replay++) {
        cuda_check(cudaGraphLaunch(executable, slot->stream), "cudaGraphLaunch");
    }
    cuda_check(cudaStreamSynchronize(slot->stream), "cudaStreamSynchronize");
    cuda_check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
    cuda_check(cudaGraphDestroy(graph), "cudaGraphDestroy");
}

int main(void)
{
    register_kernels();
    struct network network = make_network();
    struct slot slots[2] = {make_slot(), make_slot()};
    cudaStream_t compute;
    cudaEvent_t begin, end;
    cuda_check(cudaStreamCreate(&compute), "cudaStreamCreate");
    cuda_check(cudaEventCreate(&begin), "cudaEventCreate");
    cuda_check(cudaEventCreate(&end), "cudaEventCreate");

    cuda_check(cudaEventRecord(begin, compute), "cudaEventRecord");
    run_streams(&network, slots, compute);
    cuda_check(cudaEventRecord(end, compute), "cudaEventRecord");
    cuda_check(cudaEventSynchronize(end), "cudaEventSynchronize");
    float milliseconds = 0.0f;
    cuda_check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");

    run_graph(&network, &slots[0]);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    printf("classified %d batches in %.2f ms, then %d times by graph\n", BATCHES,
           (double)milliseconds, REPLAYS);
    return 0;
}
