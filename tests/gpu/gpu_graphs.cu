// A captured graph of kernels, a copy and a set, replayed.
#include "gpu_check.h"

__global__ void step(float *data, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] += 1.0f;
}

int main()
{
    const int count = 1 << 14, replays = 20, nodes = 3;
    float *a, *b;
    CHECK(cudaMalloc(&a, count * sizeof *a));
    CHECK(cudaMalloc(&b, count * sizeof *b));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(a, 0, count * sizeof *a, stream));
    for (int i = 0; i < nodes; i++)
        step<<<count / 256, 256, 0, stream>>>(a, count);
    CHECK(cudaMemcpyAsync(b, a, count * sizeof *a, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
#if CUDART_VERSION >= 12000
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
#else
    CHECK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
#endif
    for (int i = 0; i < replays; i++)
        CHECK(cudaGraphLaunch(exec, stream));
    step<<<count / 256, 256, 0, stream>>>(a, count);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    expect("kernel", nodes * replays + 1);
    expect("memset", replays);
    expect("memcpy", replays);
    expect("api:cudaGraphLaunch", replays);
    return 0;
}
