// job.cu - an ordinary CUDA program with a bit of everything; its parts are named with prof.h.
//
// What it does is counted in test_cuda_job.sh: change both. Prints OK.

#include <prof/prof.h>

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace
{

constexpr int batches = 4, replays = 5, count = 1 << 16;

__constant__ float coefficients[16];

void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        std::exit(1);
    }
}

template <typename T>
struct Pair {
    T first, second;
};

template <typename T, int Unroll>
__global__ void saxpy(Pair<T> pair, T *y)
{
    y[threadIdx.x] = pair.first * y[threadIdx.x] + pair.second + coefficients[Unroll];
}

__global__ void relu(float *y)
{
    extern __shared__ float tile[];
    tile[threadIdx.x] = y[threadIdx.x];
    y[threadIdx.x] = tile[threadIdx.x] > 0 ? tile[threadIdx.x] : 0;
}

struct Job {
    float *host, *x, *y;
    cudaStream_t copy, compute;
    cudaEvent_t copied, begun, ended;
    int called;
};

void on_host(void *job)
{
    static_cast<Job *>(job)->called++;
}

void setup(Job &job)
{
    PROF_RANGE("setup");
    const float values[16] = {1, 2, 3};
    const size_t size = count * sizeof(float);
    check(cudaMalloc(&job.x, size), "cudaMalloc");
    check(cudaMalloc(&job.y, size), "cudaMalloc");
    check(cudaMallocHost(&job.host, size), "cudaMallocHost");
    check(cudaMemcpyToSymbol(coefficients, values, sizeof values), "cudaMemcpyToSymbol");
    check(cudaMemset(job.x, 0, size), "cudaMemset");
    check(cudaStreamCreate(&job.copy), "cudaStreamCreate");
    check(cudaStreamCreateWithFlags(&job.compute, cudaStreamNonBlocking), "cudaStreamCreate");
    check(cudaMemsetAsync(job.y, 1, size / 2, job.compute), "cudaMemsetAsync");
    check(cudaEventCreateWithFlags(&job.copied, cudaEventDisableTiming), "cudaEventCreate");
    check(cudaEventCreate(&job.begun), "cudaEventCreate");
    check(cudaEventCreate(&job.ended), "cudaEventCreate");
}

void run_batch(Job &job)
{
    PROF_RANGE("forward");
    check(cudaMemcpyAsync(job.x, job.host, count * sizeof(float), cudaMemcpyHostToDevice, job.copy),
          "copy in");
    check(cudaEventRecord(job.copied, job.copy), "cudaEventRecord");
    check(cudaStreamWaitEvent(job.compute, job.copied, 0), "cudaStreamWaitEvent");
    saxpy<float, 4><<<dim3(32, 2, 1), dim3(64, 2, 2), 0, job.compute>>>(Pair<float>{2, 3}, job.y);
    {
        PROF_RANGE("activation");
        relu<<<16, 128, 512, job.compute>>>(job.y);
        relu<<<16, 128, 512, job.copy>>>(job.y);
    }
    check(cudaLaunchHostFunc(job.compute, on_host, &job), "cudaLaunchHostFunc");
}

cudaGraphExec_t capture(Job &job)
{
    PROF_RANGE("capture");
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    check(cudaStreamBeginCapture(job.compute, cudaStreamCaptureModeGlobal), "begin of capture");
    check(cudaMemsetAsync(job.x, 0, 4096, job.compute), "captured set");
    saxpy<float, 4><<<8, 32, 0, job.compute>>>(Pair<float>{2, 3}, job.y);
    saxpy<double, 2>
        <<<8, 32, 0, job.compute>>>(Pair<double>{2, 3}, reinterpret_cast<double *>(job.y));
    check(cudaStreamEndCapture(job.compute, &graph), "end of capture");
    check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    check(cudaGraphDestroy(graph), "cudaGraphDestroy");
    return executable;
}

void replay(Job &job, cudaGraphExec_t executable)
{
    PROF_RANGE("replay");
    for (int i = 0; i < replays; i++) {
        check(cudaGraphLaunch(executable, job.compute), "cudaGraphLaunch");
    }
    check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
}

void finish(Job &job)
{
    PROF_RANGE("finish");
    float milliseconds = -1;
    check(cudaMemcpy(job.host, job.y, count, cudaMemcpyDeviceToHost), "copy out");
    check(cudaStreamSynchronize(job.compute), "cudaStreamSynchronize");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cudaEventElapsedTime(&milliseconds, job.begun, job.ended), "cudaEventElapsedTime");
    if (job.called != batches || milliseconds < 0) {
        std::printf("not OK: %d calls, %f ms\n", job.called, milliseconds);
        std::exit(1);
    }
}

} // namespace

int main()
{
    static Job job;
    setup(job);
    check(cudaEventRecord(job.begun, job.compute), "cudaEventRecord");
    for (int i = 0; i < batches; i++) {
        run_batch(job);
    }
    check(cudaEventRecord(job.ended, job.compute), "cudaEventRecord");
    replay(job, capture(job));
    finish(job);
    std::puts("OK");
    return 0;
}
