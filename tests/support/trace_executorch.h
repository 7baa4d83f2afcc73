/* trace_executorch.h - files of ExecuTorch made by hand: prof buffers and ETDumps, from plain
 * descriptions. */
#ifndef PROF_TRACE_EXECUTORCH_H
#define PROF_TRACE_EXECUTORCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- prof buffers ---- */

struct made_prof_event {
    const char *name; /* its first 32 bytes */
    int32_t chain;
    uint32_t instruction;
    uint64_t start, end;
};

struct made_allocator {
    const char *name;
    uint64_t id;
};

struct made_allocation {
    uint32_t allocator, bytes;
};

struct made_prof_block {
    const char *name;
    const struct made_prof_event *events;
    const struct made_allocator *allocators;
    const struct made_allocation *allocations;
    uint32_t event_count, allocator_count, allocation_count;
    uint32_t spare; /* room for so many more of each */
};

/* Bytes for free(). */
uint8_t *made_prof_buffer(const struct made_prof_block *blocks, size_t count, bool big_endian,
                          size_t *size);

/* ---- ETDumps ---- */

enum made_kind { MADE_PROFILE, MADE_ALLOCATION, MADE_DEBUG, MADE_EMPTY };

struct made_tensor {
    uint8_t type;
    const int64_t *sizes, *strides; /* strides NULL: none */
    uint32_t dimensions;
    int64_t offset;
};

struct made_event {
    enum made_kind kind;
    const char *name; /* NULL: left out, as all texts */
    int32_t chain, instruction;
    int32_t delegate; /* -1 none */
    const char *delegate_name;
    const char *metadata;
    uint64_t start, end;
    int32_t allocator;
    uint64_t bytes;
    uint8_t value; /* of a debug event: as in Value.val */
    bool output;
    int64_t integer;
    double real;
    const struct made_tensor *tensors;
    uint32_t tensor_count;
};

struct made_run {
    const char *name;
    int32_t input; /* -1: left out */
    const char *const *allocators;
    uint32_t allocator_count;
    const struct made_event *events;
    uint32_t event_count;
};

/* `sized`: with the size in front. Bytes for free(). */
uint8_t *made_etdump(const struct made_run *runs, uint32_t count, bool sized, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
