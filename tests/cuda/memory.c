/* memory.c - memory [endless]: allocates and frees in every way there is, in named ranges. What it does is counted in
 * test_cuda_memory.sh. With "endless" it goes on allocating until it is killed.
 *
 *     device     1 MiB + 2 MiB, freed; in "inner" of it 3 x 64 KiB, of which one is never freed
 *     host       4 KiB pinned twice, freed
 *     pitch      16 rows of 512 bytes, and a box of 2 x 16 rows, freed
 *     async      8 KiB from the default pool, 2 x 1 MiB from a pool of its own, freed; trimmed, destroyed
 *     managed    5 MiB; a kernel touches it, then it goes back to the host
 *     failed     a size that does not fit, an address that is none
 */
#include "cuda_test.h"

#include <prof/prof.h>

#include <unistd.h>

typedef struct CUmemPool_st *cudaMemPool_t;
struct location {
    int type, id;
};
struct pool_properties {
    int allocation_type, handle_types;
    struct location location;
    void *security;
    uint8_t reserved[64];
};
struct pitched {
    void *pointer;
    size_t pitch, width, height;
};
struct extent {
    size_t width, height, depth;
};

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaMalloc3D(struct pitched *memory, struct extent extent);
cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream);
cudaError_t cudaMallocHost(void **pointer, size_t size);
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct pool_properties *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep);
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, struct location location,
                                 unsigned flags, cudaStream_t stream);

static void *allocated(size_t bytes)
{
    void *pointer = NULL;
    cuda_check(cudaMalloc(&pointer, bytes), "cudaMalloc");
    return pointer;
}

static void inner(void)
{
    void *blocks[3];
    prof_range_push("inner");
    for (int i = 0; i < 3; i++) {
        blocks[i] = allocated(64 << 10);
    }
    for (int i = 0; i < 2; i++) {
        cuda_check(cudaFree(blocks[i]), "cudaFree");
    }
    prof_range_pop();
}

static void device(void)
{
    prof_range_push("device");
    void *one = allocated(1 << 20), *two = allocated(2 << 20);
    inner();
    cuda_check(cudaFree(one), "cudaFree");
    cuda_check(cudaFree(two), "cudaFree");
    cuda_check(cudaFree(NULL), "cudaFree of nothing");
    prof_range_pop();
}

static void host(void)
{
    void *one = NULL, *two = NULL;
    prof_range_push("host");
    cuda_check(cudaMallocHost(&one, 4096), "cudaMallocHost");
    cuda_check(cudaHostAlloc(&two, 4096, 0), "cudaHostAlloc");
    cuda_check(cudaFreeHost(one), "cudaFreeHost");
    cuda_check(cudaFreeHost(two), "cudaFreeHost");
    prof_range_pop();
}

static void pitch(void)
{
    void *rows = NULL;
    size_t bytes = 0;
    struct pitched box = {0};
    prof_range_push("pitch");
    cuda_check(cudaMallocPitch(&rows, &bytes, 100, 16), "cudaMallocPitch");
    cuda_check(cudaMalloc3D(&box, (struct extent){100, 16, 2}), "cudaMalloc3D");
    cuda_check(cudaFree(rows), "cudaFree");
    cuda_check(cudaFree(box.pointer), "cudaFree");
    prof_range_pop();
}

static void async(void)
{
    const struct pool_properties properties = {.allocation_type = 1, .location = {1, 0}};
    cudaMemPool_t pool = NULL;
    void *from_default = NULL, *from_pool[2];
    prof_range_push("async");
    cuda_check(cudaMallocAsync(&from_default, 8192, NULL), "cudaMallocAsync");
    cuda_check(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
    for (int i = 0; i < 2; i++) {
        cuda_check(cudaMallocFromPoolAsync(&from_pool[i], 1 << 20, pool, NULL), "from pool");
    }
    for (int i = 0; i < 2; i++) {
        cuda_check(cudaFreeAsync(from_pool[i], NULL), "cudaFreeAsync");
    }
    cuda_check(cudaFreeAsync(from_default, NULL), "cudaFreeAsync");
    cuda_check(cudaMemPoolTrimTo(pool, 0), "cudaMemPoolTrimTo");
    cuda_check(cudaMemPoolDestroy(pool), "cudaMemPoolDestroy");
    prof_range_pop();
}

static void managed(void)
{
    void *memory = NULL;
    cuda_check(cudaMallocManaged(&memory, 5 << 20, cudaMemAttachGlobal), "cudaMallocManaged");
    prof_range_push("touch");
    launch_work(1, NULL);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    prof_range_pop();
    prof_range_push("take back");
    cuda_check(cudaMemPrefetchAsync(memory, 5 << 20, (struct location){2, 0}, 0, NULL), "prefetch");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    prof_range_pop();
    cuda_check(cudaFree(memory), "cudaFree");
}

static void failed(void)
{
    void *pointer = NULL;
    static int not_allocated;
    if (cudaMalloc(&pointer, (size_t)1 << 50) == 0 || cudaFree(&not_allocated) == 0) {
        puts("calls that must fail succeeded");
    }
}

int main(int argc, char **argv)
{
    device();
    host();
    pitch();
    async();
    managed();
    failed();
    puts("OK");
    fflush(stdout);
    alarm(60); /* should nobody kill it */
    while (argc > 1 && strcmp(argv[1], "endless") == 0) {
        cuda_check(cudaFree(allocated(1 << 16)), "cudaFree");
        usleep(500);
    }
    return 0;
}
