/* long_names.c - names of kernels and ranges that are too long for the file, and differ only in their last byte: "a" once, "b"
 * twice, and the range "b" once more by its size. A short name that reads as one that was cut is whole.
 */
#include "cuda_test.h"

#include <prof/prof.h>

#define LONG_BYTES 6000

static char kernel_a, kernel_b;

static char *long_name(const char *kind, char end)
{
    char *name = malloc(LONG_BYTES + 1);
    if (!name)
        exit(1);
    memset(name, 'x', LONG_BYTES);
    memcpy(name, kind, strlen(kind));
    name[LONG_BYTES - 1] = end;
    name[LONG_BYTES] = '\0';
    return name;
}

static void push(const char *name, int times)
{
    for (int i = 0; i < times; i++) {
        prof_range_push(name);
        prof_range_pop();
    }
}

int main(void)
{
    char *range_a = long_name("range", 'a'), *range_b = long_name("range", 'b');
    cuda_register_kernel(&kernel_a, long_name("kernel", 'a'));
    cuda_register_kernel(&kernel_b, long_name("kernel", 'b'));
    push(range_a, 1);
    push(range_b, 2);
    prof_range_push_n(range_b, LONG_BYTES);
    prof_range_pop();
    push("short...#0123456789abcdef", 1);
    cuda_check(launch_shaped(&kernel_a, 4, 64, 0, NULL), "a");
    cuda_check(launch_shaped(&kernel_b, 4, 64, 0, NULL), "b");
    cuda_check(launch_shaped(&kernel_b, 4, 64, 0, NULL), "b");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return 0;
}
