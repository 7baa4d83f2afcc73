/* trace_executorch.c - see trace_executorch.h.
 *
 * References of a FlatBuffer point forward, so what holds one is written before what it points to.
 */
#include "trace_executorch.h"

#include <stdlib.h>
#include <string.h>

struct bytes {
    uint8_t *at;
    size_t size, capacity;
    bool big_endian;
};

static void put_zeros(struct bytes *out, size_t count)
{
    while (out->size + count > out->capacity) {
        out->capacity = out->capacity ? out->capacity * 2 : 1024;
        out->at = realloc(out->at, out->capacity);
        if (!out->at)
            abort();
    }
    if (count)
        memset(out->at + out->size, 0, count);
    out->size += count;
}

static void set_number(struct bytes *out, size_t at, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++)
        out->at[at + (out->big_endian ? width - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

static size_t put_number(struct bytes *out, uint64_t value, size_t width)
{
    size_t at = out->size;
    put_zeros(out, width);
    set_number(out, at, value, width);
    return at;
}

/* ---- prof buffers ---- */

static void put_name(struct bytes *out, const char *name)
{
    size_t at = out->size, length = strlen(name);
    put_zeros(out, 32);
    memcpy(out->at + at, name, length < 32 ? length : 32);
}

static void put_block(struct bytes *out, const struct made_prof_block *block)
{
    uint32_t counts[] = {block->event_count, block->allocator_count, block->allocation_count};
    put_name(out, block->name);
    put_number(out, 1, 4);
    for (int i = 0; i < 3; i++) {
        put_number(out, counts[i] + block->spare, 4);
        put_number(out, counts[i], 4);
    }
    put_number(out, 0, 4);
    for (uint32_t i = 0; i < block->event_count; i++) {
        put_name(out, block->events[i].name);
        put_number(out, (uint32_t)block->events[i].chain, 4);
        put_number(out, block->events[i].instruction, 4);
        put_number(out, block->events[i].start, 8);
        put_number(out, block->events[i].end, 8);
    }
    put_zeros(out, (size_t)block->spare * 56);
    for (uint32_t i = 0; i < block->allocator_count; i++) {
        put_name(out, block->allocators[i].name);
        put_number(out, block->allocators[i].id, 8);
    }
    put_zeros(out, (size_t)block->spare * 40);
    for (uint32_t i = 0; i < block->allocation_count; i++) {
        put_number(out, block->allocations[i].allocator, 4);
        put_number(out, block->allocations[i].bytes, 4);
    }
    put_zeros(out, (size_t)block->spare * 8);
}

uint8_t *made_prof_buffer(const struct made_prof_block *blocks, size_t count, bool big_endian,
                          size_t *size)
{
    struct bytes out = {.big_endian = big_endian};
    put_zeros(&out, 0);
    for (size_t i = 0; i < count; i++)
        put_block(&out, &blocks[i]);
    *size = out.size;
    return out.at;
}

/* ---- FlatBuffers ---- */

#define FIELDS_MAX 8

/* Width 0: left out. A reference is 4 wide, and set when what it points to is written. */
struct field {
    size_t width;
    uint64_t value;
    size_t at;
};

static void align(struct bytes *out, size_t to)
{
    put_zeros(out, (to - out->size % to) % to);
}

/* The reference at `from` points to what comes next. */
static void point_here(struct bytes *out, size_t from)
{
    align(out, 8);
    if (from || out->size)
        set_number(out, from, out->size - from, 4);
}

static void put_table(struct bytes *out, size_t from, struct field *fields, unsigned count)
{
    size_t within = 4, places[FIELDS_MAX] = {0};
    for (unsigned i = 0; i < count; i++)
        if (fields[i].width) {
            within += (fields[i].width - within % fields[i].width) % fields[i].width;
            places[i] = within;
            within += fields[i].width;
        }
    align(out, 8);
    size_t vtable = put_number(out, 4 + 2 * count, 2);
    put_number(out, within, 2);
    for (unsigned i = 0; i < count; i++)
        put_number(out, places[i], 2);
    point_here(out, from);
    size_t table = out->size;
    put_zeros(out, within);
    set_number(out, table, table - vtable, 4);
    for (unsigned i = 0; i < count; i++) {
        fields[i].at = table + places[i];
        if (fields[i].width)
            set_number(out, fields[i].at, fields[i].value, fields[i].width);
    }
}

static void put_string(struct bytes *out, size_t from, const char *text)
{
    size_t length = strlen(text);
    point_here(out, from);
    put_number(out, length, 4);
    size_t at = out->size;
    put_zeros(out, length + 1);
    memcpy(out->at + at, text, length);
}

/* Returns where the first reference is. */
static size_t put_vector(struct bytes *out, size_t from, uint32_t count)
{
    point_here(out, from);
    put_number(out, count, 4);
    size_t first = out->size;
    put_zeros(out, (size_t)count * 4);
    return first;
}

static void put_sizes(struct bytes *out, size_t from, const int64_t *sizes, uint32_t count)
{
    align(out, 8);
    put_zeros(out, 4); /* elements are aligned, not their count */
    set_number(out, from, out->size - from, 4);
    put_number(out, count, 4);
    for (uint32_t i = 0; i < count; i++)
        put_number(out, (uint64_t)sizes[i], 8);
}

static size_t reference(const void *what)
{
    return what ? 4 : 0;
}

/* ---- ETDumps ---- */

static void put_text(struct bytes *out, const struct field *field, const char *text)
{
    if (text)
        put_string(out, field->at, text);
}

static void put_profile(struct bytes *out, size_t from, const struct made_event *event)
{
    struct field fields[] = {
        {reference(event->name), 0, 0},
        {4, (uint32_t)event->chain, 0},
        {4, (uint32_t)event->instruction, 0},
        {event->delegate == -1 ? 0u : 4u, (uint32_t)event->delegate, 0},
        {reference(event->delegate_name), 0, 0},
        {reference(event->metadata), 0, 0},
        {8, event->start, 0},
        {8, event->end, 0},
    };
    put_table(out, from, fields, 8);
    put_text(out, &fields[0], event->name);
    put_text(out, &fields[4], event->delegate_name);
    put_text(out, &fields[5], event->metadata);
}

static void put_allocation(struct bytes *out, size_t from, const struct made_event *event)
{
    struct field fields[] = {{4, (uint32_t)event->allocator, 0}, {8, event->bytes, 0}};
    put_table(out, from, fields, 2);
}

static void put_tensor(struct bytes *out, size_t from, const struct made_tensor *tensor)
{
    struct field fields[] = {{1, tensor->type, 0},
                             {4, 0, 0},
                             {reference(tensor->strides), 0, 0},
                             {8, (uint64_t)tensor->offset, 0}};
    put_table(out, from, fields, 4);
    put_sizes(out, fields[1].at, tensor->sizes, tensor->dimensions);
    if (tensor->strides)
        put_sizes(out, fields[2].at, tensor->strides, tensor->dimensions);
}

static void put_tensors(struct bytes *out, size_t from, const struct made_event *event)
{
    struct field list = {4, 0, 0};
    put_table(out, from, &list, 1);
    size_t first = put_vector(out, list.at, event->tensor_count);
    for (uint32_t i = 0; i < event->tensor_count; i++)
        put_tensor(out, first + 4 * (size_t)i, &event->tensors[i]);
}

static void put_scalar(struct bytes *out, size_t from, uint64_t bits, size_t width)
{
    struct field field = {width, bits, 0};
    put_table(out, from, &field, 1);
}

static uint64_t float_bits(double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, 4);
    return bits;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}

enum { KIND_INT = 1, KIND_BOOL, KIND_FLOAT, KIND_DOUBLE, KIND_TENSOR, KIND_TENSORS };

static void put_value(struct bytes *out, size_t from, const struct made_event *event)
{
    uint8_t kind = event->value;
    struct field fields[] = {
        {1, kind, 0},
        {kind == KIND_TENSOR ? 4u : 0u, 0, 0},
        {kind == KIND_TENSORS ? 4u : 0u, 0, 0},
        {kind == KIND_INT ? 4u : 0u, 0, 0},
        {kind == KIND_FLOAT ? 4u : 0u, 0, 0},
        {kind == KIND_DOUBLE ? 4u : 0u, 0, 0},
        {kind == KIND_BOOL ? 4u : 0u, 0, 0},
        {event->output ? 4u : 0u, 0, 0},
    };
    put_table(out, from, fields, 8);
    if (kind == KIND_TENSOR)
        put_tensor(out, fields[1].at, event->tensors);
    if (kind == KIND_TENSORS)
        put_tensors(out, fields[2].at, event);
    if (kind == KIND_INT)
        put_scalar(out, fields[3].at, (uint64_t)event->integer, 8);
    if (kind == KIND_FLOAT)
        put_scalar(out, fields[4].at, float_bits(event->real), 4);
    if (kind == KIND_DOUBLE)
        put_scalar(out, fields[5].at, double_bits(event->real), 8);
    if (kind == KIND_BOOL)
        put_scalar(out, fields[6].at, event->integer != 0, 1);
    if (event->output)
        put_scalar(out, fields[7].at, 1, 1);
}

static void put_debug(struct bytes *out, size_t from, const struct made_event *event)
{
    struct field fields[] = {
        {8, (uint64_t)(int64_t)event->chain, 0},
        {4, (uint32_t)event->instruction, 0},
        {4, 0, 0},
        {event->delegate == -1 ? 0u : 4u, (uint32_t)event->delegate, 0},
        {reference(event->delegate_name), 0, 0},
        {reference(event->name), 0, 0},
    };
    put_table(out, from, fields, 6);
    put_value(out, fields[2].at, event);
    put_text(out, &fields[4], event->delegate_name);
    put_text(out, &fields[5], event->name);
}

static void put_event(struct bytes *out, size_t from, const struct made_event *event)
{
    struct field fields[3] = {{0}};
    if (event->kind != MADE_EMPTY)
        fields[event->kind].width = 4;
    put_table(out, from, fields, 3);
    if (event->kind == MADE_PROFILE)
        put_profile(out, fields[0].at, event);
    if (event->kind == MADE_ALLOCATION)
        put_allocation(out, fields[1].at, event);
    if (event->kind == MADE_DEBUG)
        put_debug(out, fields[2].at, event);
}

static void put_run(struct bytes *out, size_t from, const struct made_run *run)
{
    struct field fields[] = {{reference(run->name), 0, 0},
                             {run->input == -1 ? 0u : 4u, (uint32_t)run->input, 0},
                             {run->allocator_count ? 4u : 0u, 0, 0},
                             {4, 0, 0}};
    put_table(out, from, fields, 4);
    put_text(out, &fields[0], run->name);
    size_t allocators =
        run->allocator_count ? put_vector(out, fields[2].at, run->allocator_count) : 0;
    for (uint32_t i = 0; i < run->allocator_count; i++) {
        struct field name = {4, 0, 0};
        put_table(out, allocators + 4 * (size_t)i, &name, 1);
        put_string(out, name.at, run->allocators[i]);
    }
    size_t events = put_vector(out, fields[3].at, run->event_count);
    for (uint32_t i = 0; i < run->event_count; i++)
        put_event(out, events + 4 * (size_t)i, &run->events[i]);
}

uint8_t *made_etdump(const struct made_run *runs, uint32_t count, bool sized, size_t *size)
{
    struct bytes out = {0};
    struct field fields[] = {{4, 0, 0}, {4, 0, 0}};
    if (sized)
        put_number(&out, 0, 4);
    size_t root = put_number(&out, 0, 4);
    put_zeros(&out, 4);
    memcpy(out.at + root + 4, "ED00", 4);
    put_table(&out, root, fields, 2);
    size_t first = put_vector(&out, fields[1].at, count);
    for (uint32_t i = 0; i < count; i++)
        put_run(&out, first + 4 * (size_t)i, &runs[i]);
    if (sized)
        set_number(&out, 0, out.size - 4, 4);
    *size = out.size;
    return out.at;
}
