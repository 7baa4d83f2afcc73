#include "steps.h"

#include "array.h"
#include "slice_sums.h"

#include <stdlib.h>

static int by_start(const void *left, const void *right)
{
    int64_t a = ((const struct step *)left)->start_ns, b = ((const struct step *)right)->start_ns;
    return a < b ? -1 : a > b;
}

/* Slice `later` is a segment of a step of the thread, whose steps from `first` on are by slice. The
 * step lasts until the end of its last segment. */
static void extend(struct steps *steps, uint32_t first, const struct timeline *timeline,
                   uint32_t later)
{
    uint32_t at = ARRAY_LOWER_BOUND(&timeline->segments, struct tl_segment, slice, 0, later);
    if (at == timeline->segments.count || timeline->segments.at[at].slice != later)
        return;
    uint32_t slice = timeline->segments.at[at].first;
    uint32_t step = ARRAY_LOWER_BOUND(&steps->at, struct step, slice, first, slice);
    if (step < steps->at.count && steps->at.at[step].slice == slice)
        steps->at.at[step].end_ns = timeline->slices.at[later].end_ns;
}

static bool add_thread(struct steps *steps, const struct timeline *timeline,
                       const struct tl_thread *thread)
{
    uint32_t first = steps->at.count;
    for (uint32_t i = thread->first_slice; i < thread->first_slice + thread->slice_count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (slice->kind != TL_STEP || slice->flags & TL_INTERNAL)
            continue;
        if (slice->flags & TL_CONTINUED) {
            extend(steps, first, timeline, i);
            continue;
        }
        struct step *step = ARRAY_ADD(&steps->at);
        if (!step)
            return false;
        *step = (struct step){slice->start_ns, slice->end_ns, slice->name, i};
    }
    return true;
}

bool steps_init(struct steps *steps, const struct timeline *timeline)
{
    uint32_t processes = timeline->processes.count, thread = 0;
    *steps = (struct steps){.first = calloc((size_t)processes + 1, sizeof *steps->first)};
    bool added = steps->first != NULL;
    for (uint32_t process = 0; process < processes && added; process++) {
        uint32_t first = steps->first[process] = steps->at.count;
        for (; thread < timeline->threads.count && timeline->threads.at[thread].process <= process;
             thread++)
            if (steps->at.count == first && added)
                added = add_thread(steps, timeline, &timeline->threads.at[thread]);
        if (steps->at.count > first)
            qsort(steps->at.at + first, steps->at.count - first, sizeof *steps->at.at, by_start);
    }
    if (added)
        steps->first[processes] = steps->at.count;
    else
        steps_fini(steps);
    return added;
}

void steps_fini(struct steps *steps)
{
    free(steps->at.at);
    free(steps->first);
    *steps = (struct steps){0};
}

uint32_t steps_first_after(const struct steps *steps, uint32_t process, int64_t time_ns)
{
    uint32_t low = steps->first[process], high = steps->first[process + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (steps->at.at[middle].start_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t steps_find(const struct steps *steps, uint32_t process, int64_t time_ns)
{
    uint32_t next = steps_first_after(steps, process, time_ns);
    return next > steps->first[process] && steps->at.at[next - 1].end_ns > time_ns ? next - 1
                                                                                   : TL_NONE;
}

/* ---- how the thread of each step spent it ---- */

struct stretch {
    int64_t start_ns, end_ns;
};

/* One thread at a time. */
struct sweep {
    const struct timeline *timeline;
    struct step_times *times;
    uint32_t first, end;          /* the thread's steps */
    TL_ARRAY(struct stretch) ran; /* since the last running sample, without waits */
    int64_t from_ns;              /* where the next stretch begins */
    int64_t queued_ns;            /* of samples, that is not spread yet */
    bool has_begun;               /* whether there was a sample */
};

static int64_t start_of(const struct sweep *sweep, uint32_t place)
{
    return sweep->timeline->slices.at[sweep->times->at[place].slice].start_ns;
}

/* The first step that ends after that time; sweep->end: none does. */
static uint32_t first_step(const struct sweep *sweep, int64_t time_ns)
{
    uint32_t low = sweep->first, high = sweep->end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sweep->times->at[middle].end_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The part of `amount` that comes before `done` of `all`. */
static int64_t part(int64_t amount, int64_t done, int64_t all)
{
    return all > 0 ? (int64_t)((__int128)amount * done / all) : 0;
}

struct amounts {
    int64_t run_ns, queued_ns;
};

static void add_part(struct step_time *time, struct amounts all, int64_t from, int64_t to,
                     int64_t length)
{
    time->run_ns += part(all.run_ns, to, length) - part(all.run_ns, from, length);
    time->queued_ns += part(all.queued_ns, to, length) - part(all.queued_ns, from, length);
}

/* `before`: how much of `length` lies before the stretch. */
static void spread_over(struct sweep *sweep, const struct stretch *stretch, struct amounts all,
                        int64_t before, int64_t length)
{
    for (uint32_t i = first_step(sweep, stretch->start_ns); i < sweep->end; i++) {
        struct step_time *step = &sweep->times->at[i];
        int64_t start_ns = start_of(sweep, i), end_ns = step->end_ns;
        int64_t from = start_ns > stretch->start_ns ? start_ns : stretch->start_ns;
        int64_t to = end_ns < stretch->end_ns ? end_ns : stretch->end_ns;
        if (start_ns >= stretch->end_ns)
            break;
        if (from < to)
            add_part(step, all, before + from - stretch->start_ns, before + to - stretch->start_ns,
                     length);
    }
}

static bool add_stretch(struct sweep *sweep, int64_t end_ns)
{
    if (end_ns <= sweep->from_ns)
        return true;
    struct stretch *stretch = ARRAY_ADD(&sweep->ran);
    if (!stretch)
        return false;
    *stretch = (struct stretch){sweep->from_ns, end_ns};
    return true;
}

/* Returns how long the thread was queued beyond the time that there was: counters are read after
 * the sample's time, on a busy machine long after it. */
static int64_t spread(struct sweep *sweep, struct amounts all)
{
    int64_t length = 0, before = 0;
    for (uint32_t i = 0; i < sweep->ran.count; i++)
        length += sweep->ran.at[i].end_ns - sweep->ran.at[i].start_ns;
    int64_t room = length > all.run_ns ? length - all.run_ns : 0;
    int64_t later_ns = all.queued_ns > room ? all.queued_ns - room : 0;
    all.queued_ns -= later_ns;
    for (uint32_t i = 0; i < sweep->ran.count; i++) {
        spread_over(sweep, &sweep->ran.at[i], all, before, length);
        before += sweep->ran.at[i].end_ns - sweep->ran.at[i].start_ns;
    }
    sweep->ran.count = 0;
    return later_ns;
}

static void add_wait(struct sweep *sweep, const struct tl_sample *sample, int64_t end_ns)
{
    for (uint32_t i = first_step(sweep, sample->time_ns); i < sweep->end; i++) {
        struct step_time *time = &sweep->times->at[i];
        int64_t start_ns = start_of(sweep, i);
        if (start_ns >= end_ns)
            break;
        int64_t ns = (end_ns < time->end_ns ? end_ns : time->end_ns) -
                     (sample->time_ns > start_ns ? sample->time_ns : start_ns);
        if (ns > time->longest_ns) {
            time->longest_ns = ns;
            time->wait_stack = sample->stack;
        }
    }
}

static bool add_sample(struct sweep *sweep, const struct tl_sample *sample)
{
    int64_t weight_ns = (int64_t)sample->weight_ns;
    if (!sweep->has_begun)
        sweep->from_ns = sample->time_ns - (sample->waits ? 0 : weight_ns);
    sweep->has_begun = true;
    if (!add_stretch(sweep, sample->time_ns))
        return false;
    if (sample->waits) {
        sweep->from_ns = sample->time_ns + weight_ns;
        sweep->queued_ns += (int64_t)sample->queued_ns;
        add_wait(sweep, sample, sweep->from_ns);
    } else {
        sweep->queued_ns += (int64_t)sample->queued_ns;
        sweep->queued_ns = spread(sweep, (struct amounts){weight_ns, sweep->queued_ns});
        sweep->from_ns = sample->time_ns;
    }
    return true;
}

/* What is known of neither: shares of several samples may exceed a short step, since a counter is
 * read a little later. */
static void finish(const struct sweep *sweep, uint32_t place)
{
    struct step_time *time = &sweep->times->at[place];
    int64_t duration_ns = time->end_ns - start_of(sweep, place);
    if (time->run_ns > duration_ns)
        time->run_ns = duration_ns;
    if (time->queued_ns > duration_ns - time->run_ns)
        time->queued_ns = duration_ns - time->run_ns;
    time->off_cpu_ns = duration_ns - time->run_ns - time->queued_ns;
}

/* ---- threads ---- */

/* Indexes of samples by thread, then time: `first[thread]` to `first[thread + 1]`. False: no
 * memory. */
static bool sort_samples(const struct timeline *timeline, uint32_t **first, uint32_t **order)
{
    uint32_t threads = timeline->threads.count;
    *first = calloc((size_t)threads + 2, sizeof **first);
    *order = malloc(((size_t)timeline->samples.count + 1) * sizeof **order);
    if (!*first || !*order)
        return false;
    for (uint32_t i = 0; i < timeline->samples.count; i++)
        if (timeline->samples.at[i].thread < threads)
            (*first)[timeline->samples.at[i].thread + 2]++;
    for (uint32_t i = 2; i < threads + 2; i++)
        (*first)[i] += (*first)[i - 1];
    for (uint32_t i = 0; i < timeline->samples.count; i++)
        if (timeline->samples.at[i].thread < threads)
            (*order)[(*first)[timeline->samples.at[i].thread + 1]++] = i;
    return true;
}

static bool is_step(const struct tl_slice *slice)
{
    return slice->kind == TL_STEP && !(slice->flags & TL_CONTINUED);
}

static uint32_t add_steps(struct step_times *times, const struct timeline *timeline,
                          const int64_t *ends, const struct tl_thread *thread)
{
    uint32_t first = times->count;
    for (uint32_t i = thread->first_slice; i < thread->first_slice + thread->slice_count; i++)
        if (is_step(&timeline->slices.at[i]))
            times->at[times->count++] =
                (struct step_time){.slice = i, .end_ns = ends[i], .wait_stack = TL_NONE};
    return first;
}

static uint32_t count_steps(const struct timeline *timeline)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++)
        count += is_step(&timeline->slices.at[i]);
    return count;
}

static bool sweep_threads(struct step_times *times, const struct timeline *timeline,
                          const int64_t *ends, const uint32_t *first, const uint32_t *order)
{
    struct sweep sweep = {.timeline = timeline, .times = times};
    bool good = true;
    for (uint32_t thread = 0; thread < timeline->threads.count && good; thread++) {
        if (first[thread] == first[thread + 1])
            continue;
        sweep.first = add_steps(times, timeline, ends, &timeline->threads.at[thread]);
        sweep.end = times->count;
        sweep.has_begun = false;
        sweep.queued_ns = 0;
        sweep.ran.count = 0;
        for (uint32_t i = first[thread]; i < first[thread + 1] && good; i++)
            good = add_sample(&sweep, &timeline->samples.at[order[i]]);
        for (uint32_t i = sweep.first; i < sweep.end; i++)
            finish(&sweep, i);
    }
    free(sweep.ran.at);
    return good;
}

bool step_times_init(struct step_times *times, const struct timeline *timeline)
{
    uint32_t *first = NULL, *order = NULL;
    *times = (struct step_times){0};
    if (timeline->samples.count == 0)
        return true;
    int64_t *ends = slice_ends_create(timeline);
    times->at = malloc(((size_t)count_steps(timeline) + 1) * sizeof *times->at);
    bool good = ends && times->at && sort_samples(timeline, &first, &order) &&
                sweep_threads(times, timeline, ends, first, order);
    free(ends);
    free(first);
    free(order);
    if (!good)
        step_times_fini(times);
    return good;
}

void step_times_fini(struct step_times *times)
{
    free(times->at);
    *times = (struct step_times){0};
}
