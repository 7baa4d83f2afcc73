/* The functions of prof.h that write records of several words. */
#define PROF_IMPLEMENTATION
#include "prof/prof.h"

#include "thread.h"
#include "triggers.h"

#include <string.h>

/* Id of a name or key; 0 when there is nothing to record: NULL (counted), or recording is off. */
static uint32_t annotate_name(const char *name)
{
    struct thread_log *self = &thread_self;
    if (!thread_ready(self))
        return 0;
    if (!name) {
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
        return 0;
    }
    uint32_t id = names_known(&self->slot->names, name);
    return id ? id : names_learn(&self->slot->names, name);
}

static bool annotate_two(enum prof_record_type type, uint64_t first)
{
    uint64_t *record = thread_reserve(type, 2);
    if (!record)
        return false;
    record[1] = first;
    thread_commit(record, type, 2, thread_ticks(record));
    return true;
}

static bool annotate_three(enum prof_record_type type, uint64_t first, uint64_t second)
{
    uint64_t *record = thread_reserve(type, 3);
    if (!record)
        return false;
    record[1] = first;
    record[2] = second;
    thread_commit(record, type, 3, thread_ticks(record));
    return true;
}

static uint64_t annotate_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Unique without a shared counter: no two threads of a file have the same index. */
uint64_t prof_range_begin(const char *name)
{
    uint32_t name_id = annotate_name(name);
    if (!name_id)
        return 0;
    struct thread_log *self = &thread_self;
    uint64_t id = (uint64_t)self->slot->thread << 32 |
                  (uint32_t)(fetch_add_relaxed(&self->ranges_begun, 1u) + 1);
    return annotate_three(PROF_REC_RANGE_BEGIN, name_id, id) ? id : 0;
}

void prof_range_end(uint64_t id)
{
    if (id)
        annotate_two(PROF_REC_RANGE_END, id);
}

/* Recording goes on or off before the step's own record: it belongs to the step that begins. */
void prof_step(void)
{
    if (!load_relaxed(&thread_page.step_gate))
        return;
    uint64_t number = fetch_add_relaxed(&thread_page.steps, 1u);
    triggers_step(number);
    if (recorder_on())
        annotate_two(PROF_REC_STEP, number);
}

void prof_counter(const char *name, double value)
{
    uint32_t name_id = annotate_name(name);
    if (name_id)
        annotate_three(PROF_REC_COUNTER, name_id, annotate_double_bits(value));
}

static void annotate_attr(const char *key, enum prof_attr_type type, uint64_t value)
{
    uint32_t key_id = annotate_name(key);
    if (key_id)
        annotate_three(PROF_REC_ATTR, key_id | (uint64_t)type << 32, value);
}

void prof_attr_int(const char *key, int64_t value)
{
    annotate_attr(key, PROF_ATTR_INT, (uint64_t)value);
}

void prof_attr_double(const char *key, double value)
{
    annotate_attr(key, PROF_ATTR_DOUBLE, annotate_double_bits(value));
}

void prof_attr_string(const char *key, const char *value)
{
    uint32_t value_id = annotate_name(value);
    if (value_id)
        annotate_attr(key, PROF_ATTR_STRING, value_id);
}

void prof_thread_name(const char *name)
{
    if (name)
        thread_name_self(name);
    else
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
}
