/* An ordinary CUDA program: kernels, templates, streams, events, async copies, host callbacks,
 * capture and graphs, a __constant__ and a __managed__ variable. Prints OK. */
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define CHECK(call)                                                            \
    do {                                                                       \
        const cudaError_t error = (call);                                      \
        if (error != cudaSuccess) {                                            \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                         cudaGetErrorString(error));                           \
            std::exit(1);                                                      \
        }                                                                      \
    } while (0)

#define EXPECT(condition)                                                                \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                                \
        }                                                                                \
    } while (0)

__constant__ float coefficients[16];
__managed__ int counter = 3;

template <typename T>
__global__ void saxpy(T a, const T *x, T *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i] + coefficients[i % 16];
}

__global__ void touch(int *p)
{
    if (p)
        p[threadIdx.x] = counter;
}

namespace
{

const int n = 1 << 16;

void bump(void *user)
{
    ++*static_cast<int *>(user);
}

void CUDART_CB on_stream(cudaStream_t, cudaError_t status, void *user)
{
    EXPECT(status == cudaSuccess);
    bump(user);
}

void devices()
{
    int count = 0, sms = 0, runtime = 0, driver = 0;
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaDriverGetVersion(&driver));
    EXPECT(count >= 1 && sms == properties.multiProcessorCount && runtime == CUDART_VERSION);
    EXPECT(properties.warpSize == 32 && properties.totalConstMem == 65536);
    EXPECT(properties.sharedMemPerMultiprocessor == 233472 && properties.clusterLaunch == 1);
    EXPECT(properties.surfaceAlignment == 512 && properties.hostNumaId == -1);
}

void copies()
{
    std::vector<char> host(n), back(n);
    void *device = nullptr, *other = nullptr;
    for (int i = 0; i < n; i++)
        host[i] = static_cast<char>(i * 7);
    CHECK(cudaMalloc(&device, n));
    CHECK(cudaMalloc(&other, n));
    CHECK(cudaMemcpy(device, host.data(), n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(other, device, n, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(back.data(), other, n, cudaMemcpyDefault));
    EXPECT(host == back);
    CHECK(cudaMemset(device, 0x5a, n));
    CHECK(cudaMemcpy2D(back.data(), 100, device, 200, 50, 20, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 0x5a && back[50] == host[50] && back[100] == 0x5a);
    EXPECT(cudaMemcpy(host.data(), back.data(), n, cudaMemcpyHostToDevice) ==
           cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, static_cast<char *>(device) + 5));
    EXPECT(attributes.type == cudaMemoryTypeDevice);
    CHECK(cudaFree(device));
    CHECK(cudaFree(other));
}

void symbols()
{
    float values[16] = {1, 2, 3}, back[16] = {};
    size_t bytes = 0;
    CHECK(cudaMemcpyToSymbol(coefficients, values, sizeof values));
    CHECK(cudaMemcpyFromSymbol(back, coefficients, sizeof back));
    CHECK(cudaGetSymbolSize(&bytes, coefficients));
    EXPECT(bytes == sizeof values && back[2] == 3);
    counter = 4;
    EXPECT(counter == 4);
}

void streams()
{
    cudaStream_t first, second;
    cudaEvent_t start, middle, end;
    float *x, *y, *pinned, ms = -1;
    int called = 0;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventCreateWithFlags(&middle, cudaEventDisableTiming));
    CHECK(cudaMallocAsync(&x, n * sizeof(float), first));
    CHECK(cudaMalloc(&y, n * sizeof(float)));
    CHECK(cudaMallocHost(&pinned, n * sizeof(float)));
    CHECK(cudaEventRecord(start, first));
    CHECK(cudaMemcpyAsync(x, pinned, n * sizeof(float), cudaMemcpyHostToDevice, first));
    saxpy<<<n / 256, 256, 0, first>>>(2.0f, x, y, n);
    CHECK(cudaGetLastError());
    CHECK(cudaLaunchHostFunc(first, bump, &called));
    CHECK(cudaEventRecord(middle, first));
    CHECK(cudaStreamWaitEvent(second, middle, 0));
    saxpy<<<n / 256, 256, 0, second>>>(2.0f, x, y, n);
    CHECK(cudaStreamAddCallback(second, on_stream, &called, 0));
    touch<<<1, 32>>>(nullptr);
    CHECK(cudaEventRecord(end, second));
    EXPECT(cudaEventQuery(end) == cudaErrorNotReady || called == 2);
    (void)cudaGetLastError();
    CHECK(cudaStreamSynchronize(second));
    EXPECT(called == 2);
    CHECK(cudaEventElapsedTime(&ms, start, end));
    EXPECT(ms > 0 && ms < 1000);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamQuery(first));
    CHECK(cudaFreeAsync(x, first));
    CHECK(cudaFree(y));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(middle));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
}

/* Host functions order the bytes of copies around them. */
void order()
{
    cudaStream_t stream;
    int host = 1, before = 0, after = 0;
    int *device;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaHostRegister(&host, sizeof host, 0));
    CHECK(cudaMalloc(&device, sizeof *device));
    CHECK(cudaMemcpyAsync(device, &host, sizeof host, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(&before, device, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaLaunchHostFunc(stream, bump, &host));
    CHECK(cudaMemcpyAsync(device, &host, sizeof host, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(&after, device, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(before == 1 && after == 2);
    CHECK(cudaHostUnregister(&host));
    CHECK(cudaFree(device));
    CHECK(cudaStreamDestroy(stream));
}

void graphs()
{
    cudaStream_t stream, side;
    cudaEvent_t fork, join;
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    size_t nodes = 0;
    int called = 0;
    char *device;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&side));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaMalloc(&device, 1024));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    saxpy<<<4, 64, 0, stream>>>(1.0, static_cast<double *>(nullptr), static_cast<double *>(nullptr),
                                0);
    CHECK(cudaEventRecord(fork, stream));
    CHECK(cudaStreamWaitEvent(side, fork, 0));
    touch<<<1, 32, 0, side>>>(nullptr);
    CHECK(cudaEventRecord(join, side));
    CHECK(cudaMemsetAsync(device, 9, 1024, stream));
    CHECK(cudaStreamWaitEvent(stream, join, 0));
    CHECK(cudaLaunchHostFunc(stream, bump, &called));
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(side, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 4);
    CHECK(cudaGraphClone(&clone, graph));
    CHECK(cudaGraphInstantiate(&exec, clone, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(called == 3);
    char back = 0;
    CHECK(cudaMemcpy(&back, device + 1023, 1, cudaMemcpyDeviceToHost));
    EXPECT(back == 9);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(clone));
    CHECK(cudaFree(device));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
    EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    (void)cudaGetLastError();
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(side));
}

void many_threads()
{
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([] {
            cudaStream_t stream;
            int called = 0;
            CHECK(cudaStreamCreate(&stream));
            for (int i = 0; i < 200; i++)
                touch<<<1, 32, 0, i % 2 ? stream : cudaStreamPerThread>>>(nullptr);
            CHECK(cudaLaunchHostFunc(stream, bump, &called));
            CHECK(cudaStreamSynchronize(stream));
            EXPECT(called == 1);
            CHECK(cudaStreamDestroy(stream));
        });
    for (std::thread &thread : threads)
        thread.join();
}

} // namespace

int main()
{
    cudaFuncAttributes attributes;
    int blocks = 0;
    devices();
    CHECK(cudaProfilerStart());
    CHECK(cudaFuncGetAttributes(&attributes, touch));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, 256, 0));
    EXPECT(attributes.maxThreadsPerBlock == 1024 && blocks > 0);
    copies();
    symbols();
    streams();
    order();
    graphs();
    many_threads();
    touch<<<1, 2048>>>(nullptr);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaProfilerStop());
    CHECK(cudaDeviceReset());
    std::puts("OK");
    return 0;
}
