/* small.c - small COUNT: that many kernels in the range "work", one copy each way and one set. Prints every result
 * code that is not 0, then "done". It goes on after failures, as programs do that do not look. */
#include "cuda_test.h"

#include <prof/prof.h>

static void say(const char *what, cudaError_t error)
{
    if (error != 0) {
        printf("%s: %d\n", what, error);
    }
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 10;
    static char host[4096];
    void *array = NULL;
    cudaStream_t stream = NULL;
    prof_range_push("setup");
    say("malloc", cudaMalloc(&array, sizeof host));
    say("stream", cudaStreamCreate(&stream));
    say("set", cudaMemsetAsync(array, 0, sizeof host, stream));
    say("copy in", cudaMemcpyAsync(array, host, sizeof host, cudaMemcpyHostToDevice, stream));
    prof_range_pop();
    prof_range_push("work");
    for (int i = 0; i < count; i++) {
        say("launch", launch_shaped(&kernel_work, 4, 64, 0, stream));
    }
    prof_range_pop();
    say("copy out", cudaMemcpyAsync(host, array, sizeof host, cudaMemcpyDeviceToHost, stream));
    say("sync", cudaStreamSynchronize(stream));
    say("device sync", cudaDeviceSynchronize());
    say("free", cudaFree(array));
    puts("done");
    return 3;
}
