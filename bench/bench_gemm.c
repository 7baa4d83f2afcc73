/* bench_gemm.c - cost of the range around a cuBLAS product: calls through libprof.so compared with
 * calls straight to the simulated libcublas. Products of nothing launch nothing, so the function
 * itself is a few comparisons; the last rows launch.
 */
#include "bench_sim.h"

#include <prof/prof.h>

#include <dlfcn.h>
#include <unistd.h>

#define CALLS 20000u
#define LAUNCHES 2000u

typedef int sgemm_function(void *handle, int transa, int transb, int m, int n, int k,
                           const void *alpha, const void *a, int lda, const void *b, int ldb,
                           const void *beta, void *c, int ldc);
sgemm_function cublasSgemm_v2;
int cublasCreate_v2(void **handle);
int cudaDeviceSynchronize(void);

static sgemm_function *direct;
static void *handle;
static int size; /* of the matrices */

static void multiply(sgemm_function *sgemm, uint64_t times)
{
    static char place[4];
    int ld = size ? size : 1;
    for (uint64_t i = 0; i < times; i++)
        sgemm(handle, 0, 0, size, size, size, &place[0], &place[1], ld, &place[1], ld, &place[2],
              &place[3], ld);
    if (size)
        cudaDeviceSynchronize();
}

static void loop_direct(void *user, uint64_t iterations)
{
    (void)user;
    multiply(direct, iterations);
}

static void loop_ours(void *user, uint64_t iterations)
{
    (void)user;
    multiply(cublasSgemm_v2, iterations);
}

static void measure(const char *name, uint64_t calls)
{
    bench_print(name, bench_against(loop_direct, loop_ours, NULL, calls));
}

static void find_direct(void)
{
    void *library = dlopen("libcublas.so.13", RTLD_NOW | RTLD_NOLOAD);
    if (library)
        *(void **)&direct = dlsym(library, "cublasSgemm_v2");
    if (!direct || direct == cublasSgemm_v2 || cublasCreate_v2(&handle) != 0) {
        fprintf(stderr, "bench_gemm: libprof does not stand before libcublas\n");
        exit(1);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    bench_sim_without_launch_time(argv);
    struct prof_options options;
    prof_options_default(&options);
    options.output = "bench_gemm-%p.prof";
    prof_configure(&options);
    find_direct();
    bench_print_header("direct");
    measure("product of nothing: before the first start", CALLS);
    size = 16;
    measure("product, a launch: before the first start", LAUNCHES);
    prof_start();
    size = 0;
    measure("product of nothing: recording", CALLS);
    size = 16;
    measure("product, a launch: recording", LAUNCHES);
    prof_stop();
    size = 0;
    measure("product of nothing: after a stop", CALLS);
    unlink(prof_output_path());
    return 0;
}
