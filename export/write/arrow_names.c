/* arrow_names.c - see arrow_names.h. */
#include "arrow_names.h"

#include "array.h"
#include "stack_of.h"
#include "text.h"
#include "text_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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

static size_t room_for(struct text text)
{
    return utf8_is_valid(text) ? text.size : UTF8_MENDED_BYTES(text.size);
}

/* Open addressing over the entries of a dictionary. */
struct slots {
    uint32_t *at; /* entry + 1, 0 empty */
    size_t mask;
};

static bool slots_init(struct slots *slots, size_t texts)
{
    size_t count = 64;
    while (count < texts * 2)
        count *= 2;
    slots->mask = count - 1;
    slots->at = calloc(count, sizeof *slots->at);
    return slots->at != NULL;
}

/* The entry of the text that lies behind the last one; a new one if there is none yet. */
static uint32_t enter(struct arrow_names *names, struct slots *slots, size_t size)
{
    const char *text = names->bytes + names->offsets[names->count];
    size_t at = text_hash((struct text){text, size}) & slots->mask;
    for (; slots->at[at]; at = (at + 1) & slots->mask) {
        uint32_t entry = slots->at[at] - 1;
        int64_t start = names->offsets[entry];
        if ((size_t)(names->offsets[entry + 1] - start) == size &&
            memcmp(names->bytes + start, text, size) == 0)
            return entry;
    }
    slots->at[at] = ++names->count;
    names->offsets[names->count] = names->offsets[names->count - 1] + (int64_t)size;
    return names->count - 1;
}

static bool names_init(struct arrow_names *names, const struct timeline *timeline,
                       const struct extras *extras, uint32_t texts)
{
    size_t size = 1;
    for (uint32_t i = 0; i < texts; i++)
        size += room_for(text_at(timeline, extras, i));
    names->holders = 1;
    names->offsets = calloc(texts + (size_t)1, sizeof *names->offsets);
    names->places = calloc(texts + (size_t)1, sizeof *names->places);
    names->bytes = malloc(size);
    return names->offsets && names->places && names->bytes;
}

static struct arrow_names *gather(const struct timeline *timeline, const struct extras *extras)
{
    uint32_t texts = timeline->names.count + ARROW_WORDS + extras->ends.count;
    struct arrow_names *names = calloc(1, sizeof *names);
    struct slots slots = {0};
    bool ready = names && names_init(names, timeline, extras, texts) && slots_init(&slots, texts);
    for (uint32_t i = 0; i < texts && ready; i++) {
        char *to = names->bytes + names->offsets[names->count];
        names->places[i] = enter(names, &slots, utf8_mend(text_at(timeline, extras, i), to));
    }
    free(slots.at);
    if (ready)
        return names;
    if (names) {
        names->holders = 1;
        arrow_names_release(names);
    }
    return NULL;
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
