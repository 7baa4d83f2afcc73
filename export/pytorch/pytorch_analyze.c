/* pytorch_analyze.c - the tables of one trace, and of two: see pytorch.h. */
#include "pytorch.h"

#include "pytorch_report.h"
#include "pytorch_trace.h"
#include "pytorch_work.h"

#include <stdlib.h>

struct analysis {
    struct pytorch_trace trace;
    struct pytorch_device_rows *devices;
    enum pytorch_type type; /* of kernels without a type of their own */
    struct pytorch_message message;
};

static bool fail(struct analysis *analysis, const char *what, struct text about)
{
    int size = about.size > 200 ? 200 : (int)about.size;
    snprintf(analysis->message.text, sizeof analysis->message.text, "%s%.*s", what, size,
             about.bytes ? about.bytes : "");
    return false;
}

static bool has(struct text text, const char *part)
{
    return memmem(text.bytes, text.size, part, strlen(part)) != NULL;
}

/* The type of a kernel with inputs of its own. That program looks for the largest input, and fails
 * at the sizes of the first without a value. */
static bool type_of_inputs(struct analysis *analysis, const struct pytorch_kernel *kernel,
                           enum pytorch_type *type)
{
    const struct pytorch_event *event = &kernel->event;
    uint32_t count = pytorch_list_count(event->dims);
    struct text item, name;
    if (pytorch_list_count(event->types) != count || pytorch_list_count(event->values) != count)
        return fail(analysis,
                    "AssertionError: Input Dims, Input type and Concrete Inputs differ in "
                    "length: ",
                    event->name);
    if (count == 0)
        return fail(analysis, "RuntimeError: Empty input_sizes and input_types: ", event->name);
    for (uint32_t i = 0; i < count; i++)
        if (pytorch_list_item(event->values, i, &item) && item.size == 2)
            return fail(analysis,
                        "AttributeError: 'list' object has no attribute 'replace': ", event->name);
    bool told = pytorch_list_item(event->types, 0, &item) && pytorch_list_string(item, &name);
    *type = told ? pytorch_type_find(name) : PYTORCH_NO_TYPE;
    return *type != PYTORCH_NO_TYPE || fail(analysis, "RuntimeError: Unknown type: ", item);
}

static bool type_of(struct analysis *analysis, const struct pytorch_kernel *kernel,
                    enum pytorch_type *type)
{
    const struct pytorch_event *event = &kernel->event;
    if (event->dims.bytes && event->types.bytes && event->values.bytes)
        return type_of_inputs(analysis, kernel, type);
    *type = has(event->name, "bfloat16")  ? PYTORCH_BF16
            : has(event->name, "float16") ? PYTORCH_F16
                                          : analysis->type;
    return *type != PYTORCH_NO_TYPE ||
           fail(analysis,
                "RuntimeError: dtype is not found on tensor and default dtype is not set: ",
                event->name);
}

static bool rate_of(struct analysis *analysis, struct pytorch_value value, double duration_us,
                    const char *what, double *rate)
{
    *rate = 0;
    if (value.kind == PYTORCH_NONE)
        return true;
    if (duration_us == 0)
        return fail(analysis, "AssertionError: Event duration is 0 for ",
                    (struct text){what, strlen(what)});
    *rate = value.real / (duration_us / 1e6);
    return true;
}

/* Percentages of the device's peaks; 0 if the device is unknown. */
static bool compare(struct analysis *analysis, const struct pytorch_kernel *kernel,
                    const struct pytorch_device *device, struct pytorch_sample *sample)
{
    enum pytorch_type type;
    if (!device)
        return true;
    if (!type_of(analysis, kernel, &type))
        return false;
    double tops = pytorch_device_tops(device, type);
    const char *name = pytorch_type_name(type);
    if (tops == 0)
        return fail(analysis, "KeyError: ", (struct text){name, strlen(name)});
    sample->flop_percent = 100 * sample->flop_rate / (1e12 * tops);
    sample->percent = 100 * sample->rate / pytorch_device_bandwidth(device);
    return true;
}

static bool read_duration(struct analysis *analysis, const struct pytorch_kernel *kernel,
                          double *duration_us)
{
    char *end = NULL;
    if (!kernel->duration.bytes)
        return fail(analysis, "KeyError: 'dur': ", kernel->event.name);
    *duration_us = strtod(kernel->duration.bytes, &end);
    return end == kernel->duration.bytes + kernel->duration.size ||
           fail(analysis, "TypeError: a duration is not a number: ", kernel->duration);
}

static struct pytorch_device_rows *device_of(struct analysis *analysis, struct text id)
{
    return pytorch_device_rows_find(analysis->devices, analysis->trace.device_count, id);
}

static bool add_kernel(struct analysis *analysis, const struct pytorch_kernel *kernel)
{
    struct pytorch_device_rows *device = device_of(analysis, kernel->device);
    struct pytorch_sample sample = {0};
    if (!device)
        return true;
    if (!kernel->event.name.bytes)
        return fail(analysis, "KeyError: 'name'", (struct text){NULL, 0});
    if (!read_duration(analysis, kernel, &sample.duration_us) ||
        !rate_of(analysis, kernel->flop, sample.duration_us, "kernel_flop calculation",
                 &sample.flop_rate) ||
        !rate_of(analysis, kernel->gigabytes, sample.duration_us, "kernel_num_gb calculation",
                 &sample.rate) ||
        !compare(analysis, kernel, device->device, &sample))
        return false;
    return pytorch_rows_add(&device->rows, kernel->event.name, &sample) ||
           fail(analysis, "out of memory", (struct text){NULL, 0});
}

static bool add_devices(struct analysis *analysis)
{
    const struct pytorch_trace *trace = &analysis->trace;
    analysis->devices = calloc((size_t)trace->device_count + 1, sizeof *analysis->devices);
    if (!analysis->devices)
        return fail(analysis, "out of memory", (struct text){NULL, 0});
    for (uint32_t i = 0; i < trace->device_count; i++)
        analysis->devices[i] =
            (struct pytorch_device_rows){.id = trace->device_ids[i],
                                         .name = trace->device_names[i],
                                         .device = pytorch_device_find(trace->device_names[i])};
    return true;
}

static bool compute(struct analysis *analysis)
{
    bool good = true;
    for (uint32_t i = 0; i < analysis->trace.kernel_count && good; i++)
        good = add_kernel(analysis, &analysis->trace.kernels[i]);
    return good;
}

static enum pytorch_type pytorch_type_of(enum op_type type)
{
    static const enum pytorch_type types[OP_TYPES] = {
        [OP_F64] = PYTORCH_F64,   [OP_F32] = PYTORCH_F32,  [OP_TF32] = PYTORCH_F32,
        [OP_BF16] = PYTORCH_BF16, [OP_F16] = PYTORCH_F16,  [OP_I64] = PYTORCH_I64,
        [OP_I32] = PYTORCH_I32,   [OP_I16] = PYTORCH_I16,  [OP_I8] = PYTORCH_I8,
        [OP_BOOL] = PYTORCH_BOOL, [OP_C64] = PYTORCH_C128, [OP_C32] = PYTORCH_C64,
    };
    return types[type];
}

/* Reads the trace and adds work; rates are computed later, as in that program. */
static bool load(struct analysis *analysis, const char *path, const struct pytorch_analysis *how)
{
    *analysis = (struct analysis){.type = pytorch_type_of(how->type)};
    return pytorch_trace_read(&analysis->trace, path, how->partial, &analysis->message) &&
           pytorch_trace_augment(&analysis->trace, &analysis->message) && add_devices(analysis);
}

static void fini(struct analysis *analysis)
{
    for (uint32_t i = 0; analysis->devices && i < analysis->trace.device_count; i++)
        pytorch_rows_fini(&analysis->devices[i].rows);
    free(analysis->devices);
    pytorch_trace_fini(&analysis->trace);
}

static struct pytorch_message name_message(struct analysis *analysis, const char *path)
{
    pytorch_message_name(&analysis->message, path);
    return analysis->message;
}

static unsigned name_limit(const struct pytorch_analysis *how)
{
    return how->name_limit ? how->name_limit : PYTORCH_NAME_LIMIT;
}

bool pytorch_analyze(const char *path, const struct pytorch_analysis *how, FILE *out,
                     struct pytorch_message *message)
{
    struct analysis analysis;
    bool good = load(&analysis, path, how) && compute(&analysis);
    if (!good)
        *message = name_message(&analysis, path);
    else
        good = pytorch_report_write(out, analysis.devices, analysis.trace.device_count,
                                    name_limit(how));
    fini(&analysis);
    return good;
}

static bool same_devices(struct analysis *first, struct analysis *second)
{
    bool same = first->trace.device_count == second->trace.device_count;
    for (uint32_t i = 0; i < first->trace.device_count && same; i++)
        same = device_of(second, first->devices[i].id) != NULL;
    return same;
}

static bool write_both(struct analysis at[2], const struct pytorch_analysis *how, FILE *out,
                       struct pytorch_message *message)
{
    const char *const names[2] = {how->names[0] ? how->names[0] : "Table 1",
                                  how->names[1] ? how->names[1] : "Table 2"};
    if (same_devices(&at[0], &at[1]))
        return pytorch_report_write_both(out, at[0].devices, at[1].devices,
                                         at[0].trace.device_count, names, name_limit(how));
    snprintf(message->text, sizeof message->text,
             "AssertionError: the traces have different devices (diff without --compat compares "
             "them)");
    return false;
}

bool pytorch_diff(const char *const paths[2], const struct pytorch_analysis *how, FILE *out,
                  struct pytorch_message *message)
{
    struct analysis at[2] = {0};
    int bad = -1;
    for (int i = 0; i < 2 && bad < 0; i++)
        if (!load(&at[i], paths[i], how))
            bad = i;
    for (int i = 0; i < 2 && bad < 0; i++)
        if (!compute(&at[i]))
            bad = i;
    if (bad >= 0)
        *message = name_message(&at[bad], paths[bad]);
    bool good = bad < 0 && write_both(at, how, out, message);
    fini(&at[0]);
    fini(&at[1]);
    return good;
}
