// Kernels that overlap: four threads, each with two streams, joined by events.
#include "gpu_check.h"

#include <thread>
#include <vector>

__global__ void spin(long long cycles, long long *out)
{
    long long start = clock64();
    while (clock64() - start < cycles)
        continue;
    if (out && threadIdx.x == 0)
        *out = clock64();
}

static const int threads = 4, rounds = 10;

static void work()
{
    cudaStream_t first, second;
    cudaEvent_t done;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    for (int i = 0; i < rounds; i++) {
        spin<<<1, 32, 0, first>>>(100000, nullptr);
        CHECK(cudaEventRecord(done, first));
        spin<<<1, 32, 0, second>>>(50000, nullptr);
        CHECK(cudaStreamWaitEvent(second, done, 0));
        spin<<<1, 32, 0, second>>>(20000, nullptr);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaStreamSynchronize(second));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
}

int main()
{
    std::vector<std::thread> all;
    CHECK(cudaFree(nullptr));
    for (int i = 0; i < threads; i++)
        all.emplace_back(work);
    for (auto &one : all)
        one.join();
    expect("kernel", threads * rounds * 3);
    expect("api:cudaStreamWaitEvent", threads * rounds);
    expect("api:cudaStreamSynchronize", threads * 2);
    return 0;
}
