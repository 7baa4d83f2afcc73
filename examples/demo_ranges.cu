// demo_ranges.cu - a training loop that names its parts: every kernel in the timeline then belongs to the range
// that launched it, and the table sums the device's time by range.
//
//     nvcc -O2 -cudart shared -I.../include demo_ranges.cu -o demo_ranges && profrun -- ./demo_ranges
//
// The library is not linked: without profrun the same program runs and records nothing.

#include <prof/prof.h>

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

constexpr int count = 1 << 18;
constexpr int steps = 10;
constexpr int layers = 3;

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "demo_ranges: %s: %s\n", what, cudaGetErrorString(error));
        std::exit(1);
    }
}

template <typename T>
__global__ void layer_forward(T *out, const T *in, T weight)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * weight / (T(1) + in[i] * in[i]);
}

template <typename T>
__global__ void layer_backward(T *gradient, const T *in, T weight)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const T square = in[i] * in[i];
    gradient[i] *= weight * (T(1) - square) / ((T(1) + square) * (T(1) + square));
}

template <typename T>
__global__ void sgd_update(T *weights, const T *gradient, T rate)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    weights[i] -= rate * gradient[i];
}

struct Trainer {
    float *host, *input, *activation[layers], *gradient, *weights;
    cudaStream_t stream;
};

static float *device_array()
{
    float *array = nullptr;
    check(cudaMalloc(&array, count * sizeof(float)), "cudaMalloc");
    check(cudaMemset(array, 0, count * sizeof(float)), "cudaMemset");
    return array;
}

static Trainer make_trainer()
{
    prof::range setup("setup");
    Trainer trainer = {};
    check(cudaMallocHost(&trainer.host, count * sizeof(float)), "cudaMallocHost");
    for (float **array : {&trainer.input, &trainer.gradient, &trainer.weights}) {
        *array = device_array();
    }
    for (float *&array : trainer.activation) {
        array = device_array();
    }
    check(cudaStreamCreate(&trainer.stream), "cudaStreamCreate");
    return trainer;
}

static void load_batch(const Trainer &trainer, int step)
{
    PROF_RANGE("load batch");
    for (int i = 0; i < count; i++) {
        trainer.host[i] = static_cast<float>((i + step) % 97) / 97.0f;
    }
    prof_attr_int("bytes", count * static_cast<int64_t>(sizeof(float)));
    check(cudaMemcpyAsync(trainer.input, trainer.host, count * sizeof(float),
                          cudaMemcpyHostToDevice, trainer.stream),
          "copy of a batch");
}

static void forward(const Trainer &trainer)
{
    PROF_RANGE("forward");
    const float *in = trainer.input;
    for (int layer = 0; layer < layers; layer++) {
        char name[32];
        prof_range_push_n(name,
                          static_cast<size_t>(std::snprintf(name, sizeof name, "layer %d", layer)));
        layer_forward<<<count / 256, 256, 0, trainer.stream>>>(trainer.activation[layer], in, 0.5f);
        prof_range_pop();
        in = trainer.activation[layer];
    }
}

static void backward(const Trainer &trainer)
{
    PROF_RANGE("backward");
    for (int layer = layers - 1; layer >= 0; layer--) {
        layer_backward<<<count / 256, 256, 0, trainer.stream>>>(trainer.gradient,
                                                                trainer.activation[layer], 0.5f);
    }
}

static void optimize(const Trainer &trainer, int step)
{
    PROF_RANGE("optimizer");
    sgd_update<<<count / 256, 256, 0, trainer.stream>>>(trainer.weights, trainer.gradient, 0.01f);
    check(cudaGetLastError(), "kernel launch");
    prof_counter("learning rate", 0.01 / (1 + step));
}

int main()
{
    prof_thread_name("trainer");
    const Trainer trainer = make_trainer();
    for (int step = 0; step < steps; step++) {
        prof_step();
        load_batch(trainer, step);
        forward(trainer);
        backward(trainer);
        optimize(trainer, step);
        PROF_RANGE("wait for the device");
        check(cudaStreamSynchronize(trainer.stream), "cudaStreamSynchronize");
    }
    prof_mark("trained");
    std::printf("trained %d steps\n", steps);
    return 0;
}
