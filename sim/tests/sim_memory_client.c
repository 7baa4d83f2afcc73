/* sim_memory_client.c - a CUPTI client for memory records. One promise per sub-command. */
#include <string.h>

#include "sim_test.h"

enum { MEMORY2 = 49, POOL = 50, UNIFIED = 25, KERNEL = 10, HTOD = 1, DTOH = 2, FAULTS = 4 };

struct location {
    int type, id;
};

struct pool_properties {
    int allocation_type, handle_types;
    struct location location;
    void *security;
    uint8_t reserved[64];
};

int cudaFreeAsync(void *pointer, void *stream);
int cudaFreeHost(void *pointer);
int cudaMallocAsync(void **pointer, size_t bytes, void *stream);
int cudaMallocFromPoolAsync(void **pointer, size_t bytes, void *pool, void *stream);
int cudaMallocManaged(void **pointer, size_t bytes, unsigned flags);
int cudaMemPoolCreate(void **pool, const struct pool_properties *properties);
int cudaMemPoolDestroy(void *pool);
int cudaMemPoolGetAttribute(void *pool, int attribute, void *value);
int cudaMemPoolTrimTo(void *pool, size_t keep);
int cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct location location,
                         unsigned flags, void *stream);
int cuptiActivityConfigureUnifiedMemoryCounter(const uint32_t (*configs)[4], uint32_t count);

static size_t count(uint32_t kind)
{
    return flush_and_count(0, kind);
}

static void *allocated(int kind)
{
    void *pointer = NULL;
    if (kind == 2)
        CHECK(cudaMallocHost(&pointer, 3000));
    else if (kind == 5)
        CHECK(cudaMallocManaged(&pointer, 3000, 1));
    else
        CHECK(cudaMalloc(&pointer, 3000));
    return pointer;
}

static void check_memory(size_t n, uint32_t operation, uint32_t kind, const void *pointer)
{
    const struct collected *record = nth(MEMORY2, n);
    EXPECT(record && get32(record, 4) == operation && get32(record, 8) == kind);
    EXPECT(get32(record, 12) != 0 && get64(record, 24) == 3000 && get64(record, 32) != 0);
    EXPECT(get64(record, 16) == (uint64_t)(uintptr_t)pointer);
    EXPECT(get32(record, 52) == 0 && get32(record, 56) == 1 && get32(record, 60) == UINT32_MAX);
    EXPECT(get32(record, 72) == 0 && get32(record, 80) == 0);
}

static void reports_memory(void)
{
    static const uint32_t kinds[] = {3, 2, 5};
    void *pointers[3];
    CHECK(cuInit(0));
    collect();
    CHECK(cuptiActivityEnable(MEMORY2));
    for (size_t i = 0; i < 3; i++)
        pointers[i] = allocated((int)kinds[i]);
    CHECK(cudaFree(pointers[0]));
    CHECK(cudaFreeHost(pointers[1]));
    CHECK(cudaFree(pointers[2]));
    EXPECT(count(MEMORY2) == 6 && record_count == 6);
    for (size_t i = 0; i < 6; i++)
        check_memory(i, i < 3 ? 1 : 2, kinds[i % 3], pointers[i % 3]);
    CHECK(cuptiActivityDisable(MEMORY2));
    CHECK(cudaFree(allocated(3)));
    EXPECT(count(MEMORY2) == 6);
}

static void check_pool_memory(size_t n, void *pool, uint64_t reserved, uint64_t used)
{
    const struct collected *record = nth(MEMORY2, n);
    EXPECT(record && get32(record, 72) == 1 && get32(record, 80) == 1);
    EXPECT(get32(record, 60) != UINT32_MAX);
    EXPECT(get64(record, 88) == (uint64_t)(uintptr_t)pool && get64(record, 104) == reserved);
    EXPECT(record->size < 120 || get64(record, 112) == used);
}

static void check_pool(size_t n, uint32_t operation, uint64_t keep, uint64_t bytes)
{
    const struct collected *record = nth(POOL, n);
    EXPECT(record && get32(record, 4) == operation && get32(record, 8) == 1);
    EXPECT(get64(record, 24) == keep && get64(record, 40) == bytes && get64(record, 56) != 0);
}

static void reports_pools(void)
{
    const uint64_t step = 2u << 20;
    const struct pool_properties properties = {.allocation_type = 1, .location = {1, 0}};
    void *pool = NULL, *pointer = NULL, *other = NULL;
    uint64_t used = 1;
    CHECK(cuInit(0));
    collect();
    CHECK(cuptiActivityEnable(MEMORY2));
    CHECK(cuptiActivityEnable(POOL));
    CHECK(cudaMemPoolCreate(&pool, &properties));
    CHECK(cudaMallocFromPoolAsync(&pointer, 3u << 20, pool, NULL));
    CHECK(cudaFreeAsync(pointer, NULL));
    CHECK(cudaMemPoolGetAttribute(pool, 7, &used));
    EXPECT(used == 0);
    CHECK(cudaMemPoolTrimTo(pool, 1));
    CHECK(cudaMallocAsync(&other, 1000, NULL));
    CHECK(cudaMallocFromPoolAsync(&pointer, 1000, pool, NULL));
    CHECK(cudaMemPoolDestroy(pool)); /* lives on until its memory is back */
    CHECK(cudaFreeAsync(pointer, NULL));
    EXPECT(count(POOL) == 3 && count(MEMORY2) == 5);
    check_pool_memory(0, pool, 2 * step, 3u << 20);
    check_pool_memory(1, pool, 2 * step, 0);
    check_pool_memory(3, pool, step, 1000);
    EXPECT(get64(nth(MEMORY2, 2), 88) != (uint64_t)(uintptr_t)pool);
    check_pool(0, 1, 0, 0);
    check_pool(1, 3, 1, step);
    check_pool(2, 2, 0, step);
}

static void check_counter(size_t n, uint32_t counter, uint64_t value, const void *pointer)
{
    const struct collected *record = nth(UNIFIED, n);
    EXPECT(record && get32(record, 4) == counter && get64(record, 8) == value);
    EXPECT(get64(record, 24) > get64(record, 16));
    EXPECT(get64(record, 32) == (uint64_t)(uintptr_t)pointer);
}

/* A kernel's first touch brings it to the device, prefetching takes it back. */
static void moves_managed_memory(void)
{
    static const uint32_t configs[][4] = {{2, HTOD, 0, 1}, {2, DTOH, 0, 1}, {2, FAULTS, 0, 1}};
    static const uint32_t bad[][4] = {{2, 77, 0, 1}};
    const uint64_t bytes = 5u << 20;
    void *pointer = NULL;
    CHECK(cuInit(0));
    collect();
    EXPECT(cuptiActivityConfigureUnifiedMemoryCounter(bad, 1) == 1);
    EXPECT(cuptiActivityConfigureUnifiedMemoryCounter(NULL, 1) == 1);
    CHECK(cuptiActivityEnable(UNIFIED));
    CHECK(cudaMallocManaged(&pointer, bytes, 1));
    CHECK(launch(NULL));
    CHECK(cudaMemPrefetchAsync(pointer, bytes, (struct location){2, 0}, 0, NULL));
    CHECK(cudaDeviceSynchronize());
    EXPECT(count(UNIFIED) == 0); /* no counter was requested */
    CHECK(cuptiActivityConfigureUnifiedMemoryCounter(configs, 3));
    CHECK(launch(NULL));
    CHECK(launch(NULL)); /* it is there already */
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemPrefetchAsync(pointer, bytes, (struct location){2, 0}, 0, NULL));
    EXPECT(flush_and_count(1, UNIFIED) == 3);
    check_counter(0, FAULTS, 3, pointer);
    check_counter(1, HTOD, bytes, pointer);
    check_counter(2, DTOH, bytes, pointer);
    EXPECT(get32(nth(UNIFIED, 1), 40) == UINT32_MAX && get32(nth(UNIFIED, 1), 44) == 0);
    EXPECT(get32(nth(UNIFIED, 1), 56) == 2 && get32(nth(UNIFIED, 2), 56) == 3);
}

/* SIM_FAIL refuses the kinds; the calls go on. */
static void refuses_memory_kinds(void)
{
    static const uint32_t configs[][4] = {{2, HTOD, 0, 1}};
    CHECK(cuInit(0));
    collect();
    EXPECT(cuptiActivityEnable(MEMORY2) == 27 && cuptiActivityEnable(POOL) == 21);
    EXPECT(cuptiActivityConfigureUnifiedMemoryCounter(configs, 1) == 28);
    CHECK(cudaFree(allocated(3)));
    EXPECT(count(MEMORY2) == 0 && record_count == 0);
}

static const struct sim_test commands[] = {
    {"reports_memory", reports_memory},
    {"reports_pools", reports_pools},
    {"moves_managed_memory", moves_managed_memory},
    {"refuses_memory_kinds", refuses_memory_kinds},
};

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, commands, sizeof commands / sizeof commands[0]);
}
