// What the device reaches: memory bandwidth of a copy and FP32 rate of fused multiply-adds, the best of ten.
// Prints "bandwidth BYTES_PER_SECOND" (read and written) and "fp32 FLOP_PER_SECOND".
#include "gpu_check.h"

static const int rounds = 10, threads = 256, blocks = 132 * 16, steps = 4096, chains = 8;

__global__ void multiply_add(float *out, float a, float b)
{
    float at[chains];
    for (int i = 0; i < chains; i++)
        at[i] = threadIdx.x + i;
    for (int step = 0; step < steps; step++)
        for (int i = 0; i < chains; i++)
            at[i] = at[i] * a + b;
    float sum = 0;
    for (int i = 0; i < chains; i++)
        sum += at[i];
    if (sum == 12345.0f) // so that the compiler keeps it
        *out = sum;
}

// The shortest time of WORK in seconds, by the device's clock.
template <typename Work>
static double best_seconds(Work work)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    double best = 1e9;
    for (int i = 0; i < rounds; i++) {
        float ms;
        CHECK(cudaEventRecord(begin));
        work();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (ms > 0 && ms / 1000 < best)
            best = ms / 1000;
    }
    return best;
}

int main()
{
    const size_t bytes = (device_computes() ? 1024 : 1) * (size_t)1048576;
    char *from, *to;
    CHECK(cudaMalloc(&from, bytes));
    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemset(from, 1, bytes));
    double copy =
        best_seconds([&] { CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice)); });
    printf("bandwidth %.4g\n", 2.0 * bytes / copy);
    double compute =
        best_seconds([&] { multiply_add<<<blocks, threads>>>((float *)to, 1.0001f, 0.5f); });
    printf("fp32 %.4g\n", 2.0 * chains * steps * threads * blocks / compute);
    expect("kernel", rounds);
    return 0;
}
