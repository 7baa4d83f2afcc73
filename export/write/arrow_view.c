/* arrow_view.c - see arrow_view.h. */
#include "arrow_view.h"

#include "array.h"
#include "heap_levels.h"
#include "memory_use.h"
#include "text.h"
#include "text_pool.h"
#include "timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const arrow_words[ARROW_WORDS] = {
    "range",  "step",   "call",  "async",   "mark",   "kernel",
    "memcpy", "memset", "graph", "counter", "memory", "(unnamed)",
};

/* ---- rows of events ---- */

static bool number_events(struct arrow_view *view)
{
    const struct timeline *timeline = view->timeline;
    uint32_t count = timeline->slices.count, groups = count / 64 + 1, seen = 0;
    view->is_event = calloc(groups, sizeof *view->is_event);
    view->events_before = calloc(groups, sizeof *view->events_before);
    if (!view->is_event || !view->events_before)
        return false;
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t end = count - i * 64 < 64 ? count - i * 64 : 64;
        uint64_t bits = 0;
        for (uint32_t j = 0; j < end; j++)
            bits |= (uint64_t)slice_is_shown(timeline, &timeline->slices.at[i * 64 + j]) << j;
        view->is_event[i] = bits;
        view->events_before[i] = seen;
        seen += (uint32_t)__builtin_popcountll(bits);
    }
    view->all_are_events = seen == count;
    return true;
}

int64_t arrow_view_row_around_slow(const struct arrow_view *view, uint32_t slice)
{
    unsigned calls = 0;
    while (slice != TL_NONE && !arrow_view_is_event(view, slice))
        slice = calls++ < TL_CALLS_AROUND_MAX ? view->timeline->slices.at[slice].parent : TL_NONE;
    return slice == TL_NONE ? -1 : arrow_view_row(view, slice);
}

uint32_t arrow_view_launched(const struct timeline *timeline, const struct tl_slice *slice)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++)
        count += tl_is_work(&timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]]);
    return count;
}

/* ---- memory in use ---- */

static bool find_levels(struct arrow_view *view)
{
    const struct timeline *timeline = view->timeline;
    struct heap_levels levels;
    view->levels = calloc(timeline->memory_events.count + (size_t)1, sizeof *view->levels);
    bool ready = heap_levels_init(&levels, timeline) && view->levels;
    for (uint32_t i = 0; ready && i < timeline->memory_events.count; i++)
        view->levels[i] = heap_levels_apply(&levels, i).allocated;
    heap_levels_fini(&levels);
    return ready;
}

/* ---- attributes ---- */

enum word { WORD_NONE, WORD_SHAPES, WORD_SEQUENCE, WORD_STASHED, WORD_STACK, WORD_FLOPS };

static const struct {
    const char *key;
    uint8_t word;
} words[] = {
    {"Input Dims", WORD_SHAPES}, {"sizes", WORD_SHAPES},        {"Sequence number", WORD_SEQUENCE},
    {"seq", WORD_SEQUENCE},      {"stashed_seq", WORD_STASHED}, {"Call stack", WORD_STACK},
    {"flops", WORD_FLOPS},
};

static uint8_t word_of(struct text name)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].key) == name.size && memcmp(words[i].key, name.bytes, name.size) == 0)
            return words[i].word;
    return WORD_NONE;
}

static void find_firsts(struct arrow_view *view)
{
    const struct timeline *timeline = view->timeline;
    uint32_t attr = 0;
    for (uint32_t i = 0; i <= timeline->slices.count; i++) {
        while (attr < timeline->attrs.count && timeline->attrs.at[attr].slice < i)
            attr++;
        view->first_attr[i] = attr;
    }
}

static void set_word(struct arrow_view *view, uint32_t name, uint8_t word)
{
    view->attr_words[name] = word;
    view->given.shapes |= word == WORD_SHAPES;
    view->given.sequence |= word == WORD_SEQUENCE || word == WORD_STASHED;
    view->given.stack |= word == WORD_STACK;
    view->given.flops |= word == WORD_FLOPS;
}

static bool attrs_init(struct arrow_view *view)
{
    const struct timeline *timeline = view->timeline;
    if (!timeline->attrs.count && !timeline->async_attrs.count && !timeline->mark_attrs.count)
        return true;
    view->first_attr = calloc(timeline->slices.count + (size_t)1, sizeof *view->first_attr);
    view->attr_words = calloc(timeline->names.count + (size_t)1, sizeof *view->attr_words);
    view->quoted = calloc(1, sizeof *view->quoted);
    if (!view->first_attr || !view->attr_words || !view->quoted ||
        !quoted_names_init(view->quoted, timeline))
        return false;
    find_firsts(view);
    for (uint32_t i = 0; i < timeline->names.count; i++)
        set_word(view, i, word_of(timeline->names.at[i]));
    return true;
}

static void attrs_fini(struct arrow_view *view)
{
    if (view->quoted)
        quoted_names_fini(view->quoted);
    free(view->quoted);
    free(view->first_attr);
    free(view->attr_words);
}

struct tl_attrs arrow_attrs_of_slice(const struct arrow_view *view, uint32_t slice)
{
    if (!view->first_attr)
        return (struct tl_attrs){NULL, 0};
    uint32_t first = view->first_attr[slice], end = view->first_attr[slice + 1];
    return (struct tl_attrs){first < end ? &view->timeline->attrs.at[first] : NULL, end - first};
}

static bool is_whole(const struct tl_attr *attr)
{
    return (attr->type == PROF_ATTR_INT || attr->type == PROF_ATTR_UINT) &&
           attr->value <= INT64_MAX;
}

static bool is_text(const struct arrow_view *view, const struct tl_attr *attr)
{
    return attr->type == PROF_ATTR_STRING && attr->value < view->timeline->names.count;
}

/* Whether the attribute has the type of its column. */
static bool fits(const struct arrow_view *view, const struct tl_attr *attr, uint8_t word)
{
    if (word == WORD_SEQUENCE || word == WORD_STASHED)
        return is_whole(attr);
    return word == WORD_FLOPS ? tl_attr_number(attr) >= 0 : is_text(view, attr);
}

struct arrow_attrs_own arrow_attrs_own(const struct arrow_view *view, struct tl_attrs attrs)
{
    struct arrow_attrs_own own = {0};
    bool stashed = false;
    for (uint32_t i = 0; i < attrs.count; i++) {
        const struct tl_attr *attr = &attrs.at[i];
        uint8_t word = view->attr_words[attr->key];
        if (word == WORD_NONE || !fits(view, attr, word))
            continue;
        stashed |= word == WORD_STASHED;
        if (word == WORD_SHAPES)
            own.shapes = attr;
        else if (word == WORD_STACK)
            own.stack = attr;
        else if (word == WORD_FLOPS)
            own.flops = attr;
        else if (word == WORD_STASHED || !stashed)
            own.sequence = attr;
    }
    return own;
}

/* ---- attributes as JSON ---- */

static void put_name(const struct arrow_view *view, struct text_out *out, uint64_t name)
{
    struct quoted_name quoted =
        quoted_names_get(view->quoted, name < TL_NONE ? (uint32_t)name : TL_NONE);
    text_out_bytes(out, quoted.json, quoted.size);
}

static void put_value(const struct arrow_view *view, struct text_out *out,
                      const struct tl_attr *attr)
{
    char number[JSON_DOUBLE_BYTES], *end;
    if (attr->type == PROF_ATTR_STRING) {
        put_name(view, out, attr->value);
        return;
    }
    if (attr->type == PROF_ATTR_INT)
        end = json_put_int(number, (int64_t)attr->value);
    else if (attr->type == PROF_ATTR_UINT || attr->type == PROF_ATTR_HEX)
        end = json_put_uint(number, attr->value);
    else
        end = json_put_double(number, tl_attr_number(attr));
    text_out_bytes(out, number, (size_t)(end - number));
}

static bool is_own(const struct arrow_attrs_own *own, const struct tl_attr *attr)
{
    return attr == own->shapes || attr == own->sequence || attr == own->stack || attr == own->flops;
}

bool arrow_attrs_json(const struct arrow_view *view, struct tl_attrs attrs, struct text_out *out)
{
    if (!attrs.count)
        return false;
    struct arrow_attrs_own own = arrow_attrs_own(view, attrs);
    bool any = false;
    for (uint32_t i = 0; i < attrs.count; i++) {
        if (is_own(&own, &attrs.at[i]) || tl_attr_is_given_again(attrs, i))
            continue;
        text_out_bytes(out, any ? "," : "{", 1);
        any = true;
        put_name(view, out, attrs.at[i].key);
        text_out_bytes(out, ":", 1);
        put_value(view, out, &attrs.at[i]);
    }
    if (any)
        text_out_bytes(out, "}", 1);
    return any;
}

/* ---- all of it ---- */

bool arrow_view_init(struct arrow_view *view, const struct timeline *timeline,
                     enum arrow_table table)
{
    *view = (struct arrow_view){.timeline = timeline};
    if (!number_events(view))
        return false;
    if (table == ARROW_COUNTERS)
        return find_levels(view);
    if (table != ARROW_EVENTS)
        return true;
    view->sums = slice_sums_create(timeline);
    return view->sums && memory_slices_init(&view->memory, timeline) && attrs_init(view);
}

void arrow_view_fini(struct arrow_view *view)
{
    attrs_fini(view);
    memory_slices_fini(&view->memory);
    free(view->is_event);
    free(view->events_before);
    free(view->sums);
    free(view->levels);
    *view = (struct arrow_view){0};
}

/* ---- names ---- */

struct arrow_names *arrow_names_hold(struct arrow_names *names)
{
    atomic_fetch_add_explicit(&names->holders, 1, memory_order_relaxed);
    return names;
}

void arrow_names_release(struct arrow_names *names)
{
    if (!names || atomic_fetch_sub_explicit(&names->holders, 1, memory_order_acq_rel) != 1)
        return;
    free(names->offsets);
    free(names->bytes);
    free(names->places);
    free(names);
}

/* Texts that the timeline does not have, one after the other. */
struct extras {
    struct text_out bytes;
    TL_ARRAY(size_t) ends;
};

static bool end_extra(struct extras *extras)
{
    size_t *end = ARRAY_ADD(&extras->ends);
    if (end)
        *end = extras->bytes.size;
    return end && !extras->bytes.failed;
}

static void put_frame(struct text_out *out, const struct timeline *timeline,
                      const struct tl_stack *stack, uint64_t address)
{
    char offset[32];
    const struct tl_module *module =
        stack_of_module(timeline, stack->process, address, stack->ticks);
    text_out_string(out, "?? (");
    if (module) {
        struct text path = timeline->names.at[module->path];
        const char *slash = path.size ? memrchr(path.bytes, '/', path.size) : NULL;
        const char *file = slash ? slash + 1 : path.bytes;
        size_t start = out->size, size = (size_t)(path.bytes + path.size - file);
        text_out_bytes(out, file, size);
        for (char *at = out->bytes + start; !out->failed && size--; at++)
            *at = *at == ';' ? ':' : *at;
        text_out_string(out, "+");
    }
    snprintf(offset, sizeof offset, "0x%" PRIx64 ")", address - (module ? module->bias : 0));
    text_out_string(out, offset);
}

/* Without symbols: where each frame lies in its file, as symbols_name() says it. */
static void put_stack(struct text_out *out, const struct timeline *timeline, uint32_t index)
{
    const struct tl_stack *stack = &timeline->stacks.at[index];
    for (uint32_t i = 0; i < stack->count; i++) {
        text_out_bytes(out, ";", i > 0);
        put_frame(out, timeline, stack, timeline->addresses.at[stack->first + i]);
    }
}

static bool add_extras(struct arrow_view *view, struct extras *extras, char *const *stacks)
{
    const struct timeline *timeline = view->timeline;
    char number[16];
    view->first_stack = timeline->names.count + ARROW_WORDS;
    view->first_category = view->first_stack + timeline->stacks.count;
    for (uint32_t i = 0; i < timeline->stacks.count; i++) {
        if (stacks)
            text_out_string(&extras->bytes, stacks[i]);
        else
            put_stack(&extras->bytes, timeline, i);
        if (!end_extra(extras))
            return false;
    }
    for (uint32_t i = 0; i < timeline->categories.count; i++) {
        snprintf(number, sizeof number, "%" PRIu32, timeline->categories.at[i].number);
        text_out_string(&extras->bytes, number);
        if (!end_extra(extras))
            return false;
    }
    return true;
}

static struct text text_at(const struct timeline *timeline, const struct extras *extras,
                           uint32_t index)
{
    uint32_t names = timeline->names.count;
    if (index < names)
        return timeline->names.at[index];
    if (index < names + ARROW_WORDS) {
        const char *word = arrow_words[index - names];
        return (struct text){word, strlen(word)};
    }
    index -= names + ARROW_WORDS;
    size_t start = index ? extras->ends.at[index - 1] : 0, size = extras->ends.at[index] - start;
    return (struct text){size ? extras->bytes.bytes + start : "", size};
}

/* The text as UTF-8. */
static uint32_t add_mended(struct text_pool *pool, struct text text)
{
    if (utf8_is_valid(text))
        return text_pool_add(pool, text);
    char *mended = malloc(UTF8_MENDED_BYTES(text.size));
    uint32_t place = TEXT_POOL_NONE;
    if (mended)
        place = text_pool_add(pool, (struct text){mended, utf8_mend(text, mended)});
    free(mended);
    return place;
}

static bool find_places(struct arrow_names *names, struct text_pool *pool,
                        const struct timeline *timeline, const struct extras *extras)
{
    uint32_t texts = timeline->names.count + ARROW_WORDS + extras->ends.count;
    names->places = calloc(texts, sizeof *names->places);
    if (!names->places)
        return false;
    for (uint32_t i = 0; i < texts; i++) {
        names->places[i] = add_mended(pool, text_at(timeline, extras, i));
        if (names->places[i] == TEXT_POOL_NONE)
            return false;
    }
    return true;
}

/* One text after the other. */
static bool join_texts(struct arrow_names *names, const struct text_pool *pool)
{
    size_t size = 1;
    for (uint32_t i = 0; i < pool->count; i++)
        size += pool->at[i].size;
    names->offsets = calloc(pool->count + (size_t)1, sizeof *names->offsets);
    names->bytes = malloc(size);
    if (!names->offsets || !names->bytes)
        return false;
    names->count = pool->count;
    for (uint32_t i = 0; i < pool->count; i++) {
        if (pool->at[i].size)
            memcpy(names->bytes + names->offsets[i], pool->at[i].bytes, pool->at[i].size);
        names->offsets[i + 1] = names->offsets[i] + (int64_t)pool->at[i].size;
    }
    return true;
}

static struct arrow_names *gather(const struct timeline *timeline, const struct extras *extras)
{
    struct text_pool pool = {0};
    struct arrow_names *names = calloc(1, sizeof *names);
    if (names)
        names->holders = 1;
    if (names && !(find_places(names, &pool, timeline, extras) && join_texts(names, &pool))) {
        arrow_names_release(names);
        names = NULL;
    }
    text_pool_fini(&pool);
    return names;
}

struct arrow_names *arrow_names_create(struct arrow_view *view, enum arrow_table table,
                                       char *const *stacks)
{
    struct extras extras = {0};
    bool ready = table != ARROW_EVENTS || add_extras(view, &extras, stacks);
    struct arrow_names *names = ready ? gather(view->timeline, &extras) : NULL;
    text_out_fini(&extras.bytes);
    free(extras.ends.at);
    return names;
}
