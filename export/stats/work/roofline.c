#include "roofline.h"

#include "around.h"
#include "array.h"
#include "device_time.h"
#include "kernel_names.h"
#include "key_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sorting rows ---- */

static const char *const column_names[] = {
    [ROOFLINE_TIME] = "time",
    [ROOFLINE_COUNT] = "count",
    [ROOFLINE_MEAN] = "mean",
    [ROOFLINE_MEDIAN] = "median",
    [ROOFLINE_FLOP] = "flop",
    [ROOFLINE_FLOP_RATE] = "tflops",
    [ROOFLINE_BYTE_RATE] = "gbs",
    [ROOFLINE_INTENSITY] = "intensity",
    [ROOFLINE_COMPUTE_SHARE] = "compute",
    [ROOFLINE_BANDWIDTH_SHARE] = "bandwidth",
    [ROOFLINE_ROOF_SHARE] = "roof",
    [ROOFLINE_NAME] = "name",
};

bool roofline_column_find(const char *name, enum roofline_column *column)
{
    for (size_t i = 0; i < sizeof column_names / sizeof *column_names; i++)
        if (strcmp(column_names[i], name) == 0) {
            *column = (enum roofline_column)i;
            return true;
        }
    return false;
}

const char *roofline_column_names(void)
{
    return "time, count, mean, median, flop, tflops, gbs, intensity, compute, bandwidth, roof, "
           "name";
}

static double value_of(const struct roofline_row *row, enum roofline_column column)
{
    switch (column) {
    case ROOFLINE_COUNT:
        return (double)row->count;
    case ROOFLINE_MEAN:
        return (double)row->total_ns / (double)row->count;
    case ROOFLINE_MEDIAN:
        return row->median_ns;
    case ROOFLINE_FLOP:
        return row->flop;
    case ROOFLINE_FLOP_RATE:
        return row->flop_rate;
    case ROOFLINE_BYTE_RATE:
        return row->byte_rate;
    case ROOFLINE_INTENSITY:
        return row->intensity;
    case ROOFLINE_COMPUTE_SHARE:
        return row->compute_share;
    case ROOFLINE_BANDWIDTH_SHARE:
        return row->bandwidth_share;
    case ROOFLINE_ROOF_SHARE:
        return row->roof_share;
    default:
        return (double)row->total_ns;
    }
}

struct row_order {
    const struct timeline *timeline;
    enum roofline_column column;
};

static int compare_names(const struct timeline *timeline, uint32_t a, uint32_t b)
{
    if (a == b || a == TL_NONE || b == TL_NONE)
        return a == b ? 0 : a == TL_NONE ? 1 : -1;
    return text_compare(timeline->names.at[a], timeline->names.at[b]);
}

/* Equal ones by name, so that the order does not depend on that of the file. */
static int compare_rows(const void *a, const void *b, void *user)
{
    const struct row_order *row_order = user;
    const struct roofline_row *left = a, *right = b;
    double x = value_of(left, row_order->column), y = value_of(right, row_order->column);
    if (row_order->column != ROOFLINE_NAME) {
        if (isnan(x) || isnan(y))
            x = isnan(x) ? -1 : 0, y = isnan(y) ? -1 : 0;
        if (x > y || x < y)
            return x > y ? -1 : 1;
    }
    return compare_names(row_order->timeline, left->name, right->name);
}

void roofline_sort(struct roofline *roofline, enum roofline_column column)
{
    struct row_order row_order = {roofline->timeline, column};
    for (uint32_t i = 0; i < roofline->device_count; i++) {
        const struct roofline_device *device = &roofline->devices[i];
        qsort_r(roofline->rows + device->first_row, device->row_count, sizeof *roofline->rows,
                compare_rows, &row_order);
    }
}

/* ---- one pass over the operations, then each row and device is completed ---- */

#define NO_TYPE_YET UINT8_MAX

struct pass {
    struct roofline *roofline;
    const struct timeline *timeline;
    const struct kernel_works *works;
    const struct roofline_options *options;
    struct device_times times;
    uint32_t next_time; /* where the next device's is likely to be */
    struct key_samples samples;
    uint32_t *row_of_name; /* by name, the last for none: row + 1; of an earlier device: stale */
    uint8_t *type_of_name; /* by name: enum op_type, NO_TYPE_YET */
    uint32_t *ranges;      /* by slice: the range around it, TL_NONE; see range_name() */
    double tops[OP_TYPES]; /* of the current device, NaN unknown */
    double type_flop[OP_TYPES];
    double bandwidth; /* bytes per second, NaN unknown */
};

/* An instance. */
struct instance {
    double flop, bytes; /* NaN unknown */
    double seconds;     /* 0 none */
    enum op_type type;
};

static void add_part(struct roofline_part *part, double amount, double seconds)
{
    part->amount += amount;
    part->seconds += seconds;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

/* ---- devices ---- */

static uint32_t find_device(const struct timeline *timeline, uint32_t process, uint32_t ordinal)
{
    const struct tl_device *device = timeline_device_of(timeline, process, ordinal);
    return device ? (uint32_t)(device - timeline->devices.at) : TL_NONE;
}

static void find_peak(struct pass *pass, struct roofline_device *device)
{
    struct peak_device said = {.name = {"", 0}};
    if (device->device != TL_NONE)
        said = peak_device_of(pass->timeline, &pass->timeline->devices.at[device->device]);
    peak_rates_find(&device->peak, &said, pass->options->file);
    for (unsigned type = 0; type < OP_TYPES; type++) {
        pass->tops[type] = peak_rates_of(&device->peak, (enum op_type)type);
        pass->type_flop[type] = 0;
    }
    pass->bandwidth = peak_rates_bandwidth(&device->peak) * 1e9;
}

/* Both are in the order of devices: the search goes on after the one before. */
static void find_times(struct pass *pass, struct roofline_device *device)
{
    for (uint32_t i = 0; i < pass->times.count; i++) {
        uint32_t at = (pass->next_time + i) % pass->times.count;
        const struct device_time *time = &pass->times.at[at];
        if (time->process != device->process || time->device != device->ordinal)
            continue;
        device->busy_ns = time->busy_ns;
        device->window_ns = time->window_ns;
        pass->next_time = at + 1;
        return;
    }
}

static struct roofline_device *begin_device(struct pass *pass, const struct tl_gpu *op)
{
    struct roofline *roofline = pass->roofline;
    if (roofline->device_count == roofline->device_capacity &&
        !array_grow(&roofline->devices, &roofline->device_capacity, sizeof *roofline->devices))
        return NULL;
    struct roofline_device *device = &roofline->devices[roofline->device_count++];
    *device =
        (struct roofline_device){.process = op->process,
                                 .ordinal = op->device,
                                 .device = find_device(pass->timeline, op->process, op->device),
                                 .first_row = roofline->row_count};
    find_peak(pass, device);
    find_times(pass, device);
    return device;
}

/* ---- rows ---- */

/* Steps are not operators: there would be a row for each. */
static bool is_range(void *timeline, uint32_t slice)
{
    return ((const struct timeline *)timeline)->slices.at[slice].kind == TL_RANGE;
}

/* The name of the innermost range around a slice, of the outermost with ROOFLINE_BY_RANGE; TL_NONE:
 * it is in none. */
static uint32_t range_name(const struct pass *pass, uint32_t slice)
{
    uint32_t range = slice == TL_NONE ? TL_NONE : pass->ranges[slice];
    return range == TL_NONE ? TL_NONE : pass->timeline->slices.at[range].name;
}

static uint32_t name_of_row(const struct pass *pass, uint32_t gpu)
{
    const struct tl_gpu *op = &pass->timeline->gpus.at[gpu];
    uint32_t slice = pass->works->at[gpu].slice;
    if (pass->options->by == ROOFLINE_BY_KERNEL)
        return op->name;
    bool by_work = pass->options->by != ROOFLINE_BY_RANGE && slice != TL_NONE;
    return range_name(pass, by_work ? slice : op->slice);
}

/* Devices come one after the other, so a row of another device is an old one. */
static struct roofline_row *find_row(struct pass *pass, uint32_t name)
{
    struct roofline *roofline = pass->roofline;
    uint32_t device = roofline->device_count - 1;
    uint32_t *place = &pass->row_of_name[name == TL_NONE ? pass->timeline->names.count : name];
    if (*place && roofline->rows[*place - 1].device == device)
        return &roofline->rows[*place - 1];
    if (roofline->row_count == roofline->row_capacity &&
        !array_grow(&roofline->rows, &roofline->row_capacity, sizeof *roofline->rows))
        return NULL;
    *place = ++roofline->row_count;
    roofline->rows[*place - 1] =
        (struct roofline_row){.name = name, .device = device, .number = *place - 1};
    roofline->devices[device].row_count++;
    return &roofline->rows[*place - 1];
}

/* ---- instances ---- */

static enum op_type type_by_name(const struct pass *pass, uint32_t name)
{
    if (name >= pass->timeline->names.count) /* a whole graph has none */
        return OP_TYPE_UNKNOWN;
    uint8_t *known = &pass->type_of_name[name];
    if (*known == NO_TYPE_YET)
        *known = (uint8_t)kernel_type_of_name(pass->timeline->names.at[name]);
    return (enum op_type) * known;
}

/* A float32 operator may run on tensor cores as tf32. The kernel's name shows it. */
static enum op_type type_of(const struct pass *pass, uint32_t gpu)
{
    enum op_type type = (enum op_type)pass->works->at[gpu].type;
    if (type != OP_TYPE_UNKNOWN && type != OP_F32)
        return type;
    enum op_type named = type_by_name(pass, pass->timeline->gpus.at[gpu].name);
    if (type == OP_F32)
        return named == OP_TF32 ? OP_TF32 : OP_F32;
    return named != OP_TYPE_UNKNOWN ? named : pass->options->type;
}

static struct instance instance_of(const struct pass *pass, uint32_t gpu)
{
    const struct tl_gpu *op = &pass->timeline->gpus.at[gpu];
    const struct kernel_work *work = &pass->works->at[gpu];
    return (struct instance){
        .flop = work->flop,
        .bytes = work->bytes,
        .seconds = op->end_ns > op->start_ns ? (double)(op->end_ns - op->start_ns) / 1e9 : 0,
        .type = type_of(pass, gpu),
    };
}

/* Why there is no number, as kernel_work.h has it: `known`. */
static unsigned reason_of(const struct pass *pass, uint32_t gpu, uint8_t known)
{
    uint32_t launch = pass->timeline->gpus.at[gpu].slice;
    return range_name(pass, launch) == TL_NONE ? ROOFLINE_NO_OP : known;
}

static void add_flop(struct roofline_row *row, const struct instance *instance, double tops)
{
    row->flop += instance->flop;
    row->flop_count++;
    if (instance->seconds <= 0)
        return;
    add_part(&row->flop_timed, instance->flop, instance->seconds);
    if (!isnan(tops))
        add_part(&row->flop_rated, instance->flop, tops * 1e12 * instance->seconds);
}

static void add_bytes(struct roofline_row *row, const struct instance *instance)
{
    row->bytes += instance->bytes;
    row->bytes_count++;
    if (instance->seconds > 0)
        add_part(&row->bytes_timed, instance->bytes, instance->seconds);
}

/* For the place on the roofline, both must be of the same instances. */
static void add_both(struct roofline_row *row, const struct instance *instance, double tops)
{
    if (instance->seconds <= 0)
        return;
    add_part(&row->both_flop, instance->flop, instance->seconds);
    add_part(&row->both_bytes, instance->bytes, instance->seconds);
    if (!isnan(tops))
        add_part(&row->both_rated, tops * 1e12 * instance->seconds, instance->seconds);
}

static void add_to_device(struct pass *pass, const struct tl_gpu *op,
                          const struct instance *instance)
{
    struct roofline_device *device = &pass->roofline->devices[pass->roofline->device_count - 1];
    int64_t ns = op->end_ns > op->start_ns ? op->end_ns - op->start_ns : 0;
    device->kernels += op->kind == TL_KERNEL;
    device->graphs += op->kind == TL_GRAPH_RUN;
    if (isnan(instance->flop))
        return;
    device->flop_ns += ns;
    pass->type_flop[instance->type] += instance->flop;
    device->untyped += instance->type == OP_TYPE_UNKNOWN && instance->flop > 0;
    device->unrated += instance->type != OP_TYPE_UNKNOWN && instance->flop > 0 &&
                       isnan(pass->tops[instance->type]);
}

static void add_instance(struct pass *pass, struct roofline_row *row, uint32_t gpu)
{
    const struct tl_gpu *op = &pass->timeline->gpus.at[gpu];
    const struct kernel_work *work = &pass->works->at[gpu];
    struct instance instance = instance_of(pass, gpu);
    double tops = pass->tops[instance.type];
    int64_t ns = op->end_ns > op->start_ns ? op->end_ns - op->start_ns : 0;
    row->count++;
    row->untimed += ns == 0;
    row->total_ns += ns;
    if (instance.type != OP_TYPE_UNKNOWN)
        row->types |= 1u << instance.type;
    if (!isnan(instance.flop))
        add_flop(row, &instance, tops);
    else
        row->flop_why[reason_of(pass, gpu, work->flop_known)]++;
    if (!isnan(instance.bytes))
        add_bytes(row, &instance);
    else
        row->bytes_why[reason_of(pass, gpu, work->bytes_known)]++;
    if (!isnan(instance.flop) && !isnan(instance.bytes))
        add_both(row, &instance, tops);
    add_to_device(pass, op, &instance);
    if (pass->options->each)
        pass->options->each(
            pass->options->user,
            &(struct roofline_instance){gpu, row->number, ns, instance.flop, instance.bytes, tops});
    key_samples_add(&pass->samples, (uint32_t)(row - pass->roofline->rows), ns);
}

/* ---- conclusions ---- */

static void conclude_roof(struct roofline_row *row, double bandwidth)
{
    double flop = row->both_flop.amount, bytes = row->both_bytes.amount;
    double moved = ratio(bytes, bandwidth * row->both_bytes.seconds);
    row->intensity = ratio(flop, bytes);
    if (flop <= 0) { /* it only moves data, at whatever type */
        row->bound = moved > 0 ? ROOFLINE_MEMORY : ROOFLINE_UNKNOWN;
        row->roof_share = moved > 0 ? moved : (double)NAN;
        return;
    }
    double possible = row->both_rated.amount;
    bool all_rated = row->both_rated.seconds >= row->both_flop.seconds * (1 - 1e-9);
    if (!all_rated || isnan(moved) || bytes <= 0)
        return;
    row->ridge = possible / row->both_rated.seconds / bandwidth;
    row->bound = row->intensity >= row->ridge ? ROOFLINE_COMPUTE : ROOFLINE_MEMORY;
    row->roof_share = fmax(flop / possible, moved);
}

static void conclude_row(struct roofline_row *row, double bandwidth)
{
    row->flop_rate = ratio(row->flop_timed.amount, row->flop_timed.seconds);
    row->byte_rate = ratio(row->bytes_timed.amount, row->bytes_timed.seconds);
    row->compute_share = ratio(row->flop_rated.amount, row->flop_rated.seconds);
    row->bandwidth_share = row->byte_rate / bandwidth;
    row->ridge = row->roof_share = (double)NAN;
    conclude_roof(row, bandwidth);
    if (row->flop_count == 0)
        row->flop = (double)NAN;
    if (row->bytes_count == 0)
        row->bytes = (double)NAN;
}

static void add_row_to_device(struct roofline_device *device, const struct roofline_row *row)
{
    device->untimed += row->untimed;
    device->total_ns += row->total_ns;
    device->flop_count += row->flop_count;
    device->bytes_count += row->bytes_count;
    device->flop += row->flop_count ? row->flop : 0;
    device->bytes += row->bytes_count ? row->bytes : 0;
    device->above_peak += row->compute_share > 1 || row->bandwidth_share > 1;
    for (unsigned i = 0; i < ROOFLINE_REASONS; i++) {
        device->flop_why[i] += row->flop_why[i];
        device->bytes_why[i] += row->bytes_why[i];
    }
}

static enum op_type main_type(const struct pass *pass)
{
    enum op_type most = OP_TYPE_UNKNOWN;
    double flop = 0;
    for (unsigned type = OP_TYPE_UNKNOWN + 1; type < OP_TYPES; type++)
        if (pass->type_flop[type] > flop) {
            flop = pass->type_flop[type];
            most = (enum op_type)type;
        }
    return most;
}

static void end_device(struct pass *pass)
{
    struct roofline *roofline = pass->roofline;
    if (roofline->device_count == 0)
        return;
    struct roofline_device *device = &roofline->devices[roofline->device_count - 1];
    for (uint32_t i = 0; i < device->row_count; i++) {
        conclude_row(&roofline->rows[device->first_row + i], pass->bandwidth);
        add_row_to_device(device, &roofline->rows[device->first_row + i]);
    }
    device->type = main_type(pass);
    double per_ns = pass->tops[device->type] * 1e3; /* 10^12 per second */
    device->utilization = ratio(device->flop, per_ns * (double)device->window_ns);
    device->busy_share = ratio(device->flop, per_ns * (double)device->busy_ns);
    if (device->flop_count == 0)
        device->flop = device->utilization = device->busy_share = (double)NAN;
    if (device->bytes_count == 0)
        device->bytes = (double)NAN;
}

static bool find_medians(struct pass *pass)
{
    struct roofline *roofline = pass->roofline;
    size_t *first = key_samples_sort(&pass->samples, roofline->row_count);
    if (!first)
        return false;
    for (uint32_t i = 0; i < roofline->row_count; i++) {
        const int64_t *ns = pass->samples.ns + first[i];
        size_t count = first[i + 1] - first[i], low = (count - 1) / 2, high = count / 2;
        roofline->rows[i].median_ns =
            ((double)ns[low] + (double)ns[high]) / 2; /* no row is empty */
    }
    free(first);
    return true;
}

/* ---- the pass ---- */

static bool is_counted(const struct tl_gpu *op)
{
    return (op->kind == TL_KERNEL || op->kind == TL_GRAPH_RUN) && !(op->flags & TL_GPU_INTERNAL);
}

static bool is_other_device(const struct roofline *roofline, const struct tl_gpu *op)
{
    const struct roofline_device *device =
        roofline->device_count ? &roofline->devices[roofline->device_count - 1] : NULL;
    return !device || device->process != op->process || device->ordinal != op->device;
}

static bool add_gpu(struct pass *pass, uint32_t gpu)
{
    const struct tl_gpu *op = &pass->timeline->gpus.at[gpu];
    if (is_other_device(pass->roofline, op)) {
        end_device(pass);
        if (!begin_device(pass, op))
            return false;
    }
    struct roofline_row *row = find_row(pass, name_of_row(pass, gpu));
    if (row)
        add_instance(pass, row, gpu);
    return row != NULL;
}

static bool run_pass(struct pass *pass)
{
    const struct timeline *timeline = pass->timeline;
    bool taken = true;
    for (uint32_t i = 0; i < timeline->gpus.count && taken; i++)
        if (is_counted(&timeline->gpus.at[i]))
            taken = add_gpu(pass, i);
    if (taken)
        end_device(pass);
    return taken && find_medians(pass);
}

static bool pass_init(struct pass *pass)
{
    size_t names = (size_t)pass->timeline->names.count + 1;
    pass->row_of_name = calloc(names, sizeof *pass->row_of_name);
    pass->type_of_name = malloc(names);
    if (pass->type_of_name)
        memset(pass->type_of_name, NO_TYPE_YET, names);
    void *timeline = (void *)(uintptr_t)pass->timeline;
    pass->ranges = pass->options->by == ROOFLINE_BY_RANGE
                       ? around_outermost(pass->timeline, is_range, timeline)
                       : around_innermost(pass->timeline, is_range, timeline);
    bool timed = device_times_init(&pass->times, pass->timeline);
    bool sampled = key_samples_init(&pass->samples, pass->timeline->gpus.count);
    return timed && sampled && pass->row_of_name && pass->type_of_name && pass->ranges;
}

static void pass_fini(struct pass *pass)
{
    key_samples_fini(&pass->samples);
    device_times_fini(&pass->times);
    free(pass->ranges);
    free(pass->type_of_name);
    free(pass->row_of_name);
}

bool roofline_init(struct roofline *roofline, const struct timeline *timeline,
                   const struct kernel_works *works, const struct roofline_options *options)
{
    struct pass pass = {
        .roofline = roofline, .timeline = timeline, .works = works, .options = options};
    *roofline = (struct roofline){.timeline = timeline};
    bool done = pass_init(&pass) && run_pass(&pass);
    pass_fini(&pass);
    if (done)
        roofline_sort(roofline, ROOFLINE_TIME);
    else
        roofline_fini(roofline);
    return done;
}

void roofline_fini(struct roofline *roofline)
{
    free(roofline->devices);
    free(roofline->rows);
    *roofline = (struct roofline){0};
}

enum op_type roofline_row_type(const struct roofline_row *row)
{
    bool single = row->types && (row->types & (row->types - 1)) == 0;
    return single ? (enum op_type)__builtin_ctz(row->types) : OP_TYPE_UNKNOWN;
}

const char *roofline_bound_name(enum roofline_bound bound)
{
    static const char *const names[] = {"unknown", "compute", "memory"};
    return names[bound];
}

const char *roofline_reason_key(unsigned reason)
{
    static const char *const keys[ROOFLINE_REASONS] = {
        [OP_KNOWN] = "not_told",          [OP_NO_FORMULA] = "no_formula",
        [OP_NO_SHAPES] = "no_shapes",     [OP_NO_VALUES] = "no_values",
        [OP_BAD_SHAPES] = "bad_shapes",   [OP_NO_TYPE] = "no_type",
        [ROOFLINE_NO_OP] = "in_no_range",
    };
    return keys[reason];
}

const char *roofline_reason(unsigned reason)
{
    static const char *const reasons[ROOFLINE_REASONS] = {
        [OP_KNOWN] = "nothing tells",
        [OP_NO_FORMULA] = "no formula is known for what it does",
        [OP_NO_SHAPES] = "no shapes were recorded (record_shapes=True records them)",
        [OP_NO_VALUES] = "values such as strides were not recorded",
        [OP_BAD_SHAPES] = "the shapes do not fit the operator",
        [OP_NO_TYPE] = "the size of an element is not known",
        [ROOFLINE_NO_OP] = "launched outside any range",
    };
    return reasons[reason];
}
