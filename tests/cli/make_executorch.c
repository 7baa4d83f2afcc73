/* make_executorch.c - the files of ExecuTorch that make_traces.c lists. */
#include "make_executorch.h"

#include "trace_executorch.h"

#include <stdio.h>
#include <stdlib.h>

static bool save(const char *directory, const char *name, const void *bytes, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(bytes, 1, size, file) == size;
    if (file)
        written = fclose(file) == 0 && written;
    if (!written)
        perror(path);
    return written;
}

static bool save_and_free(const char *directory, const char *name, uint8_t *bytes, size_t size)
{
    bool saved = save(directory, name, bytes, size);
    free(bytes);
    return saved;
}

/* ---- prof buffers ---- */

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool make_execute(const char *directory)
{
    const struct made_prof_event load[] = {{"Program::load_method", -1, 0, 100000, 350000}};
    const struct made_prof_event first[] = {
        {"Method::execute", -1, 0, 1000000, 1620000},
        {"OPERATOR_CALL", 0, 0, 1010000, 1250000},
        {"native_call_add.out", 0, 0, 1020000, 1240000},
        {"delegate_execute", 0, 1, 1300000, 1500000},
    };
    struct made_prof_event second[COUNT(first)];
    const struct made_allocator allocators[] = {{"method allocator", 0}, {"planned \"memory\"", 1}};
    const struct made_allocation allocations[] = {{0, 4096}, {1, 64}, {0, 512}};
    for (size_t i = 0; i < COUNT(first); i++) {
        second[i] = first[i];
        second[i].start += 1000000;
        second[i].end += 1000000 + 30000 * (i + 1);
    }
    const struct made_prof_block blocks[] = {
        {"load", load, NULL, NULL, COUNT(load), 0, 0, 2},
        {"inference", first, allocators, allocations, COUNT(first), 2, 3, 1},
        {"inference", second, allocators, allocations, COUNT(second), 2, 3, 0},
    };
    size_t size;
    uint8_t *bytes = made_prof_buffer(blocks, COUNT(blocks), false, &size);
    return save_and_free(directory, "execute.etprof", bytes, size);
}

static bool make_differ(const char *directory)
{
    const struct made_prof_event two[] = {{"first", -1, 0, 10, 20}, {"second", -1, 0, 30, 50}};
    const struct made_prof_event other[] = {{"first", -1, 0, 10, 20}, {"third", -1, 0, 30, 70}};
    const struct made_allocator allocators[] = {{"a", 0}, {"b", 1}};
    const struct made_allocation small = {0, 8}, large = {0, 9}, of_b = {1, 8};
    const struct made_prof_block base = {"block", two, allocators, &small, 2, 2, 1, 0};
    struct made_prof_block blocks[2] = {base, base};
    static const char *const names[] = {
        "differ_count.etprof", "differ_name.etprof", "differ_memory_count.etprof",
        "differ_memory_allocator.etprof", "differ_memory_size.etprof"};
    bool saved = true;
    for (size_t i = 0; i < COUNT(names) && saved; i++) {
        blocks[1] = base;
        blocks[1].event_count -= i == 0;
        blocks[1].events = i == 1 ? other : two;
        blocks[1].allocation_count -= i == 2;
        blocks[1].allocations = i == 3 ? &of_b : i == 4 ? &large : &small;
        size_t size;
        uint8_t *bytes = made_prof_buffer(blocks, 2, false, &size);
        saved = save_and_free(directory, names[i], bytes, size);
    }
    return saved;
}

/* ---- ETDumps ---- */

static bool make_run(const char *directory, const char *name, const char *buffer, float changed)
{
    const float values[] = {1, 2, 3, changed};
    const int64_t sizes[] = {2, 2};
    const struct made_tensor tensor = {6, sizes, NULL, 2, 0};
    const struct made_event events[] = {
        {.kind = MADE_PROFILE,
         .name = "native_call_add.out",
         .instruction = 1,
         .delegate = -1,
         .start = 1000,
         .end = 3500},
        {.kind = MADE_DEBUG,
         .name = "native_call_add.out",
         .instruction = 1,
         .delegate = -1,
         .value = 5,
         .tensors = &tensor,
         .tensor_count = 1},
        {.kind = MADE_PROFILE,
         .instruction = 10,
         .delegate = 7,
         .metadata = "m",
         .start = 4000,
         .end = 4800},
        {.kind = MADE_DEBUG, .instruction = 10, .delegate = 7, .value = 4, .real = 0.5},
        {.kind = MADE_PROFILE,
         .name = "Method::execute",
         .chain = -1,
         .delegate = -1,
         .start = 900,
         .end = 5000},
        {.kind = MADE_ALLOCATION, .allocator = 1, .bytes = 4096},
    };
    const char *const allocators[] = {"method"};
    const struct made_run runs[] = {
        {"Execute", -1, allocators, 1, events, COUNT(events)},
        {"Execute", -1, allocators, 1, events, COUNT(events)},
    };
    size_t size;
    uint8_t *bytes = made_etdump(runs, COUNT(runs), true, &size);
    return save_and_free(directory, name, bytes, size) &&
           save(directory, buffer, values, sizeof values);
}

bool make_executorch(const char *directory)
{
    return make_execute(directory) && make_differ(directory) &&
           make_run(directory, "run.etdp", "run.bin", 4) &&
           make_run(directory, "reference.etdp", "reference.bin", 2);
}
