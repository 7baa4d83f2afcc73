// Many launches of several kernels, templates among them, on the default stream.
#include "gpu_check.h"

template <typename T>
__global__ void scale(T *data, T factor, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] *= factor;
}

__global__ void add(float *to, const float *from, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] += from[i];
}

__global__ void reduce(float *out, const float *in, int count)
{
    extern __shared__ float part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < count ? in[i] : 0.0f;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(out, part[0]);
}

int main()
{
    const int count = 1 << 16, rounds = 500;
    float *a, *b, *sum;
    double *d;
    CHECK(cudaMalloc(&a, count * sizeof *a));
    CHECK(cudaMalloc(&b, count * sizeof *b));
    CHECK(cudaMalloc(&d, count * sizeof *d));
    CHECK(cudaMalloc(&sum, sizeof *sum));
    CHECK(cudaMemset(a, 0, count * sizeof *a));
    CHECK(cudaMemset(b, 0, count * sizeof *b));
    CHECK(cudaMemset(d, 0, count * sizeof *d));
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    for (int i = 0; i < rounds; i++) {
        scale<float><<<count / 256, 256>>>(a, 1.5f, count);
        scale<double><<<count / 128, 128>>>(d, 0.5, count);
        add<<<count / 256, 256>>>(a, b, count);
        if (i % 10 == 0)
            reduce<<<count / 256, 256, 256 * sizeof(float)>>>(sum, a, count);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(d));
    CHECK(cudaFree(sum));
    expect("kernel", 3 * rounds + rounds / 10);
    expect("memset", 4);
    expect("memcpy", 0);
    expect("api:cudaMalloc", 4);
    expect("api:cudaFree", 4);
    expect("api:cudaDeviceSynchronize", 1);
    return 0;
}
