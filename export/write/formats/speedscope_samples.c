/* speedscope_samples.c - what threads were doing, as sampled profiles of a speedscope file: one for
 * each thread, weighed by its CPU time. Waits are left out: they are not CPU time. Their frames
 * come after those of events.
 */
#include "speedscope_samples.h"
#include "array.h"

#include "row_names.h"

#include <errno.h>
#include <stdlib.h>

bool speedscope_samples_init(struct speedscope_samples *samples, const struct timeline *timeline,
                             struct symbols *symbols)
{
    *samples = (struct speedscope_samples){.timeline = timeline, .symbols = symbols};
    samples->stacks = calloc((size_t)timeline->stacks.count + 1, sizeof *samples->stacks);
    return samples->stacks != NULL;
}

void speedscope_samples_fini(struct speedscope_samples *samples)
{
    text_pool_fini(&samples->functions);
    free(samples->frames.at);
    free(samples->stacks);
    free(samples->next);
}

/* Looks the functions of a stack up, outermost first. False: no memory. */
static bool find_frames(struct speedscope_samples *samples, uint32_t stack)
{
    struct speedscope_stack *found = &samples->stacks[stack];
    struct symbol_stack functions = symbols_stack(samples->symbols, stack);
    found->first = samples->frames.count;
    for (uint32_t i = functions.count; i-- > 0;) {
        char known_place[SYMBOL_PLACE_BYTES];
        const char *name = symbols_name(&functions.at[i], known_place);
        uint32_t *place = ARRAY_ADD(&samples->frames);
        uint32_t function = text_pool_add(&samples->functions, (struct text){name, strlen(name)});
        if (!place || function == TEXT_POOL_NONE)
            return false;
        *place = function;
    }
    found->count = samples->frames.count - found->first;
    found->is_known = true;
    return true;
}

static void put_stack(struct speedscope_samples *samples, struct json_out *out, uint32_t stack,
                      uint32_t first_frame)
{
    const struct speedscope_stack *found = &samples->stacks[stack];
    json_array_begin(out);
    for (uint32_t i = 0; i < found->count; i++)
        json_uint(out, first_frame + samples->frames.at[found->first + i]);
    json_array_end(out);
}

static void name_thread(const struct timeline *timeline, const struct tl_sample *sample, char *name,
                        size_t size)
{
    char process[ROW_NAME_BYTES];
    struct text called = {"", 0};
    if (sample->thread != TL_NONE)
        called = row_name_thread(timeline, sample->thread);
    row_name_process(timeline, sample->process, TL_NONE, process);
    snprintf(name, size, "%s thread %u (%.*s), sampled", process, sample->tid,
             row_name_part(called, 300), called.size ? called.bytes : "");
}

/* All samples of the thread that sample `first` is of. */
static void put_thread(struct speedscope_samples *samples, struct json_out *out, uint32_t first,
                       uint32_t first_frame)
{
    const struct timeline *timeline = samples->timeline;
    const struct tl_sample *at = timeline->samples.at;
    char name[2 * ROW_NAME_BYTES];
    uint64_t sum_ns = 0;
    name_thread(timeline, &at[first], name, sizeof name);
    json_newline(out), json_object_begin(out);
    json_members(out, "\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"startValue\":0");
    json_key(out, "name"), json_string(out, name);
    json_key(out, "samples"), json_array_begin(out);
    for (uint32_t i = first; i != TL_NONE; i = samples->next[i])
        put_stack(samples, out, at[i].stack, first_frame);
    json_array_end(out);
    json_key(out, "weights"), json_array_begin(out);
    for (uint32_t i = first; i != TL_NONE; i = samples->next[i]) {
        json_uint(out, at[i].weight_ns);
        sum_ns += at[i].weight_ns;
    }
    json_array_end(out);
    json_key(out, "endValue"), json_uint(out, sum_ns);
    json_object_end(out);
}

/* Looks up what is on each stack, and ties the samples of a thread together. False: no memory. */
static bool prepare(struct speedscope_samples *samples, bool *is_first)
{
    const struct timeline *timeline = samples->timeline;
    struct keymap last = {0}; /* process and tid -> sample */
    bool good = true;
    for (uint32_t i = 0; i < timeline->samples.count && good; i++) {
        const struct tl_sample *sample = &timeline->samples.at[i];
        uint64_t thread = (uint64_t)sample->process << 32 | sample->tid;
        samples->next[i] = TL_NONE;
        if (sample->waits || sample->stack == TL_NONE)
            continue;
        uint32_t before = keymap_find(&last, thread);
        if (before != KEYMAP_NONE)
            samples->next[before] = i;
        is_first[i] = before == KEYMAP_NONE;
        good = keymap_set(&last, thread, i) &&
               (samples->stacks[sample->stack].is_known || find_frames(samples, sample->stack));
    }
    keymap_fini(&last);
    return good;
}

bool speedscope_samples_put(struct speedscope_samples *samples, struct json_out *out,
                            uint32_t first_frame)
{
    uint32_t count = samples->timeline->samples.count;
    bool *is_first = calloc((size_t)count + 1, sizeof *is_first);
    samples->next = malloc(((size_t)count + 1) * sizeof *samples->next);
    bool good = is_first && samples->next && prepare(samples, is_first);
    for (uint32_t i = 0; i < count && good; i++)
        if (is_first[i])
            put_thread(samples, out, i, first_frame);
    free(is_first);
    return good;
}
