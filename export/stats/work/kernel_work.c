/* kernel_work.c - which range each kernel works for, then each range's work among its kernels.
 *
 *     rank      what each range has by itself (range_work.h)
 *     inside    the highest rank within it, from the innermost out; and of what a graph that is
 *               launched in it has captured
 *     owner     the range whose work a slice's kernels share, from the outermost in
 *     shares    time and number of the kernels of an owner; for graphs, of an owner and a launch
 */
#include "kernel_work.h"

#include "kernel_names.h"
#include "range_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The kernels that share one range's work. */
struct share {
    double all_ns, computing_ns;
    uint32_t all, computing;
};

struct giving {
    const struct timeline *timeline;
    struct range_works ranges;
    uint8_t *inside;         /* by slice: enum op_class */
    uint32_t *owner;         /* by slice, TL_NONE */
    uint32_t *share_of;      /* by slice: into shares[] + 1, 0 none yet */
    uint8_t *computes;       /* by name: COMPUTES_ */
    struct keymap of_launch; /* (owner, correlation) -> into shares[] */
    TL_ARRAY(struct share) shares;
    uint32_t next_captured;
};

enum { COMPUTES_UNSEEN, COMPUTES_NO, COMPUTES_YES };

/* Whom a kernel works for. */
struct place {
    uint32_t slice; /* where it was launched, or captured; TL_NONE */
    uint32_t owner;
    bool is_replayed;
};

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
    bool within_total = so_far != TL_NONE && work_of(giving, so_far)->is_total;
    return !within_total || rank >= rank_of(giving, so_far);
}

static void find_owners(struct giving *giving)
{
    const struct timeline *timeline = giving->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        uint32_t parent = timeline->slices.at[i].parent, first = first_piece(giving, i);
        uint32_t so_far = parent == TL_NONE ? TL_NONE : giving->owner[parent];
        giving->owner[i] = counts(giving, first, so_far) ? first : so_far;
    }
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

static uint32_t owner_at(const struct giving *giving, uint32_t slice)
{
    return slice == TL_NONE ? TL_NONE : giving->owner[slice];
}

/* What a graph captured outside of every known work belongs to where it is launched. */
static struct place place_of(struct giving *giving, uint32_t index)
{
    uint32_t launch = giving->timeline->gpus.at[index].slice;
    const struct tl_captured *captured = captured_as(giving, index);
    if (!captured)
        return (struct place){launch, owner_at(giving, launch), false};
    uint32_t owner = owner_at(giving, captured->slice);
    if (owner != TL_NONE)
        return (struct place){captured->slice, owner, true};
    return (struct place){captured->slice, owner_at(giving, launch), false};
}

static uint64_t launch_key(struct place place, const struct tl_gpu *gpu)
{
    return (uint64_t)place.owner << 32 | gpu->correlation;
}

/* The share of a place, TL_NONE: none yet. */
static uint32_t find_share(const struct giving *giving, struct place place,
                           const struct tl_gpu *gpu)
{
    if (place.is_replayed)
        return keymap_find(&giving->of_launch, launch_key(place, gpu));
    return giving->share_of[place.owner] - 1;
}

/* NULL: no memory. */
static struct share *share_at(struct giving *giving, struct place place, const struct tl_gpu *gpu)
{
    uint32_t at = find_share(giving, place, gpu);
    if (at != TL_NONE)
        return &giving->shares.at[at];
    struct share *share = ARRAY_ADD(&giving->shares);
    at = giving->shares.count - 1;
    if (!share)
        return NULL;
    *share = (struct share){0};
    if (!place.is_replayed)
        giving->share_of[place.owner] = at + 1;
    else if (!keymap_set(&giving->of_launch, launch_key(place, gpu), at))
        return NULL;
    return share;
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

static bool add_up(struct giving *giving)
{
    const struct timeline *timeline = giving->timeline;
    giving->next_captured = 0;
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        struct place place = place_of(giving, i);
        if (!takes_part(gpu) || place.owner == TL_NONE)
            continue;
        struct share *share = share_at(giving, place, gpu);
        if (!share)
            return false;
        bool is_computing = computes(giving, gpu);
        share->all++;
        share->all_ns += duration_ns(gpu);
        share->computing += is_computing;
        share->computing_ns += is_computing ? duration_ns(gpu) : 0;
    }
    return true;
}

/* 0: it has no part in it. */
static double part_of(struct giving *giving, const struct range_work *work,
                      const struct share *share, const struct tl_gpu *gpu, bool *has_part)
{
    bool by_name = work->is_computed && share->computing;
    double all_ns = by_name ? share->computing_ns : share->all_ns;
    *has_part = !by_name || computes(giving, gpu);
    return all_ns > 0 ? duration_ns(gpu) / all_ns : 1.0 / (by_name ? share->computing : share->all);
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

static struct kernel_work part_of_work(const struct range_work *work, uint32_t owner, double part)
{
    return (struct kernel_work){
        .flop = work->work.flop * part,
        .bytes = work->work.bytes * part,
        .slice = owner,
        .source = work->source,
        .flop_known = (uint8_t)work->work.flop_known,
        .bytes_known = (uint8_t)work->work.bytes_known,
        .type = (uint8_t)work->work.type,
    };
}

static struct kernel_work give(struct giving *giving, uint32_t index)
{
    const struct tl_gpu *gpu = &giving->timeline->gpus.at[index];
    struct place place = place_of(giving, index);
    if (!takes_part(gpu))
        return unknown_work(NULL);
    if (place.owner == TL_NONE) {
        struct op_work reason = range_works_reason(&giving->ranges, place.slice);
        return unknown_work(&reason);
    }
    bool has_part;
    const struct range_work *work = work_of(giving, place.owner);
    const struct share *share = &giving->shares.at[find_share(giving, place, gpu)];
    double part = part_of(giving, work, share, gpu, &has_part);
    return has_part ? part_of_work(work, place.owner, part) : unknown_work(NULL);
}

static bool prepare(struct giving *giving, struct kernel_works *works)
{
    const struct timeline *timeline = giving->timeline;
    size_t slices = (size_t)timeline->slices.count + 1;
    giving->inside = calloc(slices, sizeof *giving->inside);
    giving->owner = malloc(slices * sizeof *giving->owner);
    giving->share_of = calloc(slices, sizeof *giving->share_of);
    giving->computes = calloc((size_t)timeline->names.count + 1, sizeof *giving->computes);
    works->count = timeline->gpus.count;
    works->at = malloc(((size_t)works->count + 1) * sizeof *works->at);
    return giving->inside && giving->owner && giving->share_of && giving->computes && works->at;
}

static bool give_all(struct giving *giving, struct kernel_works *works)
{
    look_into_graphs(giving);
    look_inside(giving);
    find_owners(giving);
    if (!add_up(giving))
        return false;
    giving->next_captured = 0;
    for (uint32_t i = 0; i < works->count; i++)
        works->at[i] = give(giving, i);
    return true;
}

static void finish(struct giving *giving)
{
    free(giving->inside);
    free(giving->owner);
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
