/* kernel_work.c - which range each kernel works for, then each range's work among its kernels.
 *
 *     rank      what each range has by itself (range_work.h)
 *     inside    the highest rank within it, from the innermost out; and of what a graph that is
 *               launched in it has captured
 *     share_of  the range whose work a slice's kernels share, from the outermost in
 *     shares    time and number of the kernels of such a range; of graphs, in each launch
 */
#include "kernel_work.h"

#include "computing_names.h"
#include "range_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The kernels that share one range's work. */
struct share {
    double all_ns, computing_ns;
    uint32_t all, computing;
    uint32_t range; /* whose work it is */
    uint32_t work;  /* into ranges.all[] */
};

struct giving {
    const struct timeline *timeline;
    struct range_works ranges;
    uint8_t *inside;         /* by slice: enum op_class */
    uint32_t *share_of;      /* by slice: into shares[], TL_NONE */
    uint8_t *computes;       /* by name: COMPUTES_ */
    struct keymap of_launch; /* (share of the range, correlation) -> into shares[] */
    TL_ARRAY(struct share) shares;
    uint32_t next_captured;
};

enum { COMPUTES_UNSEEN, COMPUTES_NO, COMPUTES_YES };

static const struct range_work *work_of(const struct giving *giving, uint32_t slice)
{
    uint32_t at = giving->ranges.of_slice[slice];
    return at == TL_NONE ? NULL : &giving->ranges.all.at[at];
}

static uint8_t rank_of(const struct giving *giving, uint32_t slice)
{
    const struct range_work *work = work_of(giving, slice);
    return work ? work->rank : OP_UNCLASSED;
}

static void raise(uint8_t *rank, uint8_t to)
{
    *rank = *rank < to ? to : *rank;
}

/* The first piece of a range in several; its attributes are there. */
static uint32_t first_piece(const struct giving *giving, uint32_t slice)
{
    const struct timeline *timeline = giving->timeline;
    if (!(timeline->slices.at[slice].flags & TL_CONTINUED))
        return slice;
    uint32_t at = ARRAY_LOWER_BOUND(&timeline->pieces, struct tl_piece, slice, 0, slice);
    bool found = at < timeline->pieces.count && timeline->pieces.at[at].slice == slice;
    return found ? timeline->pieces.at[at].first : slice;
}

static uint8_t highest_around(const struct giving *giving, uint32_t slice)
{
    uint8_t highest = OP_UNCLASSED;
    for (; slice != TL_NONE; slice = giving->timeline->slices.at[slice].parent)
        raise(&highest, rank_of(giving, first_piece(giving, slice)));
    return highest;
}

static bool captured_in(const struct tl_captured *captured, const struct timeline *timeline)
{
    return captured->when == TL_CAPTURED_RECORDED && captured->slice < timeline->slices.count;
}

/* Launching a graph does what was captured. Operations of one node lie apart, those of one range
 * together. */
static void look_into_graphs(struct giving *giving)
{
    const struct timeline *timeline = giving->timeline;
    uint32_t seen = TL_NONE;
    uint8_t highest = OP_UNCLASSED;
    for (uint32_t i = 0; i < timeline->captured.count; i++) {
        const struct tl_captured *captured = &timeline->captured.at[i];
        uint32_t launch = timeline->gpus.at[captured->gpu].slice;
        if (launch == TL_NONE || !captured_in(captured, timeline))
            continue;
        if (captured->slice != seen)
            highest = highest_around(giving, captured->slice);
        seen = captured->slice;
        raise(&giving->inside[launch], highest);
    }
}

/* Children stand behind their parents, pieces behind the first. */
static void look_inside(struct giving *giving)
{
    const struct timeline *timeline = giving->timeline;
    for (uint32_t i = timeline->slices.count; i-- > 0;) {
        uint32_t first = first_piece(giving, i), parent = timeline->slices.at[i].parent;
        uint8_t highest = giving->inside[i];
        raise(&giving->inside[first], highest);
        raise(&highest, rank_of(giving, first));
        if (parent != TL_NONE)
            raise(&giving->inside[parent], highest);
    }
}

/* Whether a range's work counts, in a place where another's has counted so far. */
static bool counts(const struct giving *giving, uint32_t slice, uint32_t so_far)
{
    uint8_t rank = rank_of(giving, slice);
    if (rank == OP_UNCLASSED || rank <= giving->inside[slice])
        return false;
    if (so_far == TL_NONE)
        return true;
    const struct range_work *around = &giving->ranges.all.at[giving->shares.at[so_far].work];
    return !around->is_total || rank >= around->rank;
}

/* Into shares[]; TL_NONE: no memory. */
static uint32_t add_share(struct giving *giving, uint32_t range, uint32_t work)
{
    struct share *share = ARRAY_ADD(&giving->shares);
    if (!share)
        return TL_NONE;
    *share = (struct share){.range = range, .work = work};
    return giving->shares.count - 1;
}

static bool find_shares(struct giving *giving)
{
    const struct timeline *timeline = giving->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        uint32_t parent = timeline->slices.at[i].parent, first = first_piece(giving, i);
        uint32_t share = parent == TL_NONE ? TL_NONE : giving->share_of[parent];
        if (counts(giving, first, share)) {
            share = first == i ? add_share(giving, i, giving->ranges.of_slice[i])
                               : giving->share_of[first];
            if (share == TL_NONE)
                return false;
        }
        giving->share_of[i] = share;
    }
    return true;
}

static bool takes_part(const struct tl_gpu *gpu)
{
    return (gpu->kind == TL_KERNEL || gpu->kind == TL_GRAPH_RUN) && tl_is_work(gpu);
}

/* Asked for in ascending order. */
static const struct tl_captured *captured_as(struct giving *giving, uint32_t gpu)
{
    const struct timeline *timeline = giving->timeline;
    while (giving->next_captured < timeline->captured.count &&
           timeline->captured.at[giving->next_captured].gpu < gpu)
        giving->next_captured++;
    if (giving->next_captured == timeline->captured.count)
        return NULL;
    const struct tl_captured *captured = &timeline->captured.at[giving->next_captured];
    return captured->gpu == gpu && captured_in(captured, timeline) ? captured : NULL;
}

/* Of a range in a launch of what was captured in it. False: no memory. */
static bool share_of_launch(struct giving *giving, uint32_t *share, const struct tl_gpu *gpu)
{
    uint64_t key = (uint64_t)*share << 32 | gpu->correlation;
    uint32_t of_launch = keymap_find(&giving->of_launch, key);
    if (of_launch == KEYMAP_NONE) {
        const struct share *range = &giving->shares.at[*share];
        of_launch = add_share(giving, range->range, range->work);
        if (of_launch == TL_NONE || !keymap_set(&giving->of_launch, key, of_launch))
            return false;
    }
    *share = of_launch;
    return true;
}

/* Whom a kernel works for: into shares[], TL_NONE; and `slice` where it was launched, or captured, TL_NONE.
 * What a graph captured outside of every known work belongs to where it is launched. False: no
 * memory. */
static bool find_share(struct giving *giving, uint32_t index, uint32_t *share, uint32_t *slice)
{
    const struct tl_gpu *gpu = &giving->timeline->gpus.at[index];
    const struct tl_captured *captured = captured_as(giving, index);
    *slice = captured ? captured->slice : gpu->slice;
    *share = *slice == TL_NONE ? TL_NONE : giving->share_of[*slice];
    if (captured && *share != TL_NONE)
        return share_of_launch(giving, share, gpu);
    if (captured && gpu->slice != TL_NONE)
        *share = giving->share_of[gpu->slice];
    return true;
}

static bool computes(struct giving *giving, const struct tl_gpu *gpu)
{
    const struct timeline *timeline = giving->timeline;
    if (gpu->name >= timeline->names.count)
        return false;
    uint8_t *seen = &giving->computes[gpu->name];
    if (*seen == COMPUTES_UNSEEN)
        *seen = kernel_name_computes(timeline->names.at[gpu->name]) ? COMPUTES_YES : COMPUTES_NO;
    return *seen == COMPUTES_YES;
}

static double duration_ns(const struct tl_gpu *gpu)
{
    return gpu->end_ns > gpu->start_ns ? (double)(gpu->end_ns - gpu->start_ns) : 0;
}

static struct kernel_work unknown_work(const struct op_work *reason)
{
    return (struct kernel_work){
        .flop = NAN,
        .bytes = NAN,
        .slice = TL_NONE,
        .source = WORK_NONE,
        .flop_known = (uint8_t)(reason ? reason->flop_known : OP_NO_FORMULA),
        .bytes_known = (uint8_t)(reason ? reason->bytes_known : OP_NO_FORMULA),
        .type = (uint8_t)(reason ? reason->type : OP_TYPE_UNKNOWN),
    };
}

static void add_to(struct giving *giving, struct share *share, const struct tl_gpu *gpu)
{
    bool is_computing = computes(giving, gpu);
    share->all++;
    share->all_ns += duration_ns(gpu);
    share->computing += is_computing;
    share->computing_ns += is_computing ? duration_ns(gpu) : 0;
}

/* `slice` is the share for now, where there is one; the rest is known where there is none. */
static bool add_up(struct giving *giving, struct kernel_works *works)
{
    const struct timeline *timeline = giving->timeline;
    for (uint32_t i = 0; i < works->count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        uint32_t share = TL_NONE, slice = TL_NONE;
        works->at[i] = unknown_work(NULL);
        if (!takes_part(gpu))
            continue;
        if (!find_share(giving, i, &share, &slice))
            return false;
        if (share == TL_NONE) {
            struct op_work reason = range_works_reason(&giving->ranges, slice);
            works->at[i] = unknown_work(&reason);
            continue;
        }
        add_to(giving, &giving->shares.at[share], gpu);
        works->at[i].slice = share;
    }
    return true;
}

static double part_of(const struct share *share, bool by_name, const struct tl_gpu *gpu)
{
    double all_ns = by_name ? share->computing_ns : share->all_ns;
    return all_ns > 0 ? duration_ns(gpu) / all_ns : 1.0 / (by_name ? share->computing : share->all);
}

static void give(struct giving *giving, const struct tl_gpu *gpu, struct kernel_work *to)
{
    const struct share *share = &giving->shares.at[to->slice];
    const struct range_work *work = &giving->ranges.all.at[share->work];
    bool by_name = work->is_computed && share->computing;
    to->slice = TL_NONE;
    if (by_name && !computes(giving, gpu))
        return;
    double part = part_of(share, by_name, gpu);
    *to = (struct kernel_work){
        .flop = work->work.flop * part,
        .bytes = work->work.bytes * part,
        .slice = share->range,
        .source = work->source,
        .flop_known = (uint8_t)work->work.flop_known,
        .bytes_known = (uint8_t)work->work.bytes_known,
        .type = (uint8_t)work->work.type,
    };
}

static bool prepare(struct giving *giving, struct kernel_works *works)
{
    const struct timeline *timeline = giving->timeline;
    size_t slices = (size_t)timeline->slices.count + 1;
    giving->inside = calloc(slices, sizeof *giving->inside);
    giving->share_of = malloc(slices * sizeof *giving->share_of);
    giving->computes = calloc((size_t)timeline->names.count + 1, sizeof *giving->computes);
    works->count = timeline->gpus.count;
    works->at = malloc(((size_t)works->count + 1) * sizeof *works->at);
    return giving->inside && giving->share_of && giving->computes && works->at;
}

static bool give_all(struct giving *giving, struct kernel_works *works)
{
    look_into_graphs(giving);
    look_inside(giving);
    if (!find_shares(giving) || !add_up(giving, works))
        return false;
    for (uint32_t i = 0; i < works->count; i++)
        if (works->at[i].slice != TL_NONE)
            give(giving, &giving->timeline->gpus.at[i], &works->at[i]);
    return true;
}

static void finish(struct giving *giving)
{
    free(giving->inside);
    free(giving->share_of);
    free(giving->computes);
    free(giving->shares.at);
    keymap_fini(&giving->of_launch);
    range_works_fini(&giving->ranges);
}

bool kernel_works_init(struct kernel_works *works, const struct timeline *timeline)
{
    struct giving *giving = calloc(1, sizeof *giving);
    *works = (struct kernel_works){0};
    if (!giving)
        return false;
    giving->timeline = timeline;
    bool done = range_works_init(&giving->ranges, timeline);
    if (done) {
        done = prepare(giving, works) && give_all(giving, works);
        finish(giving);
    }
    free(giving);
    if (!done)
        kernel_works_fini(works);
    return done;
}

void kernel_works_fini(struct kernel_works *works)
{
    free(works->at);
    *works = (struct kernel_works){0};
}
