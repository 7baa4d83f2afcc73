#include "kernel_work.h"

#include "around.h"
#include "kernel_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- ranges: attributes are sorted by slice, and each key is classified once ---- */

enum role {
    ROLE_NONE,
    ROLE_DIMS,
    ROLE_TYPES,
    ROLE_VALUES,
    ROLE_TYPE, /* texts up to here */
    ROLE_FLOPS,
    ROLE_BYTES,
    ROLE_KERNEL_FLOP,
    ROLE_KERNEL_GB,
    ROLE_M,
    ROLE_N,
    ROLE_K,
    ROLE_BATCH,
    ROLES
};

#define CLASS_UNSEEN UINT8_MAX
#define FIRST_NUMBER ROLE_FLOPS

/* "sizes" is emit_nvtx's. "kernel_flop" and "kernel_num_gb" are written by PyTorch's
 * torch.profiler._utils and by `profdump pytorch augment`; gigabytes are 10^9 bytes. */
static const struct {
    const char *key;
    uint8_t role;
} role_keys[] = {
    {"Input Dims", ROLE_DIMS},
    {"sizes", ROLE_DIMS},
    {"Input type", ROLE_TYPES},
    {"Concrete Inputs", ROLE_VALUES},
    {"type", ROLE_TYPE},
    {"flops", ROLE_FLOPS},
    {"bytes", ROLE_BYTES},
    {"kernel_flop", ROLE_KERNEL_FLOP},
    {"kernel_num_gb", ROLE_KERNEL_GB},
    {"m", ROLE_M},
    {"n", ROLE_N},
    {"k", ROLE_K},
    {"batch", ROLE_BATCH},
};

/* What the attributes of one range state. */
struct stated {
    uint32_t text[FIRST_NUMBER]; /* by role: into names[], TL_NONE */
    double number[ROLES];        /* NaN: not stated; set where `has_numbers` */
    bool has_numbers;
};

static uint8_t role_of(struct text name)
{
    for (size_t i = 0; i < sizeof role_keys / sizeof *role_keys; i++)
        if (text_is(name, role_keys[i].key))
            return role_keys[i].role;
    return ROLE_NONE;
}

/* The first of a kind counts. A negative value or NaN counts as not stated. */
static void read_attr(const struct range_works *works, const struct tl_attr *attr,
                      struct stated *stated)
{
    uint8_t role = works->roles[attr->key];
    if (role == ROLE_NONE)
        return;
    bool is_text = attr->type == PROF_ATTR_STRING && attr->value < works->timeline->names.count;
    if (role < FIRST_NUMBER) {
        if (is_text && stated->text[role] == TL_NONE)
            stated->text[role] = (uint32_t)attr->value;
        return;
    }
    double number = tl_attr_number(attr);
    if (!stated->has_numbers)
        for (int i = 0; i < ROLES; i++)
            stated->number[i] = NAN;
    stated->has_numbers = true;
    if (isnan(stated->number[role]) && isfinite(number) && number >= 0)
        stated->number[role] = number;
}

static struct stated no_attrs(void)
{
    struct stated stated;
    for (int i = 0; i < FIRST_NUMBER; i++)
        stated.text[i] = TL_NONE;
    stated.has_numbers = false;
    return stated;
}

static struct text text_at(const struct timeline *timeline, uint32_t name)
{
    return name < timeline->names.count ? timeline->names.at[name] : (struct text){"", 0};
}

static enum op_class class_of(struct range_works *works, uint32_t name)
{
    uint8_t *class = &works->classes[name];
    if (*class == CLASS_UNSEEN)
        *class = (uint8_t)op_class_of(text_at(works->timeline, name));
    return (enum op_class) * class;
}

static bool is_gemm_call(struct text name)
{
    return name.size > 6 && text_begins(name, "cublas");
}

/* Work of which only the bytes are known ranks below work with FLOPs. */
static uint8_t rank_of_work(const struct op_work *work, uint8_t class)
{
    if (work->flop_known != OP_KNOWN && work->bytes_known != OP_KNOWN)
        return OP_UNCLASSED;
    return work->flop_known != OP_KNOWN && class > OP_ARITHMETIC ? OP_ARITHMETIC : class;
}

static void set_stated(double *number, enum op_known *known, double stated)
{
    if (isnan(stated))
        return;
    *number = stated;
    *known = OP_KNOWN;
}

static double first_known(double first, double second)
{
    return isnan(first) ? second : first;
}

/* A stated 0 of an operator with a formula means "unknown". */
static double stated_flop(const struct stated *stated, bool is_operator)
{
    double flop = first_known(stated->number[ROLE_FLOPS], stated->number[ROLE_KERNEL_FLOP]);
    return is_operator && flop == 0 ? NAN : flop;
}

static double stated_bytes(const struct stated *stated, bool is_operator)
{
    double bytes = first_known(stated->number[ROLE_BYTES], stated->number[ROLE_KERNEL_GB] * 1e9);
    return is_operator && bytes == 0 ? NAN : bytes;
}

static double product_flop(const struct stated *stated)
{
    const double *number = stated->number;
    return 2 * number[ROLE_M] * number[ROLE_N] * number[ROLE_K] *
           first_known(number[ROLE_BATCH], 1);
}

/* The number of two numbers, counted from 0. */
static uint32_t number_pair(struct keymap *pairs, uint32_t first, uint32_t second, bool *failed)
{
    uint64_t key = (uint64_t)first << 32 | second;
    uint32_t number = keymap_find(pairs, key);
    if (number == KEYMAP_NONE) {
        number = pairs->count;
        *failed |= !keymap_set(pairs, key, number);
    }
    return number;
}

static void compute(struct range_works *works, uint32_t name, const struct stated *stated,
                    struct range_work *work)
{
    const struct timeline *timeline = works->timeline;
    if (!op_inputs_parse(&works->inputs, text_at(timeline, stated->text[ROLE_DIMS]),
                         text_at(timeline, stated->text[ROLE_TYPES]),
                         text_at(timeline, stated->text[ROLE_VALUES])))
        works->inputs.count = 0;
    *work = (struct range_work){.source = WORK_FORMULA};
    op_work_of(text_at(timeline, name), &works->inputs, &work->work);
    work->rank = rank_of_work(&work->work, (uint8_t)class_of(works, name));
    work->is_computed = work->rank == OP_MATRIX;
}

/* Into all[]; TL_NONE: no memory. */
static uint32_t by_formula(struct range_works *works, uint32_t name, const struct stated *stated)
{
    bool failed = false;
    uint32_t op = number_pair(&works->ops, name, stated->text[ROLE_DIMS], &failed);
    uint32_t texts =
        number_pair(&works->texts, stated->text[ROLE_TYPES], stated->text[ROLE_VALUES], &failed);
    uint64_t key = (uint64_t)op << 32 | texts;
    uint32_t at = keymap_find(&works->known, key);
    if (failed || at != KEYMAP_NONE)
        return failed ? TL_NONE : at;
    struct range_work *work = ARRAY_ADD(&works->all);
    if (!work)
        return TL_NONE;
    compute(works, name, stated, work);
    at = works->all.count - 1;
    return keymap_set(&works->known, key, at) ? at : TL_NONE;
}

static struct range_work start_stated(struct range_works *works, uint32_t formula)
{
    struct range_work work = {.work = {NAN, NAN, OP_NO_FORMULA, OP_NO_FORMULA, OP_TYPE_UNKNOWN}};
    return formula == TL_NONE ? work : works->all.at[formula];
}

/* What the program stated replaces what the formula computed. */
static bool add_stated(struct range_works *works, uint32_t name, const struct stated *stated,
                       uint32_t formula, uint32_t *at)
{
    struct range_work work = start_stated(works, formula);
    bool is_call = is_gemm_call(text_at(works->timeline, name));
    uint8_t class = (uint8_t)class_of(works, name);
    bool is_operator = class != OP_UNCLASSED;
    double flop = stated_flop(stated, is_operator);
    if (is_call)
        flop = first_known(flop, product_flop(stated));
    set_stated(&work.work.flop, &work.work.flop_known, flop);
    set_stated(&work.work.bytes, &work.work.bytes_known, stated_bytes(stated, is_operator));
    enum op_type type = op_type_find(text_at(works->timeline, stated->text[ROLE_TYPE]));
    if (type != OP_TYPE_UNKNOWN)
        work.work.type = type;
    work.source = is_call ? WORK_GEMM_CALL : WORK_USER;
    work.rank = rank_of_work(&work.work, is_operator ? class : OP_MATRIX);
    work.is_total = !is_call && !is_operator;
    work.is_computed = work.rank == OP_MATRIX && !work.is_total;
    struct range_work *added = ARRAY_ADD(&works->all);
    if (!added)
        return false;
    *added = work;
    *at = works->all.count - 1;
    return true;
}

static bool is_stated(const struct range_works *works, uint32_t name, const struct stated *stated,
                      bool is_operator)
{
    bool is_call = is_gemm_call(text_at(works->timeline, name)) && !isnan(product_flop(stated));
    return is_call || !isnan(stated_flop(stated, is_operator)) ||
           !isnan(stated_bytes(stated, is_operator));
}

static bool set_range_work(struct range_works *works, uint32_t slice, const struct stated *stated)
{
    uint32_t name = works->timeline->slices.at[slice].name;
    bool is_operator = class_of(works, name) != OP_UNCLASSED;
    uint32_t at = TL_NONE;
    if (is_operator && (at = by_formula(works, name, stated)) == TL_NONE)
        return false;
    if (stated->has_numbers && is_stated(works, name, stated, is_operator) &&
        !add_stated(works, name, stated, at, &at))
        return false;
    works->of_slice[slice] = at;
    return true;
}

static bool read_attrs(struct range_works *works)
{
    const struct timeline *timeline = works->timeline;
    uint32_t count = timeline->attrs.count;
    for (uint32_t i = 0; i < count;) {
        uint32_t slice = timeline->attrs.at[i].slice;
        struct stated stated = no_attrs();
        for (; i < count && timeline->attrs.at[i].slice == slice; i++)
            read_attr(works, &timeline->attrs.at[i], &stated);
        if (!set_range_work(works, slice, &stated))
            return false;
    }
    return true;
}

static bool range_works_reserve(struct range_works *works)
{
    const struct timeline *timeline = works->timeline;
    size_t names = (size_t)timeline->names.count + 1, slices = (size_t)timeline->slices.count + 1;
    works->roles = malloc(names);
    works->classes = malloc(names);
    works->of_slice = malloc(slices * sizeof *works->of_slice);
    if (!works->roles || !works->classes || !works->of_slice)
        return false;
    for (uint32_t i = 0; i < timeline->names.count; i++)
        works->roles[i] = role_of(timeline->names.at[i]);
    memset(works->classes, CLASS_UNSEEN, names);
    memset(works->of_slice, 0xff, slices * sizeof *works->of_slice);
    return true;
}

bool range_works_init(struct range_works *works, const struct timeline *timeline)
{
    memset(works, 0, sizeof *works);
    works->timeline = timeline;
    if (range_works_reserve(works) && read_attrs(works))
        return true;
    range_works_fini(works);
    return false;
}

void range_works_fini(struct range_works *works)
{
    free(works->of_slice);
    free(works->all.at);
    free(works->roles);
    free(works->classes);
    keymap_fini(&works->ops);
    keymap_fini(&works->texts);
    keymap_fini(&works->known);
    memset(works, 0, sizeof *works);
}

/* Whether a range says what its kernels do, or why that is not known. */
static bool has_reason(void *user, uint32_t slice)
{
    struct range_works *works = user;
    const struct tl_slice *range = &works->timeline->slices.at[slice];
    return works->of_slice[slice] != TL_NONE ||
           (range->kind != TL_API && class_of(works, range->name) != OP_UNCLASSED);
}

/* Why nothing is known of kernels for which this is the innermost slice that has a reason:
 * OP_NO_SHAPES of an operator with a formula whose inputs were not recorded ... */
static struct op_work range_works_reason(const struct range_works *works, uint32_t slice)
{
    struct op_work reason = {NAN, NAN, OP_NO_FORMULA, OP_NO_FORMULA, OP_TYPE_UNKNOWN};
    if (slice == TL_NONE)
        return reason;
    if (works->of_slice[slice] == TL_NONE) {
        reason.flop_known = reason.bytes_known = OP_NO_SHAPES;
        return reason;
    }
    const struct op_work *work = &works->all.at[works->of_slice[slice]].work;
    return work->flop_known != OP_KNOWN && work->bytes_known != OP_KNOWN ? *work : reason;
}

/* ---- FLOPs by slice ---- */

double *range_flops_create(const struct timeline *timeline)
{
    struct range_works works;
    double *flops = malloc((timeline->slices.count + (size_t)1) * sizeof *flops);
    if (!flops || !range_works_init(&works, timeline)) {
        free(flops);
        return NULL;
    }
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        uint32_t at = works.of_slice[i];
        bool known = at < works.all.count && works.all.at[at].work.flop_known == OP_KNOWN;
        flops[i] = known ? works.all.at[at].work.flop : NAN;
    }
    range_works_fini(&works);
    return flops;
}

enum counting { COUNTS, COUNTS_OPERATOR, COUNTS_NOT, COUNTS_OUTSIDE };

/* aten::matmul and aten::linear do the same work as the operators inside of them. */
static uint8_t counting_of(struct text name)
{
    static const char *const counted[] = {"mm", "addmm", "bmm", "baddbmm", "conv2d", "mul", "add"};
    const size_t prefix = strlen("aten::");
    if (text_begins(name, "cublas"))
        return COUNTS_OUTSIDE;
    if (!text_begins(name, "aten::"))
        return COUNTS;
    struct text part = {name.bytes + prefix, name.size - prefix};
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (text_is(part, counted[i]))
            return COUNTS_OPERATOR;
    return COUNTS_NOT;
}

double *range_flops_create_counted(const struct timeline *timeline)
{
    const struct tl_slice *slices = timeline->slices.at;
    double *flops = range_flops_create(timeline);
    uint8_t *counting = malloc(timeline->names.count + (size_t)1);
    for (uint32_t i = 0; counting && i < timeline->names.count; i++)
        counting[i] = counting_of(timeline->names.at[i]);
    for (uint32_t i = 0; flops && counting && i < timeline->slices.count; i++) {
        uint8_t own = slices[i].name < timeline->names.count ? counting[slices[i].name] : COUNTS;
        uint32_t around = own == COUNTS_OUTSIDE && !isnan(flops[i]) ? slices[i].parent : TL_NONE;
        while (around != TL_NONE &&
               (isnan(flops[around]) || slices[around].name >= timeline->names.count ||
                counting[slices[around].name] != COUNTS_OPERATOR))
            around = slices[around].parent;
        if (own == COUNTS_NOT || around != TL_NONE)
            flops[i] = NAN;
    }
    if (!counting) {
        free(flops);
        flops = NULL;
    }
    free(counting);
    return flops;
}

/* ---- kernels: which range each works for, then each range's work among its kernels ----
 *
 *     rank      what each range has by itself
 *     inside    the highest rank within it, from the innermost out; and of what a graph that is
 *               launched in it has captured
 *     share_of  the range whose work a slice's kernels share, from the outermost in
 *     shares    time and number of the kernels of such a range; of graphs, in each launch
 */

/* The kernels that share one range's work. */
struct share {
    double all_ns, computing_ns;
    uint32_t all, computing;
    uint32_t range; /* whose work it is */
    uint32_t work;  /* into ranges.all[] */
};

struct sharing {
    const struct timeline *timeline;
    struct range_works ranges;
    uint8_t *inside;         /* by slice: enum op_class */
    uint32_t *share_of;      /* by slice: into shares[], TL_NONE */
    uint32_t *reasons;       /* by slice: the innermost that has_reason(); NULL: not needed yet */
    uint8_t *computes;       /* by name: COMPUTES_ */
    struct keymap of_launch; /* (share of the range, correlation) -> into shares[] */
    TL_ARRAY(struct share) shares;
    uint32_t next_captured;
};

enum { COMPUTES_UNSEEN, COMPUTES_NO, COMPUTES_YES };

static const struct range_work *work_of(const struct sharing *sharing, uint32_t slice)
{
    uint32_t at = sharing->ranges.of_slice[slice];
    return at == TL_NONE ? NULL : &sharing->ranges.all.at[at];
}

static uint8_t rank_of(const struct sharing *sharing, uint32_t slice)
{
    const struct range_work *work = work_of(sharing, slice);
    return work ? work->rank : OP_UNCLASSED;
}

static void raise(uint8_t *rank, uint8_t to)
{
    *rank = *rank < to ? to : *rank;
}

/* The first segment of a range in several; its attributes are there. */
static uint32_t first_segment(const struct sharing *sharing, uint32_t slice)
{
    const struct timeline *timeline = sharing->timeline;
    if (!(timeline->slices.at[slice].flags & TL_CONTINUED))
        return slice;
    uint32_t at = ARRAY_LOWER_BOUND(&timeline->segments, struct tl_segment, slice, 0, slice);
    bool found = at < timeline->segments.count && timeline->segments.at[at].slice == slice;
    return found ? timeline->segments.at[at].first : slice;
}

/* By slice: the highest rank of it and what is around it. NULL: no memory. */
static uint8_t *ranks_around(const struct sharing *sharing)
{
    const struct timeline *timeline = sharing->timeline;
    uint8_t *highest = calloc((size_t)timeline->slices.count + 1, sizeof *highest);
    for (uint32_t i = 0; highest && i < timeline->slices.count; i++) {
        uint32_t parent = timeline->slices.at[i].parent;
        highest[i] = rank_of(sharing, first_segment(sharing, i));
        raise(&highest[i], parent == TL_NONE ? OP_UNCLASSED : highest[parent]);
    }
    return highest;
}

static bool captured_in(const struct tl_captured *captured, const struct timeline *timeline)
{
    return captured->when == TL_CAPTURED_RECORDED && captured->slice < timeline->slices.count;
}

/* Launching a graph does what was captured. False: no memory. */
static bool raise_from_graphs(struct sharing *sharing)
{
    const struct timeline *timeline = sharing->timeline;
    uint8_t *highest = timeline->captured.count ? ranks_around(sharing) : NULL;
    bool ready = highest || !timeline->captured.count;
    for (uint32_t i = 0; highest && i < timeline->captured.count; i++) {
        const struct tl_captured *captured = &timeline->captured.at[i];
        uint32_t launch = timeline->gpus.at[captured->gpu].slice;
        if (launch != TL_NONE && captured_in(captured, timeline))
            raise(&sharing->inside[launch], highest[captured->slice]);
    }
    free(highest);
    return ready;
}

/* Children come after their parents, and segments after the first one. */
static void raise_from_children(struct sharing *sharing)
{
    const struct timeline *timeline = sharing->timeline;
    for (uint32_t i = timeline->slices.count; i-- > 0;) {
        uint32_t first = first_segment(sharing, i), parent = timeline->slices.at[i].parent;
        uint8_t highest = sharing->inside[i];
        raise(&sharing->inside[first], highest);
        raise(&highest, rank_of(sharing, first));
        if (parent != TL_NONE)
            raise(&sharing->inside[parent], highest);
    }
}

/* Whether a range's work counts, in a place where another's has counted so far. */
static bool counts(const struct sharing *sharing, uint32_t slice, uint32_t so_far)
{
    uint8_t rank = rank_of(sharing, slice);
    if (rank == OP_UNCLASSED || rank <= sharing->inside[slice])
        return false;
    if (so_far == TL_NONE)
        return true;
    const struct range_work *around = &sharing->ranges.all.at[sharing->shares.at[so_far].work];
    return !around->is_total || rank >= around->rank;
}

/* Into shares[]; TL_NONE: no memory. */
static uint32_t add_share(struct sharing *sharing, uint32_t range, uint32_t work)
{
    struct share *share = ARRAY_ADD(&sharing->shares);
    if (!share)
        return TL_NONE;
    *share = (struct share){.range = range, .work = work};
    return sharing->shares.count - 1;
}

static bool find_shares(struct sharing *sharing)
{
    const struct timeline *timeline = sharing->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        uint32_t parent = timeline->slices.at[i].parent, first = first_segment(sharing, i);
        uint32_t share = parent == TL_NONE ? TL_NONE : sharing->share_of[parent];
        if (counts(sharing, first, share)) {
            share = first == i ? add_share(sharing, i, sharing->ranges.of_slice[i])
                               : sharing->share_of[first];
            if (share == TL_NONE)
                return false;
        }
        sharing->share_of[i] = share;
    }
    return true;
}

static bool is_counted(const struct tl_gpu *gpu)
{
    return (gpu->kind == TL_KERNEL || gpu->kind == TL_GRAPH_RUN) && tl_is_work(gpu);
}

/* Call it in ascending order. */
static const struct tl_captured *captured_as(struct sharing *sharing, uint32_t gpu)
{
    const struct timeline *timeline = sharing->timeline;
    while (sharing->next_captured < timeline->captured.count &&
           timeline->captured.at[sharing->next_captured].gpu < gpu)
        sharing->next_captured++;
    if (sharing->next_captured == timeline->captured.count)
        return NULL;
    const struct tl_captured *captured = &timeline->captured.at[sharing->next_captured];
    return captured->gpu == gpu && captured_in(captured, timeline) ? captured : NULL;
}

/* Of a range in a launch of what was captured in it. False: no memory. */
static bool share_of_launch(struct sharing *sharing, uint32_t *share, const struct tl_gpu *gpu)
{
    uint64_t key = (uint64_t)*share << 32 | gpu->correlation;
    uint32_t of_launch = keymap_find(&sharing->of_launch, key);
    if (of_launch == KEYMAP_NONE) {
        const struct share *range = &sharing->shares.at[*share];
        of_launch = add_share(sharing, range->range, range->work);
        if (of_launch == TL_NONE || !keymap_set(&sharing->of_launch, key, of_launch))
            return false;
    }
    *share = of_launch;
    return true;
}

/* The owner of a kernel's work: into shares[], TL_NONE; and `slice` where it was launched, or
 * captured, TL_NONE. What a graph captured outside of every known work belongs to where it is
 * launched. False: no memory. */
static bool find_share(struct sharing *sharing, uint32_t index, uint32_t *share, uint32_t *slice)
{
    const struct tl_gpu *gpu = &sharing->timeline->gpus.at[index];
    const struct tl_captured *captured = captured_as(sharing, index);
    *slice = captured ? captured->slice : gpu->slice;
    *share = *slice == TL_NONE ? TL_NONE : sharing->share_of[*slice];
    if (captured && *share != TL_NONE)
        return share_of_launch(sharing, share, gpu);
    if (captured && gpu->slice != TL_NONE)
        *share = sharing->share_of[gpu->slice];
    return true;
}

static bool computes(struct sharing *sharing, const struct tl_gpu *gpu)
{
    const struct timeline *timeline = sharing->timeline;
    if (gpu->name >= timeline->names.count)
        return false;
    uint8_t *seen = &sharing->computes[gpu->name];
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

static void add_to_share(struct sharing *sharing, struct share *share, const struct tl_gpu *gpu)
{
    bool is_computing = computes(sharing, gpu);
    share->all++;
    share->all_ns += duration_ns(gpu);
    share->computing += is_computing;
    share->computing_ns += is_computing ? duration_ns(gpu) : 0;
}

/* Needed only if the work of some kernel is unknown. False: no memory. */
static bool find_reasons(struct sharing *sharing)
{
    if (!sharing->reasons)
        sharing->reasons = around_innermost(sharing->timeline, has_reason, &sharing->ranges);
    return sharing->reasons;
}

/* `slice` is the share for now, where there is one; the rest is known where there is none. */
static bool add_to_shares(struct sharing *sharing, struct kernel_works *works)
{
    const struct timeline *timeline = sharing->timeline;
    for (uint32_t i = 0; i < works->count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        uint32_t share = TL_NONE, slice = TL_NONE;
        works->at[i] = unknown_work(NULL);
        if (!is_counted(gpu))
            continue;
        if (!find_share(sharing, i, &share, &slice))
            return false;
        if (share == TL_NONE) {
            if (!find_reasons(sharing))
                return false;
            struct op_work reason = range_works_reason(
                &sharing->ranges, slice == TL_NONE ? TL_NONE : sharing->reasons[slice]);
            works->at[i] = unknown_work(&reason);
            continue;
        }
        add_to_share(sharing, &sharing->shares.at[share], gpu);
        works->at[i].slice = share;
    }
    return true;
}

static double part_of(const struct share *share, bool by_name, const struct tl_gpu *gpu)
{
    double all_ns = by_name ? share->computing_ns : share->all_ns;
    return all_ns > 0 ? duration_ns(gpu) / all_ns : 1.0 / (by_name ? share->computing : share->all);
}

static void assign_share(struct sharing *sharing, const struct tl_gpu *gpu, struct kernel_work *to)
{
    const struct share *share = &sharing->shares.at[to->slice];
    const struct range_work *work = &sharing->ranges.all.at[share->work];
    bool by_name = work->is_computed && share->computing;
    to->slice = TL_NONE;
    if (by_name && !computes(sharing, gpu))
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

static bool sharing_reserve(struct sharing *sharing, struct kernel_works *works)
{
    const struct timeline *timeline = sharing->timeline;
    size_t slices = (size_t)timeline->slices.count + 1;
    sharing->inside = calloc(slices, sizeof *sharing->inside);
    sharing->share_of = malloc(slices * sizeof *sharing->share_of);
    sharing->computes = calloc((size_t)timeline->names.count + 1, sizeof *sharing->computes);
    works->count = timeline->gpus.count;
    works->at = malloc(((size_t)works->count + 1) * sizeof *works->at);
    return sharing->inside && sharing->share_of && sharing->computes && works->at &&
           ARRAY_ROOM(&sharing->shares);
}

static bool assign_all(struct sharing *sharing, struct kernel_works *works)
{
    if (!raise_from_graphs(sharing))
        return false;
    raise_from_children(sharing);
    if (!find_shares(sharing) || !add_to_shares(sharing, works))
        return false;
    for (uint32_t i = 0; i < works->count; i++)
        if (works->at[i].slice != TL_NONE)
            assign_share(sharing, &sharing->timeline->gpus.at[i], &works->at[i]);
    return true;
}

static void sharing_fini(struct sharing *sharing)
{
    free(sharing->inside);
    free(sharing->share_of);
    free(sharing->reasons);
    free(sharing->computes);
    free(sharing->shares.at);
    keymap_fini(&sharing->of_launch);
    range_works_fini(&sharing->ranges);
}

bool kernel_works_init(struct kernel_works *works, const struct timeline *timeline)
{
    struct sharing *sharing = calloc(1, sizeof *sharing);
    *works = (struct kernel_works){0};
    if (!sharing)
        return false;
    sharing->timeline = timeline;
    bool done = range_works_init(&sharing->ranges, timeline);
    if (done) {
        done = sharing_reserve(sharing, works) && assign_all(sharing, works);
        sharing_fini(sharing);
    }
    free(sharing);
    if (!done)
        kernel_works_fini(works);
    return done;
}

void kernel_works_fini(struct kernel_works *works)
{
    free(works->at);
    *works = (struct kernel_works){0};
}
