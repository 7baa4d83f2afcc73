/* build_slices.c - ranges, steps and CUDA calls of threads, by begin and end or whole. */
#include "build.h"

#include <stdlib.h>
#include <string.h>

struct build_slices {
    struct idmap api_names;   /* cbid and domain -> names[] */
    struct keymap tops_slots; /* thread and domain -> tops[] */
    TL_ARRAY(uint32_t) tops;  /* see STACKS_FIXED */
};

BUILD_PART(slices, idmap_fini(&slices->api_names), keymap_fini(&slices->tops_slots),
           free(slices->tops.at))

/* Ranges, steps and CUDA calls of a thread become a tree.
 *
 * Per thread there is one stack of what is open. Ends name what they end only by kind (the
 * innermost range of a stack; the innermost call of a correlation id), so an end can find other
 * things above its own. Those are ended with it:
 *
 *     a call above  its end was lost
 *     a range above a call: nobody popped it: TL_UNCLOSED, counted
 *     a range or step above a range, a range above a step: it goes on as a new segment beside,
 *                   since it belongs to another stack; a step lasts until the next one begins
 */

/* So many ranges go on at once where one below them ends; programs have a few. Without a limit, a
 * damaged file could make quadratically many segments. */
#define CUTS_MAX 64

/* Something that begins. */
struct opening {
    struct build_ref ref;
    uint32_t stack; /* see STACKS_FIXED */
    enum tl_slice_kind kind;
};

static uint32_t *top_of(struct builder *builder, struct build_thread *thread, uint32_t stack)
{
    return stack < STACKS_FIXED ? &thread->top[stack]
                                : &builder->slices->tops.at[stack - STACKS_FIXED];
}

/* Appends a slice inside of what is open; NULL: no memory. */
static struct tl_slice *open_slice(struct builder *builder, uint32_t thread, int64_t time_ns,
                                   struct opening opening)
{
    struct build_thread *stack = build_stack(builder, thread);
    build_run_begin(builder, thread);
    struct tl_slice *slice = ARRAY_ADD(&builder->timeline->slices);
    struct stack_entry *entry = slice ? ARRAY_ADD(&stack->stack) : NULL;
    if (!entry) {
        builder->failed = true;
        return NULL;
    }
    uint32_t depth = stack->stack.count - 1, index = builder->timeline->slices.count - 1;
    uint32_t *top = top_of(builder, stack, opening.stack);
    *entry = (struct stack_entry){
        .slice = index,
        .first = index,
        .below = *top,
        .range = opening.kind == TL_RANGE ? depth
                 : depth                  ? entry[-1].range
                                          : STACK_NONE,
        .stack = opening.stack,
    };
    *top = depth;
    *slice = (struct tl_slice){
        .start_ns = time_ns,
        .end_ns = time_ns,
        .name = opening.ref.name,
        .parent = depth ? entry[-1].slice : TL_NONE,
        .thread = thread,
        .label = opening.ref.label,
        .depth = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX),
        .kind = (uint8_t)opening.kind,
    };
    return slice;
}

/* Ends the top of the stack, which is not what the program ended. */
static void force_top(struct builder *builder, uint32_t thread, struct tl_slice *slice,
                      bool unclosed)
{
    if (slice->kind == TL_STEP || !unclosed)
        return;
    slice->flags |= TL_UNCLOSED;
    if (slice->kind == TL_RANGE)
        builder->timeline->threads.at[thread].unclosed++;
    else
        build_process(builder)->odd.open_api_calls++;
}

static struct tl_slice *pop_top(struct builder *builder, struct build_thread *stack,
                                int64_t time_ns)
{
    struct stack_entry entry = stack->stack.at[--stack->stack.count];
    struct tl_slice *slice = &builder->timeline->slices.at[entry.slice];
    slice->end_ns = time_ns;
    *top_of(builder, stack, entry.stack) = entry.below;
    return slice;
}

/* Ends everything above `place`. */
static void close_above(struct builder *builder, uint32_t thread, uint32_t place, int64_t time_ns,
                        bool unclosed)
{
    struct build_thread *stack = build_stack(builder, thread);
    while (stack->stack.count > place)
        force_top(builder, thread, pop_top(builder, stack, time_ns), unclosed);
}

uint32_t build_enter(struct builder *builder, uint32_t number, int64_t *time_ns)
{
    if (builder->failed)
        return TL_NONE;
    uint32_t thread = build_thread_of(builder, number);
    if (thread == TL_NONE)
        return TL_NONE;
    struct build_thread *stack = build_stack(builder, thread);
    *time_ns = build_time(builder, *time_ns);
    if (*time_ns < stack->last_ns)
        *time_ns = stack->last_ns;
    stack->last_ns = *time_ns;
    if (stack->frame_ends < builder->frame_ends.count)
        build_frames_end_due(builder, thread, *time_ns);
    return thread;
}

/* From any source: a range with a step's name is a step. */
static enum tl_slice_kind kind_of_range(const struct builder *builder, struct build_ref ref)
{
    const struct text_pool *names = &builder->timeline->names;
    return ref.name < names->count && tl_step_number(names->at[ref.name]) >= 0 ? TL_STEP : TL_RANGE;
}

bool builder_is_step(struct builder *builder, uint32_t name)
{
    bool known =
        build_name_of_id(builder, name) != IDMAP_NONE || build_is_event_name(builder, name);
    return known && kind_of_range(builder, build_ref(builder, name)) == TL_STEP;
}

/* A range or a step, with the Python functions around it as its stack; one of addresses may
 * follow. */
static void begin_slice(struct builder *builder, uint32_t thread, int64_t time_ns,
                        struct opening opening)
{
    if (open_slice(builder, thread, time_ns, opening))
        build_slice_stack(builder, builder->timeline->slices.count - 1,
                          (struct build_addresses){0});
}

void builder_begin_range(struct builder *builder, uint32_t number, int64_t time_ns, uint32_t name)
{
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    const struct build_ref ref = build_ref(builder, name);
    begin_slice(builder, thread, time_ns,
                (struct opening){ref, TL_RANGE, kind_of_range(builder, ref)});
}

/* A range or step that goes on after what was around it. */
struct cut {
    struct opening opening;
    uint32_t first, before;
};

/* Ends everything above `place`; returns how many ranges and steps go on, innermost first. */
static uint32_t cut_above(struct builder *builder, uint32_t thread, uint32_t place, int64_t time_ns,
                          struct cut cuts[CUTS_MAX])
{
    struct build_thread *stack = build_stack(builder, thread);
    uint32_t count = 0;
    while (stack->stack.count > place) {
        struct stack_entry entry = stack->stack.at[stack->stack.count - 1];
        struct tl_slice *slice = pop_top(builder, stack, time_ns);
        if (slice->kind != TL_API && count < CUTS_MAX) {
            struct build_ref ref = {slice->name, slice->label};
            cuts[count++] = (struct cut){
                {ref, entry.stack, (enum tl_slice_kind)slice->kind}, entry.first, entry.slice};
            continue;
        }
        build_process(builder)->odd.uncut_ranges += slice->kind == TL_RANGE;
        force_top(builder, thread, slice, true);
    }
    return count;
}

static void continue_one(struct builder *builder, uint32_t thread, int64_t time_ns,
                         const struct cut *cut)
{
    struct tl_slice *slice = open_slice(builder, thread, time_ns, cut->opening);
    struct tl_segment *segment = slice ? ARRAY_ADD(&builder->timeline->segments) : NULL;
    if (!segment) {
        builder->failed = true;
        return;
    }
    struct build_thread *stack = build_stack(builder, thread);
    slice->flags |= TL_CONTINUED;
    stack->stack.at[stack->stack.count - 1].first = cut->first;
    *segment = (struct tl_segment){builder->timeline->slices.count - 1, cut->first, cut->before};
}

static void continue_all(struct builder *builder, uint32_t thread, int64_t time_ns,
                         const struct cut *cuts, uint32_t count)
{
    while (count && !builder->failed)
        continue_one(builder, thread, time_ns, &cuts[--count]);
}

/* Ends the range at `place`, which others that were begun later may outlive. */
static void end_crossed(struct builder *builder, uint32_t thread, uint32_t place, int64_t time_ns)
{
    struct cut cuts[CUTS_MAX];
    uint32_t count = cut_above(builder, thread, place + 1, time_ns, cuts);
    pop_top(builder, build_stack(builder, thread), time_ns);
    continue_all(builder, thread, time_ns, cuts, count);
}

/* Ends the innermost range of a stack, whose place is `place`. */
static void end_range(struct builder *builder, uint32_t thread, uint32_t place, int64_t time_ns)
{
    struct build_thread *stack = build_stack(builder, thread);
    if (place == STACK_NONE) {
        struct tl_thread *info = &builder->timeline->threads.at[thread];
        info->unopened += !info->cut;
    } else if (place + 1 < stack->stack.count) {
        end_crossed(builder, thread, place, time_ns);
    } else {
        pop_top(builder, stack, time_ns);
    }
}

void builder_end_range(struct builder *builder, uint32_t number, int64_t time_ns)
{
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread != TL_NONE)
        end_range(builder, thread, build_stack(builder, thread)->top[TL_RANGE], time_ns);
}

/* The number of a thread's stack for a domain that is not the default one; TL_NONE: no memory. */
static uint32_t add_stack(struct builder *builder, uint64_t key)
{
    uint32_t *top = ARRAY_ADD(&builder->slices->tops);
    uint32_t index = builder->slices->tops.count - 1;
    if (!top || !keymap_set(&builder->slices->tops_slots, key, index)) {
        builder->failed = true;
        return TL_NONE;
    }
    *top = STACK_NONE;
    return index + STACKS_FIXED;
}

/* A thread's stack of a domain, TL_NONE: there is none yet. */
static uint32_t find_stack(const struct builder *builder, struct build_thread *stack,
                           uint32_t thread, uint32_t domain)
{
    if (builder->timeline->domains.at[domain].number == 0)
        return STACK_DEFAULT_DOMAIN;
    if (stack->domain == domain)
        return stack->domain_stack;
    uint32_t index = keymap_find(&builder->slices->tops_slots, (uint64_t)thread << 32 | domain);
    if (index == KEYMAP_NONE)
        return TL_NONE;
    stack->domain = domain;
    return stack->domain_stack = index + STACKS_FIXED;
}

void builder_begin_nvtx_range(struct builder *builder, uint32_t number, int64_t time_ns,
                              uint32_t name)
{
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    struct build_ref ref = build_nvtx_ref(builder, name);
    if (builder->failed)
        return;
    uint32_t domain = builder->timeline->labels.at[ref.label].domain;
    uint32_t stack = find_stack(builder, build_stack(builder, thread), thread, domain);
    if (stack == TL_NONE)
        stack = add_stack(builder, (uint64_t)thread << 32 | domain);
    if (stack != TL_NONE)
        begin_slice(builder, thread, time_ns,
                    (struct opening){ref, stack, kind_of_range(builder, ref)});
}

void builder_end_nvtx_range(struct builder *builder, uint32_t number, int64_t time_ns,
                            uint32_t domain_number)
{
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    uint32_t place = STACK_NONE;
    uint32_t domain = build_domain_find(builder, domain_number);
    struct build_thread *open = build_stack(builder, thread);
    uint32_t stack = domain == IDMAP_NONE ? TL_NONE : find_stack(builder, open, thread, domain);
    if (stack != TL_NONE)
        place = *top_of(builder, open, stack);
    end_range(builder, thread, place, time_ns);
}

/* A step ends the one before it. Ranges that began in between and are still open go on in it. */
void builder_begin_step(struct builder *builder, uint32_t number, int64_t time_ns, uint64_t step)
{
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    struct build_thread *stack = build_stack(builder, thread);
    struct cut cuts[CUTS_MAX];
    uint32_t count = 0;
    if (stack->top[TL_STEP] != STACK_NONE) {
        count = cut_above(builder, thread, stack->top[TL_STEP] + 1, time_ns, cuts);
        pop_top(builder, stack, time_ns);
    }
    uint32_t name =
        text_pool_format(&builder->timeline->names, "ProfilerStep#%llu", (unsigned long long)step);
    builder->failed |= name == TL_NONE;
    begin_slice(builder, thread, time_ns, (struct opening){{name, TL_NONE}, TL_STEP, TL_STEP});
    continue_all(builder, thread, time_ns, cuts, count);
}

void builder_define_api_name(struct builder *builder, enum prof_api_domain domain, uint32_t cbid,
                             uint32_t name)
{
    if (builder->failed || cbid > UINT16_MAX)
        return;
    uint32_t index = build_name(builder, name);
    builder->failed |= index == TL_NONE ||
                       !idmap_set(&builder->slices->api_names, cbid * 4 + (uint32_t)domain, index);
}

uint32_t build_api_name(struct builder *builder, enum prof_api_domain of, uint32_t cbid)
{
    uint32_t key = cbid * 4 + ((uint32_t)of & 3);
    uint32_t name = idmap_find(&builder->slices->api_names, key);
    if (name != IDMAP_NONE)
        return name;
    build_process(builder)->odd.missing_names++;
    const char *domain = of == PROF_API_DRIVER ? "driver" : "runtime";
    name = text_pool_format(&builder->timeline->names, "CUDA %s call %u", domain, cbid);
    builder->failed |= name == TL_NONE || !idmap_set(&builder->slices->api_names, key, name);
    return name;
}

static uint8_t slice_flags(const struct api_call *api)
{
    unsigned flags = api->flags & (PROF_API_LAUNCHES | PROF_API_GRAPH) ? TL_LAUNCHES : 0;
    flags |= api->flags & PROF_API_GRAPH ? TL_GRAPH : 0;
    flags |= api->flags & PROF_API_INTERNAL ? TL_INTERNAL : 0;
    return (uint8_t)flags;
}

/* Calls nest a few deep; only a damaged file has them deeper, and those must not cost quadratic
 * time. */
#define API_DEPTH_MAX 8

/* Whether an enclosing call stands for this one: a runtime call and the driver call inside it share
 * one correlation id, and the device's records belong to the outer. Libprof's own calls are so
 * throughout. */
static bool covered_by_outer(const struct builder *builder, const struct build_thread *stack,
                             uint32_t place, const struct api_call *api, uint8_t *flags)
{
    const struct timeline *timeline = builder->timeline;
    bool launches = *flags & TL_LAUNCHES;
    for (int depth = 0; place != STACK_NONE && depth < API_DEPTH_MAX; depth++) {
        const struct tl_slice *outer = &timeline->slices.at[stack->stack.at[place].slice];
        *flags |= outer->flags & TL_INTERNAL;
        if (timeline->apis.at[outer->api].correlation == api->correlation &&
            (!launches || outer->flags & TL_LAUNCHES))
            return true;
        place = stack->stack.at[place].below;
    }
    return false;
}

static uint32_t add_api(struct builder *builder, const struct api_call *api)
{
    struct tl_api *added = ARRAY_ADD(&builder->timeline->apis);
    if (!added) {
        builder->failed = true;
        return TL_NONE;
    }
    *added = (struct tl_api){
        .correlation = api->correlation,
        .result = TL_RESULT_UNKNOWN,
        .stream_handle = api->stream_handle,
        .bytes = api->bytes,
        .kernel_name = api->kernel_name ? build_kernel_name(builder, api->kernel_name) : TL_NONE,
        .operations = api->flags & PROF_API_GRAPH ? 0 : api->operations,
        .cbid = api->cbid,
        .domain = api->domain,
        .failed_only = api->flags & PROF_API_FAILED_ONLY,
    };
    return builder->timeline->apis.count - 1;
}

void builder_begin_call(struct builder *builder, uint32_t number, int64_t time_ns,
                        const struct api_call *api)
{
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    struct build_thread *stack = build_stack(builder, thread);
    uint8_t flags = slice_flags(api);
    bool covered = covered_by_outer(builder, stack, stack->top[TL_API], api, &flags);
    uint32_t index = add_api(builder, api);
    if (builder->failed)
        return;
    struct tl_slice *slice = open_slice(
        builder, thread, time_ns,
        (struct opening){
            {build_api_name(builder, (enum prof_api_domain)api->domain, api->cbid), TL_NONE},
            TL_API,
            TL_API});
    if (!slice)
        return;
    slice->api = index;
    slice->flags = flags;
    build_slice_stack(builder, builder->timeline->slices.count - 1,
                      (struct build_addresses){api->has_stack, api->stack});
    if (!covered && flags & TL_GRAPH && !(flags & TL_INTERNAL))
        build_graph_launch(builder, api, builder->timeline->slices.count - 1);
    if (!covered && api->correlation)
        build_launch_add(builder, api->correlation, builder->timeline->slices.count - 1);
}

/* Place of the innermost open call of this correlation id. */
static uint32_t find_call(const struct builder *builder, const struct build_thread *stack,
                          uint32_t correlation)
{
    uint32_t place = stack->top[TL_API];
    for (int depth = 0; place != STACK_NONE && depth < API_DEPTH_MAX; depth++) {
        uint32_t api = builder->timeline->slices.at[stack->stack.at[place].slice].api;
        if (!correlation || builder->timeline->apis.at[api].correlation == correlation)
            return place;
        place = stack->stack.at[place].below;
    }
    return STACK_NONE;
}

void builder_end_call(struct builder *builder, uint32_t number, int64_t time_ns,
                      uint32_t correlation, int32_t result)
{
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    struct build_thread *stack = build_stack(builder, thread);
    uint32_t place = find_call(builder, stack, correlation);
    if (place == STACK_NONE) {
        build_process(builder)->odd.unmatched_api_exits +=
            !builder->timeline->threads.at[thread].cut;
        return;
    }
    close_above(builder, thread, place + 1, time_ns, true);
    uint32_t api = pop_top(builder, stack, time_ns)->api;
    builder->timeline->apis.at[api].result = result;
}

void builder_close_thread(struct builder *builder, uint32_t number, int64_t time_ns, bool unclosed)
{
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    close_above(builder, thread, 0, time_ns, unclosed);
    build_frames_close(builder, thread, time_ns, unclosed);
}

void builder_cut_thread(struct builder *builder, uint32_t number)
{
    int64_t time_ns = -TL_TIME_MAX_NS;
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread != TL_NONE)
        builder->timeline->threads.at[thread].cut = true;
}

/* A reader ends everything itself; this is for one that did not. */
void build_slices_end(struct builder *builder)
{
    for (uint32_t i = 0; i < builder->threads.count; i++) {
        uint32_t thread = builder->first.threads + i;
        close_above(builder, thread, 0, builder->threads.at[i].last_ns, true);
        build_frames_end_due(builder, thread, INT64_MAX);
        build_frames_close(builder, thread, builder->threads.at[i].last_ns, true);
    }
}

/* Slices that are appended whole: the format has complete events, not begins and ends.
 *
 * They come in the order of a tree walk, so what is open is a stack of which the next one's start
 * says how much has ended.
 */

/* Ends what does not reach beyond `time_ns`. */
static void close_until(struct builder *builder, struct build_thread *stack, int64_t time_ns)
{
    const struct tl_slice *slices = builder->timeline->slices.at;
    while (stack->stack.count &&
           slices[stack->stack.at[stack->stack.count - 1].slice].end_ns <= time_ns)
        stack->stack.count--;
}

static uint8_t flags_of(const struct complete_slice *from)
{
    unsigned flags = from->flags & (TL_UNCLOSED | TL_CONTINUED);
    if (from->kind == TL_API)
        flags |= from->flags & (TL_LAUNCHES | TL_GRAPH);
    return (uint8_t)(flags & TL_GRAPH ? flags | TL_LAUNCHES : flags);
}

/* What a call was to launch is unknown: such a file holds what was recorded. */
static uint32_t add_whole_api(struct builder *builder, const struct complete_slice *from)
{
    uint32_t index = builder->timeline->apis.count;
    struct tl_api *api = ARRAY_ADD(&builder->timeline->apis);
    if (!api) {
        builder->failed = true;
        return TL_NONE;
    }
    *api = (struct tl_api){
        .correlation = from->correlation,
        .result = from->result,
        .kernel_name = TL_NONE,
        .domain = from->flags & SLICE_DRIVER ? PROF_API_DRIVER : PROF_API_RUNTIME,
    };
    if (from->correlation)
        build_launch_add(builder, from->correlation, builder->timeline->slices.count - 1);
    return index;
}

/* Appends the slice inside of what is open; NULL: no memory. */
static struct tl_slice *add_slice(struct builder *builder, uint32_t thread,
                                  const struct complete_slice *from)
{
    struct build_thread *stack = build_stack(builder, thread);
    int64_t start_ns = build_time(builder, from->start_ns),
            end_ns = build_time(builder, from->end_ns);
    close_until(builder, stack, start_ns);
    build_run_begin(builder, thread);
    uint32_t depth = stack->stack.count, index = builder->timeline->slices.count;
    struct tl_slice *slice = ARRAY_ADD(&builder->timeline->slices);
    struct stack_entry *entry = slice ? ARRAY_ADD(&stack->stack) : NULL;
    if (!entry) {
        builder->failed = true;
        return NULL;
    }
    struct build_ref ref = from->kind == TL_RANGE
                               ? build_ref(builder, from->name)
                               : (struct build_ref){build_name(builder, from->name), TL_NONE};
    const enum tl_slice_kind kind = from->kind == TL_API ? TL_API : kind_of_range(builder, ref);
    stack->whole = true;
    stack->last_ns = start_ns;
    *entry = (struct stack_entry){
        .slice = index,
        .first = index,
        .range = kind == TL_RANGE ? depth
                 : depth          ? entry[-1].range
                                  : STACK_NONE,
    };
    *slice = (struct tl_slice){
        .start_ns = start_ns,
        .end_ns = end_ns,
        .name = ref.name,
        .parent = depth ? entry[-1].slice : TL_NONE,
        .thread = thread,
        .label = ref.label,
        .depth = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX),
        .kind = (uint8_t)kind,
        .flags = flags_of(from),
    };
    return slice;
}

/* The segment that a slice is, or NULL. Pieces come in the order of their slices. */
static const struct tl_segment *find_segment(const struct builder *builder, uint32_t slice)
{
    const struct timeline *timeline = builder->timeline;
    uint32_t place = ARRAY_LOWER_BOUND(&timeline->segments, struct tl_segment, slice,
                                       builder->first.segments, slice);
    bool found = place < timeline->segments.count && timeline->segments.at[place].slice == slice;
    return found ? &timeline->segments.at[place] : NULL;
}

/* The latest slice continues an earlier one, which may itself be a segment. */
static void add_segment(struct builder *builder, uint32_t continues)
{
    uint32_t latest = builder->timeline->slices.count - 1;
    uint32_t before = builder->first.slices + continues;
    if (continues >= latest - builder->first.slices)
        return;
    const struct tl_segment *known = find_segment(builder, before);
    uint32_t first = known ? known->first : before;
    struct tl_segment *segment = ARRAY_ADD(&builder->timeline->segments);
    if (segment)
        *segment = (struct tl_segment){latest, first, before};
    else
        builder->failed = true;
}

void build_slice_append(struct builder *builder, const struct complete_slice *from)
{
    uint32_t thread = builder->failed ? TL_NONE : build_thread_of(builder, from->thread);
    struct tl_slice *slice = thread == TL_NONE ? NULL : add_slice(builder, thread, from);
    if (!slice)
        return;
    if (slice->kind == TL_API)
        slice->api = add_whole_api(builder, from);
    if (from->flags & TL_CONTINUED)
        add_segment(builder, from->continues);
    if (from->flags & TL_UNCLOSED)
        builder->timeline->threads.at[thread].unclosed++;
    for (uint32_t i = 0; i < from->attr_count && !builder->failed; i++)
        build_attr_keep(builder, builder->timeline->slices.count - 1, &from->attrs[i]);
}

void build_whole_advance(struct builder *builder, struct build_thread *stack, int64_t time_ns)
{
    if (stack->whole)
        close_until(builder, stack, time_ns);
}

void build_whole_end(struct builder *builder)
{
    for (uint32_t i = 0; i < builder->threads.count; i++)
        build_whole_advance(builder, &builder->threads.at[i], INT64_MAX);
}
