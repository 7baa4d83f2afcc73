/* attach_loop.c - uses CUDA until standard input ends, and says how much it launched: for profrun --attach. */
#include "cuda_test.h"

#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    cudaStream_t stream = NULL;
    void *memory = NULL;
    char byte;
    cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
               "cudaStreamCreateWithFlags");
    cuda_check(cudaMalloc(&memory, 1 << 20), "cudaMalloc");
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    puts("begun");
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) != 0) {
        launch_work(5, stream);
        cuda_check(cudaMemsetAsync(memory, 0, 1 << 20, stream), "cudaMemsetAsync");
        cuda_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        usleep(2000);
    }
    puts("OK");
    return 0;
}
