// Copies of every direction, from pageable and pinned memory, and sets; the data is checked.
#include "gpu_check.h"

#include <cstring>
#include <vector>

__constant__ float table[256];

int main()
{
    const size_t bytes = 1 << 20;
    std::vector<char> pageable(bytes, 'p'), back(bytes);
    char *pinned, *a, *b;
    CHECK(cudaMallocHost(&pinned, bytes));
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    memset(pinned, 'q', bytes);

    CHECK(cudaMemcpy(a, pageable.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(back.data(), b, bytes, cudaMemcpyDeviceToHost));
    if (device_computes() && back != pageable) {
        fprintf(stderr, "what came back is not what was sent\n");
        return 1;
    }
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < 20; i++) {
        CHECK(cudaMemcpyAsync(a, pinned, bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaMemcpyAsync(pinned, a, bytes, cudaMemcpyDeviceToHost, stream));
    }
    CHECK(cudaMemsetAsync(a, 7, bytes, stream));
    CHECK(cudaMemset(b, 8, bytes));
    CHECK(cudaStreamSynchronize(stream));
    float host[256] = {0};
    CHECK(cudaMemcpyToSymbol(table, host, sizeof host));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFreeHost(pinned));
    expect("kernel", 0);
    expect("memcpy", 3 + 40 + 1);
    expect("memset", 2);
    expect("api:cudaMemcpyAsync", 40);
    expect("api:cudaStreamSynchronize", 1);
    return 0;
}
