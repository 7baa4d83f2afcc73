/* cmd_augment.c - profdump pytorch augment IN OUT: a copy of a Chrome trace in which kernels and
 * operators have "kernel_flop" and "kernel_num_gb" in their args.
 *
 * What is in the trace already, and is not 0, stays; what is not known is not added. A kernel has
 * its part of its operator's work, the operator all of it.
 *
 * The trace is read as a timeline, and its kernels are given the work of their ranges there
 * (kernel_work.h), as in every report. An event is found again by its times, a kernel by its
 * correlation besides, a range by its name. Events that agree in all of it stand for each other.
 */
#include "chrome_copy.h"
#include "commands.h"
#include "compat.h"
#include "inputs.h"
#include "kernel_work.h"
#include "kineto_event.h"
#include "merge_chrome.h"
#include "options.h"
#include "profdump.h"
#include "python_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which work events get ---- */

/* What is given to an event; NaN: not known. */
struct augment_work {
    double flop, bytes;
};

/* Why kernels have no FLOPs, beside enum op_known. */
enum { AUGMENT_NO_RANGE = OP_NO_TYPE + 1, AUGMENT_NOT_FOUND, AUGMENT_REASONS };

struct augment_counts {
    uint64_t kernels, with_flop, with_bytes;
    uint64_t without[AUGMENT_REASONS];
};

/* Multimap from a number to things: equal numbers form a chain. */
struct augment_index {
    struct keymap first;
    uint32_t *things; /* what stands for the index's elements */
    uint32_t *next;   /* element, TL_NONE */
    uint32_t count;
};

struct augment_plan {
    const struct timeline *timeline;
    struct kernel_works works;
    struct range_works ranges;
    struct augment_index kernels, owners; /* of gpus, of slices whose work is given */
    struct augment_counts counts;
    int64_t zero_ns; /* of the trace: the timeline's 0 */
    bool has_zero;
    char *name; /* of an event, without escapes */
    size_t name_room;
    bool failed; /* no memory */
};

/* ---- finding things again ---- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, struct text text)
{
    for (size_t i = 0; i < text.size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text.bytes + i, text.size - i < 8 ? text.size - i : 8);
        hash = mix(hash, word);
    }
    return hash;
}

static uint64_t key_of_kernel(int64_t start_ns, int64_t end_ns, uint32_t correlation)
{
    return mix(mix(mix(1, (uint64_t)start_ns), (uint64_t)end_ns), correlation);
}

static uint64_t key_of_range(int64_t start_ns, int64_t duration_ns, struct text name)
{
    return mix_text(mix(mix(2, (uint64_t)start_ns), (uint64_t)duration_ns), name);
}

static bool index_init(struct augment_index *index, uint32_t most)
{
    index->things = malloc(((size_t)most + 1) * sizeof *index->things);
    index->next = malloc(((size_t)most + 1) * sizeof *index->next);
    return index->things && index->next;
}

static void index_fini(struct augment_index *index)
{
    keymap_fini(&index->first);
    free(index->things);
    free(index->next);
}

/* Prepends to the chain of the key, so add the last thing first. */
static bool index_add(struct augment_index *index, uint64_t key, uint32_t thing)
{
    uint32_t element = index->count++;
    index->things[element] = thing;
    index->next[element] = keymap_find(&index->first, key);
    return keymap_set(&index->first, key, element);
}

typedef bool is_wanted(const struct augment_plan *plan, uint32_t thing,
                       const struct kineto_event *event);

/* Removes and returns the first wanted thing of a chain. A last element is only marked as empty,
 * since keymaps cannot erase. */
static uint32_t take(struct augment_plan *plan, struct augment_index *index, uint64_t key,
                     is_wanted *wanted, const struct kineto_event *event)
{
    uint32_t element = keymap_find(&index->first, key), before = TL_NONE;
    while (element != TL_NONE &&
           (index->things[element] == TL_NONE || !wanted(plan, index->things[element], event))) {
        before = element;
        element = index->next[element];
    }
    if (element == TL_NONE)
        return TL_NONE;
    uint32_t thing = index->things[element], next = index->next[element];
    if (before != TL_NONE)
        index->next[before] = next;
    else if (next != TL_NONE)
        keymap_set(&index->first, key, next);
    else
        index->things[element] = TL_NONE;
    return thing;
}

/* ---- what there is ---- */

static int64_t duration_of(const struct timeline *timeline, uint32_t slice)
{
    return timeline->slices.at[slice].end_ns - timeline->slices.at[slice].start_ns;
}

/* Adds up the segments of ranges that were cut. `by_first` is zeroed and has an entry for every
 * slice. */
static void add_segments(const struct timeline *timeline, int64_t *by_first)
{
    for (uint32_t i = 0; i < timeline->segments.count; i++)
        by_first[timeline->segments.at[i].first] +=
            duration_of(timeline, timeline->segments.at[i].slice);
}

static bool add_owners(struct augment_plan *plan, const bool *gives, const int64_t *more_ns)
{
    const struct timeline *timeline = plan->timeline;
    bool good = true;
    for (uint32_t i = timeline->slices.count; i-- > 0 && good;) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (gives[i])
            good = index_add(&plan->owners,
                             key_of_range(slice->start_ns, duration_of(timeline, i) + more_ns[i],
                                          timeline->names.at[slice->name]),
                             i);
    }
    return good;
}

static bool index_owners(struct augment_plan *plan)
{
    const struct timeline *timeline = plan->timeline;
    size_t slices = (size_t)timeline->slices.count + 1;
    bool *gives = calloc(slices, sizeof *gives);
    int64_t *more_ns = calloc(slices, sizeof *more_ns);
    bool good = gives && more_ns;
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->works.count && good; i++) {
        uint32_t slice = plan->works.at[i].slice;
        if (slice == TL_NONE || gives[slice])
            continue;
        gives[slice] = true;
        count++;
    }
    if (good)
        add_segments(timeline, more_ns);
    good = good && index_init(&plan->owners, count) && add_owners(plan, gives, more_ns);
    free(gives);
    free(more_ns);
    return good;
}

static bool index_kernels(struct augment_plan *plan)
{
    const struct timeline *timeline = plan->timeline;
    bool good = index_init(&plan->kernels, timeline->gpus.count);
    for (uint32_t i = timeline->gpus.count; i-- > 0 && good;) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (gpu->kind == TL_KERNEL)
            good = index_add(&plan->kernels,
                             key_of_kernel(gpu->start_ns, gpu->end_ns, gpu->correlation), i);
    }
    return good;
}

static bool plan_init(struct augment_plan *plan, const struct timeline *timeline)
{
    *plan = (struct augment_plan){.timeline = timeline};
    bool known = kernel_works_init(&plan->works, timeline);
    return known && range_works_init(&plan->ranges, timeline) && index_kernels(plan) &&
           index_owners(plan);
}

static void plan_fini(struct augment_plan *plan)
{
    if (plan->works.at)
        kernel_works_fini(&plan->works);
    if (plan->ranges.of_slice)
        range_works_fini(&plan->ranges);
    index_fini(&plan->kernels);
    index_fini(&plan->owners);
    free(plan->name);
    *plan = (struct augment_plan){0};
}

/* ---- events ---- */

static uint32_t correlation_of(const struct kineto_event *event)
{
    int64_t correlation = kineto_number(&event->args, KINETO_CORRELATION, 0);
    return correlation > 0 && correlation <= UINT32_MAX ? (uint32_t)correlation : 0;
}

static bool is_kernel(const struct augment_plan *plan, uint32_t gpu,
                      const struct kineto_event *event)
{
    const struct tl_gpu *at = &plan->timeline->gpus.at[gpu];
    return at->start_ns == event->time_ns - plan->zero_ns &&
           at->end_ns - at->start_ns == event->duration_ns &&
           at->correlation == correlation_of(event);
}

static bool is_owner(const struct augment_plan *plan, uint32_t slice,
                     const struct kineto_event *event)
{
    const struct tl_slice *at = &plan->timeline->slices.at[slice];
    struct text name = plan->timeline->names.at[at->name];
    return at->start_ns == event->time_ns - plan->zero_ns && name.size == event->name.size &&
           memcmp(name.bytes, event->name.bytes, name.size) == 0;
}

/* Why no FLOPs are known of a kernel. */
static unsigned reason_of(const struct augment_plan *plan, uint32_t gpu)
{
    const struct timeline *timeline = plan->timeline;
    uint32_t slice = timeline->gpus.at[gpu].slice;
    if (slice != TL_NONE && timeline->slices.at[slice].kind == TL_API)
        slice = timeline->slices.at[slice].parent;
    return slice == TL_NONE ? AUGMENT_NO_RANGE : plan->works.at[gpu].flop_known;
}

static struct augment_work work_of_kernel(struct augment_plan *plan,
                                          const struct kineto_event *event)
{
    int64_t start_ns = event->time_ns - plan->zero_ns;
    uint32_t gpu =
        take(plan, &plan->kernels,
             key_of_kernel(start_ns, start_ns + event->duration_ns, correlation_of(event)),
             is_kernel, event);
    plan->counts.kernels++;
    if (gpu == TL_NONE) {
        plan->counts.without[AUGMENT_NOT_FOUND]++;
        return (struct augment_work){NAN, NAN};
    }
    const struct kernel_work *work = &plan->works.at[gpu];
    if (isfinite(work->flop))
        plan->counts.with_flop++;
    else
        plan->counts.without[reason_of(plan, gpu)]++;
    plan->counts.with_bytes += isfinite(work->bytes) != 0;
    return (struct augment_work){work->flop, work->bytes};
}

static struct augment_work work_of_range(struct augment_plan *plan,
                                         const struct kineto_event *event)
{
    struct text name = {event->name.bytes, event->name.size};
    uint32_t slice = take(plan, &plan->owners,
                          key_of_range(event->time_ns - plan->zero_ns, event->duration_ns, name),
                          is_owner, event);
    uint32_t at = slice == TL_NONE ? TL_NONE : plan->ranges.of_slice[slice];
    if (at == TL_NONE)
        return (struct augment_work){NAN, NAN};
    const struct op_work *work = &plan->ranges.all.at[at].work;
    return (struct augment_work){work->flop, work->bytes};
}

/* Unescapes the name of the event, for comparison with the timeline. */
static struct kineto_event plainly(struct augment_plan *plan, const struct kineto_event *event)
{
    struct kineto_event plain = *event;
    if (!event->name.escaped)
        return plain;
    if (event->name.size > plan->name_room) {
        char *name = realloc(plan->name, event->name.size);
        plan->failed |= !name;
        if (!name)
            return plain;
        plan->name = name;
        plan->name_room = event->name.size;
    }
    plain.name.size = (uint32_t)json_unescape(&event->name, plan->name);
    plain.name.bytes = plan->name;
    return plain;
}

/* The timeline starts at the first event that has a time. */
static void see_time(struct augment_plan *plan, const struct kineto_event *event)
{
    bool counts =
        event->phase && strchr("XBEbeSFCiIRn", event->phase) && (event->flags & KINETO_EVENT_TIME);
    if (plan->has_zero || !counts)
        return;
    plan->zero_ns = event->time_ns;
    plan->has_zero = true;
}

static struct augment_work plan_work(struct augment_plan *plan, const struct kineto_event *event)
{
    see_time(plan, event);
    if (event->phase != 'X' || !(event->flags & KINETO_EVENT_TIME))
        return (struct augment_work){NAN, NAN};
    if (event->category == KINETO_KERNEL)
        return work_of_kernel(plan, event);
    if (kineto_is_device(event->category) || event->category == KINETO_RUNTIME_CALL ||
        event->category == KINETO_DRIVER_CALL || event->category == KINETO_PYTHON)
        return (struct augment_work){NAN, NAN};
    struct kineto_event plain = plainly(plan, event);
    return work_of_range(plan, &plain);
}

static const char *reason_text(unsigned reason)
{
    if (reason == AUGMENT_NO_RANGE)
        return "launched by no operator in the file";
    if (reason == AUGMENT_NOT_FOUND)
        return "without a place in the timeline";
    return op_known_text((enum op_known)reason);
}

/* ---- the copy ---- */

struct augmenting {
    const char *path;
    struct augment_plan plan;
    struct augment_event event;
    struct kineto_event read;
    struct kineto_keys keys;
    uint64_t kept; /* values that were there */
};

#define VALUE_BYTES (PYTHON_TEXT_BYTES + 16)

/* Whole numbers as such, as far as a double is exact. */
static struct text number_text(double value, char to[VALUE_BYTES])
{
    if (!isfinite(value))
        return (struct text){"", 0};
    if (value == floor(value) && fabs(value) < 0x1p53)
        snprintf(to, VALUE_BYTES, "%.0f", value);
    else
        python_float(value, to);
    return (struct text){to, strlen(to)};
}

/* ---- which values ---- */

/* True if the file has a value, and it is not 0. */
static bool is_told(struct text value)
{
    int64_t number;
    if (!value.bytes)
        return false;
    return !json_text_scaled(value, 18, &number) || number != 0;
}

static struct text unless_told(struct augmenting *augmenting, struct text there, struct text value)
{
    if (!is_told(there))
        return value;
    augmenting->kept++;
    return (struct text){"", 0};
}

static const char *copy_event(void *user, struct json_out *out, struct json_cursor *cursor,
                              const char *p)
{
    struct augmenting *augmenting = user;
    const struct augment_event *event = &augmenting->event;
    char flop[VALUE_BYTES], gigabytes[VALUE_BYTES];
    const char *end = kineto_event_read(&augmenting->read, &augmenting->keys, cursor, p);
    if (end && augmenting->read.is_flow)
        augmenting->event = (struct augment_event){0};
    else if (!end || !augment_event_read(&augmenting->event, cursor, p))
        return NULL;
    struct augment_work work = {NAN, NAN};
    if (!augmenting->read.is_flow)
        work = plan_work(&augmenting->plan, &augmenting->read);
    json_newline(out);
    augment_event_write(
        out, event, p, end, unless_told(augmenting, event->flop, number_text(work.flop, flop)),
        unless_told(augmenting, event->gigabytes, number_text(work.bytes / 1e9, gigabytes)));
    out->comma = true;
    return end;
}

/* "78 kernels: FLOPs of 12, bytes of 60, no FLOPs of 50 (no formula), 16 (no operator)" */
static void say_counts(const struct augmenting *augmenting)
{
    const struct augment_counts *counts = &augmenting->plan.counts;
    char text[600];
    int used = snprintf(text, sizeof text,
                        "%" PRIu64 " kernels: FLOPs given to %" PRIu64 ", bytes to %" PRIu64,
                        counts->kernels, counts->with_flop, counts->with_bytes);
    const char *before = "; no FLOPs: ";
    for (unsigned i = 0; i < AUGMENT_REASONS && used < (int)sizeof text; i++)
        if (counts->without[i]) {
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%" PRIu64 " %s", before,
                             counts->without[i], reason_text(i));
            before = ", ";
        }
    if (augmenting->kept && used < (int)sizeof text)
        snprintf(text + used, sizeof text - (size_t)used,
                 "; %" PRIu64 " values were there and stay", augmenting->kept);
    complain("%s: %s", augmenting->path, text);
}

static bool write_copy(struct augmenting *augmenting, bool partial, const char *to)
{
    const struct chrome_copy copy = {.path = augmenting->path,
                                     .partial = partial,
                                     .user = augmenting,
                                     .event = copy_event,
                                     .no_memory = &augmenting->plan.failed};
    struct write_error error = {0};
    bool written = chrome_copy_trace(&copy, to, &error);
    if (!written && error.code != EPIPE)
        complain("%s", error.message);
    return written;
}

static int augment(const struct profdump_options *options, const char *to)
{
    struct augmenting augmenting = {.path = options->inputs[0]};
    struct timeline *timeline = inputs_load(options);
    if (!timeline)
        return EXIT_FAILURE;
    bool good = plan_init(&augmenting.plan, timeline);
    kineto_keys_init(&augmenting.keys);
    if (!good)
        complain("%s: out of memory", augmenting.path);
    good = good && write_copy(&augmenting, options->partial, to);
    if (good)
        say_counts(&augmenting);
    plan_fini(&augmenting.plan);
    timeline_destroy(timeline);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static bool check_usage(const struct profdump_options *options)
{
    if (options->input_count == 2)
        return true;
    complain("augment: needs a trace and the file to write: profdump pytorch augment IN OUT");
    return false;
}

/* False after having complained. */
static bool is_chrome_trace(const char *path)
{
    struct read_error error;
    struct source *source = source_open(path, &error);
    source_close(source);
    if (!source)
        complain("%s", error.message);
    else if (!merge_chrome_is(path))
        complain("%s: not a Chrome trace; 'profdump -o OUT.json %s' converts what can be read",
                 path, path);
    else
        return true;
    return false;
}

static int run(const struct profdump_options *options)
{
    struct profdump_options one = *options;
    if (!check_usage(options))
        return EXIT_USAGE;
    if (!is_chrome_trace(options->inputs[0]))
        return EXIT_FAILURE;
    if (options->compat)
        return compat_augment(options);
    one.input_count = 1;
    return augment(&one, options->inputs[1]);
}

static const struct option_entry augment_options[] = {
    {FLAG("compat", compat, "give each kernel its operator's full work, as PyTorch")},
    {FLAG("partial", partial, "read damaged files as far as possible")},
    {0},
};

static const struct option_entry *const options_of_augment[] = {augment_options, help_options,
                                                                NULL};

const struct command command_pytorch_augment = {
    .family = "pytorch",
    .word = "augment",
    .summary = "add FLOPs and bytes to kernels and operators of a trace",
    .usage = "[--compat] IN OUT",
    .about = "Copies a Chrome trace, adding kernel_flop and kernel_num_gb to kernels and to "
             "the operators that launched them.",
    .examples = "pytorch augment trace.json out.json",
    .options = options_of_augment,
    .run_inputs = run,
    .whole_files = true,
    .writes_last = true,
};
