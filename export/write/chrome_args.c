/* chrome_args.c - args of kernels, copies, sets, waits and overhead.
 *
 * "queued" is 0 unless CUPTI measured it, as in Kineto; when it did, it is on the trace's own clock
 * in microseconds, since nanoseconds since the epoch do not fit a double.
 */
#include "chrome.h"
#include "occupancy.h"
#include "timeline.h"

#include <stdlib.h>

const char *chrome_args_sync_name(uint32_t type)
{
    static const char *const names[] = {"Synchronization", "Event Sync", "Stream Wait Event",
                                        "Stream Sync", "Context Sync"};
    return names[type < sizeof names / sizeof names[0] ? type : 0];
}

enum { SYNC_EVENT = 1, SYNC_STREAM_WAIT = 2 }; /* CUpti_ActivitySynchronizationType */

bool chrome_args_waits_for_event(const struct tl_sync *sync)
{
    return (sync->type == SYNC_EVENT || sync->type == SYNC_STREAM_WAIT) && sync->event &&
           sync->event != PROF_SYNC_NO_EVENT;
}

/* The place of a slice in the timeline is a number that no other operator has. */
void chrome_args_external_id(struct chrome *chrome, uint32_t slice)
{
    if (chrome_for_tensorboard(chrome)) {
        chrome_tensorboard_external_id(chrome, slice);
        return;
    }
    uint32_t operator= chrome_operators_of(&chrome->operators, slice);
    if (operator!= TL_NONE)
        json_key(&chrome->out, "External id"), json_uint(&chrome->out, (uint64_t) operator+ 1);
}

void chrome_args_index(struct chrome *chrome)
{
    if (chrome->operators.bits)
        json_key(&chrome->out, "Ev Idx"), json_uint(&chrome->out, chrome->event_index++);
}

static void write_place(struct json_out *out, uint32_t device, uint32_t context, uint32_t stream,
                        uint64_t correlation)
{
    json_key(out, "device"), json_int(out, device == TL_NONE ? -1 : (int64_t)device);
    json_key(out, "context"), json_uint(out, context);
    json_key(out, "stream"), json_uint(out, stream);
    json_key(out, "correlation"), json_uint(out, correlation);
}

static void write_place_of(struct chrome *chrome, const struct tl_gpu *op)
{
    const struct tl_stream *stream = &chrome->timeline->streams.at[op->stream];
    write_place(&chrome->out, stream->device, stream->context, stream->stream,
                chrome_rows_id(&chrome->rows, op->process, op->correlation));
}

/* A time of the device's clock on the trace's. */
static void write_device_time(struct chrome *chrome, uint64_t realtime_ns)
{
    int64_t ns = (int64_t)(realtime_ns - chrome->timeline->base_realtime_ns);
    if (realtime_ns)
        json_microseconds(&chrome->out, chrome_time(chrome, ns));
    else
        json_uint(&chrome->out, 0);
}

static void write_three(struct json_out *out, uint32_t x, uint32_t y, uint32_t z)
{
    json_array_begin(out);
    json_uint(out, x), json_uint(out, y), json_uint(out, z);
    json_array_end(out);
}

static const struct tl_device_info *device_of(const struct chrome *chrome, const struct tl_gpu *op)
{
    const struct chrome_gpu *gpu = &chrome->rows.gpus[chrome->rows.streams[op->stream].gpu];
    return gpu->device == TL_NONE ? NULL : &chrome->timeline->devices.at[gpu->device].info;
}

static void write_occupancy(struct json_out *out, const struct tl_kernel *kernel,
                            const struct tl_device_info *device)
{
    struct occupancy occupancy = occupancy_of(kernel, device);
    json_key(out, "blocks per SM"), json_three_decimals(out, occupancy.blocks_per_sm);
    json_key(out, "warps per SM"), json_three_decimals(out, occupancy.warps_per_sm);
    if (occupancy.percent >= 0)
        json_key(out, "est. achieved occupancy %"), json_int(out, occupancy.percent);
}

/* What code captured the operation, and its call stack then. */
static void write_captured(struct chrome *chrome, const struct tl_gpu *op)
{
    const struct timeline *timeline = chrome->timeline;
    const struct tl_captured *captured = captured_of(timeline, (uint32_t)(op - timeline->gpus.at));
    char path[RANGE_PATH_BYTES] = "while recording was off";
    if (!captured || captured->when == TL_CAPTURED_UNKNOWN)
        return;
    if (captured->when == TL_CAPTURED_RECORDED)
        range_paths_text(&chrome->paths, range_paths_of(&chrome->paths, captured->slice), path);
    json_key(&chrome->out, "captured in"), json_string(&chrome->out, path);
    if (chrome->stacks && captured->stack < timeline->stacks.count)
        json_key(&chrome->out, "captured at"),
            json_string(&chrome->out, chrome->stacks[captured->stack]);
}

static void write_graph(struct chrome *chrome, const struct tl_gpu *op, uint64_t node,
                        uint32_t graph)
{
    if (node)
        json_key(&chrome->out, "graph node id"), json_uint(&chrome->out, node);
    if (graph)
        json_key(&chrome->out, "graph id"), json_uint(&chrome->out, graph);
    if (node)
        write_captured(chrome, op);
}

static bool write_collective(struct chrome *chrome, const struct tl_gpu *op);

static void write_kernel(struct chrome *chrome, const struct tl_gpu *op)
{
    struct json_out *out = &chrome->out;
    const struct tl_kernel *kernel = &chrome->timeline->kernels.at[op->detail];
    const struct tl_device_info *device = device_of(chrome, op);
    json_key(out, "queued"), write_device_time(chrome, kernel->queued_ns);
    if (kernel->submitted_ns)
        json_key(out, "submitted"), write_device_time(chrome, kernel->submitted_ns);
    write_place_of(chrome, op);
    json_key(out, "registers per thread"), json_uint(out, kernel->registers);
    json_key(out, "shared memory");
    json_uint(out, (uint64_t)kernel->static_shared_memory + kernel->dynamic_shared_memory);
    if (device && device->multiprocessors)
        write_occupancy(out, kernel, device);
    json_key(out, "grid"), write_three(out, kernel->grid_x, kernel->grid_y, kernel->grid_z);
    json_key(out, "block"), write_three(out, kernel->block_x, kernel->block_y, kernel->block_z);
    write_graph(chrome, op, kernel->graph_node, kernel->graph);
    if (kernel->priority != PROF_PRIORITY_UNKNOWN)
        json_key(out, "priority"), json_int(out, kernel->priority);
    if (kernel->channel)
        json_key(out, "channel"), json_uint(out, kernel->channel);
    if (!write_collective(chrome, op))
        chrome_collectives_write(&chrome->collectives, op, out);
}

/* Bytes per nanosecond are GB per second. */
static void write_bytes(struct json_out *out, const struct tl_gpu *op)
{
    json_key(out, "bytes"), json_uint(out, op->bytes);
    if (op->end_ns > op->start_ns) {
        json_key(out, "memory bandwidth (GB/s)");
        json_three_decimals(out, (double)op->bytes / (double)(op->end_ns - op->start_ns));
    }
}

#define COPY_PEER_TO_PEER 10

static void write_memcpy(struct chrome *chrome, const struct tl_gpu *op)
{
    struct json_out *out = &chrome->out;
    const struct tl_memcpy *copy = &chrome->timeline->memcpys.at[op->detail];
    write_place_of(chrome, op);
    write_bytes(out, op);
    if (copy->copy_kind == COPY_PEER_TO_PEER) {
        json_key(out, "fromDevice"), json_uint(out, copy->src_device);
        json_key(out, "inDevice"), json_uint(out, copy->device);
        json_key(out, "toDevice"), json_uint(out, copy->dst_device);
        json_key(out, "fromContext"), json_uint(out, copy->src_context);
        json_key(out, "inContext"), json_uint(out, copy->context);
        json_key(out, "toContext"), json_uint(out, copy->dst_context);
    }
    write_graph(chrome, op, copy->graph_node, copy->graph);
}

static void write_memset(struct chrome *chrome, const struct tl_gpu *op)
{
    const struct tl_memset *set = &chrome->timeline->memsets.at[op->detail];
    write_place_of(chrome, op);
    write_bytes(&chrome->out, op);
    write_graph(chrome, op, set->graph_node, set->graph);
}

static void write_graph_run(struct chrome *chrome, const struct tl_gpu *op)
{
    write_place_of(chrome, op);
    write_graph(chrome, op, 0, chrome->timeline->graph_runs.at[op->detail].graph);
}

/* Which event a wait was for, and what had recorded it. */
static void write_wait(struct chrome *chrome, const struct tl_gpu *op, const struct tl_sync *sync)
{
    const struct timeline *timeline = chrome->timeline;
    const struct tl_wait *wait = timeline_wait_of(timeline, (uint32_t)(op - timeline->gpus.at));
    if (wait) {
        json_key(&chrome->out, "wait_on_stream"), json_uint(&chrome->out, wait->stream);
        json_key(&chrome->out, "wait_on_cuda_event_record_corr_id");
        json_uint(&chrome->out, chrome_rows_id(&chrome->rows, op->process, wait->correlation));
    }
    if (chrome_args_waits_for_event(sync))
        json_key(&chrome->out, "wait_on_cuda_event_id"), json_uint(&chrome->out, sync->event);
}

static void write_sync(struct chrome *chrome, const struct tl_gpu *op)
{
    struct json_out *out = &chrome->out;
    const struct tl_sync *sync = &chrome->timeline->syncs.at[op->detail];
    json_key(out, "cuda_sync_kind"), json_string(out, chrome_args_sync_name(sync->type));
    json_key(out, "stream"),
        json_int(out, sync->stream == PROF_SYNC_NO_STREAM ? -1 : (int64_t)sync->stream);
    write_wait(chrome, op, sync);
    json_key(out, "correlation");
    json_uint(out, chrome_rows_id(&chrome->rows, op->process, op->correlation));
    json_key(out, "device"), json_int(out, op->device == TL_NONE ? -1 : (int64_t)op->device);
    json_key(out, "context"), json_uint(out, sync->context);
}

void chrome_args_write(struct chrome *chrome, const struct tl_gpu *op)
{
    const struct timeline *timeline = chrome->timeline;
    if (tl_is_work(op))
        chrome_args_external_id(chrome, op->slice);
    if (op->flags & TL_GPU_AMBIGUOUS)
        json_key(&chrome->out, "ambiguous"), json_uint(&chrome->out, 1);
    if (op->kind == TL_SYNC && op->detail < timeline->syncs.count)
        write_sync(chrome, op);
    else if (op->stream == TL_NONE)
        return;
    else if (op->kind == TL_KERNEL && op->detail < timeline->kernels.count)
        write_kernel(chrome, op);
    else if (op->kind == TL_MEMCPY && op->detail < timeline->memcpys.count)
        write_memcpy(chrome, op);
    else if (op->kind == TL_MEMSET && op->detail < timeline->memsets.count)
        write_memset(chrome, op);
    else if (op->kind == TL_GRAPH_RUN && op->detail < timeline->graph_runs.count)
        write_graph_run(chrome, op);
    else
        write_place_of(chrome, op);
}

/* ---- args of ranges ---- */

/* Args of ranges, marks and begin/end ranges: domain, category, colour, and every attribute with
 * its type.
 *
 *     int       a number, whatever its size
 *     uint      a number up to 2^53; beyond, where browsers would round it, its digits as a string:
 *               such a number is an id or a hash
 *     hex       "0x7f12"
 *     double    a number; null if it is not one
 *     string    a string
 *
 * PyTorch's NVTX ranges and its operators get the words that Kineto has for the same facts: "seq"
 * (and "stashed_seq", which a function of the backward pass has) becomes "Sequence number", "rf_id"
 * and "user_rf_id" become "Record function id", "sizes" becomes "Input Dims". Texts about inputs
 * become lists if they have the form of a list.
 *
 * What was read from a Chrome trace has Kineto's words already, and its lists are text here.
 *
 * A program's attribute of such a range that is called as one of our own members is written as
 * "domain (attribute)".
 */

enum word {
    WORD_NONE,
    WORD_SEQ,
    WORD_STASHED,
    WORD_RF_ID,
    WORD_USER_RF_ID,
    WORD_SIZES,
    WORD_TYPES,
    WORD_STRIDES,
    WORD_CONCRETE,
    WORD_COMMS_ID,
    WORD_IS_ASYNC,
    WORD_SEQUENCE, /* from here on: members of ours */
    WORD_DIMS,
    WORD_EXTERNAL_ID,
    WORD_FWD_THREAD,
    WORD_DOMAIN, /* from here on: also where nothing came through NVTX */
    WORD_CATEGORY,
    WORD_CATEGORY_ID,
    WORD_COLOR,
    WORD_RANGE_ID,
    WORD_SEGMENT_OF,
    WORD_CONTINUED,
    WORD_UNCLOSED,
    WORD_OVERLOAD,
    WORD_COUNT
};

/* In the order of enum word; `own` is written in place of the word where that is a member of
 * ours. */
static const struct {
    const char *word, *own;
} words[WORD_COUNT] = {
    {"", ""},
    {"seq", ""},
    {"stashed_seq", ""},
    {"rf_id", ""},
    {"user_rf_id", ""},
    {"sizes", ""},
    {"Input type", ""},
    {"Input Strides", ""},
    {"Concrete Inputs", ""},
    {"Comms Id", ""},
    {"Is asynchronized op", ""},
    {"Sequence number", "Sequence number (attribute)"},
    {"Input Dims", "Input Dims (attribute)"},
    {"External id", "External id (attribute)"},
    {"Fwd thread id", "Fwd thread id (attribute)"},
    {"domain", "domain (attribute)"},
    {"category", "category (attribute)"},
    {"category id", "category id (attribute)"},
    {"color", "color (attribute)"},
    {"range id", "range id (attribute)"},
    {"piece of", "piece of (attribute)"},
    {"continued", "continued (attribute)"},
    {"unclosed", "unclosed (attribute)"},
    {"overload_name", "overload_name"},
};

static uint8_t word_of(struct text name)
{
    for (unsigned i = 1; i < WORD_COUNT; i++)
        if (strlen(words[i].word) == name.size && memcmp(words[i].word, name.bytes, name.size) == 0)
            return (uint8_t)i;
    return WORD_NONE;
}

bool chrome_attrs_init(struct chrome *chrome)
{
    const struct timeline *timeline = chrome->timeline;
    chrome->attr_words = calloc((size_t)timeline->names.count + 1, 1);
    if (!chrome->attr_words)
        return false;
    for (uint32_t i = 0; i < timeline->names.count; i++)
        chrome->attr_words[i] = word_of(timeline->names.at[i]);
    return true;
}

void chrome_attrs_fini(struct chrome *chrome)
{
    free(chrome->attr_words);
    chrome->attr_words = NULL;
}

static void write_category(struct chrome *chrome, const struct tl_category *category)
{
    json_key(&chrome->out, "category");
    if (category->name == TL_NONE) {
        json_uint(&chrome->out, category->number);
        return;
    }
    quoted_names_write(&chrome->names, &chrome->out, category->name);
    json_key(&chrome->out, "category id"), json_uint(&chrome->out, category->number);
}

/* Also of the default domain: what has none came through prof.h. */
static void write_domain(struct chrome *chrome, const struct tl_domain *domain)
{
    json_key(&chrome->out, "domain");
    if (domain->name != TL_NONE)
        quoted_names_write(&chrome->names, &chrome->out, domain->name);
    else if (domain->number)
        json_uint(&chrome->out, domain->number);
    else
        json_constant(&chrome->out, "");
}

static void write_label(struct chrome *chrome, const struct tl_label *label)
{
    const struct timeline *timeline = chrome->timeline;
    char color[16];
    write_domain(chrome, &timeline->domains.at[label->domain]);
    if (label->category != TL_NONE)
        write_category(chrome, &timeline->categories.at[label->category]);
    if (label->flags & TL_LABEL_COLORED) {
        snprintf(color, sizeof color, "#%08X", label->color);
        json_key(&chrome->out, "color"), json_string(&chrome->out, color);
    }
}

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The largest integer below which every one is a double. */
#define EXACT_MAX (UINT64_C(1) << 53)

static void write_uint(struct json_out *out, uint64_t value)
{
    char digits[24];
    if (value <= EXACT_MAX) {
        json_uint(out, value);
        return;
    }
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    json_string(out, digits);
}

static void write_hex(struct json_out *out, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)value);
    json_string(out, digits);
}

static void write_value_slow(struct chrome *chrome, const struct tl_attr *attr)
{
    switch (attr->type) {
    case PROF_ATTR_UINT:
        write_uint(&chrome->out, attr->value);
        break;
    case PROF_ATTR_HEX:
        write_hex(&chrome->out, attr->value);
        break;
    case PROF_ATTR_DOUBLE:
        json_double(&chrome->out, as_double(attr->value));
        break;
    case PROF_ATTR_STRING:
        quoted_names_write(&chrome->names, &chrome->out, (uint32_t)attr->value);
        break;
    default:
        json_null(&chrome->out);
    }
}

static inline void write_value(struct chrome *chrome, const struct tl_attr *attr)
{
    if (attr->type == PROF_ATTR_INT)
        json_int(&chrome->out, (int64_t)attr->value);
    else
        write_value_slow(chrome, attr);
}

static bool has_word(const struct chrome *chrome, struct tl_attrs attrs, enum word word)
{
    for (uint32_t i = 0; i < attrs.count; i++)
        if (chrome->attr_words[attrs.at[i].key] == word)
            return true;
    return false;
}

#define LIST_DEPTH_MAX 16

/* An integer as JSON has it; returns what follows, NULL if it is not one. */
static const char *skip_integer(const char *at, const char *end)
{
    at += at < end && *at == '-';
    const char *first = at;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    bool valid = at > first && at - first <= 18 && (*first != '0' || at - first == 1);
    return valid ? at : NULL;
}

/* A string without escapes; returns what follows, NULL if it is not one. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at < ' ' || *at > '~' || *at == '\\')
            return NULL;
    return at < end ? at + 1 : NULL;
}

/* Lists of integers, plain strings and lists, "[[2, 3], []]": valid JSON as it is. */
static bool is_nested_list(struct text text)
{
    const char *at = text.bytes, *end = at + text.size;
    unsigned depth = 0;
    bool item = false; /* an item of the innermost list has just ended */
    if (text.size == 0 || *at != '[')
        return false;
    while (at && at < end) {
        char c = *at;
        if (c == '[' && !item && depth < LIST_DEPTH_MAX) {
            depth++, at++;
        } else if (c == ']' && depth && (item || at[-1] == '[')) {
            item = true, at++;
            if (--depth == 0)
                return at == end;
        } else if (c == ',' && item) {
            item = false, at++;
            while (at < end && *at == ' ')
                at++;
        } else if (!item) {
            at = c == '"' ? skip_string(at, end) : skip_integer(at, end);
            item = true;
        } else {
            return false;
        }
    }
    return false;
}

/* A whole number, such as an id, that may be too large for an integer attribute. */
static bool is_whole(struct text text)
{
    bool whole = text.size && text.size <= 20 && (text.size == 1 || *text.bytes != '0');
    for (size_t i = 0; i < text.size; i++)
        whole &= text.bytes[i] >= '0' && text.bytes[i] <= '9';
    return whole;
}

static bool is_truth(struct text text)
{
    return text_is(text, "true") || text_is(text, "false");
}

static void write_as_json(struct chrome *chrome, const struct tl_attr *attr,
                          bool (*is_json)(struct text text))
{
    struct text text = chrome->timeline->names.at[attr->value];
    if (is_json(text))
        json_quoted(&chrome->out, text.bytes, text.size);
    else
        write_value(chrome, attr);
}

static void write_list(struct chrome *chrome, const struct tl_attr *attr)
{
    uint8_t word = chrome->attr_words[attr->key];
    write_as_json(chrome, attr,
                  word == WORD_COMMS_ID   ? is_whole
                  : word == WORD_IS_ASYNC ? is_truth
                                          : is_nested_list);
}

static void write_dims(struct chrome *chrome, const struct tl_attr *attr)
{
    json_key(&chrome->out, "Input Dims");
    write_list(chrome, attr);
}

static bool is_integer(const struct tl_attr *attr)
{
    return attr->type == PROF_ATTR_INT || attr->type == PROF_ATTR_UINT;
}

static inline void write_attr(struct chrome *chrome, const struct tl_attr *attr)
{
    quoted_names_write(&chrome->names, &chrome->out, attr->key);
    json_colon(&chrome->out);
    write_value(chrome, attr);
}

/* An attribute whose name is one of `words`: seldom, so it must not crowd the others' path. */
static __attribute__((noinline)) void write_special(struct chrome *chrome, struct tl_attrs attrs,
                                                    uint32_t index)
{
    const struct tl_attr *attr = &attrs.at[index];
    uint8_t word = chrome->attr_words[attr->key];
    bool number =
        word == WORD_STASHED || (word == WORD_SEQ && !has_word(chrome, attrs, WORD_STASHED));
    if (number && is_integer(attr)) {
        json_key(&chrome->out, "Sequence number");
        write_value(chrome, attr);
    } else if ((word == WORD_RF_ID || word == WORD_USER_RF_ID) && is_integer(attr)) {
        json_key(&chrome->out, "Record function id");
        write_value(chrome, attr);
    } else if (word == WORD_SIZES && attr->type == PROF_ATTR_STRING) {
        write_dims(chrome, attr);
    } else if (word > WORD_SIZES && word < WORD_SEQUENCE && attr->type == PROF_ATTR_STRING) {
        quoted_names_write(&chrome->names, &chrome->out, attr->key);
        json_colon(&chrome->out);
        write_list(chrome, attr);
    } else if (word >= WORD_SEQUENCE) {
        json_string(&chrome->out, words[word].own), json_colon(&chrome->out);
        write_value(chrome, attr);
    } else {
        write_attr(chrome, attr);
    }
}

/* PyTorch's attributes of a collective, in Kineto's order. */
static const char *const collective_keys[] = {
    "Collective name",
    "In msg nelems",
    "Out msg nelems",
    "Group size",
    "dtype",
    "In split size",
    "Out split size",
    "Process Group Name",
    "Process Group Description",
    "Process Group Ranks",
    "Rank",
    "Src Rank",
    "Dst Rank",
    "Seq",
    "Comms Id",
};

static const struct tl_attr *attr_called(const struct chrome *chrome, struct tl_attrs attrs,
                                         const char *key)
{
    for (uint32_t i = 0; i < attrs.count; i++)
        if (text_is(chrome->timeline->names.at[attrs.at[i].key], key))
            return &attrs.at[i];
    return NULL;
}

/* If record_param_comms launched the kernel, copies its members, as Kineto does. False: it did not.
 */
static bool write_collective(struct chrome *chrome, const struct tl_gpu *op)
{
    const struct timeline *timeline = chrome->timeline;
    uint32_t launch = chrome_collectives_launch(timeline, op);
    uint32_t around = chrome_operators_of(&chrome->operators, launch);
    if (around == TL_NONE ||
        !text_is(timeline->names.at[timeline->slices.at[around].name], "record_param_comms"))
        return false;
    struct tl_attrs attrs = timeline_slice_attrs(timeline, around);
    if (!attr_called(chrome, attrs, collective_keys[0]))
        return false;
    for (size_t i = 0; i < sizeof collective_keys / sizeof *collective_keys; i++) {
        const struct tl_attr *attr = attr_called(chrome, attrs, collective_keys[i]);
        if (!attr)
            continue;
        quoted_names_write(&chrome->names, &chrome->out, attr->key);
        json_colon(&chrome->out);
        if (chrome->attr_words[attr->key] == WORD_COMMS_ID && attr->type == PROF_ATTR_STRING)
            write_list(chrome, attr);
        else
            write_value(chrome, attr);
    }
    return true;
}

bool chrome_args_is_annotation(const struct chrome *chrome, struct tl_attrs attrs)
{
    return has_word(chrome, attrs, WORD_USER_RF_ID);
}

void chrome_args_operator_name(struct chrome *chrome, uint32_t name, struct tl_attrs attrs)
{
    struct text own = chrome->timeline->names.at[name], overload = {"", 0};
    char whole[512];
    for (uint32_t i = 0; i < attrs.count; i++)
        if (chrome->attr_words[attrs.at[i].key] == WORD_OVERLOAD &&
            attrs.at[i].type == PROF_ATTR_STRING)
            overload = chrome->timeline->names.at[attrs.at[i].value];
    json_key(&chrome->out, "name");
    if (!overload.size || own.size + 1 + overload.size > sizeof whole) {
        quoted_names_write(&chrome->names, &chrome->out, name);
        return;
    }
    memcpy(whole, own.bytes, own.size);
    whole[own.size] = '.';
    memcpy(whole + own.size + 1, overload.bytes, overload.size);
    json_text(&chrome->out, (struct text){whole, own.size + 1 + overload.size});
}

/* Which words have a meaning here: PyTorch's only of what is its own or came through NVTX, those
 * about inputs also in what was read from a Chrome trace. */
static bool is_special(uint8_t word, bool is_labelled, bool is_operator)
{
    if (word == WORD_NONE || is_labelled)
        return word != WORD_NONE;
    bool is_about_inputs = word > WORD_SIZES && word < WORD_SEQUENCE;
    return word >= WORD_DOMAIN || is_about_inputs || (is_operator && word < WORD_SEQUENCE);
}

/* NULL: it has none. */
static const struct tl_attr *sequence_of(const struct chrome *chrome, uint32_t slice)
{
    struct tl_attrs attrs = timeline_slice_attrs(chrome->timeline, slice);
    const struct tl_attr *found = NULL;
    for (uint32_t i = 0; i < attrs.count; i++) {
        uint8_t word = chrome->attr_words[attrs.at[i].key];
        bool is_sequence =
            word == WORD_STASHED || (!found && (word == WORD_SEQ || word == WORD_SEQUENCE));
        if (is_sequence && is_integer(&attrs.at[i]))
            found = &attrs.at[i];
    }
    return found;
}

void chrome_args_sequence(struct chrome *chrome, uint32_t slice)
{
    const struct tl_attr *found = sequence_of(chrome, slice);
    if (found)
        json_key(&chrome->out, "Sequence number"), write_value(chrome, found);
}

void chrome_args_no_forward(struct chrome *chrome, uint32_t slice)
{
    if (sequence_of(chrome, slice))
        json_key(&chrome->out, "Fwd thread id"), json_uint(&chrome->out, 0);
}

void chrome_attrs_write(struct chrome *chrome, uint32_t label, struct tl_attrs attrs,
                        bool is_operator)
{
    if (label != TL_NONE)
        write_label(chrome, &chrome->timeline->labels.at[label]);
    for (uint32_t i = 0; i < attrs.count; i++) {
        if (tl_attr_is_given_again(attrs, i))
            continue;
        uint8_t word = chrome->attr_words[attrs.at[i].key];
        if (word == WORD_DIMS && label == TL_NONE && attrs.at[i].type == PROF_ATTR_STRING)
            write_dims(chrome, &attrs.at[i]);
        else if (is_special(word, label != TL_NONE, is_operator))
            write_special(chrome, attrs, i);
        else
            write_attr(chrome, &attrs.at[i]);
    }
}
