#include "key_rows.h"

#include "device_api.h"
#include "key_averages.h"
#include "maps.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- calls in several segments ----
 *
 * Segments are listed in order, so the last one listed is the last. */

static struct key_call *call_of(struct key_calls *calls, uint32_t *count,
                                const struct tl_segment *segment)
{
    uint32_t call = keymap_find(&calls->of_slice, segment->first);
    if (call == KEYMAP_NONE) {
        call = (*count)++;
        if (!keymap_set(&calls->of_slice, segment->first, call))
            return NULL;
        calls->at[call] = (struct key_call){.row = UINT32_MAX,
                                            .shape = TL_NONE,
                                            .stack = TL_NONE,
                                            .step = TL_NONE,
                                            .overload = TL_NONE,
                                            .device = KEY_SPAN_EMPTY};
    }
    return keymap_set(&calls->of_slice, segment->slice, call) ? &calls->at[call] : NULL;
}

bool key_calls_init(struct key_calls *calls, const struct timeline *timeline)
{
    uint32_t count = 0;
    *calls = (struct key_calls){0};
    if (timeline->segments.count == 0)
        return true;
    calls->at = malloc(timeline->segments.count * sizeof *calls->at);
    for (uint32_t i = 0; i < timeline->segments.count && calls->at; i++) {
        struct key_call *call = call_of(calls, &count, &timeline->segments.at[i]);
        if (!call) {
            key_calls_fini(calls);
            return false;
        }
        call->last = timeline->segments.at[i].slice;
    }
    return calls->at != NULL;
}

void key_calls_fini(struct key_calls *calls)
{
    free(calls->at);
    keymap_fini(&calls->of_slice);
    *calls = (struct key_calls){0};
}

/* ---- context: attributes and stacks are sorted by slice, so both advance with the slices ---- */

enum { WORD_NONE, WORD_SHAPE, WORD_OVERLOAD };

/* If a slice has several such attributes, the first one counts. */
void key_context_attrs(struct key_context *context, uint32_t slice, struct key_group *group)
{
    const struct timeline *timeline = context->timeline;
    for (; context->next_attr < timeline->attrs.count &&
           timeline->attrs.at[context->next_attr].slice <= slice;
         context->next_attr++) {
        const struct tl_attr *attr = &timeline->attrs.at[context->next_attr];
        bool is_text = attr->type == PROF_ATTR_STRING && attr->value < timeline->names.count;
        uint8_t word = attr->slice == slice && is_text ? context->words[attr->key] : WORD_NONE;
        if (word == WORD_SHAPE && group->shape == TL_NONE)
            group->shape = (uint32_t)attr->value;
        if (word == WORD_OVERLOAD && group->overload == TL_NONE)
            group->overload = (uint32_t)attr->value;
    }
}

static uint32_t stack_group(const struct key_context *context, uint32_t stack)
{
    bool grouped = stack != TL_NONE && context->options->stack_groups;
    return grouped ? context->options->stack_groups[stack] : stack;
}

uint32_t key_context_stack(struct key_context *context, uint32_t slice)
{
    const struct tl_stack_of *stacks = context->timeline->slice_stacks.at;
    uint32_t count = context->timeline->slice_stacks.count;
    while (context->next_stack < count && stacks[context->next_stack].owner < slice)
        context->next_stack++;
    bool has = context->next_stack < count && stacks[context->next_stack].owner == slice;
    return has ? stack_group(context, stacks[context->next_stack].stack) : TL_NONE;
}

static bool find_words(struct key_context *context)
{
    const struct timeline *timeline = context->timeline;
    context->words = calloc((size_t)timeline->names.count + 1, sizeof *context->words);
    for (uint32_t i = 0; i < timeline->names.count && context->words; i++) {
        struct text name = timeline->names.at[i];
        if (text_is(name, "sizes") || text_is(name, "Input Dims"))
            context->words[i] = WORD_SHAPE;
        else if (text_is(name, "overload_name"))
            context->words[i] = WORD_OVERLOAD;
    }
    return context->words != NULL;
}

/* Devices and streams are both in the order of processes and ordinals. */
static bool find_devices(struct key_context *context)
{
    const struct timeline *timeline = context->timeline;
    struct keymap known = {0};
    bool stored = true;
    context->device_of_stream = malloc(((size_t)timeline->streams.count + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < timeline->devices.count && stored; i++) {
        const struct tl_device *device = &timeline->devices.at[i];
        stored = keymap_set(&known, (uint64_t)device->process << 32 | device->info.device, i);
    }
    for (uint32_t i = 0; i < timeline->streams.count && stored && context->device_of_stream; i++) {
        const struct tl_stream *stream = &timeline->streams.at[i];
        context->device_of_stream[i] =
            keymap_find(&known, (uint64_t)stream->process << 32 | stream->device);
    }
    keymap_fini(&known);
    return stored && context->device_of_stream;
}

bool key_context_init(struct key_context *context, const struct timeline *timeline,
                      const struct key_options *options)
{
    *context = (struct key_context){.timeline = timeline, .options = options};
    if (options->group_by & (KEY_BY_SHAPE | KEY_BY_OVERLOAD) && !find_words(context))
        return false;
    if (options->group_by & KEY_BY_STEP && !steps_init(&context->steps, timeline))
        return false;
    return !(options->group_by & KEY_BY_DEVICE) || find_devices(context);
}

void key_context_fini(struct key_context *context)
{
    free(context->device_of_stream);
    free(context->words);
    steps_fini(&context->steps);
}

/* ---- rows ---- */

/* In the order of refinement. */
static const struct {
    uint32_t flag;
    size_t offset;
} parts[KEY_PARTS] = {
    {KEY_BY_SHAPE, offsetof(struct key_group, shape)},
    {KEY_BY_STACK, offsetof(struct key_group, stack)},
    {KEY_BY_THREAD, offsetof(struct key_group, thread)},
    {KEY_BY_DEVICE, offsetof(struct key_group, device)},
    {KEY_BY_STREAM, offsetof(struct key_group, stream)},
    {KEY_BY_RANK, offsetof(struct key_group, rank)},
    {KEY_BY_PATH, offsetof(struct key_group, path)},
    {KEY_BY_PROCESS, offsetof(struct key_group, process)},
    {KEY_BY_STEP, offsetof(struct key_group, step)},
    {KEY_BY_OVERLOAD, offsetof(struct key_group, overload)},
};

static uint32_t part_of(const struct key_group *group, unsigned part)
{
    uint32_t value;
    memcpy(&value, (const char *)group + parts[part].offset, sizeof value);
    return value;
}

static void forget_others(struct key_group *group, uint32_t group_by)
{
    uint32_t none = TL_NONE;
    for (unsigned i = 0; i < KEY_PARTS; i++)
        if (!(group_by & parts[i].flag))
            memcpy((char *)group + parts[i].offset, &none, sizeof none);
}

bool key_rows_init(struct key_rows *rows, struct key_averages *averages,
                   const struct timeline *timeline, const struct key_options *options)
{
    *rows = (struct key_rows){.timeline = timeline, .averages = averages, .options = options};
    rows->by_key = options->group_by == KEY_BY_KEY;
    if (!key_names_init(&rows->keys, timeline))
        return false;
    rows->base_of_key =
        calloc((size_t)KEY_CLASSES * rows->keys.key_count, sizeof *rows->base_of_key);
    bool ready = rows->base_of_key != NULL;
    size_t ranges = (size_t)timeline->slices.count + timeline->asyncs.count;
    ranges += options->python ? timeline->frames.count : 0;
    if (ready && (options->spread || options->samples))
        ready = key_samples_init(&rows->samples, ranges + timeline->gpus.count);
    if (ready && options->samples)
        ready = key_samples_init(&averages->device_samples, ranges);
    if (!ready)
        key_rows_fini(rows);
    return ready;
}

void key_rows_fini(struct key_rows *rows)
{
    for (unsigned i = 0; i <= KEY_PARTS; i++)
        keymap_fini(&rows->refined[i]);
    keymap_fini(&rows->paths);
    free(rows->row_of_path);
    key_names_fini(&rows->keys);
    key_samples_fini(&rows->samples);
    free(rows->base_of_key);
    free(rows->states);
    free(rows->functions_ns);
    memset(rows, 0, sizeof *rows);
}

static bool grow_rows(struct key_rows *rows)
{
    struct key_averages *averages = rows->averages;
    if (averages->capacity > UINT32_MAX / 4)
        return false;
    uint32_t capacity = averages->capacity ? averages->capacity * 2 : 64;
    struct key_average *grown = realloc(averages->rows, capacity * sizeof *grown);
    if (!grown)
        return false;
    averages->rows = grown;
    struct key_state *states = realloc(rows->states, capacity * sizeof *states);
    if (!states)
        return false;
    rows->states = states;
    averages->capacity = capacity;
    return true;
}

static struct text row_name(const struct key_rows *rows, uint32_t key, enum key_kind kind)
{
    static const char *const all[KEY_KINDS] = {
        "(ranges)",  "(CUDA calls)", "(marks)", "(Python functions)",
        "(kernels)", "(copies)",     "(sets)",  "(graphs)"};
    static const char *const calls[] = {[TL_API_CUDA] = "(CUDA calls)",
                                        [TL_API_HIP] = "(HIP calls)",
                                        [TL_API_OTHER] = "(GPU calls)"};
    if (rows->options->group_by & KEY_BY_KEY)
        return key_names_text(&rows->keys, key);
    const char *name = kind == KEY_API ? calls[device_api_of(rows->keys.timeline)] : all[kind];
    return (struct text){name, strlen(name)};
}

static void add_row(struct key_rows *rows, uint32_t key, enum key_kind kind,
                    const struct key_group *group)
{
    struct key_averages *averages = rows->averages;
    if (averages->count == averages->capacity && !grow_rows(rows)) {
        rows->failed = true;
        return;
    }
    struct key_average *row = &averages->rows[averages->count];
    *row = (struct key_average){.name = row_name(rows, key, kind),
                                .kind = kind,
                                .key = key,
                                .first_ns = INT64_MAX,
                                .group = *group};
    forget_others(&row->group, rows->options->group_by);
    rows->states[averages->count++] = (struct key_state){0};
}

/* The number of a name and kind; with `group`, when rows are by name alone, it is the row's. */
static uint32_t base_of(struct key_rows *rows, uint32_t key, enum key_kind kind)
{
    static const struct key_group nothing;
    uint32_t *slot = key_rows_base(rows, key, kind);
    if (*slot)
        return *slot - 1;
    if (rows->by_key)
        add_row(rows, key, kind, &nothing);
    if (rows->failed)
        return UINT32_MAX;
    *slot = ++rows->base_count;
    return *slot - 1;
}

/* The number of a pair. */
static uint32_t refine(struct key_rows *rows, unsigned part, uint32_t number, uint32_t value)
{
    uint64_t key = (uint64_t)number << 32 | value;
    uint32_t known = keymap_find(&rows->refined[part], key);
    if (known != KEYMAP_NONE)
        return known;
    rows->failed |= !keymap_set(&rows->refined[part], key, rows->refined_count[part]);
    return rows->refined_count[part]++;
}

static uint32_t row_of_path(struct key_rows *rows, uint32_t key, enum key_kind kind,
                            const struct key_group *group)
{
    uint32_t *row = &rows->row_of_path[group->path];
    if (!*row && !rows->failed) {
        *row = rows->averages->count + 1;
        add_row(rows, key, kind, group);
    }
    return rows->failed ? UINT32_MAX : *row - 1;
}

uint32_t key_rows_find_slow(struct key_rows *rows, uint32_t key, enum key_kind kind,
                            const struct key_group *group)
{
    uint32_t group_by = rows->options->group_by;
    if (rows->by_key)
        return base_of(rows, key, kind);
    if (rows->row_of_path && group->path != TL_NONE)
        return row_of_path(rows, key, kind, group);
    uint32_t number = group_by & KEY_BY_KEY ? base_of(rows, key, kind) : (uint32_t)kind;
    for (unsigned i = 0; i < KEY_PARTS; i++)
        if (group_by & parts[i].flag)
            number = refine(rows, i, number, part_of(group, i));
    uint32_t row = refine(rows, KEY_PARTS, number, 0);
    if (row == rows->averages->count && !rows->failed)
        add_row(rows, key, kind, group);
    return rows->failed ? UINT32_MAX : row;
}

static bool grow_row_of_path(struct key_rows *rows, uint32_t known, uint32_t capacity)
{
    if (rows->options->group_by != (KEY_BY_KEY | KEY_BY_PATH))
        return true;
    uint32_t *grown = realloc(rows->row_of_path, capacity * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + known, 0, (capacity - known) * sizeof *grown);
    rows->row_of_path = grown;
    return true;
}

static bool grow_paths(struct key_rows *rows)
{
    struct key_averages *averages = rows->averages;
    if (averages->path_capacity > UINT32_MAX / 4)
        return false;
    uint32_t capacity = averages->path_capacity ? averages->path_capacity * 2 : 64;
    if (!grow_row_of_path(rows, averages->path_capacity, capacity))
        return false;
    struct key_path *paths = realloc(averages->paths, capacity * sizeof *paths);
    if (!paths)
        return false;
    averages->paths = paths;
    averages->path_capacity = capacity;
    return true;
}

uint32_t key_rows_path(struct key_rows *rows, uint32_t name, enum key_kind kind, uint32_t parent)
{
    struct key_averages *averages = rows->averages;
    uint32_t key = key_names_of(&rows->keys, name);
    if (!(rows->options->group_by & KEY_BY_PATH))
        return TL_NONE;
    if (parent != TL_NONE && averages->paths[parent].depth + 1 >= KEY_PATH_DEPTH_MAX)
        parent = averages->paths[parent].parent;
    uint64_t pair = (uint64_t)parent << 32 | base_of(rows, key, kind);
    uint32_t known = rows->failed ? TL_NONE : keymap_find(&rows->paths, pair);
    if (known != KEYMAP_NONE || rows->failed)
        return known;
    uint32_t index = averages->path_count;
    if ((index == averages->path_capacity && !grow_paths(rows)) ||
        !keymap_set(&rows->paths, pair, index)) {
        rows->failed = true;
        return TL_NONE;
    }
    averages->paths[averages->path_count++] = (struct key_path){
        .parent = parent,
        .key = key,
        .depth = parent == TL_NONE ? 0 : averages->paths[parent].depth + 1,
        .kind = kind,
        .name = key_names_text(&rows->keys, key),
    };
    return index;
}

static bool measure_spread(struct key_rows *rows)
{
    struct key_averages *averages = rows->averages;
    size_t *starts = key_samples_sort(&rows->samples, averages->count);
    for (uint32_t i = 0; i < averages->count && starts; i++)
        key_spread_measure(&averages->rows[i].spread, rows->samples.ns + starts[i],
                           starts[i + 1] - starts[i]);
    averages->has_spread = starts != NULL;
    free(starts);
    return averages->has_spread;
}

bool key_rows_measure(struct key_rows *rows)
{
    if (rows->options->spread && !measure_spread(rows))
        return false;
    if (rows->options->samples) {
        rows->averages->samples = rows->samples;
        rows->samples = (struct key_samples){0};
    }
    return true;
}
