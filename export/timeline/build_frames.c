/* build_frames.c - calls of Python functions: a stack per thread, beside that of the ranges.
 *
 * What begins on the thread gets the functions that are open as its call stack. Functions that called each
 * other are a path, of which there is one however often they do.
 */
#include "build.h"

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

static void open_call(struct builder *builder, uint32_t thread, int64_t time_ns, uint32_t name)
{
    struct build_thread *stack = build_stack(builder, thread);
    uint32_t depth = stack->frames.count;
    const struct open_frame *around = depth ? &stack->frames.at[depth - 1] : NULL;
    uint32_t parent = around ? around->frame : TL_NONE;
    uint32_t path = find_path(builder, around ? around->path : TL_NONE, name);
    struct tl_frame *frame = path == TL_NONE ? NULL : ARRAY_ADD(&builder->timeline->frames);
    struct open_frame *open = frame ? ARRAY_ADD(&stack->frames) : NULL;
    if (!open) {
        builder->failed = true;
        return;
    }
    uint32_t index = builder->timeline->frames.count - 1;
    *open = (struct open_frame){index, path};
    *frame = (struct tl_frame){
        .start_ns = time_ns,
        .end_ns = time_ns,
        .name = name,
        .thread = thread,
        .call = index,
        .parent = parent,
    };
}

static struct tl_frame *close_call(struct builder *builder, uint32_t thread, int64_t time_ns)
{
    struct build_thread *stack = build_stack(builder, thread);
    struct tl_frame *frame =
        &builder->timeline->frames.at[stack->frames.at[--stack->frames.count].frame];
    frame->end_ns = time_ns;
    return frame;
}

void build_frames_close(struct builder *builder, uint32_t thread, int64_t time_ns, bool unclosed)
{
    while (build_stack(builder, thread)->frames.count) {
        struct tl_frame *frame = close_call(builder, thread, time_ns);
        frame->flags |= unclosed ? TL_FRAME_UNCLOSED : 0;
    }
}

void build_frames_end_due(struct builder *builder, uint32_t thread, int64_t time_ns)
{
    struct build_thread *stack = build_stack(builder, thread);
    const int64_t *ends = builder->frame_ends.at;
    for (uint32_t *next = &stack->frame_ends;
         *next < builder->frame_ends.count && ends[*next] <= time_ns; ++*next)
        build_frames_close(builder, thread, ends[*next], false);
}

void timeline_end_frames(struct builder *builder, int64_t time_ns)
{
    int64_t at_ns = build_time(builder, time_ns), *end = ARRAY_ADD(&builder->frame_ends);
    uint32_t count = builder->frame_ends.count;
    if (!end)
        builder->failed = true;
    else
        *end = count > 1 && end[-1] > at_ns ? end[-1] : at_ns;
}

void timeline_begin_frame(struct builder *builder, uint32_t number, int64_t time_ns, uint32_t name)
{
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread != TL_NONE)
        open_call(builder, thread, time_ns, build_name(builder, name));
}

void timeline_end_frame(struct builder *builder, uint32_t number, int64_t time_ns)
{
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    if (build_stack(builder, thread)->frames.count)
        close_call(builder, thread, time_ns);
    else
        build_process(builder)->odd.unopened_frames += !builder->timeline->threads.at[thread].cut;
}

/* How many of the open calls are the ones that are said to be open. */
static uint32_t count_same(struct builder *builder, uint32_t thread, const uint32_t *names,
                           uint32_t count)
{
    const struct build_thread *stack = build_stack(builder, thread);
    const struct tl_frame *frames = builder->timeline->frames.at;
    uint32_t same = 0;
    while (same < count && same < stack->frames.count &&
           frames[stack->frames.at[same].frame].name == build_name(builder, names[same]))
        same++;
    return same;
}

void timeline_set_frames(struct builder *builder, uint32_t number, int64_t time_ns,
                         const uint32_t *names, uint32_t count)
{
    uint32_t thread = build_enter(builder, number, &time_ns);
    if (thread == TL_NONE)
        return;
    uint32_t same = count_same(builder, thread, names, count);
    while (build_stack(builder, thread)->frames.count > same)
        close_call(builder, thread, time_ns);
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

uint32_t build_frames_stack(struct builder *builder, uint32_t thread, uint32_t stack)
{
    const struct build_thread *open = build_stack(builder, thread);
    if (!open->frames.count || builder->failed)
        return stack;
    uint32_t path = open->frames.at[open->frames.count - 1].path;
    uint64_t key = (uint64_t)stack << 32 | path;
    uint32_t known = keymap_find(&builder->frame_stacks, key);
    if (known != KEYMAP_NONE)
        return known;
    known = add_stack(builder, stack, path);
    if (known != TL_NONE && !keymap_set(&builder->frame_stacks, key, known))
        builder->failed = true;
    return known;
}
