/* windows.c - windows CYCLES: launches outside and inside prof_start/prof_stop. Each cycle launches 2 kernels work()
 * while recording is on and 3 kernels other() while it is off. */
#include "cuda_test.h"

#include <prof/prof.h>

int main(int argc, char **argv)
{
    const int cycles = argc > 1 ? atoi(argv[1]) : 3;
    for (int i = 0; i < cycles; i++) {
        prof_start();
        prof_range_push("inside");
        launch_work(2, NULL);
        prof_range_pop();
        prof_stop();
        prof_range_push("outside");
        for (int k = 0; k < 3; k++) {
            cuda_check(launch_shaped(&kernel_other, 1, 32, 0, NULL), "other");
        }
        prof_range_pop();
    }
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    puts("OK");
    return 0;
}
