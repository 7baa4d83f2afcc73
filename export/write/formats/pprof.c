/* pprof.c - a profile for pprof.
 *
 * A profile (profile.proto of github.com/google/pprof) is samples: a stack of locations, innermost
 * first, with values. Ours are sums:
 *
 *     CPU     a path of ranges and calls on one thread     self time and calls
 *     device  an operation on one stream, the call that    device time and operations
 *             launched it, what was around that
 *     samples a call stack of one thread (PROF_SAMPLE)     times that it was seen to run, and CPU
 *                                                          time
 *
 * The third are there, and their types of values, where a recording has samples and their functions
 * are known. CPU is time in ranges and calls, whether the thread ran or not; the CPU time of
 * samples is what the processor spent.
 *
 * A name of the timeline is a function of that name. Where the call's stack was recorded, its
 * frames stand in place of the ranges, with addresses, mappings and build ids, and the ranges
 * become the label "range". Begin/end ranges nest in nothing, so they are in no stack.
 */
#define _GNU_SOURCE
#include "array.h"
#include "exporter.h"
#include "formats.h"
#include "maps.h"
#include "packed_out.h"
#include "proto_out.h"
#include "range_paths.h"
#include "slice_sums.h"
#include "symbols.h"
#include "text_pool.h"
#include "timeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Numbers of fields. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_TIME = 9,
    PROFILE_DURATION = 10,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_TYPE = 14,

    VALUE_TYPE = 1,
    VALUE_UNIT = 2,
    SAMPLE_LOCATIONS = 1,
    SAMPLE_VALUES = 2,
    SAMPLE_LABEL = 3,
    LABEL_KEY = 1,
    LABEL_STRING = 2,
    LABEL_NUMBER = 3,
    MAPPING_ID = 1,
    MAPPING_START = 2,
    MAPPING_LIMIT = 3,
    MAPPING_OFFSET = 4,
    MAPPING_FILE = 5,
    MAPPING_BUILD_ID = 6,
    LOCATION_ID = 1,
    LOCATION_MAPPING = 2,
    LOCATION_ADDRESS = 3,
    LOCATION_LINE = 4,
    LINE_FUNCTION = 1,
    LINE_NUMBER = 2,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_FILE = 4,
    FUNCTION_LINE = 5,
};

struct pprof_sample {
    uint32_t path;  /* TL_NONE: outside of every range */
    uint32_t name;  /* of the device operation: a key; TL_NONE: CPU */
    uint32_t stack; /* of the call; TL_NONE */
    uint32_t row; /* thread, or of a device operation its stream (TL_NONE none); sampled: its own */
    bool sampled;
    uint32_t process, tid; /* sampled */
    int64_t cpu_ns, device_ns;
    uint64_t count, sampled_ns;
};

/* Pairs of numbers, numbered in the order of their first use. */
struct pprof_pairs {
    struct keymap map;
    uint32_t count;
};

struct pprof {
    const struct timeline *timeline;
    struct symbols *symbols; /* NULL: stacks are not used */
    struct proto_out out;
    struct key_names keys; /* the steps are one function, as they are one row in tables */
    struct range_paths paths;
    struct pprof_pairs leaves, stacked,
        places, /* path and name; that and stack; that and row: a sample */
        tids;   /* process and tid, of samples */
    TL_ARRAY(struct pprof_sample) samples;
    uint32_t *strings; /* by key: index into the profile's strings, 0 none yet */
    uint32_t string_count;
    uint64_t location_count; /* the first ones are those of keys */
    uint64_t
        left_out;  /* location of what is beyond the deepest ranges that are listed; 0 none yet */
    bool *written; /* by key: its function and location are in the file */
    bool *written_modules;
    struct text_pool functions; /* of frames */
    struct keymap frames;       /* module and offset -> place in frame_locations */
    TL_ARRAY(uint64_t) frame_locations;
    TL_ARRAY(uint64_t) stack; /* of the sample that is written */
    bool failed;              /* no memory */
};

/* A string's index in the profile; each call makes a new one but for names. */
static uint32_t put_string(struct pprof *pprof, struct text text)
{
    proto_text(&pprof->out, PROFILE_STRING, text);
    proto_may_flush(&pprof->out);
    return pprof->string_count++;
}

static uint32_t name_string(struct pprof *pprof, uint32_t name)
{
    if (pprof->strings[name] == 0)
        pprof->strings[name] = put_string(pprof, key_names_text(&pprof->keys, name));
    return pprof->strings[name];
}

static uint32_t word(struct pprof *pprof, const char *text)
{
    return put_string(pprof, (struct text){text, strlen(text)});
}

/* To the stack of the sample that is written. */
static void add_location(struct pprof *pprof, uint64_t location)
{
    uint64_t *place = ARRAY_ADD(&pprof->stack);
    if (place)
        *place = location;
    else
        pprof->failed = true;
}

/* ---- adding up ---- */

static uint32_t number_of(struct pprof *pprof, struct pprof_pairs *pairs, uint32_t a, uint32_t b)
{
    uint64_t key = (uint64_t)a << 32 | b;
    uint32_t number = keymap_find(&pairs->map, key);
    if (number != KEYMAP_NONE)
        return number;
    if (!keymap_set(&pairs->map, key, pairs->count))
        pprof->failed = true;
    return pairs->count++;
}

/* The sample of a place, made where it is missing; NULL: no memory. */
static struct pprof_sample *sample_of(struct pprof *pprof, struct pprof_sample place)
{
    uint32_t leaf = number_of(pprof, &pprof->leaves, place.path, place.name);
    uint32_t stacked = number_of(pprof, &pprof->stacked, leaf, place.stack);
    uint32_t number = number_of(pprof, &pprof->places, stacked, place.row);
    if (!pprof->failed && number == pprof->samples.count) {
        struct pprof_sample *made = ARRAY_ADD(&pprof->samples);
        if (made)
            *made = place;
        else
            pprof->failed = true;
    }
    return pprof->failed ? NULL : &pprof->samples.at[number];
}

/* In other profilers' files, also operators have stacks: what is around an operator would not get
 * its time. */
static uint32_t stack_of(const struct pprof *pprof, uint32_t slice)
{
    const struct timeline *timeline = pprof->timeline;
    if (!pprof->symbols || slice == TL_NONE)
        return TL_NONE;
    const struct tl_thread *thread = &timeline->threads.at[timeline->slices.at[slice].thread];
    return timeline->processes.at[thread->process].info.format.size
               ? TL_NONE
               : stack_of_slice(timeline, slice);
}

static struct pprof_sample *sample_of_slice(struct pprof *pprof, uint32_t index)
{
    return sample_of(pprof, (struct pprof_sample){
                                .path = range_paths_of(&pprof->paths, index),
                                .name = TL_NONE,
                                .stack = stack_of(pprof, index),
                                .row = pprof->timeline->slices.at[index].thread,
                            });
}

/* A slice's time is its own until its children take theirs. */
static void pprof_slice(void *user, uint32_t index, const struct tl_attr *attrs,
                        uint32_t attr_count)
{
    struct pprof *pprof = user;
    const struct tl_slice *slice = &pprof->timeline->slices.at[index];
    int64_t duration_ns = slice->end_ns > slice->start_ns ? slice->end_ns - slice->start_ns : 0;
    (void)attrs, (void)attr_count;
    if (!slice_is_shown(pprof->timeline, slice))
        return;
    struct pprof_sample *parent =
        slice->parent == TL_NONE ? NULL : sample_of_slice(pprof, slice->parent);
    if (parent)
        parent->cpu_ns -= duration_ns;
    struct pprof_sample *sample = sample_of_slice(pprof, index);
    if (!sample)
        return;
    sample->cpu_ns += duration_ns;
    sample->count += !(slice->flags & TL_CONTINUED);
}

static void pprof_gpu(void *user, uint32_t index)
{
    struct pprof *pprof = user;
    const struct tl_gpu *op = &pprof->timeline->gpus.at[index];
    if (!tl_is_work(op))
        return;
    struct pprof_sample *sample =
        sample_of(pprof, (struct pprof_sample){
                             .path = range_paths_of(&pprof->paths, op->slice),
                             .name = key_names_of(&pprof->keys, op->name),
                             .stack = stack_of(pprof, op->slice),
                             .row = op->stream,
                         });
    if (!sample)
        return;
    sample->device_ns += op->end_ns > op->start_ns ? op->end_ns - op->start_ns : 0;
    sample->count++;
}

static bool has_samples(const struct pprof *pprof)
{
    return pprof->symbols && pprof->timeline->samples.count > 0;
}

/* Rows of threads and of what was sampled do not meet: the latter have neither path nor name. */
static void add_samples(struct pprof *pprof)
{
    for (uint32_t i = 0; i < pprof->timeline->samples.count && has_samples(pprof); i++) {
        const struct tl_sample *taken = &pprof->timeline->samples.at[i];
        if (taken->waits || taken->stack == TL_NONE)
            continue;
        struct pprof_sample *sample =
            sample_of(pprof, (struct pprof_sample){
                                 .path = TL_NONE,
                                 .name = TL_NONE,
                                 .stack = taken->stack,
                                 .row = number_of(pprof, &pprof->tids, taken->process, taken->tid),
                                 .sampled = true,
                                 .process = taken->process,
                                 .tid = taken->tid,
                             });
        if (!sample)
            return;
        sample->count++;
        sample->sampled_ns += taken->weight_ns;
    }
}

/* ---- writing ---- */

/* A text as function and location, both with that number. Functions get no system name: one that
 * equals the name makes pprof take it for mangled, and cut the template arguments that distinguish
 * kernels. */
static void put_location(struct pprof *pprof, uint64_t id, uint32_t text)
{
    size_t mark = proto_begin(&pprof->out, PROFILE_FUNCTION);
    proto_uint(&pprof->out, FUNCTION_ID, id);
    proto_uint(&pprof->out, FUNCTION_NAME, text);
    proto_end(&pprof->out, mark);
    mark = proto_begin(&pprof->out, PROFILE_LOCATION);
    proto_uint(&pprof->out, LOCATION_ID, id);
    size_t line = proto_begin(&pprof->out, LOCATION_LINE);
    proto_uint(&pprof->out, LINE_FUNCTION, id);
    proto_end(&pprof->out, line);
    proto_end(&pprof->out, mark);
}

static uint64_t name_location(struct pprof *pprof, uint32_t name)
{
    uint64_t id = (uint64_t)name + 1;
    if (!pprof->written[name])
        put_location(pprof, id, name_string(pprof, name));
    pprof->written[name] = true;
    return id;
}

/* A sample lists what is around it: of ranges in each other to any depth, that would be
 * quadratic. */
#define RANGES_MAX 512u

static uint64_t left_out_location(struct pprof *pprof)
{
    if (!pprof->left_out) {
        pprof->left_out = ++pprof->location_count;
        put_location(pprof, pprof->left_out, word(pprof, "(further ranges left out)"));
    }
    return pprof->left_out;
}

/* Recorded call stacks in a pprof profile: a location per address, with a line for each
 * function that was inlined there. */

#define MODULE_SHIFT 40

/* Module and offset as one number; what no file holds by its address. */
static uint64_t key_of(const struct symbol_frame *frame)
{
    if (frame->module_index == TL_NONE)
        return UINT64_C(1) << 63 | (uint64_t)frame->python << 62 | frame->offset;
    return (uint64_t)frame->module_index << MODULE_SHIFT |
           (frame->offset & ((UINT64_C(1) << MODULE_SHIFT) - 1));
}

static void put_mapping(struct pprof *pprof, uint32_t index)
{
    const struct tl_module *module = &pprof->timeline->modules.at[index];
    char build_id[2 * sizeof module->build_id + 1] = "";
    if (pprof->written_modules[index])
        return;
    pprof->written_modules[index] = true;
    for (uint32_t i = 0; i < module->build_id_bytes && i < sizeof module->build_id; i++)
        snprintf(build_id + 2 * (size_t)i, 3, "%02x", module->build_id[i]);
    uint32_t file = name_string(pprof, module->path);
    uint32_t build = *build_id ? put_string(pprof, (struct text){build_id, strlen(build_id)}) : 0;
    size_t mark = proto_begin(&pprof->out, PROFILE_MAPPING);
    proto_uint(&pprof->out, MAPPING_ID, (uint64_t)index + 1);
    proto_uint(&pprof->out, MAPPING_START, module->start);
    proto_uint(&pprof->out, MAPPING_LIMIT, module->end);
    proto_uint(&pprof->out, MAPPING_OFFSET, module->file_offset);
    proto_uint(&pprof->out, MAPPING_FILE, file);
    if (build)
        proto_uint(&pprof->out, MAPPING_BUILD_ID, build);
    proto_end(&pprof->out, mark);
}

/* Ids of functions of frames come after those of keys, which are also numbers of locations. */
#define FRAME_FUNCTION ((uint64_t)1 << 32)

/* The id of a frame's function; writes the function if it is new. A Python function's line is that
 * of its def. */
static uint64_t function_of(struct pprof *pprof, const struct symbol_frame *frame)
{
    char place[SYMBOL_PLACE_BYTES], *key;
    const char *name = symbols_name(frame, place), *file = frame->file ? frame->file : "";
    uint32_t line = frame->python ? frame->line : 0, known = pprof->functions.count, number = 0;
    int size = asprintf(&key, "%u %s\n%s", line, file, name);
    if (size >= 0) {
        number = text_pool_number(&pprof->functions, (struct text){key, (size_t)size});
        free(key);
    }
    pprof->failed |= number == 0;
    if (number <= known)
        return FRAME_FUNCTION + number;
    uint32_t text = word(pprof, name), file_text = *file ? word(pprof, file) : 0;
    size_t mark = proto_begin(&pprof->out, PROFILE_FUNCTION);
    proto_uint(&pprof->out, FUNCTION_ID, FRAME_FUNCTION + number);
    proto_uint(&pprof->out, FUNCTION_NAME, text);
    if (file_text)
        proto_uint(&pprof->out, FUNCTION_FILE, file_text);
    if (line)
        proto_uint(&pprof->out, FUNCTION_LINE, line);
    proto_end(&pprof->out, mark);
    return FRAME_FUNCTION + number;
}

/* `count` frames at one address: all but the last were inlined. */
static uint64_t put_frames(struct pprof *pprof, const struct symbol_frame *frames, uint32_t count)
{
    const struct symbol_frame *frame = &frames[count - 1];
    uint64_t id = ++pprof->location_count;
    for (uint32_t i = 0; i < count; i++)
        function_of(pprof, &frames[i]);
    if (frame->module_index != TL_NONE)
        put_mapping(pprof, frame->module_index);
    size_t mark = proto_begin(&pprof->out, PROFILE_LOCATION);
    proto_uint(&pprof->out, LOCATION_ID, id);
    if (frame->module_index != TL_NONE)
        proto_uint(&pprof->out, LOCATION_MAPPING, (uint64_t)frame->module_index + 1);
    uint64_t bias =
        frame->module_index == TL_NONE ? 0 : pprof->timeline->modules.at[frame->module_index].bias;
    if (!frame->python)
        proto_uint(&pprof->out, LOCATION_ADDRESS, frame->offset + bias);
    for (uint32_t i = 0; i < count; i++) {
        size_t line = proto_begin(&pprof->out, LOCATION_LINE);
        proto_uint(&pprof->out, LINE_FUNCTION, function_of(pprof, &frames[i]));
        if (frames[i].line)
            proto_uint(&pprof->out, LINE_NUMBER, frames[i].line);
        proto_end(&pprof->out, line);
    }
    proto_end(&pprof->out, mark);
    proto_may_flush(&pprof->out);
    return id;
}

static uint64_t location_of(struct pprof *pprof, const struct symbol_frame *frames, uint32_t count)
{
    uint64_t key = key_of(&frames[count - 1]);
    uint32_t place = keymap_find(&pprof->frames, key);
    if (place != KEYMAP_NONE)
        return pprof->frame_locations.at[place];
    uint64_t *location = ARRAY_ADD(&pprof->frame_locations);
    if (!location || !keymap_set(&pprof->frames, key, pprof->frame_locations.count - 1)) {
        pprof->failed = true;
        return 0;
    }
    return *location = put_frames(pprof, frames, count);
}

static void add_frames(struct pprof *pprof, uint32_t stack)
{
    struct symbol_stack frames = symbols_stack(pprof->symbols, stack);
    for (uint32_t i = 0, first = 0; i < frames.count; i++) {
        if (frames.at[i].inlined && i + 1 < frames.count)
            continue;
        add_location(pprof, location_of(pprof, &frames.at[first], i + 1 - first));
        first = i + 1;
    }
}

/* Innermost first: the operation, the call, then its frames or what was around it. */
static void collect_stack(struct pprof *pprof, const struct pprof_sample *sample)
{
    uint32_t path = sample->path;
    pprof->stack.count = 0;
    if (sample->name != TL_NONE)
        add_location(pprof, name_location(pprof, sample->name));
    if (path != TL_NONE) {
        add_location(pprof, name_location(pprof, pprof->paths.paths.at[path].name));
        path = pprof->paths.paths.at[path].parent;
    }
    if (sample->stack != TL_NONE) {
        add_frames(pprof, sample->stack);
        return;
    }
    for (uint32_t i = 0; path != TL_NONE && i < RANGES_MAX; i++) {
        add_location(pprof, name_location(pprof, pprof->paths.paths.at[path].name));
        path = pprof->paths.paths.at[path].parent;
    }
    if (path != TL_NONE)
        add_location(pprof, left_out_location(pprof));
}

/* Indexes of the words that labels have. */
struct words {
    uint32_t thread, tid, pid, device, stream, range;
};

static void put_label(struct pprof *pprof, uint32_t key, uint32_t field, uint64_t value)
{
    size_t mark = proto_begin(&pprof->out, SAMPLE_LABEL);
    proto_uint(&pprof->out, LABEL_KEY, key);
    proto_uint(&pprof->out, field, value);
    proto_end(&pprof->out, mark);
}

/* What labels need to be said before their sample is open. */
struct labels {
    uint32_t thread, range;
};

static struct labels prepare_labels(struct pprof *pprof, const struct pprof_sample *sample)
{
    struct labels labels = {0};
    char path[RANGE_PATH_BYTES];
    if (sample->name == TL_NONE && !sample->sampled) {
        uint32_t name = pprof->timeline->threads.at[sample->row].name;
        if (name < pprof->timeline->names.count)
            labels.thread = name_string(pprof, name);
    }
    if (sample->stack != TL_NONE && sample->path != TL_NONE) {
        range_paths_text(&pprof->paths, sample->path, path);
        labels.range = word(pprof, path);
    }
    return labels;
}

static void put_labels(struct pprof *pprof, const struct pprof_sample *sample, struct labels labels,
                       const struct words *words)
{
    const struct timeline *timeline = pprof->timeline;
    if (labels.thread)
        put_label(pprof, words->thread, LABEL_STRING, labels.thread);
    if (labels.range)
        put_label(pprof, words->range, LABEL_STRING, labels.range);
    if (sample->sampled) {
        put_label(pprof, words->tid, LABEL_NUMBER, sample->tid);
        put_label(pprof, words->pid, LABEL_NUMBER,
                  timeline->processes.at[sample->process].info.pid);
    } else if (sample->name == TL_NONE) {
        const struct tl_thread *thread = &timeline->threads.at[sample->row];
        put_label(pprof, words->tid, LABEL_NUMBER, thread->tid);
        put_label(pprof, words->pid, LABEL_NUMBER,
                  timeline->processes.at[thread->process].info.pid);
    } else if (sample->row != TL_NONE) {
        const struct tl_stream *stream = &timeline->streams.at[sample->row];
        if (stream->device != TL_NONE)
            put_label(pprof, words->device, LABEL_NUMBER, stream->device);
        put_label(pprof, words->stream, LABEL_NUMBER, stream->stream);
        put_label(pprof, words->pid, LABEL_NUMBER,
                  timeline->processes.at[stream->process].info.pid);
    }
}

static void put_values(struct pprof *pprof, const struct pprof_sample *sample)
{
    struct proto_out *out = &pprof->out;
    char *p = proto_put_varint(proto_room(out), sample->cpu_ns > 0 ? (uint64_t)sample->cpu_ns : 0);
    p = proto_put_varint(p, (uint64_t)sample->device_ns);
    out->at = proto_put_varint(p, sample->sampled ? 0 : sample->count);
    if (!has_samples(pprof))
        return;
    p = proto_put_varint(proto_room(out), sample->sampled ? sample->count : 0);
    out->at = proto_put_varint(p, sample->sampled_ns);
}

static void put_sample(struct pprof *pprof, const struct pprof_sample *sample,
                       const struct words *words)
{
    struct proto_out *out = &pprof->out;
    collect_stack(pprof, sample);
    struct labels labels = prepare_labels(pprof, sample);
    size_t mark = proto_begin(out, PROFILE_SAMPLE);
    size_t list = proto_begin(out, SAMPLE_LOCATIONS);
    for (uint32_t i = 0; i < pprof->stack.count; i++)
        out->at = proto_put_varint(proto_room(out), pprof->stack.at[i]);
    proto_end(out, list);
    list = proto_begin(out, SAMPLE_VALUES);
    put_values(pprof, sample);
    proto_end(out, list);
    put_labels(pprof, sample, labels, words);
    proto_end(out, mark);
    proto_may_flush(out);
}

static void put_type(struct pprof *pprof, const char *type, const char *unit)
{
    uint32_t type_word = word(pprof, type), unit_word = word(pprof, unit);
    size_t mark = proto_begin(&pprof->out, PROFILE_SAMPLE_TYPE);
    proto_uint(&pprof->out, VALUE_TYPE, type_word);
    proto_uint(&pprof->out, VALUE_UNIT, unit_word);
    proto_end(&pprof->out, mark);
}

static void pprof_begin(void *user, const struct timeline *timeline)
{
    struct pprof *pprof = user;
    word(pprof, ""); /* index 0, as the format wants it */
    put_type(pprof, "cpu", "nanoseconds");
    put_type(pprof, "device", "nanoseconds");
    put_type(pprof, "calls", "count");
    if (has_samples(pprof)) {
        put_type(pprof, "samples", "count");
        put_type(pprof, "cpu_sampled", "nanoseconds");
    }
    proto_uint(&pprof->out, PROFILE_TIME,
               timeline->base_realtime_ns + (uint64_t)timeline->start_ns);
    proto_int(&pprof->out, PROFILE_DURATION, timeline->end_ns - timeline->start_ns);
}

static void pprof_end(void *user)
{
    struct pprof *pprof = user;
    struct words words = {
        .thread = word(pprof, "thread"),
        .tid = word(pprof, "tid"),
        .pid = word(pprof, "pid"),
        .device = word(pprof, "device"),
        .stream = word(pprof, "stream"),
        .range = word(pprof, "range"),
    };
    add_samples(pprof);
    bool timed = false, sampled = false;
    for (uint32_t i = 0; i < pprof->samples.count; i++) {
        put_sample(pprof, &pprof->samples.at[i], &words);
        timed |= pprof->samples.at[i].device_ns > 0;
        sampled |= pprof->samples.at[i].sampled;
    }
    uint32_t shown_first = word(pprof, timed ? "device" : sampled ? "cpu_sampled" : "cpu");
    proto_uint(&pprof->out, PROFILE_DEFAULT_TYPE, shown_first);
}

static const struct exporter pprof_exporter = {
    .name = "pprof",
    .begin = pprof_begin,
    .slice = pprof_slice,
    .gpu = pprof_gpu,
    .end = pprof_end,
};

static bool pprof_init(struct pprof *pprof, const struct export_file *file)
{
    const struct timeline *timeline = pprof->timeline;
    if (!key_names_init(&pprof->keys, timeline))
        return false;
    pprof->location_count = pprof->keys.key_count;
    pprof->strings = calloc(pprof->keys.key_count, sizeof *pprof->strings);
    pprof->written = calloc(pprof->keys.key_count, sizeof *pprof->written);
    pprof->written_modules =
        calloc(timeline->modules.count + (size_t)1, sizeof *pprof->written_modules);
    if (!pprof->strings || !pprof->written || !pprof->written_modules ||
        !range_paths_init(&pprof->paths, timeline))
        return false;
    pprof->paths.keys = &pprof->keys;
    return proto_out_init(&pprof->out, file->file.fd, file->stream);
}

static void pprof_fini(struct pprof *pprof)
{
    range_paths_fini(&pprof->paths);
    key_names_fini(&pprof->keys);
    keymap_fini(&pprof->leaves.map);
    keymap_fini(&pprof->stacked.map);
    keymap_fini(&pprof->places.map);
    keymap_fini(&pprof->tids.map);
    text_pool_fini(&pprof->functions);
    keymap_fini(&pprof->frames);
    free(pprof->samples.at);
    free(pprof->strings);
    free(pprof->written);
    free(pprof->written_modules);
    free(pprof->frame_locations.at);
    free(pprof->stack.at);
}

/* Returns 0 or an errno. */
static int write_profile(const struct timeline *timeline, struct symbols *symbols,
                         const struct export_file *file)
{
    struct pprof pprof = {.timeline = timeline, .symbols = symbols};
    bool complete = pprof_init(&pprof, file) && exporter_walk(&pprof_exporter, &pprof, timeline) &&
                    !pprof.failed && !pprof.paths.failed;
    int error = proto_out_fini(&pprof.out);
    pprof_fini(&pprof);
    return complete || error ? error : ENOMEM;
}

bool write_pprof(const struct timeline *timeline, struct symbols *symbols, const char *path,
                 struct write_error *error)
{
    struct export_file file;
    if (!export_file_open(&file, path, packed_out_gzip, error))
        return false;
    return export_file_close(&file, write_profile(timeline, symbols, &file), error);
}
