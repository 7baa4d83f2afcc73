/* chrome_operators.c - see chrome_operators.h. */
#include "chrome_operators.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "aten::mm", and "autograd::engine::evaluate_function: MmBackward0". */
static bool has_namespace(struct text name)
{
    size_t i = 0;
    while (i < name.size && (is_letter(name.bytes[i]) || (i && is_digit(name.bytes[i]))))
        i++;
    return i && i + 2 < name.size && name.bytes[i] == ':' && name.bytes[i + 1] == ':' &&
           is_letter(name.bytes[i + 2]);
}

/* "MmBackward0": how PyTorch calls the functions of its backward pass. */
static bool is_backward(struct text name)
{
    static const char word[] = "Backward";
    const size_t size = sizeof word - 1;
    while (name.size && is_digit(name.bytes[name.size - 1]))
        name.size--;
    return name.size > size && memcmp(name.bytes + name.size - size, word, size) == 0;
}

static bool is_said_of_operators(struct text key)
{
    static const char *const keys[] = {"seq",        "op_id",           "sizes",
                                       "Input Dims", "Sequence number", "Input type"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (text_is(key, keys[i]))
            return true;
    return false;
}

static bool has_domain(const struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->labels.count; i++)
        if (timeline_label_is_of(timeline, i, TL_PYTORCH_DOMAIN))
            return true;
    return false;
}

#define OPERATORS_NAME 1u
#define OPERATORS_KEY 2u

/* By name, what it is; `*any`: there may be operators. NULL when memory is short. */
static uint8_t *classify_names(const struct timeline *timeline, bool *any)
{
    uint8_t *kinds = calloc((size_t)timeline->names.count + 1, 1), seen = 0;
    for (uint32_t i = 0; kinds && i < timeline->names.count; i++) {
        struct text name = timeline->names.at[i];
        kinds[i] = (uint8_t)((has_namespace(name) || is_backward(name) ? OPERATORS_NAME : 0) |
                             (is_said_of_operators(name) ? OPERATORS_KEY : 0));
        seen |= kinds[i];
    }
    bool told = (seen & OPERATORS_KEY && timeline->attrs.count) || has_domain(timeline);
    *any = seen & OPERATORS_NAME && told;
    return kinds;
}

static void mark(struct chrome_operators *operators, uint32_t slice)
{
    operators->bits[slice / 64] |= UINT64_C(1) << slice % 64;
}

static void mark_domain(struct chrome_operators *operators, const uint8_t *kinds)
{
    const struct timeline *timeline = operators->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (slice->kind == TL_RANGE && (kinds[slice->name] & OPERATORS_NAME) &&
            timeline_label_is_of(timeline, tl_slice_label(slice), TL_PYTORCH_DOMAIN))
            mark(operators, i);
    }
}

static void mark_all(struct chrome_operators *operators, const uint8_t *kinds)
{
    const struct timeline *timeline = operators->timeline;
    for (uint32_t i = 0; i < timeline->attrs.count; i++) {
        const struct tl_attr *attr = &timeline->attrs.at[i];
        const struct tl_slice *slice = &timeline->slices.at[attr->slice];
        if ((kinds[attr->key] & OPERATORS_KEY) && slice->kind == TL_RANGE &&
            (kinds[slice->name] & OPERATORS_NAME))
            mark(operators, attr->slice);
    }
    if (has_domain(timeline))
        mark_domain(operators, kinds);
    for (uint32_t i = 0; i < timeline->pieces.count; i++)
        if (chrome_operators_has(operators, timeline->pieces.at[i].first))
            mark(operators, timeline->pieces.at[i].slice);
}

bool chrome_operators_init(struct chrome_operators *operators, const struct timeline *timeline)
{
    bool any;
    *operators = (struct chrome_operators){.timeline = timeline};
    uint8_t *kinds = classify_names(timeline, &any);
    if (!kinds)
        return false;
    if (any)
        operators->bits = calloc((size_t)timeline->slices.count / 64 + 1, sizeof *operators->bits);
    if (operators->bits)
        mark_all(operators, kinds);
    free(kinds);
    return operators->bits || !any;
}

void chrome_operators_fini(struct chrome_operators *operators)
{
    free(operators->bits);
    operators->bits = NULL;
}

uint32_t chrome_operators_forward(const struct chrome_operators *operators, uint32_t slice)
{
    const struct timeline *timeline = operators->timeline;
    uint32_t low = ARRAY_LOWER_BOUND(&timeline->fwdbwds, struct tl_fwdbwd, backward, 0, slice);
    if (low == timeline->fwdbwds.count || timeline->fwdbwds.at[low].backward != slice)
        return TL_NONE;
    return timeline->slices.at[timeline->fwdbwds.at[low].forward].thread;
}
