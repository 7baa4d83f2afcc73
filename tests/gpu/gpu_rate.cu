// How many launches a second one thread gets through: prints "rate N".
#include "gpu_check.h"

#include <chrono>

__global__ void nothing() {}

int main(int count, char **arguments)
{
    const int launches = count > 1 ? atoi(arguments[1]) : 200000, batch = 500;
    nothing<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; i++) {
        nothing<<<1, 1>>>();
        if (i % batch == batch - 1)
            CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaDeviceSynchronize());
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    printf("rate %.0f\n", launches / took.count());
    expect("kernel", launches + 1);
    return 0;
}
