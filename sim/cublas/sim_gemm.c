#include "sim_gemm.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "sim_config.h"
#include "sim_launch.h"

/* The driver of the simulation. */
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_shared,
                   void *stream, void **arguments, void **extra);

/* Of a type: its letters in a kernel's name, bytes, real multiplications in one, and what a device does
 * of it in a nanosecond (dense products, about those of an H100). */
struct type {
    int number;
    const char *letters;
    int bytes, factor;
    double flops_per_ns;
};

static const struct type types[] = {
    {GEMM_R_32F, "f32", 4, 1, 50e3},        {GEMM_R_64F, "f64", 8, 1, 50e3},
    {GEMM_R_16F, "f16", 2, 1, 600e3},       {GEMM_R_8I, "s8", 1, 1, 1200e3},
    {GEMM_C_32F, "c32", 8, 4, 50e3},        {GEMM_C_64F, "c64", 16, 4, 50e3},
    {GEMM_R_32I, "s32", 4, 1, 20e3},        {GEMM_R_16BF, "bf16", 2, 1, 600e3},
    {GEMM_R_8F_E4M3, "e4m3", 1, 1, 1200e3},
};

static const struct type *type_of(int number)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].number == number)
            return &types[i];
    return NULL;
}

/* ---- checks ---- */

static bool is_op(int op)
{
    return op >= GEMM_OP_N && op <= GEMM_OP_C;
}

/* Columns of `rows` elements lie at least that far apart. */
static bool holds(int64_t ld, int64_t rows)
{
    return ld >= (rows > 1 ? rows : 1);
}

static bool fits(const struct sim_gemm *gemm)
{
    return holds(gemm->lda, gemm->transa == GEMM_OP_N ? gemm->m : gemm->k) &&
           holds(gemm->ldb, gemm->transb == GEMM_OP_N ? gemm->k : gemm->n) &&
           holds(gemm->ldc, gemm->m);
}

static bool is_empty(const struct sim_gemm *gemm)
{
    return !gemm->m || !gemm->n || !gemm->batch;
}

static bool has_matrices(const struct sim_gemm *gemm)
{
    return is_empty(gemm) ||
           (gemm->alpha && gemm->beta && gemm->c && (!gemm->k || (gemm->a && gemm->b)));
}

static int check(const struct sim_gemm *gemm)
{
    if (!is_op(gemm->transa) || !is_op(gemm->transb))
        return GEMM_INVALID_VALUE;
    if (gemm->m < 0 || gemm->n < 0 || gemm->k < 0 || gemm->batch < 0)
        return GEMM_INVALID_VALUE;
    if (!fits(gemm) || !has_matrices(gemm))
        return GEMM_INVALID_VALUE;
    if (!type_of(gemm->type_a) || !type_of(gemm->type_b) || !type_of(gemm->type_c))
        return GEMM_NOT_SUPPORTED;
    return GEMM_SUCCESS;
}

/* ---- what was requested, all of it: a line each ---- */

static void tell(const struct sim_gemm *gemm, int status)
{
    char line[1024];
    if (!sim_config()->gemms)
        return;
    const int length = snprintf(
        line, sizeof line,
        "%s ops %d %d sizes %lld %lld %lld lds %lld %lld %lld batch %lld %lld %lld %lld types %d "
        "%d %d "
        "compute %d %d pointers %p %p %p %p %p stream %d status %d\n",
        gemm->name, gemm->transa, gemm->transb, (long long)gemm->m, (long long)gemm->n,
        (long long)gemm->k, (long long)gemm->lda, (long long)gemm->ldb, (long long)gemm->ldc,
        (long long)gemm->batch, gemm->stride_a, gemm->stride_b, gemm->stride_c, gemm->type_a,
        gemm->type_b, gemm->type_c, gemm->compute, gemm->algorithm, gemm->alpha, gemm->a, gemm->b,
        gemm->beta, gemm->c, gemm->stream != NULL, status);
    const int file = open(sim_config()->gemms, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        return;
    if (write(file, line, (size_t)length) < 0) {
        /* the file then lacks the line */
    }
    close(file);
}

int sim_gemm_check(const struct sim_gemm *gemm)
{
    const int status = check(gemm);
    tell(gemm, status);
    return status;
}

/* ---- the kernel ---- */

double sim_gemm_flops(const struct sim_gemm *gemm)
{
    return 2.0 * type_of(gemm->type_a)->factor * (double)gemm->m * (double)gemm->n *
           (double)gemm->k * (double)gemm->batch;
}

double sim_gemm_bytes(const struct sim_gemm *gemm)
{
    const double m = (double)gemm->m, n = (double)gemm->n, k = (double)gemm->k;
    return (double)gemm->batch *
           (m * k * type_of(gemm->type_a)->bytes + k * n * type_of(gemm->type_b)->bytes +
            m * n * type_of(gemm->type_c)->bytes);
}

static void *kernel_of(const struct sim_gemm *like)
{
    static const char letters[] = "ntc";
    static const char image[] = "no image";
    static void *module;
    char name[256];
    void *function = NULL, *loaded = __atomic_load_n(&module, __ATOMIC_ACQUIRE);
    if (!loaded && cuModuleLoadData(&loaded, image) == 0)
        __atomic_store_n(&module, loaded, __ATOMIC_RELEASE);
    snprintf(name, sizeof name,
             "sm90_xmma_gemm_%s%s_%s_%c%c_n_tilesize128x128x64_execute_kernel_cublas",
             type_of(like->type_a)->letters, type_of(like->type_b)->letters,
             type_of(like->type_c)->letters, letters[like->transa], letters[like->transb]);
    return loaded && cuModuleGetFunction(&function, loaded, name) == 0 ? function : NULL;
}

static unsigned tiles(int64_t size)
{
    const int64_t count = (size + 127) / 128;
    return (unsigned)(count < 1 ? 1 : count > 65535 ? 65535 : count);
}

int sim_gemm_launch(const struct sim_gemm *like, double flops, double bytes)
{
    void *function = kernel_of(like);
    if (!function)
        return GEMM_EXECUTION_FAILED;
    const double computing_ns = flops / type_of(like->type_a)->flops_per_ns;
    const double moving_ns = bytes / (double)sim_config()->device_gbps;
    sim_launch_announce(2000 + (uint64_t)(computing_ns > moving_ns ? computing_ns : moving_ns));
    const int failed =
        cuLaunchKernel(function, tiles(like->m), tiles(like->n), tiles(like->batch * 128), 128, 1,
                       1, 0, like->stream, NULL, NULL);
    return failed ? GEMM_EXECUTION_FAILED : GEMM_SUCCESS;
}

int sim_gemm_run(const struct sim_gemm *gemm)
{
    const int status = sim_gemm_check(gemm);
    if (status != GEMM_SUCCESS || is_empty(gemm))
        return status;
    return sim_gemm_launch(gemm, sim_gemm_flops(gemm), sim_gemm_bytes(gemm));
}
