/* chrome_operators.c - see chrome_operators.h. */
#include "chrome_operators.h"

#include "around.h"

#include "array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- operators of PyTorch ---- */

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
    static const char *const keys[] = {"seq",        "stashed_seq",     "op_id",     "sizes",
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

/* Attributes that only operators have: libprof's observer and torch.distributed set them. */
static bool is_of_operators_alone(struct text key)
{
    return text_is(key, "rf_id") || text_is(key, "Collective name");
}

#define OPERATORS_NAME 1u
#define OPERATORS_KEY 2u
#define OPERATORS_ALONE 4u /* an attribute of operators alone */
#define OPERATORS_USER 8u  /* an attribute of ranges that the program named to PyTorch */

/* By name, what it is; `*any`: there may be operators. NULL when memory is short. */
static uint8_t *classify_names(const struct timeline *timeline, bool *any)
{
    uint8_t *kinds = calloc((size_t)timeline->names.count + 1, 1), seen = 0;
    for (uint32_t i = 0; kinds && i < timeline->names.count; i++) {
        struct text name = timeline->names.at[i];
        kinds[i] = (uint8_t)((has_namespace(name) || is_backward(name) ? OPERATORS_NAME : 0) |
                             (is_said_of_operators(name) ? OPERATORS_KEY : 0) |
                             (is_of_operators_alone(name) ? OPERATORS_ALONE : 0) |
                             (text_is(name, "user_rf_id") ? OPERATORS_USER : 0));
        seen |= kinds[i];
    }
    bool known = (seen & OPERATORS_KEY && timeline->attrs.count) || has_domain(timeline);
    *any = (seen & OPERATORS_NAME && known) || seen & OPERATORS_ALONE;
    return kinds;
}

static void mark(struct chrome_operators *operators, uint32_t slice)
{
    operators->bits[slice / 64] |= UINT64_C(1) << slice % 64;
}

static void unmark(struct chrome_operators *operators, uint32_t slice)
{
    operators->bits[slice / 64] &= ~(UINT64_C(1) << slice % 64);
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

/* "detach" in "aten::detach": a name that a program could have given, too. */
static bool is_inside_namesake(const struct chrome_operators *operators,
                               const struct tl_slice *slice)
{
    const struct timeline *timeline = operators->timeline;
    if (slice->parent == TL_NONE || !chrome_operators_has(operators, slice->parent))
        return false;
    struct text name = timeline->names.at[slice->name];
    struct text outer = timeline->names.at[timeline->slices.at[slice->parent].name];
    const char *end = outer.bytes + outer.size;
    return outer.size > name.size + 2 && memcmp(end - name.size, name.bytes, name.size) == 0 &&
           memcmp(end - name.size - 2, "::", 2) == 0;
}

static bool is_of_operator(const struct chrome_operators *operators, const uint8_t *kinds,
                           const struct tl_attr *attr)
{
    const struct tl_slice *slice = &operators->timeline->slices.at[attr->slice];
    if (slice->kind != TL_RANGE)
        return false;
    if (kinds[attr->key] & OPERATORS_ALONE)
        return true;
    return (kinds[attr->key] & OPERATORS_KEY) &&
           (kinds[slice->name] & OPERATORS_NAME || is_inside_namesake(operators, slice));
}

static void mark_all(struct chrome_operators *operators, const uint8_t *kinds)
{
    const struct timeline *timeline = operators->timeline;
    for (uint32_t i = 0; i < timeline->attrs.count; i++)
        if (is_of_operator(operators, kinds, &timeline->attrs.at[i]))
            mark(operators, timeline->attrs.at[i].slice);
    for (uint32_t i = 0; i < timeline->attrs.count; i++)
        if (kinds[timeline->attrs.at[i].key] & OPERATORS_USER)
            unmark(operators, timeline->attrs.at[i].slice);
    if (has_domain(timeline))
        mark_domain(operators, kinds);
    for (uint32_t i = 0; i < timeline->segments.count; i++)
        if (chrome_operators_has(operators, timeline->segments.at[i].first))
            mark(operators, timeline->segments.at[i].slice);
}

static bool has_operator(void *operators, uint32_t slice)
{
    return chrome_operators_has(operators, slice);
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
    if (operators->bits) {
        mark_all(operators, kinds);
        operators->around = around_innermost(timeline, has_operator, operators);
    }
    free(kinds);
    return operators->around || !any;
}

void chrome_operators_fini(struct chrome_operators *operators)
{
    free(operators->bits);
    free(operators->around);
    operators->bits = NULL;
    operators->around = NULL;
}

/* ---- collectives. Names of attributes are those of NCCL's payload schemas ---- */

enum key { KEY_COMMUNICATOR, KEY_BYTES, KEY_RANKS, KEY_RANK, KEY_PEER, KEY_ROOT };

static const char *const key_names[CHROME_NCCL_KEYS] = {
    [KEY_COMMUNICATOR] = "NCCL communicator ID",
    [KEY_BYTES] = "Message size [bytes]",
    [KEY_RANKS] = "No. of ranks",
    [KEY_RANK] = "Rank",
    [KEY_PEER] = "Peer rank",
    [KEY_ROOT] = "Root",
};

/* How the size that NCCL states is to be read: its counts are of what one rank sends, or gets, of
 * one. */
enum sizes {
    SIZES_BOTH,      /* each rank has as much before as after */
    SIZES_GATHERED,  /* what goes in; each rank gets that of every one */
    SIZES_SCATTERED, /* what comes out */
    SIZES_EXCHANGED, /* what goes to each rank */
    SIZES_IN,        /* only the root gets something */
    SIZES_OUT,       /* only the root gives something */
};

struct collective {
    const char *call, *name;
    enum sizes sizes;
    const char *plugin_name; /* TensorBoard's */
};

static const struct collective all[] = {
    {"ncclAllReduce", "allreduce", SIZES_BOTH, "nccl:all_reduce"},
    {"ncclBroadcast", "broadcast", SIZES_BOTH, "nccl:broadcast"},
    {"ncclBcast", "broadcast", SIZES_BOTH, "nccl:broadcast"},
    {"ncclReduce", "reduce", SIZES_BOTH, "nccl:reduce"},
    {"ncclAllGather", "all_gather", SIZES_GATHERED, "nccl:all_gather"},
    {"ncclReduceScatter", "reduce_scatter", SIZES_SCATTERED, "nccl:reduce_scatter"},
    {"ncclAlltoAll", "all_to_all", SIZES_EXCHANGED, NULL},
    {"ncclGather", "gather", SIZES_IN, NULL},
    {"ncclScatter", "scatter", SIZES_OUT, NULL},
    {"ncclSend", "send", SIZES_IN, NULL},
    {"ncclRecv", "recv", SIZES_OUT, NULL},
};

static uint32_t find_name(const struct timeline *timeline, const char *name)
{
    for (uint32_t i = 0; i < timeline->names.count; i++)
        if (text_is(timeline->names.at[i], name))
            return i;
    return TL_NONE;
}

static bool is_nccl(const struct timeline *timeline, const struct tl_slice *slice)
{
    return timeline_label_is_of(timeline, tl_slice_label(slice), "NCCL");
}

static struct tl_attrs attrs_of(const struct timeline *timeline, uint32_t slice)
{
    uint32_t low = ARRAY_LOWER_BOUND(&timeline->attrs, struct tl_attr, slice, 0, slice), end;
    for (end = low; end < timeline->attrs.count && timeline->attrs.at[end].slice == slice;)
        end++;
    return (struct tl_attrs){timeline->attrs.at + low, end - low};
}

/* The last value given counts, as everywhere. */
static bool find_value(const struct chrome_collectives *collectives, struct tl_attrs attrs,
                       enum key key, uint64_t *value)
{
    for (uint32_t i = attrs.count; i-- > 0;)
        if (attrs.at[i].key == collectives->keys[key] && attrs.at[i].type <= PROF_ATTR_HEX &&
            attrs.at[i].type != PROF_ATTR_DOUBLE && attrs.at[i].type != PROF_ATTR_STRING) {
            *value = attrs.at[i].value;
            return true;
        }
    return false;
}

static uint32_t process_of(const struct timeline *timeline, uint32_t slice)
{
    return timeline->threads.at[timeline->slices.at[slice].thread].process;
}

static struct chrome_communicator *find_communicator(const struct chrome_collectives *collectives,
                                                     uint32_t process, uint64_t id)
{
    for (uint32_t i = collectives->communicators.count; i-- > 0;)
        if (collectives->communicators.at[i].id == id &&
            collectives->communicators.at[i].process == process)
            return &collectives->communicators.at[i];
    return NULL;
}

static struct chrome_communicator *add_communicator(struct chrome_collectives *collectives)
{
    uint32_t count = collectives->communicators.count;
    if (count == collectives->communicators.capacity) {
        uint32_t capacity = count ? count * 2 : 8;
        struct chrome_communicator *at =
            realloc(collectives->communicators.at, capacity * sizeof *at);
        if (!at)
            return NULL;
        collectives->communicators.at = at;
        collectives->communicators.capacity = capacity;
    }
    collectives->communicators.count++;
    return &collectives->communicators.at[count];
}

/* A call that has a communicator's size and this process's rank in it. The latest one counts. */
static bool note_communicator(struct chrome_collectives *collectives, uint32_t slice)
{
    const struct timeline *timeline = collectives->timeline;
    struct tl_attrs attrs = attrs_of(timeline, slice);
    uint64_t id, ranks, rank;
    if (!is_nccl(timeline, &timeline->slices.at[slice]) ||
        !find_value(collectives, attrs, KEY_COMMUNICATOR, &id) ||
        !find_value(collectives, attrs, KEY_RANKS, &ranks))
        return true;
    uint32_t process = process_of(timeline, slice);
    struct chrome_communicator *communicator = find_communicator(collectives, process, id);
    if (!communicator)
        communicator = add_communicator(collectives);
    if (!communicator)
        return false;
    bool has_rank = find_value(collectives, attrs, KEY_RANK, &rank);
    *communicator =
        (struct chrome_communicator){id, process, (int64_t)ranks, has_rank ? (int64_t)rank : -1};
    return true;
}

static bool note_communicators(struct chrome_collectives *collectives)
{
    const struct timeline *timeline = collectives->timeline;
    for (uint32_t i = 0; i < timeline->attrs.count; i++)
        if (timeline->attrs.at[i].key == collectives->keys[KEY_RANKS] &&
            !note_communicator(collectives, timeline->attrs.at[i].slice))
            return false;
    return true;
}

static bool has_nccl(const struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->domains.count; i++)
        if (timeline->domains.at[i].name != TL_NONE &&
            text_is(timeline->names.at[timeline->domains.at[i].name], "NCCL"))
            return true;
    return false;
}

static const struct collective *collective_of(const struct timeline *timeline, uint32_t slice)
{
    if (!is_nccl(timeline, &timeline->slices.at[slice]))
        return NULL;
    struct text name = timeline->names.at[timeline->slices.at[slice].name];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (text_is(name, all[i].call))
            return &all[i];
    return NULL;
}

static bool is_collective(void *timeline, uint32_t slice)
{
    return collective_of(timeline, slice);
}

bool chrome_collectives_init(struct chrome_collectives *collectives,
                             const struct timeline *timeline)
{
    *collectives = (struct chrome_collectives){.timeline = timeline, .any = has_nccl(timeline)};
    if (!collectives->any)
        return true;
    for (unsigned i = 0; i < CHROME_NCCL_KEYS; i++)
        collectives->keys[i] = find_name(timeline, key_names[i]);
    collectives->around = around_innermost(timeline, is_collective, (void *)(uintptr_t)timeline);
    return collectives->around && note_communicators(collectives);
}

void chrome_collectives_fini(struct chrome_collectives *collectives)
{
    free(collectives->communicators.at);
    free(collectives->around);
    *collectives = (struct chrome_collectives){0};
}

const char *chrome_collectives_plugin_name(const struct chrome_collectives *collectives,
                                           uint32_t slice)
{
    const struct collective *collective =
        collectives->any ? collective_of(collectives->timeline, slice) : NULL;
    return collective ? collective->plugin_name : NULL;
}

/* The types of floating-point numbers that kernels are named after:
 * "ncclDevKernel_AllReduce_Sum_f32_RING_LL". Those of integers stand for other integers of their
 * size too. */
static const struct {
    const char *part, *dtype;
    unsigned bytes;
} types[] = {{"_f32_", "Float", 4},    {"_float_", "Float", 4}, {"_bf16_", "BFloat16", 2},
             {"_f16_", "Half", 2},     {"_half_", "Half", 2},   {"_f64_", "Double", 8},
             {"_double_", "Double", 8}};

static int type_of(struct text name)
{
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
        if (memmem(name.bytes, name.size, types[i].part, strlen(types[i].part)))
            return (int)i;
    return -1;
}

/* Bytes that go in and come out; -1 unknown. */
struct message {
    int64_t in, out;
};

static struct message message_of(enum sizes sizes, int64_t bytes, int64_t ranks)
{
    bool known = ranks > 0 && bytes <= INT64_MAX / ranks;
    int64_t of_all = known ? bytes * ranks : -1;
    switch (sizes) {
    case SIZES_GATHERED:
        return (struct message){bytes, of_all};
    case SIZES_SCATTERED:
        return (struct message){of_all, bytes};
    case SIZES_EXCHANGED:
        return (struct message){of_all, of_all};
    case SIZES_IN:
        return (struct message){bytes, -1};
    case SIZES_OUT:
        return (struct message){-1, bytes};
    case SIZES_BOTH:
        break;
    }
    return (struct message){bytes, bytes};
}

bool chrome_collectives_bytes(const struct chrome_collectives *collectives, uint32_t slice,
                              uint64_t *bytes)
{
    const struct timeline *timeline = collectives->timeline;
    const struct collective *collective = collectives->any ? collective_of(timeline, slice) : NULL;
    struct tl_attrs attrs = attrs_of(timeline, slice);
    const struct chrome_communicator *communicator = NULL;
    uint64_t id = 0, stated;
    if (!collective || !find_value(collectives, attrs, KEY_BYTES, &stated) || stated > INT64_MAX)
        return false;
    if (find_value(collectives, attrs, KEY_COMMUNICATOR, &id))
        communicator = find_communicator(collectives, process_of(timeline, slice), id);
    struct message message =
        message_of(collective->sizes, (int64_t)stated, communicator ? communicator->ranks : -1);
    *bytes = message.in >= 0 ? (uint64_t)message.in : stated;
    return true;
}

static void write_message(struct json_out *out, struct message message, int type)
{
    if (message.in >= 0)
        json_key(out, "In msg bytes"), json_int(out, message.in);
    if (message.out >= 0)
        json_key(out, "Out msg bytes"), json_int(out, message.out);
    if (type < 0)
        return;
    if (message.in >= 0)
        json_key(out, "In msg nelems"), json_int(out, message.in / types[type].bytes);
    if (message.out >= 0)
        json_key(out, "Out msg nelems"), json_int(out, message.out / types[type].bytes);
    json_key(out, "dtype"), json_string(out, types[type].dtype);
}

static void write_communicator(struct json_out *out, uint64_t id,
                               const struct chrome_communicator *communicator)
{
    char name[24];
    snprintf(name, sizeof name, "0x%llx", (unsigned long long)id);
    json_key(out, "Process Group Name"), json_string(out, name);
    if (!communicator)
        return;
    json_key(out, "Group size"), json_int(out, communicator->ranks);
    if (communicator->rank >= 0)
        json_key(out, "Rank"), json_int(out, communicator->rank);
}

static void write_peer(struct json_out *out, const struct collective *collective, uint64_t peer)
{
    if (strcmp(collective->name, "send") == 0)
        json_key(out, "Dst Rank"), json_int(out, (int64_t)peer);
    else
        json_key(out, "Src Rank"), json_int(out, (int64_t)peer);
}

static void write_collective(const struct chrome_collectives *collectives, uint32_t slice,
                             const struct collective *collective, struct text kernel,
                             struct json_out *out)
{
    const struct timeline *timeline = collectives->timeline;
    struct tl_attrs attrs = attrs_of(timeline, slice);
    const struct chrome_communicator *communicator = NULL;
    uint64_t id = 0, value; /* gcc 14 does not see that has_id guards it */
    bool has_id = find_value(collectives, attrs, KEY_COMMUNICATOR, &id);
    if (has_id)
        communicator = find_communicator(collectives, process_of(timeline, slice), id);
    json_key(out, "Collective name"), json_string(out, collective->name);
    if (find_value(collectives, attrs, KEY_BYTES, &value) && value <= INT64_MAX)
        write_message(
            out,
            message_of(collective->sizes, (int64_t)value, communicator ? communicator->ranks : -1),
            type_of(kernel));
    if (has_id)
        write_communicator(out, id, communicator);
    if (find_value(collectives, attrs, KEY_PEER, &value))
        write_peer(out, collective, value);
    if (find_value(collectives, attrs, KEY_ROOT, &value))
        json_key(out, "Root"), json_int(out, (int64_t)value);
}

uint32_t chrome_collectives_launch(const struct timeline *timeline, const struct tl_gpu *op)
{
    const struct tl_captured *captured = captured_of(timeline, (uint32_t)(op - timeline->gpus.at));
    return captured && captured->when == TL_CAPTURED_RECORDED ? captured->slice : op->slice;
}

void chrome_collectives_write_slow(const struct chrome_collectives *collectives,
                                   const struct tl_gpu *op, struct json_out *out)
{
    const struct timeline *timeline = collectives->timeline;
    struct text kernel = timeline->names.at[op->name];
    if (kernel.size < 4 || memcmp(kernel.bytes, "nccl", 4) != 0)
        return;
    uint32_t slice = chrome_collectives_launch(timeline, op);
    uint32_t call = slice == TL_NONE ? TL_NONE : collectives->around[slice];
    if (call != TL_NONE)
        write_collective(collectives, call, collective_of(timeline, call), kernel, out);
}
