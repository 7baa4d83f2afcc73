// demo.cu - an ordinary CUDA program: a two-layer network classifies batches, first stream by stream with
// copies and computing overlapped, then as a CUDA graph. It knows nothing of any profiler:
//
//     nvcc -O2 -cudart shared demo.cu -o demo && profrun -- ./demo

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

constexpr int rows = 256;     // of a batch
constexpr int features = 512; // of a row
constexpr int classes = 128;
constexpr int tile = 16;
constexpr int batches = 24;
constexpr int replays = 40;

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "demo: %s: %s\n", what, cudaGetErrorString(error));
        std::exit(1);
    }
}

// out[rows x columns] = a[rows x inner] * b[inner x columns]
template <typename T, int Tile>
__global__ void gemm(T *out, const T *a, const T *b, int inner, int columns)
{
    __shared__ T left[Tile][Tile], right[Tile][Tile];
    const int row = blockIdx.y * Tile + threadIdx.y, column = blockIdx.x * Tile + threadIdx.x;
    T sum = 0;
    for (int k = 0; k < inner; k += Tile) {
        left[threadIdx.y][threadIdx.x] = a[row * inner + k + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * columns + column];
        __syncthreads();
        for (int i = 0; i < Tile; i++) {
            sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        }
        __syncthreads();
    }
    out[row * columns + column] = sum;
}

template <typename T>
__global__ void bias_relu(T *values, const T *bias, int columns)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const T value = values[i] + bias[i % columns];
    values[i] = value > T(0) ? value : T(0);
}

__global__ void argmax(int *best, const float *scores, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    int winner = 0;
    for (int i = 1; i < columns; i++) {
        winner = scores[row * columns + i] > scores[row * columns + winner] ? i : winner;
    }
    best[row] = winner;
}

struct Network {
    float *first, *second, *bias, *hidden, *scores;
};

// One batch in flight: its memory on both sides and the stream it runs in.
struct Slot {
    cudaStream_t stream;
    cudaEvent_t copied;
    float *host_input, *input;
    int *host_best, *best;
};

template <typename T>
static T *device_array(size_t count)
{
    T *array = nullptr;
    check(cudaMalloc(&array, count * sizeof(T)), "cudaMalloc");
    check(cudaMemset(array, 0, count * sizeof(T)), "cudaMemset");
    return array;
}

static Network make_network()
{
    Network network = {};
    network.first = device_array<float>(features * features);
    network.second = device_array<float>(features * classes);
    network.bias = device_array<float>(features);
    network.hidden = device_array<float>(rows * features);
    network.scores = device_array<float>(rows * classes);
    return network;
}

static Slot make_slot()
{
    Slot slot = {};
    check(cudaStreamCreate(&slot.stream), "cudaStreamCreate");
    check(cudaEventCreate(&slot.copied), "cudaEventCreate");
    check(cudaMallocHost(&slot.host_input, rows * features * sizeof(float)), "cudaMallocHost");
    check(cudaMallocHost(&slot.host_best, rows * sizeof(int)), "cudaMallocHost");
    slot.input = device_array<float>(rows * features);
    slot.best = device_array<int>(rows);
    return slot;
}

static void classify(const Network &network, const Slot &slot, cudaStream_t stream)
{
    const dim3 block(tile, tile);
    gemm<float, tile><<<dim3(features / tile, rows / tile), block, 0, stream>>>(
        network.hidden, slot.input, network.first, features, features);
    bias_relu<float>
        <<<rows * features / 256, 256, 0, stream>>>(network.hidden, network.bias, features);
    gemm<float, tile><<<dim3(classes / tile, rows / tile), block, 0, stream>>>(
        network.scores, network.hidden, network.second, features, classes);
    argmax<<<rows / 128, 128, 0, stream>>>(slot.best, network.scores, classes);
    check(cudaGetLastError(), "kernel launch");
}

// What a loader thread of a real program would do.
static void fill(float *input, int batch)
{
    for (int i = 0; i < rows * features; i++) {
        input[i] = static_cast<float>((i * 7 + batch) % 13) / 13.0f;
    }
}

static void run_streams(const Network &network, const Slot *slots, cudaStream_t compute)
{
    for (int batch = 0; batch < batches; batch++) {
        const Slot &slot = slots[batch % 2];
        check(cudaStreamSynchronize(slot.stream), "cudaStreamSynchronize");
        fill(slot.host_input, batch);
        check(cudaMemcpyAsync(slot.input, slot.host_input, rows * features * sizeof(float),
                              cudaMemcpyHostToDevice, slot.stream),
              "copy of a batch");
        check(cudaEventRecord(slot.copied, slot.stream), "cudaEventRecord");
        check(cudaStreamWaitEvent(compute, slot.copied, 0), "cudaStreamWaitEvent");
        classify(network, slot, compute);
        check(cudaMemcpyAsync(slot.host_best, slot.best, rows * sizeof(int), cudaMemcpyDeviceToHost,
                              compute),
              "copy of the answers");
    }
    check(cudaStreamSynchronize(compute), "cudaStreamSynchronize");
}

static void run_graph(const Network &network, const Slot &slot)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    check(cudaStreamBeginCapture(slot.stream, cudaStreamCaptureModeGlobal), "begin of capture");
    classify(network, slot, slot.stream);
    check(cudaStreamEndCapture(slot.stream, &graph), "end of capture");
#if CUDART_VERSION >= 12000
    check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
#else
    check(cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0), "cudaGraphInstantiate");
#endif
    for (int replay = 0; replay < replays; replay++) {
        check(cudaGraphLaunch(executable, slot.stream), "cudaGraphLaunch");
    }
    check(cudaStreamSynchronize(slot.stream), "cudaStreamSynchronize");
    check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
    check(cudaGraphDestroy(graph), "cudaGraphDestroy");
}

int main()
{
    const Network network = make_network();
    const Slot slots[2] = {make_slot(), make_slot()};
    cudaStream_t compute;
    cudaEvent_t begin, end;
    check(cudaStreamCreate(&compute), "cudaStreamCreate");
    check(cudaEventCreate(&begin), "cudaEventCreate");
    check(cudaEventCreate(&end), "cudaEventCreate");

    check(cudaEventRecord(begin, compute), "cudaEventRecord");
    run_streams(network, slots, compute);
    check(cudaEventRecord(end, compute), "cudaEventRecord");
    check(cudaEventSynchronize(end), "cudaEventSynchronize");
    float milliseconds = 0.0f;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");

    run_graph(network, slots[0]);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    std::printf("classified %d batches in %.2f ms, then %d times by graph\n", batches,
                static_cast<double>(milliseconds), replays);
    return 0;
}
