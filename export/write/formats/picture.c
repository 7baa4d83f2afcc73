/* picture.c - which rows there are, and boxes that are run together where they are too narrow. */
#include "picture.h"

#include "array.h"

#include <stdlib.h>

double picture_x(const struct picture *picture, int64_t time_ns)
{
    double span_ns = (double)(picture->to_ns - picture->from_ns);
    return (double)(time_ns - picture->from_ns) / span_ns * picture->width_px;
}

static bool is_inside(const struct picture *picture, int64_t start_ns, int64_t end_ns)
{
    return start_ns < picture->to_ns && end_ns >= picture->from_ns;
}

static bool is_drawn_slice(const struct picture *picture, const struct tl_slice *slice)
{
    return !(slice->flags & TL_INTERNAL) && is_inside(picture, slice->start_ns, slice->end_ns);
}

static bool is_drawn_gpu(const struct picture *picture, const struct tl_gpu *gpu)
{
    return tl_is_work(gpu) && is_inside(picture, gpu->start_ns, gpu->end_ns);
}

/* ---- rows ---- */

/* Levels that a thread needs; 0: it has nothing in the window. */
static uint32_t thread_levels(const struct picture *picture, const struct tl_thread *thread)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < thread->slice_count; i++) {
        const struct tl_slice *slice = &picture->timeline->slices.at[thread->first_slice + i];
        if (is_drawn_slice(picture, slice) && slice->depth + 1u > deepest)
            deepest = slice->depth + 1u;
    }
    return deepest < PICTURE_LEVELS_MAX ? deepest : PICTURE_LEVELS_MAX;
}

static bool stream_has_work(const struct picture *picture, const struct tl_stream *stream)
{
    for (uint32_t i = 0; i < stream->gpu_count; i++)
        if (is_drawn_gpu(picture, &picture->timeline->gpus.at[stream->first_gpu + i]))
            return true;
    return false;
}

static bool add_row(struct picture *picture, enum picture_row_kind kind, uint32_t index,
                    uint32_t levels, bool is_first)
{
    struct picture_row *row = ARRAY_ADD(&picture->rows);
    if (!row)
        return false;
    *row = (struct picture_row){kind, index, levels, picture->levels, is_first};
    picture->levels += levels;
    return true;
}

/* Threads of a process; both arrays of rows are sorted by process. */
static bool add_threads(struct picture *picture, uint32_t process, uint32_t *next, uint32_t *shown)
{
    const struct timeline *timeline = picture->timeline;
    bool is_first = true;
    for (; *next < timeline->threads.count; ++*next) {
        const struct tl_thread *thread = &timeline->threads.at[*next];
        if (thread->process != process)
            break;
        uint32_t levels = thread->internal ? 0 : thread_levels(picture, thread);
        picture->row_of_thread[*next] = TL_NONE;
        if (!levels)
            continue;
        if (*shown == PICTURE_ROWS_MAX) {
            picture->threads_left++;
            continue;
        }
        picture->row_of_thread[*next] = picture->rows.count;
        if (!add_row(picture, PICTURE_THREAD, *next, levels, is_first))
            return false;
        is_first = false;
        ++*shown;
    }
    return true;
}

static bool add_streams(struct picture *picture, uint32_t process, uint32_t *next, uint32_t *shown)
{
    const struct timeline *timeline = picture->timeline;
    uint32_t device = TL_NONE;
    bool any = false;
    for (; *next < timeline->streams.count; ++*next) {
        const struct tl_stream *stream = &timeline->streams.at[*next];
        if (stream->process != process)
            break;
        picture->row_of_stream[*next] = TL_NONE;
        if (!stream_has_work(picture, stream))
            continue;
        if (*shown == PICTURE_ROWS_MAX) {
            picture->streams_left++;
            continue;
        }
        uint32_t lanes = stream->lanes ? stream->lanes : 1;
        picture->row_of_stream[*next] = picture->rows.count;
        if (!add_row(picture, PICTURE_STREAM, *next,
                     lanes < PICTURE_LEVELS_MAX ? lanes : PICTURE_LEVELS_MAX,
                     !any || stream->device != device))
            return false;
        device = stream->device;
        any = true;
        ++*shown;
    }
    return true;
}

static bool add_rows(struct picture *picture)
{
    uint32_t thread = 0, stream = 0, threads = 0, streams = 0;
    for (uint32_t process = 0; process < picture->timeline->processes.count; process++)
        if (!add_threads(picture, process, &thread, &threads) ||
            !add_streams(picture, process, &stream, &streams))
            return false;
    return true;
}

/* ---- boxes ---- */

/* Boxes of one level on their way: the narrow ones that are being run together. */
struct level {
    struct picture_box many; /* count 0: none */
};

struct boxes {
    const struct picture *picture;
    void (*draw)(void *user, const struct picture_box *box);
    void *user;
    struct level levels[PICTURE_LEVELS_MAX];
};

static void flush(struct boxes *boxes, struct level *level)
{
    struct picture_box *many = &level->many;
    if (many->count > 1)
        many->kind = PICTURE_MANY;
    if (many->x1 - many->x0 < PICTURE_LEAST_PX)
        many->x1 = many->x0 + PICTURE_LEAST_PX;
    if (many->count)
        boxes->draw(boxes->user, many);
    many->count = 0;
}

/* Boxes of a level come by their start; those of a range that goes on may touch. */
static void add_box(struct boxes *boxes, struct picture_box box)
{
    struct level *level = &boxes->levels[box.level];
    struct picture_box *many = &level->many;
    if (box.x1 - box.x0 >= PICTURE_LEAST_PX) {
        flush(boxes, level);
        boxes->draw(boxes->user, &box);
    } else if (many->count && box.x0 - many->x1 < PICTURE_LEAST_PX / 2 &&
               box.x1 - many->x0 <= PICTURE_MANY_PX) {
        many->count++;
        if (box.span_ns > many->span_ns)
            many->holds = box.holds, many->index = box.index, many->span_ns = box.span_ns;
        if (box.x1 > many->x1)
            many->x1 = box.x1;
    } else {
        flush(boxes, level);
        *many = box;
    }
}

static void place(const struct picture *picture, struct picture_box *box, int64_t start_ns,
                  int64_t end_ns)
{
    double x0 = picture_x(picture, start_ns), x1 = picture_x(picture, end_ns);
    box->x0 = x0 > 0 ? x0 : 0;
    box->x1 = x1 < picture->width_px ? x1 : picture->width_px;
    box->count = 1;
    box->holds = box->kind;
    box->span_ns = end_ns - start_ns;
}

static void draw_thread(struct boxes *boxes, uint32_t row)
{
    const struct picture *picture = boxes->picture;
    const struct timeline *timeline = picture->timeline;
    const struct tl_thread *thread = &timeline->threads.at[picture->rows.at[row].index];
    for (uint32_t i = 0; i < thread->slice_count; i++) {
        uint32_t index = thread->first_slice + i;
        const struct tl_slice *slice = &timeline->slices.at[index];
        if (slice->depth >= PICTURE_LEVELS_MAX || !is_drawn_slice(picture, slice))
            continue;
        struct picture_box box = {.row = row, .level = slice->depth, .index = index};
        box.kind = slice->kind == TL_API ? PICTURE_CALL : PICTURE_RANGE;
        place(picture, &box, slice->start_ns, slice->end_ns);
        add_box(boxes, box);
    }
}

static void draw_stream(struct boxes *boxes, uint32_t row)
{
    const struct picture *picture = boxes->picture;
    const struct timeline *timeline = picture->timeline;
    const struct tl_stream *stream = &timeline->streams.at[picture->rows.at[row].index];
    for (uint32_t i = 0; i < stream->gpu_count; i++) {
        uint32_t index = stream->first_gpu + i, last = picture->rows.at[row].levels - 1;
        const struct tl_gpu *gpu = &timeline->gpus.at[index];
        if (!is_drawn_gpu(picture, gpu))
            continue;
        bool copies = gpu->kind == TL_MEMCPY || gpu->kind == TL_MEMSET;
        struct picture_box box = {.row = row, .index = index};
        box.level = gpu->lane < last ? gpu->lane : last;
        box.kind = copies ? PICTURE_COPY : PICTURE_KERNEL;
        place(picture, &box, gpu->start_ns, gpu->end_ns);
        add_box(boxes, box);
    }
}

bool picture_boxes(const struct picture *picture,
                   void (*draw)(void *user, const struct picture_box *box), void *user)
{
    struct boxes *boxes = calloc(1, sizeof *boxes);
    if (!boxes)
        return false;
    *boxes = (struct boxes){.picture = picture, .draw = draw, .user = user};
    for (uint32_t row = 0; row < picture->rows.count; row++) {
        if (picture->rows.at[row].kind == PICTURE_THREAD)
            draw_thread(boxes, row);
        else
            draw_stream(boxes, row);
        for (uint32_t level = 0; level < PICTURE_LEVELS_MAX; level++)
            flush(boxes, &boxes->levels[level]);
    }
    free(boxes);
    return true;
}

/* ---- arrows ---- */

static int compare_arrows(const void *left, const void *right)
{
    const struct picture_arrow *a = left, *b = right;
    if (a->weight_ns != b->weight_ns)
        return a->weight_ns > b->weight_ns ? -1 : 1;
    return a->gpu < b->gpu ? -1 : a->gpu > b->gpu;
}

static bool wants_arrow(const struct picture *picture, const struct tl_gpu *gpu)
{
    if (!is_drawn_gpu(picture, gpu) || gpu->slice == TL_NONE || gpu->stream == TL_NONE ||
        gpu->start_ns < picture->from_ns || picture->row_of_stream[gpu->stream] == TL_NONE)
        return false;
    const struct tl_slice *slice = &picture->timeline->slices.at[gpu->slice];
    return is_drawn_slice(picture, slice) && slice->start_ns >= picture->from_ns &&
           slice->depth < PICTURE_LEVELS_MAX && picture->row_of_thread[slice->thread] != TL_NONE;
}

/* Twice as many as are kept: then the shorter half goes. */
static bool add_arrow(struct picture *picture, uint32_t index)
{
    const struct tl_gpu *gpu = &picture->timeline->gpus.at[index];
    struct picture_arrow *arrow = ARRAY_ADD(&picture->arrows);
    if (!arrow)
        return false;
    *arrow = (struct picture_arrow){gpu->slice, index, gpu->end_ns - gpu->start_ns};
    if (picture->arrows.count == 2 * PICTURE_ARROWS_MAX) {
        qsort(picture->arrows.at, picture->arrows.count, sizeof *arrow, compare_arrows);
        picture->arrows.count = PICTURE_ARROWS_MAX;
    }
    return true;
}

static bool choose_arrows(struct picture *picture)
{
    for (uint32_t i = 0; i < picture->timeline->gpus.count; i++)
        if (wants_arrow(picture, &picture->timeline->gpus.at[i]) && !add_arrow(picture, i))
            return false;
    if (picture->arrows.count)
        qsort(picture->arrows.at, picture->arrows.count, sizeof *picture->arrows.at,
              compare_arrows);
    if (picture->arrows.count > PICTURE_ARROWS_MAX)
        picture->arrows.count = PICTURE_ARROWS_MAX;
    return true;
}

static void count_deep(struct picture *picture)
{
    for (uint32_t i = 0; i < picture->timeline->slices.count; i++) {
        const struct tl_slice *slice = &picture->timeline->slices.at[i];
        picture->deep += slice->depth >= PICTURE_LEVELS_MAX && is_drawn_slice(picture, slice);
    }
}

bool picture_init(struct picture *picture, const struct timeline *timeline, int64_t from_ns,
                  int64_t to_ns, double width_px)
{
    *picture = (struct picture){
        .timeline = timeline, .from_ns = from_ns, .to_ns = to_ns, .width_px = width_px};
    picture->row_of_thread = malloc((timeline->threads.count + 1) * sizeof(uint32_t));
    picture->row_of_stream = malloc((timeline->streams.count + 1) * sizeof(uint32_t));
    if (picture->row_of_thread && picture->row_of_stream && add_rows(picture) &&
        choose_arrows(picture)) {
        count_deep(picture);
        return true;
    }
    picture_fini(picture);
    return false;
}

void picture_fini(struct picture *picture)
{
    free(picture->row_of_thread);
    free(picture->row_of_stream);
    free(picture->rows.at);
    free(picture->arrows.at);
}
