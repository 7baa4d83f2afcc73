/* range_work.c - attributes by slice, each key looked at once. */
#include "range_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
 * torch.profiler._utils and by `profdump augment`; gigabytes are 10^9 bytes. */
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

/* What the attributes of one range say. */
struct said {
    uint32_t text[FIRST_NUMBER]; /* by role: into names[], TL_NONE */
    double number[ROLES];        /* NaN: not said; set where `has_numbers` */
    bool has_numbers;
};

static uint8_t role_of(struct text name)
{
    for (size_t i = 0; i < sizeof role_keys / sizeof *role_keys; i++)
        if (strlen(role_keys[i].key) == name.size &&
            memcmp(role_keys[i].key, name.bytes, name.size) == 0)
            return role_keys[i].role;
    return ROLE_NONE;
}

/* The first of a kind counts. Less than nothing, or no number, was not said. */
static void hear(const struct range_works *works, const struct tl_attr *attr, struct said *said)
{
    uint8_t role = works->roles[attr->key];
    if (role == ROLE_NONE)
        return;
    bool is_text = attr->type == PROF_ATTR_STRING && attr->value < works->timeline->names.count;
    if (role < FIRST_NUMBER) {
        if (is_text && said->text[role] == TL_NONE)
            said->text[role] = (uint32_t)attr->value;
        return;
    }
    double number = tl_attr_number(attr);
    if (!said->has_numbers)
        for (int i = 0; i < ROLES; i++)
            said->number[i] = NAN;
    said->has_numbers = true;
    if (isnan(said->number[role]) && isfinite(number) && number >= 0)
        said->number[role] = number;
}

static struct said nothing_said(void)
{
    struct said said;
    for (int i = 0; i < FIRST_NUMBER; i++)
        said.text[i] = TL_NONE;
    said.has_numbers = false;
    return said;
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
    return name.size > 6 && memcmp(name.bytes, "cublas", 6) == 0;
}

/* What is known of the bytes alone is not worth as much as FLOPs. */
static uint8_t rank_of(const struct op_work *work, uint8_t class)
{
    if (work->flop_known != OP_KNOWN && work->bytes_known != OP_KNOWN)
        return OP_UNCLASSED;
    return work->flop_known != OP_KNOWN && class > OP_ARITHMETIC ? OP_ARITHMETIC : class;
}

static void take_number(double *number, enum op_known *known, double said)
{
    if (isnan(said))
        return;
    *number = said;
    *known = OP_KNOWN;
}

static double first_said(double first, double second)
{
    return isnan(first) ? second : first;
}

/* An operator that is said to need nothing, and has a formula, was not known to who said it. */
static double told_flop(const struct said *said, bool is_operator)
{
    double flop = first_said(said->number[ROLE_FLOPS], said->number[ROLE_KERNEL_FLOP]);
    return is_operator && flop == 0 ? NAN : flop;
}

static double told_bytes(const struct said *said, bool is_operator)
{
    double bytes = first_said(said->number[ROLE_BYTES], said->number[ROLE_KERNEL_GB] * 1e9);
    return is_operator && bytes == 0 ? NAN : bytes;
}

static double product_flop(const struct said *said)
{
    const double *number = said->number;
    return 2 * number[ROLE_M] * number[ROLE_N] * number[ROLE_K] * first_said(number[ROLE_BATCH], 1);
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

static void compute(struct range_works *works, uint32_t name, const struct said *said,
                    struct range_work *work)
{
    const struct timeline *timeline = works->timeline;
    if (!op_inputs_parse(&works->inputs, text_at(timeline, said->text[ROLE_DIMS]),
                         text_at(timeline, said->text[ROLE_TYPES]),
                         text_at(timeline, said->text[ROLE_VALUES])))
        works->inputs.count = 0;
    *work = (struct range_work){.source = WORK_FORMULA};
    op_work_of(text_at(timeline, name), &works->inputs, &work->work);
    work->rank = rank_of(&work->work, (uint8_t)class_of(works, name));
    work->is_computed = work->rank == OP_MATRIX;
}

/* Into all[]; TL_NONE: no memory. */
static uint32_t by_formula(struct range_works *works, uint32_t name, const struct said *said)
{
    bool failed = false;
    uint32_t op = number_pair(&works->ops, name, said->text[ROLE_DIMS], &failed);
    uint32_t texts =
        number_pair(&works->texts, said->text[ROLE_TYPES], said->text[ROLE_VALUES], &failed);
    uint64_t key = (uint64_t)op << 32 | texts;
    uint32_t at = keymap_find(&works->known, key);
    if (failed || at != KEYMAP_NONE)
        return failed ? TL_NONE : at;
    struct range_work *work = ARRAY_ADD(&works->all);
    if (!work)
        return TL_NONE;
    compute(works, name, said, work);
    at = works->all.count - 1;
    return keymap_set(&works->known, key, at) ? at : TL_NONE;
}

static struct range_work start_told(struct range_works *works, uint32_t formula)
{
    struct range_work work = {.work = {NAN, NAN, OP_NO_FORMULA, OP_NO_FORMULA, OP_TYPE_UNKNOWN}};
    return formula == TL_NONE ? work : works->all.at[formula];
}

/* What the program said, over what the formula says. */
static bool add_told(struct range_works *works, uint32_t name, const struct said *said,
                     uint32_t formula, uint32_t *at)
{
    struct range_work work = start_told(works, formula);
    bool is_call = is_gemm_call(text_at(works->timeline, name));
    uint8_t class = (uint8_t)class_of(works, name);
    bool is_operator = class != OP_UNCLASSED;
    double flop = told_flop(said, is_operator);
    if (is_call)
        flop = first_said(flop, product_flop(said));
    take_number(&work.work.flop, &work.work.flop_known, flop);
    take_number(&work.work.bytes, &work.work.bytes_known, told_bytes(said, is_operator));
    enum op_type type = op_type_find(text_at(works->timeline, said->text[ROLE_TYPE]));
    if (type != OP_TYPE_UNKNOWN)
        work.work.type = type;
    work.source = is_call ? WORK_GEMM_CALL : WORK_USER;
    work.rank = rank_of(&work.work, is_operator ? class : OP_MATRIX);
    work.is_total = !is_call && !is_operator;
    work.is_computed = work.rank == OP_MATRIX && !work.is_total;
    struct range_work *added = ARRAY_ADD(&works->all);
    if (!added)
        return false;
    *added = work;
    *at = works->all.count - 1;
    return true;
}

static bool is_told(const struct range_works *works, uint32_t name, const struct said *said,
                    bool is_operator)
{
    bool is_call = is_gemm_call(text_at(works->timeline, name)) && !isnan(product_flop(said));
    return is_call || !isnan(told_flop(said, is_operator)) || !isnan(told_bytes(said, is_operator));
}

static bool settle(struct range_works *works, uint32_t slice, const struct said *said)
{
    uint32_t name = works->timeline->slices.at[slice].name;
    bool is_operator = class_of(works, name) != OP_UNCLASSED;
    uint32_t at = TL_NONE;
    if (is_operator && (at = by_formula(works, name, said)) == TL_NONE)
        return false;
    if (said->has_numbers && is_told(works, name, said, is_operator) &&
        !add_told(works, name, said, at, &at))
        return false;
    works->of_slice[slice] = at;
    return true;
}

static bool take_attrs(struct range_works *works)
{
    const struct timeline *timeline = works->timeline;
    uint32_t count = timeline->attrs.count;
    for (uint32_t i = 0; i < count;) {
        uint32_t slice = timeline->attrs.at[i].slice;
        struct said said = nothing_said();
        for (; i < count && timeline->attrs.at[i].slice == slice; i++)
            hear(works, &timeline->attrs.at[i], &said);
        if (!settle(works, slice, &said))
            return false;
    }
    return true;
}

static bool prepare(struct range_works *works)
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
    if (prepare(works) && take_attrs(works))
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

struct op_work range_works_reason(struct range_works *works, uint32_t slice)
{
    struct op_work reason = {NAN, NAN, OP_NO_FORMULA, OP_NO_FORMULA, OP_TYPE_UNKNOWN};
    const struct timeline *timeline = works->timeline;
    for (; slice != TL_NONE; slice = timeline->slices.at[slice].parent) {
        const struct tl_slice *range = &timeline->slices.at[slice];
        if (works->of_slice[slice] != TL_NONE) {
            const struct op_work *work = &works->all.at[works->of_slice[slice]].work;
            if (work->flop_known != OP_KNOWN && work->bytes_known != OP_KNOWN)
                return *work;
            return reason;
        }
        if (range->kind != TL_API && class_of(works, range->name) != OP_UNCLASSED) {
            reason.flop_known = reason.bytes_known = OP_NO_SHAPES;
            return reason;
        }
    }
    return reason;
}
