/* sim_collect.c - a minimal CUPTI client that collects all records. */
#include <string.h>

#include "sim_test.h"

const char test_kernel[] = "stub", test_other_kernel[] = "other stub";

struct collected *records;
size_t record_count;
size_t buffers_completed;

static size_t buffer_bytes = 8192;

__attribute__((constructor)) static void register_kernels(void)
{
    void **handle = __cudaRegisterFatBinary("image");
    __cudaRegisterFunction(handle, test_kernel, NULL, "_Z5saxpyIfEvT_PKS0_PS0_i", -1, NULL, NULL,
                           NULL, NULL, NULL);
    __cudaRegisterFunction(handle, test_other_kernel, NULL, "_Z5touchPi", -1, NULL, NULL, NULL,
                           NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
}

int launch(void *stream)
{
    return cudaLaunchKernel(test_kernel, (struct dim3){8, 2, 1}, (struct dim3){128, 1, 1}, NULL, 64,
                            stream);
}

static void request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *buffer = aligned_alloc(8, buffer_bytes);
    *size = buffer_bytes;
    *max_records = 0;
}

static void keep(const uint8_t *record, const uint8_t *end)
{
    uint32_t kind;
    EXPECT(record_count < MAX_RECORDS);
    if (!record)
        return;
    struct collected *kept = &records[record_count++];
    memcpy(&kind, record, sizeof kind);
    kept->kind = kind;
    kept->size = (uint32_t)(end - record);
    EXPECT(kept->size <= MAX_RECORD);
    memcpy(kept->bytes, record, kept->size);
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    uint8_t *record = NULL, *before = NULL;
    EXPECT(!context && !stream && valid && valid <= size);
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == 0) {
        if (before)
            keep(before, record);
        before = record;
    }
    keep(before, buffer + valid);
    buffers_completed++;
    free(buffer);
}

void collect(void)
{
    records = calloc(MAX_RECORDS, sizeof *records);
    EXPECT(records);
    CHECK(cuptiActivityRegisterCallbacks(request, complete));
}

static size_t count(uint32_t kind)
{
    size_t found = 0;
    for (size_t i = 0; i < record_count; i++)
        found += records[i].kind == kind;
    return found;
}

size_t flush_and_count(uint32_t flag, uint32_t kind)
{
    CHECK(cuptiActivityFlushAll(flag));
    return count(kind);
}

const struct collected *nth(uint32_t kind, size_t n)
{
    for (size_t i = 0; i < record_count; i++)
        if (records[i].kind == kind && n-- == 0)
            return &records[i];
    return NULL;
}

uint32_t get32(const struct collected *record, size_t offset)
{
    uint32_t value;
    memcpy(&value, record->bytes + offset, sizeof value);
    return value;
}

uint64_t get64(const struct collected *record, size_t offset)
{
    uint64_t value;
    memcpy(&value, record->bytes + offset, sizeof value);
    return value;
}
