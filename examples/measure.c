/* measure.c - how long two kernels take, in C and for machines without nvcc: each pass of the loop is one call.
 *
 * The library is not linked: run it with profrun -e PROF_START=api, which records the benchmark alone. */
#include "cuda_by_hand.h"

#include <prof/bench.h>

enum { COUNT = 1 << 20, BYTES = COUNT * sizeof(float) };

static char scale, add; /* what stands for the kernels on the host */

static void launch(const void *kernel, void *out, void *in)
{
    float number = 0.5f;
    void *arguments[] = {&out, &in, &number};
    cuda_check(
        cudaLaunchKernel(kernel, (dim3){COUNT / 256, 1, 1}, (dim3){256, 1, 1}, arguments, 0, NULL),
        "cudaLaunchKernel");
}

static void print_result(const struct prof_bench_result *result)
{
    printf("%s: %.3f us (95 %%: %.3f to %.3f), L2 %s\n", result->device_name,
           result->device.median_ns / 1e3, result->device.low_ns / 1e3,
           result->device.high_ns / 1e3, result->cache);
    for (uint64_t i = 0; i < result->operations && i < PROF_BENCH_OPERATIONS; i++)
        printf("  %-20s %8.3f us  grid %u, block %u\n", result->operation[i].name,
               result->operation[i].time_ns / 1e3, result->operation[i].grid[0],
               result->operation[i].block[0]);
}

int main(void)
{
    struct prof_bench_options options;
    struct prof_bench_result result = {.size_bytes = sizeof result};
    void *out, *in;
    cuda_register_kernel(&scale, "_Z5scalePfPKff");
    cuda_register_kernel(&add, "_Z3addPfPKff");
    cuda_check(cudaMalloc(&out, BYTES), "cudaMalloc");
    cuda_check(cudaMalloc(&in, BYTES), "cudaMalloc");

    prof_bench_options_default(&options);
    options.name = "scale and add";
    options.repeats = 100;
    prof_status status = prof_bench_begin(&options);
    while (prof_bench_next()) {
        launch(&scale, out, in);
        launch(&add, out, in);
    }
    if (status == PROF_OK)
        status = prof_bench_end(&result);
    if (status == PROF_OK)
        print_result(&result);
    else
        fprintf(stderr, "measure: %s\n",
                status == PROF_INCONCLUSIVE ? result.reason : prof_status_text(status));
    return status == PROF_OK ? 0 : 1;
}
