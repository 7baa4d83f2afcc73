// per_thread.cu - built with --default-stream per-thread: each thread's default stream is its own.

#include <prof/prof.h>

#include <cuda_runtime.h>

#include <cstdio>
#include <thread>
#include <vector>

__global__ void by_thread(int *) {}

static void run()
{
    PROF_RANGE("thread");
    int *array = nullptr;
    bool ok = cudaMalloc(&array, 4096) == cudaSuccess;
    ok = ok && cudaMemsetAsync(array, 0, 4096) == cudaSuccess;
    for (int i = 0; i < 10; i++) {
        by_thread<<<2, 32>>>(array);
    }
    ok = ok && cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess;
    if (!ok) {
        std::puts("not OK");
    }
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++) {
        threads.emplace_back(run);
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    std::puts("OK");
    return 0;
}
