/* gemms.c - gemms WAY...: matrix products by cuBLAS, linked as any program links it. Prints statuses that are not 0.
 *
 *     every            each function once: 3 x 5 x 7, batches of 2, groups of one and of two products
 *     big              one of more than 2^32 rows
 *     modes            float32 by each way to say how; transposed; a stride of nothing; descriptors
 *     bad              what cuBLAS refuses
 *     captured         into a graph that is launched twice
 *     switched         recording goes off and on again between calls
 *     fork             in a child, after the parent
 *     threads N        N threads with a handle each, 100 calls each
 *     forever          until it is killed
 */
#include "cublas_by_hand.h"
#include "cuda_test.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <prof/prof.h>

static void *handle;
static cudaStream_t stream;

/* Addresses that nobody reads. */
#define PLACE(number) ((void *)(uintptr_t)(0x100000 * (number)))
#define ALPHA PLACE(1)
#define BETA PLACE(2)
#define A PLACE(3)
#define B PLACE(4)
#define C PLACE(5)

static void said(const char *name, int status)
{
    if (status != 0) {
        printf("%s: %d\n", name, status);
    }
}

/* ---- every function, each argument another number ---- */

static const int ops_n[] = {OP_N, OP_N}, ops_t[] = {OP_T, OP_T};
#define ARRAYS(I, suffix)                                                                        \
    static const I m##suffix[] = {3, 3}, n##suffix[] = {5, 6}, k##suffix[] = {7, 7},             \
                   lda##suffix[] = {11, 12}, ldb##suffix[] = {13, 14}, ldc##suffix[] = {17, 18}, \
                   sizes##suffix[] = {1, 2};
ARRAYS(int, )
ARRAYS(int64_t, _64)

#define FRONT handle, OP_N, OP_T, 3, 5, 7, ALPHA
#define TYPES R_16F, R_16F, R_32F
#define CALL_PLAIN(suffix) (FRONT, A, 11, B, 13, BETA, C, 17)
#define CALL_TYPED(suffix) (FRONT, A, R_16BF, 11, B, R_16BF, 13, BETA, C, R_32F, 17)
#define CALL_EX(suffix) (FRONT, A, R_16F, 11, B, R_16F, 13, BETA, C, R_32F, 17, COMPUTE_32F, 99)
#define CALL_BATCHED(suffix) (FRONT, A, 11, B, 13, BETA, C, 17, 2)
#define CALL_BATCHED_EX(suffix) \
    (FRONT, A, R_16F, 11, B, R_16F, 13, BETA, C, R_32F, 17, 2, COMPUTE_32F, 99)
#define CALL_STRIDED(suffix) (FRONT, A, 11, 101, B, 13, 103, BETA, C, 17, 107, 2)
#define CALL_STRIDED_EX(suffix) \
    (FRONT, A, R_16F, 11, 101, B, R_16F, 13, 103, BETA, C, R_32F, 17, 107, 2, COMPUTE_32F, 99)
#define GROUP_FRONT(suffix) handle, ops_n, ops_t, m##suffix, n##suffix, k##suffix, ALPHA
#define CALL_GROUPED(suffix) \
    (GROUP_FRONT(suffix), A, lda##suffix, B, ldb##suffix, BETA, C, ldc##suffix, 2, sizes##suffix)
#define CALL_GROUPED_EX(suffix)                                                         \
    (GROUP_FRONT(suffix), A, R_16F, lda##suffix, B, R_16F, ldb##suffix, BETA, C, R_32F, \
     ldc##suffix, 2, sizes##suffix, COMPUTE_32F)
#define CALL(form, name)             \
    said(#name, name CALL_##form()); \
    said(#name "_64", name##_64 CALL_##form(_64));

static int sgemm(int m, int n, int k)
{
    return cublasSgemm_v2(handle, OP_N, OP_N, m, n, k, ALPHA, A, m, B, k, BETA, C, m);
}

static int lt_matmul(void *lt, int transa, int compute, int batch)
{
    void *desc, *a, *b, *d;
    cublasLtMatmulDescCreate(&desc, compute, R_32F);
    cublasLtMatmulDescSetAttribute(desc, 3, &transa, sizeof transa);
    cublasLtMatrixLayoutCreate(&a, R_32F, transa ? 7 : 3, transa ? 3 : 7, 11);
    cublasLtMatrixLayoutCreate(&b, R_32F, 7, 5, 13);
    cublasLtMatrixLayoutCreate(&d, R_32F, 3, 5, 17);
    void *const layouts[] = {a, b, d};
    for (int i = 0; i < 3; i++) {
        int64_t stride = i == 1 ? 0 : 1000;
        cublasLtMatrixLayoutSetAttribute(layouts[i], 5, &batch, sizeof batch);
        cublasLtMatrixLayoutSetAttribute(layouts[i], 6, &stride, sizeof stride);
    }
    return cublasLtMatmul(lt, desc, ALPHA, A, a, B, b, BETA, C, d, C, d, NULL, PLACE(6), 4096,
                          stream);
}

static void every(void)
{
    void *lt;
    EVERY(CALL)
    said("cublasLtCreate", cublasLtCreate(&lt));
    said("cublasLtMatmul", lt_matmul(lt, OP_T, COMPUTE_32F, 1));
}

static void big(void)
{
    const int64_t rows = (int64_t)5 << 30;
    said("big",
         cublasSgemm_v2_64(handle, OP_N, OP_N, rows, 1, 2, ALPHA, A, rows, B, 2, BETA, C, rows));
}

/* ---- ways to say how ---- */

static void modes(void)
{
    void *lt;
    said("default", sgemm(2, 2, 2));
    cublasSetMathMode(handle, 3);
    said("tf32", sgemm(4, 4, 4));
    cublasSetMathMode(handle, 0);
    said("fast", cublasGemmEx(handle, OP_T, OP_C, 2, 2, 2, ALPHA, A, R_32F, 2, B, R_32F, 2, BETA, C,
                              R_32F, 2, COMPUTE_FAST_TF32, -1));
    said("int8, by cublasLt", cublasGemmEx(handle, OP_T, OP_N, 8, 8, 8, ALPHA, A, R_8I, 8, B, R_8I,
                                           8, BETA, C, R_32I, 8, COMPUTE_32I, -1));
    said("shared", cublasSgemmStridedBatched(handle, OP_N, OP_N, 2, 2, 2, ALPHA, A, 2, 0, B, 2, 4,
                                             BETA, C, 2, 4, 10));
    cublasLtCreate(&lt);
    said("lt", lt_matmul(lt, OP_N, COMPUTE_FAST_TF32, 4));
}

static void bad(void)
{
    said("no handle", cublasSgemm_v2(NULL, 0, 0, 1, 1, 1, ALPHA, A, 1, B, 1, BETA, C, 1));
    said("negative", sgemm(-1, 2, 2));
    said("too narrow", cublasSgemm_v2(handle, 0, 0, 9, 1, 1, ALPHA, A, 1, B, 1, BETA, C, 9));
    said("no descriptors", cublasLtMatmul(NULL, NULL, ALPHA, A, NULL, B, NULL, BETA, C, NULL, C,
                                          NULL, NULL, NULL, 0, NULL));
    said("no groups", cublasSgemmGroupedBatched(handle, NULL, NULL, NULL, NULL, NULL, ALPHA, A,
                                                NULL, B, NULL, BETA, C, NULL, -1, NULL));
    said("type",
         cublasGemmEx(handle, 0, 0, 1, 1, 1, ALPHA, A, 99, 1, B, 99, 1, BETA, C, 99, 1, 68, -1));
    errno = 77;
    sgemm(1, 1, 1);
    if (errno != 77) {
        printf("errno: %d\n", errno);
    }
}

/* ---- what goes on around calls ---- */

static void captured(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin of capture");
    prof_range_push("capture");
    said("captured", sgemm(64, 64, 64));
    prof_range_pop();
    cuda_check(cudaStreamEndCapture(stream, &graph), "end of capture");
    cuda_check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    for (int i = 0; i < 2; i++) {
        cuda_check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
    }
}

static void switched(void)
{
    said("on", sgemm(1, 1, 1));
    prof_stop();
    said("off", sgemm(2, 2, 2));
    prof_start();
    said("on again", sgemm(3, 3, 3));
}

static void forked(void)
{
    said("parent", sgemm(1, 1, 1));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        sgemm(2, 2, 2); /* CUDA is of no use in a child; the call is a call all the same */
        exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    said("child", status);
}

static void *hundred(void *unused)
{
    void *own;
    (void)unused;
    said("create", cublasCreate_v2(&own));
    for (int i = 0; i < 100; i++) {
        said("thread", cublasSgemm_v2(own, 0, 0, 2, 2, 2, ALPHA, A, 2, B, 2, BETA, C, 2));
    }
    return NULL;
}

static void on_threads(int count, void *(*function)(void *), void *argument)
{
    pthread_t threads[64];
    for (int i = 0; i < count; i++) {
        pthread_create(&threads[i], NULL, function, argument);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void begin(void)
{
    cuda_check(cudaStreamCreate(&stream), "cudaStreamCreate");
    said("create", cublasCreate_v2(&handle));
    said("stream", cublasSetStream_v2(handle, stream));
}

static void run(const char *way, char **arguments)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } ways[] = {{"every", every},       {"big", big},           {"modes", modes}, {"bad", bad},
                {"captured", captured}, {"switched", switched}, {"fork", forked}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(way, ways[i].name) == 0) {
            ways[i].function();
        }
    }
    if (strcmp(way, "threads") == 0) {
        on_threads(atoi(arguments[0]), hundred, NULL);
    }
    while (strcmp(way, "forever") == 0) {
        sgemm(16, 16, 16);
        usleep(100);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        return 2;
    }
    begin();
    run(argv[1], argv + 2);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return 0;
}
