/* key_averages.c - one pass over the slices with a stack of open ones, one over the device
 * operations. */
#include "key_averages.h"

#include "key_launches.h"
#include "key_names.h"

#include <stdlib.h>

/* Names are keyed apart by what they name: a kernel may be called like a range. */
enum key_class { CLASS_RANGE, CLASS_API, CLASS_MARK, CLASS_DEVICE, CLASS_COUNT };

/* An open slice. `row` is UINT32_MAX for libprof's own, which are transparent. */
struct frame {
    int64_t child_ns;    /* CPU time of the slices directly inside */
    int64_t gpu_self_ns; /* device time launched with no other range in between */
    int64_t gpu_total_ns;
    int64_t inner_ns;               /* timed: CUDA time of the timed ranges inside, same device */
    const struct tl_timing *timing; /* NULL: not timed by events */
    uint32_t slice;
    uint32_t row;
};

struct builder {
    const struct timeline *timeline;
    struct key_averages *averages;
    struct key_names keys;
    uint32_t *row_of_key; /* [CLASS_COUNT][key_count]: row + 1, 0 = none yet */
    uint32_t *open;       /* by row: how many slices of it are open on the current thread */
    struct frame *stack;
    size_t depth, stack_capacity;
    uint32_t next_timing; /* into timeline->timings: first that is not before the slice at hand */
    bool failed;
};

static int64_t duration(int64_t start_ns, int64_t end_ns)
{
    return end_ns > start_ns ? end_ns - start_ns : 0;
}

static bool grow_rows(struct builder *b)
{
    struct key_averages *averages = b->averages;
    uint32_t capacity = averages->capacity ? averages->capacity * 2 : 64;
    struct key_average *rows = realloc(averages->rows, capacity * sizeof *rows);
    if (!rows)
        return false;
    averages->rows = rows;
    uint32_t *open = realloc(b->open, capacity * sizeof *open);
    if (!open)
        return false;
    b->open = open;
    averages->capacity = capacity;
    return true;
}

static uint32_t new_row(struct builder *b, uint32_t key, enum key_kind kind)
{
    struct key_averages *averages = b->averages;
    if (averages->count == averages->capacity && !grow_rows(b)) {
        b->failed = true;
        return UINT32_MAX;
    }
    averages->rows[averages->count] =
        (struct key_average){.name = key_names_text(&b->keys, key), .kind = kind, .key = key};
    b->open[averages->count] = 0;
    return averages->count++;
}

/* UINT32_MAX when memory is short. */
static uint32_t row_of(struct builder *b, enum key_class class, uint32_t name, enum key_kind kind)
{
    uint32_t key = key_names_of(&b->keys, name);
    uint32_t *slot = &b->row_of_key[(size_t) class * b->keys.key_count + key];
    if (*slot == 0)
        *slot = new_row(b, key, kind) + 1;
    return *slot - 1;
}

/* What has no parent frame ends here: only device time outside of every range is worth keeping. */
static void pass_up(struct builder *b, int64_t cpu_ns, int64_t gpu_self_ns, int64_t gpu_total_ns)
{
    if (b->depth == 0) {
        b->averages->cuda_outside_ns += gpu_self_ns;
        return;
    }
    struct frame *parent = &b->stack[b->depth - 1];
    parent->child_ns += cpu_ns;
    parent->gpu_self_ns += gpu_self_ns;
    parent->gpu_total_ns += gpu_total_ns;
}

/* A range timed by events has no operations of its own: its CUDA time is its own interval, and self
 * is what the timed ranges inside leave of it. */
static void use_timing(struct builder *b, struct frame *frame)
{
    const struct tl_timing *timing = frame->timing;
    int64_t total_ns = duration(timing->start_ns, timing->end_ns);
    frame->gpu_total_ns = total_ns;
    frame->gpu_self_ns = duration(frame->inner_ns, total_ns);
    b->averages->self_cuda_total_ns += frame->gpu_self_ns;
    b->averages->has_timed = true;
    for (size_t i = b->depth; i-- > 0;)
        if (b->stack[i].timing && b->stack[i].timing->device == timing->device) {
            b->stack[i].inner_ns += total_ns;
            return;
        }
}

static void close_frame(struct builder *b)
{
    struct frame frame = b->stack[--b->depth];
    if (frame.timing)
        use_timing(b, &frame);
    if (frame.row == UINT32_MAX) {
        pass_up(b, frame.child_ns, frame.gpu_self_ns, frame.gpu_total_ns);
        return;
    }
    const struct tl_slice *slice = &b->timeline->slices.at[frame.slice];
    struct key_average *row = &b->averages->rows[frame.row];
    int64_t cpu_ns = duration(slice->start_ns, slice->end_ns);
    bool is_range = slice->kind != TL_API;
    bool outermost = --b->open[frame.row] == 0;
    row->count += !(slice->flags & TL_CONTINUED);
    row->self_cpu_total_ns += duration(frame.child_ns, cpu_ns);
    row->cpu_total_ns += outermost ? cpu_ns : 0;
    row->self_cuda_total_ns += is_range ? frame.gpu_self_ns : 0;
    row->cuda_total_ns += is_range && outermost ? frame.gpu_total_ns : 0;
    pass_up(b, cpu_ns, is_range ? 0 : frame.gpu_self_ns, frame.gpu_total_ns);
}

static bool grow_stack(struct builder *b)
{
    size_t capacity = b->stack_capacity ? b->stack_capacity * 2 : 256;
    struct frame *stack = realloc(b->stack, capacity * sizeof *stack);
    if (!stack)
        return false;
    b->stack = stack;
    b->stack_capacity = capacity;
    return true;
}

static const struct tl_timing *timing_of(struct builder *b, uint32_t slice)
{
    const struct timeline *timeline = b->timeline;
    while (b->next_timing < timeline->timings.count &&
           timeline->timings.at[b->next_timing].slice < slice)
        b->next_timing++;
    const struct tl_timing *timing = &timeline->timings.at[b->next_timing];
    return b->next_timing < timeline->timings.count && timing->slice == slice ? timing : NULL;
}

/* Neither the time nor the number of all such calls is known. */
static bool is_failed_only(const struct timeline *timeline, const struct tl_slice *slice)
{
    return slice->kind == TL_API && slice->api < timeline->apis.count &&
           timeline->apis.at[slice->api].failed_only;
}

static void open_frame(struct builder *b, uint32_t index)
{
    const struct tl_slice *slice = &b->timeline->slices.at[index];
    if (b->depth == b->stack_capacity && !grow_stack(b)) {
        b->failed = true;
        return;
    }
    struct frame *frame = &b->stack[b->depth];
    *frame = (struct frame){.slice = index, .row = UINT32_MAX};
    if (!(slice->flags & TL_INTERNAL) && !is_failed_only(b->timeline, slice)) {
        bool is_api = slice->kind == TL_API;
        uint32_t name = tl_shown_name(b->timeline, slice->name, tl_slice_label(slice));
        frame->row =
            row_of(b, is_api ? CLASS_API : CLASS_RANGE, name, is_api ? KEY_API : KEY_RANGE);
        if (b->failed)
            return;
        b->open[frame->row]++;
    }
    if (b->timeline->timings.count)
        frame->timing = timing_of(b, index);
    if (slice->gpu_count)
        frame->gpu_self_ns = frame->gpu_total_ns = key_launched_ns(b->timeline, slice);
    b->depth++;
}

static void add_slices(struct builder *b)
{
    const struct tl_slice *slices = b->timeline->slices.at;
    for (uint32_t i = 0; i < b->timeline->slices.count && !b->failed; i++) {
        while (b->depth && b->stack[b->depth - 1].slice != slices[i].parent)
            close_frame(b);
        open_frame(b, i);
    }
    while (b->depth && !b->failed)
        close_frame(b);
}

static enum key_kind kind_of_gpu(uint8_t kind)
{
    return kind == TL_KERNEL ? KEY_KERNEL : kind == TL_MEMCPY ? KEY_MEMCPY : KEY_MEMSET;
}

static void add_device_work(struct builder *b)
{
    for (uint32_t i = 0; i < b->timeline->gpus.count && !b->failed; i++) {
        const struct tl_gpu *op = &b->timeline->gpus.at[i];
        if (!key_is_device_work(op))
            continue;
        uint32_t index = row_of(b, CLASS_DEVICE, op->name, kind_of_gpu(op->kind));
        if (b->failed)
            return;
        struct key_average *row = &b->averages->rows[index];
        int64_t ns = duration(op->start_ns, op->end_ns);
        row->count++;
        row->cuda_total_ns += ns;
        row->self_cuda_total_ns += ns;
        b->averages->has_device = true;
    }
}

static void add_async(struct builder *b, const struct key_launches *launches,
                      const struct tl_async *async)
{
    uint32_t name = tl_shown_name(b->timeline, async->name, async->label);
    uint32_t index = row_of(b, CLASS_RANGE, name, KEY_RANGE);
    if (b->failed)
        return;
    struct key_average *row = &b->averages->rows[index];
    row->count++;
    row->cpu_total_ns += duration(async->start_ns, async->end_ns);
    row->cuda_total_ns += key_launches_within(launches, async);
}

static void add_asyncs(struct builder *b)
{
    struct key_launches launches;
    if (b->timeline->asyncs.count == 0 || b->failed)
        return;
    b->failed = !key_launches_init(&launches, b->timeline);
    if (b->failed)
        return;
    for (uint32_t i = 0; i < b->timeline->asyncs.count && !b->failed; i++)
        add_async(b, &launches, &b->timeline->asyncs.at[i]);
    key_launches_fini(&launches);
}

static void add_marks(struct builder *b)
{
    for (uint32_t i = 0; i < b->timeline->marks.count && !b->failed; i++) {
        const struct tl_mark *mark = &b->timeline->marks.at[i];
        uint32_t name = tl_shown_name(b->timeline, mark->name, mark->label);
        uint32_t index = row_of(b, CLASS_MARK, name, KEY_MARK);
        if (!b->failed)
            b->averages->rows[index].count++;
    }
}

static void add_up(struct key_averages *averages)
{
    for (uint32_t i = 0; i < averages->count; i++) {
        averages->self_cpu_total_ns += averages->rows[i].self_cpu_total_ns;
        if (key_kind_is_device(averages->rows[i].kind))
            averages->self_cuda_total_ns += averages->rows[i].self_cuda_total_ns;
    }
    averages->has_device |= averages->has_timed;
}

bool key_averages_init(struct key_averages *averages, const struct timeline *timeline)
{
    struct builder b = {.timeline = timeline, .averages = averages};
    *averages = (struct key_averages){0};
    if (!key_names_init(&b.keys, timeline))
        return false;
    b.row_of_key = calloc((size_t)CLASS_COUNT * b.keys.key_count, sizeof *b.row_of_key);
    b.failed = !b.row_of_key;
    if (!b.failed) {
        add_slices(&b);
        add_asyncs(&b);
        add_marks(&b);
        add_device_work(&b);
        add_up(averages);
    }
    free(b.row_of_key);
    free(b.open);
    free(b.stack);
    key_names_fini(&b.keys);
    if (b.failed)
        key_averages_fini(averages);
    return !b.failed;
}

void key_averages_fini(struct key_averages *averages)
{
    free(averages->rows);
    *averages = (struct key_averages){0};
}

const char *key_kind_name(enum key_kind kind)
{
    static const char *const names[] = {"range", "cuda_api", "mark", "kernel", "memcpy", "memset"};
    return names[kind];
}

bool key_kind_is_device(enum key_kind kind)
{
    return kind == KEY_KERNEL || kind == KEY_MEMCPY || kind == KEY_MEMSET;
}
