/* sim_external.c - external correlation ids: a stack per thread and kind of id. */
#include "sim_activity.h"
#include "sim_buffer.h"
#include "sim_call.h"
#include "sim_cupti.h"
#include "sim_record.h"

enum { EXTERNAL_KINDS = 6, MAX_DEPTH = 256 };

struct stack {
    uint32_t depth; /* may exceed MAX_DEPTH: what is beyond is counted, not kept */
    uint64_t ids[MAX_DEPTH];
};

static _Thread_local struct stack stacks[EXTERNAL_KINDS];

static bool is_kind(uint32_t kind)
{
    return kind >= 1 && kind < EXTERNAL_KINDS;
}

int sim_external_push(uint32_t kind, uint64_t id)
{
    if (!is_kind(kind))
        return SIM_CUPTI_INVALID_PARAMETER;
    struct stack *stack = &stacks[kind];
    if (stack->depth < MAX_DEPTH)
        stack->ids[stack->depth] = id;
    stack->depth++;
    return SIM_CUPTI_OK;
}

int sim_external_pop(uint32_t kind, uint64_t *id)
{
    if (!is_kind(kind))
        return SIM_CUPTI_INVALID_PARAMETER;
    struct stack *stack = &stacks[kind];
    if (!stack->depth)
        return SIM_CUPTI_QUEUE_EMPTY;
    stack->depth--;
    if (id)
        *id = stack->depth < MAX_DEPTH ? stack->ids[stack->depth] : 0;
    return SIM_CUPTI_OK;
}

static void record_top(uint32_t kind, uint32_t correlation)
{
    const struct stack *stack = &stacks[kind];
    if (!stack->depth || stack->depth > MAX_DEPTH)
        return;
    const struct sim_record_external record = {
        .kind = SIM_KIND_EXTERNAL_CORRELATION,
        .external_kind = kind,
        .external_id = stack->ids[stack->depth - 1],
        .correlation = correlation,
    };
    sim_buffer_add(&record, 0, 0);
}

void sim_external_record(const struct sim_call *call)
{
    if (call->parent || !sim_activity_is_on(SIM_KIND_EXTERNAL_CORRELATION))
        return;
    for (uint32_t kind = 1; kind < EXTERNAL_KINDS; kind++)
        record_top(kind, call->correlation);
}
