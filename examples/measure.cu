// measure.cu - how long two kernels take: each pass of the loop is one call.
//
//     nvcc -O2 -cudart shared -I.../include measure.cu -o measure && profrun -e PROF_START=api -- ./measure
//
// The library is not linked. PROF_START=api records the benchmark alone.

#include <prof/bench.h>

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

constexpr int count = 1 << 20;

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "measure: %s: %s\n", what, cudaGetErrorString(error));
        std::exit(1);
    }
}

__global__ void scale(float *out, const float *in, float number)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * number;
}

__global__ void add(float *out, const float *in, float number)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] += in[i] + number;
}

static void print_result(const prof_bench_result &result)
{
    std::printf("%s: %.3f us (95 %%: %.3f to %.3f), L2 %s\n", result.device_name,
                result.device.median_ns / 1e3, result.device.low_ns / 1e3,
                result.device.high_ns / 1e3, result.cache);
    for (uint64_t i = 0; i < result.operations && i < PROF_BENCH_OPERATIONS; i++)
        std::printf("  %-20s %8.3f us  grid %u, block %u\n", result.operation[i].name,
                    result.operation[i].time_ns / 1e3, result.operation[i].grid[0],
                    result.operation[i].block[0]);
}

int main()
{
    prof_bench_options options;
    prof_bench_result result = {};
    float *out, *in;
    check(cudaMalloc(&out, count * sizeof(float)), "cudaMalloc");
    check(cudaMalloc(&in, count * sizeof(float)), "cudaMalloc");

    result.size_bytes = sizeof result;
    prof_bench_options_default(&options);
    options.name = "scale and add";
    options.repeats = 100;
    prof_status status = prof_bench_begin(&options);
    while (prof_bench_next()) {
        scale<<<count / 256, 256>>>(out, in, 0.5f);
        add<<<count / 256, 256>>>(out, in, 0.5f);
    }
    if (status == PROF_OK)
        status = prof_bench_end(&result);
    if (status == PROF_OK)
        print_result(result);
    else
        std::fprintf(stderr, "measure: %s\n",
                     status == PROF_INCONCLUSIVE ? result.reason : prof_status_text(status));
    return status == PROF_OK ? 0 : 1;
}
