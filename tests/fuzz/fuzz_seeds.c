/* fuzz_seeds.c - writes the fuzzer's first inputs into a directory: sample traces, whole and of few
 * chunks. */
#include "trace_builder.h"
#include "trace_executorch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_seed(const char *directory, const char *name, struct trace_builder *trace,
                       int first_byte, size_t most)
{
    char path[4096];
    size_t size;
    const uint8_t *bytes = trace_builder_bytes(trace, &size);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    size = size < most ? size : most;
    bool written = fputc(first_byte, file) != EOF && fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && written;
}

static bool write_bytes(const char *directory, const char *name, int first_byte, uint8_t *bytes,
                        size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    bool written = file && fputc(first_byte, file) != EOF && fwrite(bytes, 1, size, file) == size;
    if (file)
        written = fclose(file) == 0 && written;
    free(bytes);
    return written;
}

static bool write_prof_buffers(const char *directory)
{
    const struct made_prof_event events[] = {{"Method::execute", -1, 0, 0xfffffff0, 0x80},
                                             {"native_call_add.out", 0, 1, 0xfffffff8, 0x10},
                                             {"X\xa0\x64\x37\x5c\x55", 0, 2, 5, 0}};
    const struct made_allocator allocators[] = {{"method", 0}, {"planned", 1}};
    const struct made_allocation allocations[] = {{0, 64}, {1, 4096}, {7, 1}};
    const struct made_prof_block blocks[] = {{"load", NULL, allocators, NULL, 0, 2, 0, 1},
                                             {"run", events, NULL, allocations, 3, 0, 3, 2},
                                             {"run", events, NULL, allocations, 3, 0, 3, 0}};
    size_t little_size, big_size;
    uint8_t *little = made_prof_buffer(blocks, 3, false, &little_size);
    uint8_t *big = made_prof_buffer(blocks, 3, true, &big_size);
    bool written = write_bytes(directory, "little", 2, little, little_size);
    return write_bytes(directory, "big", 5, big, big_size) && written;
}

static bool write_etdump(const char *directory)
{
    const int64_t sizes[] = {2, 2}, strides[] = {2, 1};
    const struct made_tensor tensors[] = {{6, sizes, strides, 2, 16}, {5, sizes, NULL, 2, 0}};
    struct made_event events[10] = {
        {.kind = MADE_PROFILE,
         .name = "native_call_add.out",
         .instruction = 1,
         .delegate = -1,
         .start = 10,
         .end = 35},
        {.kind = MADE_PROFILE,
         .instruction = 2,
         .delegate = 7,
         .metadata = "m",
         .start = 40,
         .end = 48},
        {.kind = MADE_PROFILE,
         .name = "Method::execute",
         .chain = -1,
         .delegate = -1,
         .start = 9,
         .end = 50},
        {.kind = MADE_ALLOCATION, .allocator = 1, .bytes = 4096},
    };
    for (uint8_t i = 1; i <= 6; i++)
        events[3 + i] = (struct made_event){.kind = MADE_DEBUG,
                                            .name = "value",
                                            .instruction = i,
                                            .delegate = -1,
                                            .value = i,
                                            .output = i == 5,
                                            .integer = 3,
                                            .real = 0.5,
                                            .tensors = tensors,
                                            .tensor_count = i == 6 ? 2 : 1};
    const char *const allocators[] = {"method"};
    const struct made_run runs[] = {{"Execute", -1, allocators, 1, events, 10},
                                    {"Execute", 3, allocators, 1, events, 10}};
    size_t size;
    uint8_t *bytes = made_etdump(runs, 2, true, &size);
    return write_bytes(directory, "etdump", 0, bytes, size);
}

static int usage(void)
{
    fprintf(stderr, "usage: fuzz_seeds DIRECTORY [etprof|etdump]\n");
    return 2;
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[2], "etprof") == 0)
        return !write_prof_buffers(arguments[1]);
    if (count == 3 && strcmp(arguments[2], "etdump") == 0)
        return !write_etdump(arguments[1]);
    if (count != 2)
        return usage();
    struct trace_builder *trace = trace_builder_sample();
    bool written = write_seed(arguments[1], "sample", trace, 12, SIZE_MAX) &&
                   write_seed(arguments[1], "sample_partial", trace, 15, SIZE_MAX) &&
                   write_seed(arguments[1], "sample_cut", trace, 3, 2 * PROF_CHUNK_BYTES + 512);
    trace_builder_header(trace)->flags |= PROF_FILE_RING;
    trace_builder_header(trace)->state = PROF_STATE_RECORDING;
    written = written && write_seed(arguments[1], "ring", trace, 2, SIZE_MAX);
    trace_builder_destroy(trace);
    return written ? 0 : 1;
}
