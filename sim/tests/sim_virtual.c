/* sim_virtual.c - virtual memory management of the driver. One promise per sub-command. */
#include "sim_test.h"

enum { GRANULE = 2 << 20 };

struct properties {
    int allocation_type, handle_types, location_type, location_id;
    uint64_t rest[2];
};

struct access {
    int location_type, location_id, flags;
};

int cuMemAddressFree(uint64_t address, size_t bytes);
int cuMemAddressReserve(uint64_t *address, size_t bytes, size_t alignment, uint64_t wanted,
                        uint64_t flags);
int cuMemCreate(void **handle, size_t bytes, const struct properties *properties, uint64_t flags);
int cuMemGetAccess(unsigned long long *flags, const int *location, uint64_t address);
int cuMemGetAllocationGranularity(size_t *bytes, const struct properties *properties, int option);
int cuMemGetAllocationPropertiesFromHandle(struct properties *properties, void *handle);
int cuMemGetInfo_v2(size_t *free_bytes, size_t *bytes);
int cuMemMap(uint64_t address, size_t bytes, size_t offset, void *handle, uint64_t flags);
int cuMemRelease(void *handle);
int cuMemRetainAllocationHandle(void **handle, void *address);
int cuMemSetAccess(uint64_t address, size_t bytes, const struct access *access, size_t count);
int cuMemUnmap(uint64_t address, size_t bytes);

static const struct properties properties = {.allocation_type = 1, .location_type = 1};
static const struct access access_all = {1, 0, 3};

static void begin(void)
{
    void *context;
    CHECK(cuInit(0));
    CHECK(cuCtxCreate_v2(&context, 0, 0));
}

static size_t free_bytes(void)
{
    size_t available, bytes;
    CHECK(cuMemGetInfo_v2(&available, &bytes));
    return available;
}

/* Two ranges show the same memory; a copy into one is seen in the other. */
static void maps_memory_twice(void)
{
    uint64_t range;
    void *handle;
    int value = 0;
    begin();
    CHECK(cuMemAddressReserve(&range, 2 * GRANULE, 0, 0, 0));
    EXPECT(range % GRANULE == 0);
    CHECK(cuMemCreate(&handle, GRANULE, &properties, 0));
    CHECK(cuMemMap(range, GRANULE, 0, handle, 0));
    CHECK(cuMemMap(range + GRANULE, GRANULE, 0, handle, 0));
    CHECK(cuMemSetAccess(range, 2 * GRANULE, &access_all, 1));
    CHECK(cuMemcpyHtoD_v2(range + 4096, &(int){42}, sizeof(int)));
    CHECK(cuMemcpyDtoH_v2(&value, range + GRANULE + 4096, sizeof value));
    EXPECT(value == 42);
    CHECK(cuMemUnmap(range, 2 * GRANULE));
    EXPECT(cuMemUnmap(range, GRANULE) == 1);
    CHECK(cuMemAddressFree(range, 2 * GRANULE));
}

/* Memory counts from its creation until it is neither mapped nor anybody's. */
static void counts_memory(void)
{
    uint64_t range;
    void *handle, *again;
    begin();
    const size_t before = free_bytes();
    CHECK(cuMemCreate(&handle, 3 * GRANULE, &properties, 0));
    CHECK(cuMemAddressReserve(&range, GRANULE, 16 * GRANULE, 0, 0));
    EXPECT(range % (16 * GRANULE) == 0 && before - free_bytes() == 3 * GRANULE);
    CHECK(cuMemMap(range, GRANULE, GRANULE, handle, 0));
    CHECK(cuMemRelease(handle));
    EXPECT(cuMemRelease(handle) == 1 && before - free_bytes() == 3 * GRANULE);
    CHECK(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(range + 5)));
    EXPECT(again == handle);
    CHECK(cuMemUnmap(range, GRANULE));
    EXPECT(before - free_bytes() == 3 * GRANULE);
    CHECK(cuMemRelease(again));
    EXPECT(free_bytes() == before);
    EXPECT(cuMemCreate(&handle, before + GRANULE, &properties, 0) == 2 && free_bytes() == before);
}

static void refuses_what_is_wrong(void)
{
    uint64_t range;
    void *handle;
    size_t bytes;
    unsigned long long flags;
    struct properties told;
    begin();
    CHECK(cuMemGetAllocationGranularity(&bytes, &properties, 0));
    EXPECT(bytes == GRANULE);
    EXPECT(cuMemAddressReserve(&range, 4096, 0, 0, 0) == 1);
    EXPECT(cuMemCreate(&handle, GRANULE, &(struct properties){1, 0, 1, 7, {0}}, 0) == 101);
    CHECK(cuMemAddressReserve(&range, GRANULE, 0, 0, 0));
    EXPECT(cuMemSetAccess(range, GRANULE, &access_all, 1) == 1);
    CHECK(cuMemCreate(&handle, GRANULE, &properties, 0));
    CHECK(cuMemGetAllocationPropertiesFromHandle(&told, handle));
    EXPECT(memcmp(&told, &properties, sizeof told) == 0);
    EXPECT(cuMemMap(range, GRANULE, GRANULE, handle, 0) == 1);
    EXPECT(cuMemMap(range, GRANULE, 0, &range, 0) == 1);
    CHECK(cuMemMap(range, GRANULE, 0, handle, 0));
    EXPECT(cuMemMap(range, GRANULE, 0, handle, 0) == 1);
    CHECK(cuMemGetAccess(&flags, (const int[]){1, 0}, range));
    EXPECT(flags == 3);
}

int main(int argc, char **argv)
{
    static const struct sim_test tests[] = {
        {"maps_memory_twice", maps_memory_twice},
        {"counts_memory", counts_memory},
        {"refuses_what_is_wrong", refuses_what_is_wrong},
    };
    return sim_test_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
