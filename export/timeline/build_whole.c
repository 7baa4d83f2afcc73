/* build_whole.c - slices that are told whole: what formats hold that know no begins and ends.
 *
 * They come in the order of a tree walk, so what is open is a stack of which the next one's start
 * says how much has ended.
 */
#include "build.h"

/* Ends what does not reach beyond `time_ns`. */
static void close_until(struct builder *builder, struct build_thread *stack, int64_t time_ns)
{
    const struct tl_slice *slices = builder->timeline->slices.at;
    while (stack->stack.count &&
           slices[stack->stack.at[stack->stack.count - 1].slice].end_ns <= time_ns)
        stack->stack.count--;
}

static uint8_t flags_of(const struct read_slice *from)
{
    unsigned flags = from->flags & READ_SLICE_UNCLOSED ? TL_UNCLOSED : 0;
    flags |= from->flags & READ_SLICE_CONTINUED ? TL_CONTINUED : 0;
    if (from->kind != READ_SLICE_API)
        return (uint8_t)flags;
    flags |= from->flags & (READ_SLICE_LAUNCHES | READ_SLICE_GRAPH) ? TL_LAUNCHES : 0;
    flags |= from->flags & READ_SLICE_GRAPH ? TL_GRAPH : 0;
    return (uint8_t)flags;
}

/* What a call was to launch is unknown: such a file holds what was recorded. */
static uint32_t add_api(struct builder *builder, const struct read_slice *from)
{
    uint32_t index = builder->timeline->apis.count;
    struct tl_api *api = ARRAY_ADD(&builder->timeline->apis);
    struct build_launch *launch = api && from->correlation ? ARRAY_ADD(&builder->launches) : NULL;
    if (!api || (from->correlation && !launch)) {
        builder->failed = true;
        return TL_NONE;
    }
    *api = (struct tl_api){
        .correlation = from->correlation,
        .result = from->result,
        .kernel_name = TL_NONE,
        .domain = from->flags & READ_SLICE_DRIVER ? PROF_API_DRIVER : PROF_API_RUNTIME,
    };
    if (launch)
        *launch = (struct build_launch){from->correlation, builder->timeline->slices.count - 1};
    return index;
}

/* Appends the slice inside of what is open; NULL: no memory. */
static struct tl_slice *add_slice(struct builder *builder, uint32_t thread,
                                  const struct read_slice *from)
{
    struct build_thread *stack = build_stack(builder, thread);
    int64_t start_ns = build_time(builder, from->start_ns),
            end_ns = build_time(builder, from->end_ns);
    close_until(builder, stack, start_ns);
    build_run_open(builder, thread);
    uint32_t depth = stack->stack.count, index = builder->timeline->slices.count;
    struct tl_slice *slice = ARRAY_ADD(&builder->timeline->slices);
    struct stack_entry *entry = slice ? ARRAY_ADD(&stack->stack) : NULL;
    if (!entry) {
        builder->failed = true;
        return NULL;
    }
    struct build_ref ref = from->kind == READ_SLICE_RANGE
                               ? build_ref(builder, from->name)
                               : (struct build_ref){build_name(builder, from->name), TL_NONE};
    stack->whole = true;
    stack->last_ns = start_ns;
    *entry = (struct stack_entry){
        .slice = index,
        .first = index,
        .range = from->kind == READ_SLICE_RANGE ? depth
                 : depth                        ? entry[-1].range
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
        .kind = (uint8_t)(from->kind == READ_SLICE_API    ? TL_API
                          : from->kind == READ_SLICE_STEP ? TL_STEP
                                                          : TL_RANGE),
        .flags = flags_of(from),
    };
    return slice;
}

/* The piece that a slice is, or NULL. Pieces come in the order of their slices. */
static const struct tl_piece *find_piece(const struct builder *builder, uint32_t slice)
{
    const struct timeline *timeline = builder->timeline;
    uint32_t place =
        ARRAY_LOWER_BOUND(&timeline->pieces, struct tl_piece, slice, builder->first.piece, slice);
    bool found = place < timeline->pieces.count && timeline->pieces.at[place].slice == slice;
    return found ? &timeline->pieces.at[place] : NULL;
}

/* The latest slice goes on from an earlier one, which may itself be a piece. */
static void add_piece(struct builder *builder, uint32_t continues)
{
    uint32_t latest = builder->timeline->slices.count - 1;
    uint32_t before = builder->first.slice + continues;
    if (continues >= latest - builder->first.slice)
        return;
    const struct tl_piece *known = find_piece(builder, before);
    uint32_t first = known ? known->first : before;
    struct tl_piece *piece = ARRAY_ADD(&builder->timeline->pieces);
    if (piece)
        *piece = (struct tl_piece){latest, first, before};
    else
        builder->failed = true;
}

void timeline_append_slice(struct builder *builder, const struct read_slice *from)
{
    uint32_t thread = builder->failed ? TL_NONE : build_thread_of(builder, from->thread);
    struct tl_slice *slice = thread == TL_NONE ? NULL : add_slice(builder, thread, from);
    if (!slice)
        return;
    if (slice->kind == TL_API)
        slice->api = add_api(builder, from);
    if (from->flags & READ_SLICE_CONTINUED)
        add_piece(builder, from->continues);
    if (from->flags & READ_SLICE_UNCLOSED)
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
