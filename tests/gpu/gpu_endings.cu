// How programs end, and how many operations they make: gpu_endings HOW [LAUNCHES]
//     forever   launches on 8 streams until it is killed; prints "launched N" now and then
//     tiny      LAUNCHES tiny kernels on 8 streams
//     threads   8 threads launch and end while their kernels still run
//     exit      a thread calls exit() while another launches
//     fork      the process and a child that it forked before CUDA began both launch
#include "gpu_check.h"

#include <atomic>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static const int stream_count = 8;

__global__ void tiny() {}

__global__ void spin(long long cycles)
{
    long long start = clock64();
    while (clock64() - start < cycles)
        continue;
}

static std::vector<cudaStream_t> make_streams()
{
    std::vector<cudaStream_t> streams(stream_count);
    for (auto &stream : streams)
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return streams;
}

static long launch(long launches)
{
    auto streams = make_streams();
    for (long i = 0; i < launches; i++) {
        tiny<<<1, 1, 0, streams[i % stream_count]>>>();
        if (i % 1000 == 999)
            CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaDeviceSynchronize());
    return launches;
}

static void launch_forever()
{
    auto streams = make_streams();
    for (long i = 1;; i++) {
        tiny<<<1, 1, 0, streams[i % stream_count]>>>();
        if (i % 1000 == 0) {
            CHECK(cudaDeviceSynchronize());
            printf("launched %ld\n", i);
            fflush(stdout);
        }
    }
}

static void launch_and_leave()
{
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < 100; i++)
        spin<<<1, 32, 0, stream>>>(100000);
}

static void end_threads()
{
    std::vector<std::thread> all;
    for (int i = 0; i < stream_count; i++)
        all.emplace_back(launch_and_leave);
    for (auto &one : all)
        one.join();
    CHECK(cudaDeviceSynchronize());
    expect("kernel", stream_count * 100);
}

static void exit_beside()
{
    std::atomic<long> launched{0};
    std::thread([&] {
        for (;; launched++)
            tiny<<<1, 1>>>();
    }).detach();
    std::thread([&] {
        while (launched < 10000)
            usleep(1000);
        exit(0);
    }).join();
}

static void fork_first(long launches)
{
    pid_t child = fork();
    launch(launches);
    if (child == 0)
        exit(0);
    int status;
    waitpid(child, &status, 0);
    expect("kernel", launches);
    exit(status);
}

int main(int count, char **arguments)
{
    const char *how = count > 1 ? arguments[1] : "";
    const long launches = count > 2 ? atol(arguments[2]) : 1000;
    if (!strcmp(how, "forever"))
        launch_forever();
    else if (!strcmp(how, "tiny"))
        expect("kernel", launch(launches));
    else if (!strcmp(how, "threads"))
        end_threads();
    else if (!strcmp(how, "exit"))
        exit_beside();
    else if (!strcmp(how, "fork"))
        fork_first(launches);
    else
        return fprintf(stderr, "usage: gpu_endings forever|tiny|threads|exit|fork [LAUNCHES]\n"), 2;
    return 0;
}
