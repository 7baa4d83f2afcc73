/* build_stacks.c - call stacks: what their addresses mean and who has which; calls of Python
 * functions. */
#include "array.h"
#include "build.h"

#include <stdlib.h>
#include <string.h>

struct build_stacks {
    struct idmap stack_ids;     /* file's id -> stacks[] */
    struct idmap module_ids;    /* file's id -> modules[] */
    struct keymap frame_stacks; /* stack of addresses << 32 | path of frames -> stacks[] */
};

BUILD_PART(stacks, idmap_fini(&stacks->stack_ids), idmap_fini(&stacks->module_ids),
           keymap_fini(&stacks->frame_stacks))

/* A process has a few hundred; more than the recorder keeps is a damaged file, and looking an
 * address up must not become quadratic. */
#define MODULES_MAX 16384u

static bool keep_addresses(struct builder *builder, const struct call_stack *stack)
{
    struct timeline *timeline = builder->timeline;
    while (timeline->addresses.capacity - timeline->addresses.count < stack->frames)
        if (!array_grow(&timeline->addresses.at, &timeline->addresses.capacity, sizeof(uint64_t)))
            return false;
    if (stack->frames)
        memcpy(timeline->addresses.at + timeline->addresses.count, stack->addresses,
               stack->frames * sizeof(uint64_t));
    timeline->addresses.count += stack->frames;
    return true;
}

void builder_define_stack(struct builder *builder, const struct call_stack *stack)
{
    struct timeline *timeline = builder->timeline;
    if (builder->failed)
        return;
    uint32_t first = timeline->addresses.count;
    struct tl_stack *added = keep_addresses(builder, stack) ? ARRAY_ADD(&timeline->stacks) : NULL;
    if (!added || !idmap_set(&builder->stacks->stack_ids, stack->id, timeline->stacks.count - 1)) {
        builder->failed = true;
        return;
    }
    *added = (struct tl_stack){
        .ticks = stack->ticks,
        .process = builder->process,
        .first = first,
        .count = stack->frames,
        .frames = TL_NONE,
        .method = (uint16_t)stack->method,
        .cut = stack->cut,
    };
    build_process(builder)->stack_count++;
}

void builder_define_module(struct builder *builder, const struct loaded_module *module)
{
    struct timeline *timeline = builder->timeline;
    if (builder->failed || build_process(builder)->module_count == MODULES_MAX)
        return;
    uint32_t path = text_pool_add(&builder->timeline->names, module->path);
    struct tl_module *added = path == TL_NONE ? NULL : ARRAY_ADD(&timeline->modules);
    if (!added ||
        !idmap_set(&builder->stacks->module_ids, module->id, timeline->modules.count - 1)) {
        builder->failed = true;
        return;
    }
    *added = (struct tl_module){
        .start = module->start,
        .end = module->end,
        .file_offset = module->file_offset,
        .bias = module->bias,
        .ticks = module->ticks,
        .gone_ticks = UINT64_MAX,
        .process = builder->process,
        .path = path,
        .build_id_bytes = module->build_id_bytes,
    };
    memcpy(added->build_id, module->build_id, sizeof added->build_id);
    build_process(builder)->module_count++;
}

void builder_end_module(struct builder *builder, uint32_t id, uint64_t ticks)
{
    uint32_t module = builder->failed ? IDMAP_NONE : idmap_find(&builder->stacks->module_ids, id);
    if (module != IDMAP_NONE)
        builder->timeline->modules.at[module].gone_ticks = ticks;
}

uint32_t build_stack_of_id(struct builder *builder, uint32_t id)
{
    struct tl_anomalies *odd = &build_process(builder)->odd;
    uint32_t stack = idmap_find(&builder->stacks->stack_ids, id);
    if (id == 0)
        odd->untaken_stacks++;
    else if (stack == IDMAP_NONE)
        odd->missing_stacks++;
    return id && stack != IDMAP_NONE ? stack : TL_NONE;
}

/* The latest owner's stack, said once more: then with addresses. */
static bool is_latest(const struct timeline *timeline, const struct tl_stack_of *all,
                      uint32_t count, uint32_t owner)
{
    return count && all[count - 1].owner == owner &&
           timeline->stacks.at[all[count - 1].stack].count == 0;
}

static void add_slice_stack(struct builder *builder, uint32_t slice, uint32_t stack)
{
    struct timeline *timeline = builder->timeline;
    if (is_latest(timeline, timeline->slice_stacks.at, timeline->slice_stacks.count, slice))
        timeline->slice_stacks.count--;
    struct tl_stack_of *of = ARRAY_ADD(&timeline->slice_stacks);
    if (of)
        *of = (struct tl_stack_of){slice, stack};
    else
        builder->failed = true;
}

static void add_async_stack(struct builder *builder, uint32_t async, uint32_t stack)
{
    struct timeline *timeline = builder->timeline;
    if (is_latest(timeline, timeline->async_stacks.at, timeline->async_stacks.count, async))
        timeline->async_stacks.count--;
    struct tl_stack_of *of = ARRAY_ADD(&timeline->async_stacks);
    if (of)
        *of = (struct tl_stack_of){async, stack};
    else
        builder->failed = true;
}

void build_slice_stack(struct builder *builder, uint32_t slice, struct build_addresses addresses)
{
    uint32_t thread = builder->timeline->slices.at[slice].thread;
    if (builder->failed)
        return;
    uint32_t stack = addresses.wanted ? build_stack_of_id(builder, addresses.id) : TL_NONE;
    stack = build_frames_stack(builder, thread, stack);
    if (stack != TL_NONE)
        add_slice_stack(builder, slice, stack);
}

void build_async_stack(struct builder *builder, uint32_t async)
{
    uint32_t thread = builder->timeline->asyncs.at[async].thread;
    uint32_t stack = builder->failed ? TL_NONE : build_frames_stack(builder, thread, TL_NONE);
    if (stack != TL_NONE)
        add_async_stack(builder, async, stack);
}

/* The range must be the latest one that began. */
static void append_async_stack(struct builder *builder, uint64_t range, uint32_t stack)
{
    const struct timeline *timeline = builder->timeline;
    uint32_t count = timeline->asyncs.count;
    if (count > builder->first.asyncs && timeline->asyncs.at[count - 1].id == range)
        add_async_stack(builder, count - 1, stack);
}

void builder_set_stack(struct builder *builder, uint32_t number, uint32_t id, uint64_t range)
{
    uint32_t thread = builder->failed ? TL_NONE : build_thread_of(builder, number);
    uint32_t stack = thread == TL_NONE ? TL_NONE : build_stack_of_id(builder, id);
    if (stack == TL_NONE)
        return;
    stack = build_frames_stack(builder, thread, stack);
    const struct stack_entry *innermost = build_innermost(build_stack(builder, thread));
    if (range)
        append_async_stack(builder, range, stack);
    else if (innermost)
        add_slice_stack(builder, innermost->slice, stack);
}

/* A range's first stack is its own: a later one is that of a range whose push was lost. */
static void drop_later(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    uint32_t kept = builder->first.slice_stacks;
    for (uint32_t i = kept; i < timeline->slice_stacks.count; i++)
        if (i == builder->first.slice_stacks ||
            timeline->slice_stacks.at[i].owner != timeline->slice_stacks.at[kept - 1].owner)
            timeline->slice_stacks.at[kept++] = timeline->slice_stacks.at[i];
    timeline->slice_stacks.count = kept;
}

/* By slice. Called when slices have their places. */
bool build_stacks_sort(struct builder *builder)
{
    uint32_t count = builder->timeline->slice_stacks.count - builder->first.slice_stacks;
    if (count < 2)
        return true;
    struct tl_stack_of *all = builder->timeline->slice_stacks.at + builder->first.slice_stacks;
    struct radix_item *items = calloc(count, sizeof *items);
    for (uint32_t i = 0; i < count && items; i++)
        items[i] = (struct radix_item){all[i].owner, all[i].stack};
    bool sorted = items && radix_sort(items, count);
    for (uint32_t i = 0; i < count && sorted; i++)
        all[i] = (struct tl_stack_of){(uint32_t)items[i].key, items[i].value};
    free(items);
    if (sorted)
        drop_later(builder);
    return sorted;
}

/* ---- calls of Python functions: a stack per thread, beside that of the ranges ----
 *
 * What begins on the thread gets the functions that are open as its call stack. Functions that
 * called each other are a path, of which there is one however often they do. */

/* The path of a function called in another; TL_NONE: no memory. */
static uint32_t find_path(struct builder *builder, uint32_t parent, uint32_t name)
{
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t path = keymap_find(&builder->frame_paths, key);
    if (path != KEYMAP_NONE)
        return path;
    struct tl_frame_path *added = ARRAY_ADD(&builder->timeline->frame_paths);
    path = builder->timeline->frame_paths.count - 1;
    if (!added || !keymap_set(&builder->frame_paths, key, path)) {
        builder->failed = true;
        return TL_NONE;
    }
    *added = (struct tl_frame_path){parent, name};
    return path;
}

/* ".../libprof/ranges.py(114): record_function.__enter__": the Python package between the program
 * and its ranges. A folder above the package may have its name. */
static bool is_ours(struct text name)
{
    static const char *const files[] = {"/_decorate.py(",
                                        "/_guest.py(",
                                        "/_native.py(",
                                        "/_new_threads.py(",
                                        "/_open_ranges.py(",
                                        "/_python_calls.py(",
                                        "/_startup.py(",
                                        "/_torch.py(",
                                        "/_torch_methods.py(",
                                        "/_torch_observer.py(",
                                        "/_torch_operators.py(",
                                        "/annotations.py(",
                                        "/autograd.py(",
                                        "/errors.py(",
                                        "/profiler.py(",
                                        "/recorder.py(",
                                        "/ranges.py(",
                                        "/schedule.py(",
                                        "/hooks/",
                                        "_pytest/__init__.py("};
    static const char package[] = "/libprof";
    const char *found;
    while ((found = memmem(name.bytes, name.size, package, sizeof package - 1))) {
        const char *rest = found + sizeof package - 1;
        name = (struct text){rest, (size_t)(name.bytes + name.size - rest)};
        for (size_t i = 0; i < sizeof files / sizeof *files; i++)
            if (text_begins(name, files[i]))
                return true;
    }
    return false;
}

bool builder_shows_frame(const struct builder *builder, uint32_t id)
{
    uint32_t name = build_name_of_id(builder, id);
    return name == IDMAP_NONE || !is_ours(builder->timeline->names.at[name]);
}

/* ".../contextlib.py(299): ..." and functions written in C, which the package has between its own
 * functions. */
static bool is_helper(struct text name)
{
    return text_begins(name, "<built-in ") ||
           memmem(name.bytes, name.size, "/contextlib.py(", sizeof "/contextlib.py(" - 1);
}

/* What is open on the thread; `frame` and `path` TL_NONE where nothing is. */
static struct open_frame innermost_call(const struct build_thread *stack)
{
    return stack->frames.count ? stack->frames.at[stack->frames.count - 1]
                               : (struct open_frame){.frame = TL_NONE, .path = TL_NONE};
}

static void open_call(struct builder *builder, uint32_t thread, int64_t time_ns, uint32_t name)
{
    struct build_thread *stack = build_stack(builder, thread);
    struct open_frame around = innermost_call(stack), *open = ARRAY_ADD(&stack->frames);
    bool is_in_ours = stack->frames.count > 1 && !around.is_shown;
    if (!open) {
        builder->failed = true;
        return;
    }
    *open = (struct open_frame){name, around.frame, around.path, false};
    struct text text = builder->timeline->names.at[name];
    if (is_ours(text) || (is_in_ours && is_helper(text)))
        return;
    uint32_t path = find_path(builder, around.path, name);
    struct tl_frame *frame = path == TL_NONE ? NULL : ARRAY_ADD(&builder->timeline->frames);
    if (!frame) {
        builder->failed = true;
        return;
    }
    uint32_t index = builder->timeline->frames.count - 1;
    *open = (struct open_frame){name, index, path, true};
    *frame = (struct tl_frame){
        .start_ns = time_ns,
        .end_ns = time_ns,
        .name = name,
        .thread = thread,
        .call = index,
        .parent = around.frame,
    };
}

static void close_call(struct builder *builder, uint32_t thread, int64_t time_ns, uint8_t flags)
{
    struct build_thread *stack = build_stack(builder, thread);
    const struct open_frame *open = &stack->frames.at[--stack->frames.count];
    if (!open->is_shown)
        return;
    builder->timeline->frames.at[open->frame].end_ns = time_ns;
    builder->timeline->frames.at[open->frame].flags |= flags;
}

void build_frames_close(struct builder *builder, uint32_t thread, int64_t time_ns, bool unclosed)
{
    while (build_stack(builder, thread)->frames.count)
        close_call(builder, thread, time_ns, unclosed ? TL_FRAME_UNCLOSED : 0);
}

void build_frames_end_due(struct builder *builder, uint32_t thread, int64_t time_ns)
{
    struct build_thread *stack = build_stack(builder, thread);
    const int64_t *ends = builder->frame_ends.at;
    for (uint32_t *next = &stack->frame_ends;
         *next < builder->frame_ends.count && ends[*next] <= time_ns; ++*next)
        build_frames_close(builder, thread, ends[*next], false);
}

void builder_end_frames(struct builder *builder, int64_t time_ns)
{
    int64_t at_ns = build_time(builder, time_ns), *end = ARRAY_ADD(&builder->frame_ends);
    uint32_t count = builder->frame_ends.count;
    if (!end)
        builder->failed = true;
    else
        *end = count > 1 && end[-1] > at_ns ? end[-1] : at_ns;
}

void builder_begin_frame(struct builder *builder, uint32_t number, int64_t time_ns, uint32_t name)
{
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread != TL_NONE)
        open_call(builder, thread, time_ns, build_name(builder, name));
}

void builder_end_frame(struct builder *builder, uint32_t number, int64_t time_ns)
{
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    if (build_stack(builder, thread)->frames.count)
        close_call(builder, thread, time_ns, 0);
    else
        build_process(builder)->odd.unopened_frames += !builder->timeline->threads.at[thread].cut;
}

/* How many of the open calls match the calls that the record lists as open. */
static uint32_t count_same(struct builder *builder, uint32_t thread, const uint32_t *names,
                           uint32_t count)
{
    const struct build_thread *stack = build_stack(builder, thread);
    uint32_t same = 0;
    while (same < count && same < stack->frames.count &&
           stack->frames.at[same].name == build_name(builder, names[same]))
        same++;
    return same;
}

void builder_set_frames(struct builder *builder, uint32_t number, int64_t time_ns,
                        const uint32_t *names, uint32_t count)
{
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    uint32_t same = count_same(builder, thread, names, count);
    while (build_stack(builder, thread)->frames.count > same)
        close_call(builder, thread, time_ns, 0);
    for (; same < count && !builder->failed; same++)
        open_call(builder, thread, time_ns, build_name(builder, names[same]));
}

/* A stack of these addresses, or of none, and of the functions on the path. */
static uint32_t add_stack(struct builder *builder, uint32_t addresses, uint32_t path)
{
    struct timeline *timeline = builder->timeline;
    struct tl_stack stack = {.process = builder->process};
    if (addresses != TL_NONE)
        stack = timeline->stacks.at[addresses];
    stack.frames = path;
    struct tl_stack *added = ARRAY_ADD(&timeline->stacks);
    if (!added) {
        builder->failed = true;
        return TL_NONE;
    }
    *added = stack;
    build_process(builder)->stack_count++;
    return timeline->stacks.count - 1;
}

uint32_t build_stack_on_path(struct builder *builder, uint32_t stack, uint32_t path)
{
    uint64_t key = (uint64_t)stack << 32 | path;
    uint32_t known = keymap_find(&builder->stacks->frame_stacks, key);
    if (known != KEYMAP_NONE)
        return known;
    known = add_stack(builder, stack, path);
    if (known != TL_NONE && !keymap_set(&builder->stacks->frame_stacks, key, known))
        builder->failed = true;
    return known;
}

uint32_t build_frames_stack(struct builder *builder, uint32_t thread, uint32_t stack)
{
    uint32_t path = innermost_call(build_stack(builder, thread)).path;
    return path == TL_NONE || builder->failed ? stack : build_stack_on_path(builder, stack, path);
}

/* ---- files that have whole calls ----
 *
 * A slice has the Python functions that were open when it began. */

struct whole_calls {
    struct builder *builder;
    uint32_t *path_of;       /* by call, from the process's first frame */
    TL_ARRAY(uint32_t) open; /* segments of one thread, innermost last */
};

static void open_segment(struct whole_calls *calls, uint32_t index)
{
    struct builder *builder = calls->builder;
    const struct tl_frame *frame = &builder->timeline->frames.at[index];
    uint32_t first = builder->first.frames, *open = ARRAY_ADD(&calls->open);
    builder->failed |= !open;
    if (open)
        *open = index;
    if (frame->call != index || builder->failed)
        return;
    uint32_t around = frame->parent == TL_NONE ? TL_NONE : calls->path_of[frame->parent - first];
    calls->path_of[index - first] = find_path(builder, around, frame->name);
}

static void close_segments(struct whole_calls *calls, int64_t time_ns)
{
    const struct tl_frame *frames = calls->builder->timeline->frames.at;
    while (calls->open.count && frames[calls->open.at[calls->open.count - 1]].end_ns <= time_ns)
        calls->open.count--;
}

/* A slice may get two: the first one stays. */
static void add_stack_on_path(struct builder *builder, uint32_t slice, uint32_t path)
{
    uint32_t stack = path == TL_NONE ? TL_NONE : build_stack_on_path(builder, TL_NONE, path);
    struct tl_stack_of *of = stack == TL_NONE ? NULL : ARRAY_ADD(&builder->timeline->slice_stacks);
    builder->failed |= stack != TL_NONE && !of;
    if (of)
        *of = (struct tl_stack_of){slice, stack};
}

static void give_frames(struct whole_calls *calls, const struct tl_thread *thread)
{
    struct builder *builder = calls->builder;
    const struct timeline *timeline = builder->timeline;
    uint32_t frame = thread->first_frame, last = frame + thread->frame_count;
    calls->open.count = 0;
    for (uint32_t i = 0; i < thread->slice_count && thread->frame_count; i++) {
        uint32_t index = thread->first_slice + i;
        const struct tl_slice *slice = &timeline->slices.at[index];
        for (; frame < last && !tl_slice_is_first(slice, &timeline->frames.at[frame]); frame++) {
            close_segments(calls, timeline->frames.at[frame].start_ns);
            open_segment(calls, frame);
        }
        close_segments(calls, slice->start_ns);
        if (builder->failed)
            return;
        if (calls->open.count && !(slice->flags & TL_INTERNAL)) {
            const struct tl_frame *on = &timeline->frames.at[calls->open.at[calls->open.count - 1]];
            add_stack_on_path(builder, index, calls->path_of[on->call - builder->first.frames]);
        }
    }
}

static bool give_all_frames(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    uint32_t count = timeline->frames.count - builder->first.frames;
    struct whole_calls calls = {.builder = builder};
    if (!count)
        return true;
    calls.path_of = malloc(count * sizeof *calls.path_of);
    builder->failed |= !calls.path_of;
    for (uint32_t i = 0; i < builder->threads.count && !builder->failed; i++)
        give_frames(&calls, &timeline->threads.at[builder->first.threads + i]);
    free(calls.path_of);
    free(calls.open.at);
    return !builder->failed;
}

/* The path of "innermost;...;outermost", as Kineto joins functions. */
static uint32_t path_of_text(struct builder *builder, struct text text)
{
    uint32_t path = TL_NONE;
    while (text.size && !builder->failed) {
        const char *semicolon = memrchr(text.bytes, ';', text.size);
        size_t begin = semicolon ? (size_t)(semicolon - text.bytes) + 1 : 0;
        struct text part = {text.bytes + begin, text.size - begin};
        uint32_t name = part.size ? text_pool_add(&builder->timeline->names, part) : TL_NONE;
        builder->failed |= part.size && name == TL_NONE;
        if (name != TL_NONE)
            path = find_path(builder, path, name);
        text.size = semicolon ? begin - 1 : 0;
    }
    return path;
}

/* The path of a text, which is taken apart once. */
static uint32_t stated_path(struct builder *builder, struct keymap *known, uint64_t text)
{
    uint32_t path = keymap_find(known, text);
    if (path != KEYMAP_NONE)
        return path;
    path = path_of_text(builder, builder->timeline->names.at[text]);
    builder->failed |= path != TL_NONE && !keymap_set(known, text, path);
    return path;
}

/* What the file states of a slice comes before the functions around it. Ranges keep the attribute;
 * calls have none. */
static void give_stated(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    struct keymap known = {0};
    uint32_t kept = builder->first.attrs;
    for (uint32_t i = kept; i < timeline->attrs.count && !builder->failed; i++) {
        struct tl_attr attr = timeline->attrs.at[i];
        bool stated = attr.value < timeline->names.count &&
                      tl_attrs_state_stack(timeline, (struct tl_attrs){&attr, 1});
        if (stated)
            add_stack_on_path(builder, attr.slice, stated_path(builder, &known, attr.value));
        if (!stated || timeline->slices.at[attr.slice].kind != TL_API)
            timeline->attrs.at[kept++] = attr;
    }
    timeline->attrs.count = kept;
    keymap_fini(&known);
}

bool build_whole_stacks(struct builder *builder)
{
    if (!builder->file)
        return true;
    give_stated(builder);
    return !builder->failed && give_all_frames(builder);
}

/* ---- samples ---- */

/* A stack of these addresses and of the Python functions of these names, of which there is one. */
static uint32_t sampled_stack(struct builder *builder, uint32_t stack, const uint32_t *names,
                              uint32_t count)
{
    uint32_t path = TL_NONE;
    for (uint32_t i = 0; i < count && !builder->failed; i++)
        path = find_path(builder, path, build_name(builder, names[i]));
    if (path == TL_NONE || builder->failed)
        return stack;
    return build_stack_on_path(builder, stack, path);
}

void builder_append_sample(struct builder *builder, const struct thread_sample *sample)
{
    if (builder->failed)
        return;
    uint32_t stack = build_stack_of_id(builder, sample->stack);
    stack = sampled_stack(builder, stack, sample->names, sample->name_count);
    struct tl_sample *added = ARRAY_ADD(&builder->timeline->samples);
    if (!added) {
        builder->failed = true;
        return;
    }
    *added = (struct tl_sample){
        .time_ns = build_time(builder, sample->time_ns),
        .weight_ns = sample->weight_ns,
        .queued_ns = sample->queued_ns,
        .process = builder->process,
        .tid = sample->tid,
        .thread = TL_NONE,
        .stack = stack,
        .waits = sample->waits,
    };
}

void builder_note_left_out_begin(struct builder *builder, uint32_t number, int64_t time_ns)
{
    uint32_t thread = builder->failed ? TL_NONE : build_thread_of(builder, number);
    if (thread != TL_NONE)
        build_stack(builder, thread)->left_out_ns = build_time(builder, time_ns);
}

static int64_t begin_of(struct builder *builder, uint32_t index)
{
    const struct timeline *timeline = builder->timeline;
    const struct tl_thread *thread = &timeline->threads.at[index];
    int64_t left_out_ns = build_stack(builder, index)->left_out_ns;
    if (!thread->slice_count)
        return left_out_ns == INT64_MAX ? INT64_MIN : left_out_ns;
    int64_t start_ns = timeline->slices.at[thread->first_slice].start_ns;
    return start_ns < left_out_ns ? start_ns : left_out_ns;
}

/* Threads by number, which is used again. */
struct threads_of_tid {
    struct builder *builder;
    const struct timeline *timeline;
    uint32_t first_thread;
    struct keymap latest; /* tid -> thread */
    uint32_t *before; /* by thread from the first on: the one of that number before it, TL_NONE */
};

static bool find_threads(struct threads_of_tid *threads)
{
    uint32_t count = threads->timeline->threads.count - threads->first_thread;
    bool complete = (threads->before = malloc((count + (size_t)1) * sizeof *threads->before));
    for (uint32_t i = 0; i < count && complete; i++) {
        uint64_t tid = threads->timeline->threads.at[threads->first_thread + i].tid;
        uint32_t before = keymap_find(&threads->latest, tid);
        threads->before[i] = before == KEYMAP_NONE ? TL_NONE : before;
        complete = keymap_set(&threads->latest, tid, threads->first_thread + i);
    }
    return complete;
}

/* The latest thread of that number that had begun, else the first; TL_NONE: there is none. */
static uint32_t thread_sampled(const struct threads_of_tid *threads, const struct tl_sample *sample)
{
    uint32_t at = keymap_find(&threads->latest, sample->tid), found = TL_NONE;
    if (at == KEYMAP_NONE)
        return TL_NONE;
    for (; at != TL_NONE; at = threads->before[at - threads->first_thread]) {
        found = at;
        if (begin_of(threads->builder, at) <= sample->time_ns)
            break;
    }
    return found;
}

static int by_time(const void *left, const void *right)
{
    const struct tl_sample *a = left, *b = right;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

bool build_samples_end(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    uint32_t first = builder->first.samples, count = timeline->samples.count - first;
    if (count > 1)
        qsort(timeline->samples.at + first, count, sizeof *timeline->samples.at, by_time);
    if (count == 0)
        return true;
    struct threads_of_tid threads = {
        .builder = builder, .timeline = timeline, .first_thread = builder->first.threads};
    bool complete = find_threads(&threads);
    for (uint32_t i = first; i < timeline->samples.count && complete; i++)
        timeline->samples.at[i].thread = thread_sampled(&threads, &timeline->samples.at[i]);
    keymap_fini(&threads.latest);
    free(threads.before);
    return complete;
}
