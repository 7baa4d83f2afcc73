/* compat_analysis.c - see compat_analysis.h. */
#include "compat_analysis.h"

#include "compat_list.h"
#include "compat_report.h"
#include "compat_trace.h"

#include <errno.h>
#include <stdlib.h>

struct analysis {
    struct compat_trace trace;
    struct compat_device_rows *devices;
    enum compat_type type; /* where a kernel does not tell */
    struct compat_message message;
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

/* Of inputs that a kernel itself has. That program looks for the biggest one, and stumbles over the
 * sizes of the first whose value is not told. */
static bool type_of_inputs(struct analysis *analysis, const struct compat_kernel *kernel,
                           enum compat_type *type)
{
    const struct compat_event *event = &kernel->event;
    uint32_t count = compat_list_count(event->dims);
    struct text item, name;
    if (compat_list_count(event->types) != count || compat_list_count(event->values) != count)
        return fail(analysis,
                    "AssertionError: Input Dims, Input type and Concrete Inputs differ in "
                    "length: ",
                    event->name);
    if (count == 0)
        return fail(analysis, "RuntimeError: Empty input_sizes and input_types: ", event->name);
    for (uint32_t i = 0; i < count; i++)
        if (compat_list_item(event->values, i, &item) && item.size == 2)
            return fail(analysis,
                        "AttributeError: 'list' object has no attribute 'replace': ", event->name);
    bool told = compat_list_item(event->types, 0, &item) && compat_string(item, &name);
    *type = told ? compat_type_find(name) : COMPAT_NO_TYPE;
    return *type != COMPAT_NO_TYPE || fail(analysis, "RuntimeError: Unknown type: ", item);
}

static bool type_of(struct analysis *analysis, const struct compat_kernel *kernel,
                    enum compat_type *type)
{
    const struct compat_event *event = &kernel->event;
    if (event->dims.bytes && event->types.bytes && event->values.bytes)
        return type_of_inputs(analysis, kernel, type);
    *type = has(event->name, "bfloat16")  ? COMPAT_BF16
            : has(event->name, "float16") ? COMPAT_F16
                                          : analysis->type;
    return *type != COMPAT_NO_TYPE ||
           fail(analysis,
                "RuntimeError: dtype is not found on tensor and default dtype is not set: ",
                event->name);
}

static bool rate_of(struct analysis *analysis, struct compat_value value, double duration_us,
                    const char *what, double *rate)
{
    *rate = 0;
    if (value.kind == COMPAT_NONE)
        return true;
    if (duration_us == 0)
        return fail(analysis, "AssertionError: Event duration is 0 for ",
                    (struct text){what, strlen(what)});
    *rate = value.real / (duration_us / 1e6);
    return true;
}

/* In percent of what the device could; 0 where nothing is known of it. */
static bool compare(struct analysis *analysis, const struct compat_kernel *kernel,
                    const struct compat_device *device, struct compat_sample *sample)
{
    enum compat_type type;
    if (!device)
        return true;
    if (!type_of(analysis, kernel, &type))
        return false;
    double tops = compat_device_tops(device, type);
    const char *name = compat_type_name(type);
    if (tops == 0)
        return fail(analysis, "KeyError: ", (struct text){name, strlen(name)});
    sample->flop_percent = 100 * sample->flop_rate / (1e12 * tops);
    sample->percent = 100 * sample->rate / compat_device_bandwidth(device);
    return true;
}

static bool read_duration(struct analysis *analysis, const struct compat_kernel *kernel,
                          double *duration_us)
{
    char *end = NULL;
    if (!kernel->duration.bytes)
        return fail(analysis, "KeyError: 'dur': ", kernel->event.name);
    *duration_us = strtod(kernel->duration.bytes, &end);
    return end == kernel->duration.bytes + kernel->duration.size ||
           fail(analysis, "TypeError: a duration is no number: ", kernel->duration);
}

static struct compat_device_rows *device_of(struct analysis *analysis, struct text id)
{
    for (uint32_t i = 0; i < analysis->trace.device_count && id.bytes; i++) {
        struct text known = analysis->devices[i].id;
        if (known.size == id.size && memcmp(known.bytes, id.bytes, id.size) == 0)
            return &analysis->devices[i];
    }
    return NULL;
}

static bool add_kernel(struct analysis *analysis, const struct compat_kernel *kernel)
{
    struct compat_device_rows *device = device_of(analysis, kernel->device);
    struct compat_sample sample = {0};
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
    return compat_rows_add(&device->rows, kernel->event.name, &sample) ||
           fail(analysis, "out of memory", (struct text){NULL, 0});
}

static bool add_devices(struct analysis *analysis)
{
    const struct compat_trace *trace = &analysis->trace;
    analysis->devices = calloc((size_t)trace->device_count + 1, sizeof *analysis->devices);
    if (!analysis->devices)
        return fail(analysis, "out of memory", (struct text){NULL, 0});
    for (uint32_t i = 0; i < trace->device_count; i++)
        analysis->devices[i] =
            (struct compat_device_rows){.id = trace->device_ids[i],
                                        .name = trace->device_names[i],
                                        .device = compat_device_find(trace->device_names[i])};
    return true;
}

static bool compute(struct analysis *analysis)
{
    bool good = true;
    for (uint32_t i = 0; i < analysis->trace.kernel_count && good; i++)
        good = add_kernel(analysis, &analysis->trace.kernels[i]);
    return good;
}

static enum compat_type compat_type_of(enum op_type type)
{
    static const enum compat_type types[OP_TYPES] = {
        [OP_F64] = COMPAT_F64,   [OP_F32] = COMPAT_F32,  [OP_TF32] = COMPAT_F32,
        [OP_BF16] = COMPAT_BF16, [OP_F16] = COMPAT_F16,  [OP_I64] = COMPAT_I64,
        [OP_I32] = COMPAT_I32,   [OP_I16] = COMPAT_I16,  [OP_I8] = COMPAT_I8,
        [OP_BOOL] = COMPAT_BOOL, [OP_C64] = COMPAT_C128, [OP_C32] = COMPAT_C64,
    };
    return types[type];
}

/* The trace with its work; its numbers come later, as there. */
static bool load(struct analysis *analysis, const char *path, enum op_type type, bool partial)
{
    *analysis = (struct analysis){.type = compat_type_of(type)};
    return compat_trace_read(&analysis->trace, path, partial, &analysis->message) &&
           compat_trace_augment(&analysis->trace, &analysis->message) && add_devices(analysis);
}

static void fini(struct analysis *analysis)
{
    for (uint32_t i = 0; analysis->devices && i < analysis->trace.device_count; i++)
        compat_rows_fini(&analysis->devices[i].rows);
    free(analysis->devices);
    compat_trace_fini(&analysis->trace);
}

static int failed(const struct analysis *analysis, const char *path)
{
    bool named = strncmp(analysis->message.text, path, strlen(path)) == 0;
    complain("%s%s%s", named ? "" : path, named ? "" : ": ", analysis->message.text);
    return EXIT_FAILURE;
}

static unsigned name_limit(const struct compat_choice *choice)
{
    return choice->name_limit ? choice->name_limit : COMPAT_NAME_LIMIT;
}

int cmd_analyze_compat(const struct profdump_options *options, const struct compat_choice *choice)
{
    struct analysis analysis;
    if (options->input_count != 1) {
        complain("analyze --compat: one Chrome trace is wanted");
        return EXIT_USAGE;
    }
    bool good =
        load(&analysis, options->inputs[0], choice->type, options->partial) && compute(&analysis);
    int status = good ? finish_answer(options, compat_report_write(options->out, analysis.devices,
                                                                   analysis.trace.device_count,
                                                                   name_limit(choice)))
                      : failed(&analysis, options->inputs[0]);
    fini(&analysis);
    return status;
}

static bool same_devices(struct analysis *first, struct analysis *second)
{
    bool same = first->trace.device_count == second->trace.device_count;
    for (uint32_t i = 0; i < first->trace.device_count && same; i++)
        same = device_of(second, first->devices[i].id) != NULL;
    return same;
}

static int write_both(const struct profdump_options *options, struct analysis at[2],
                      const struct compat_choice *choice)
{
    const char *const names[2] = {choice->names[0] ? choice->names[0] : "Table 1",
                                  choice->names[1] ? choice->names[1] : "Table 2"};
    if (!same_devices(&at[0], &at[1])) {
        complain(
            "AssertionError: the traces have different devices (diff without --compat compares "
            "them)");
        return EXIT_FAILURE;
    }
    return finish_answer(options, compat_report_write_both(options->out, at[0].devices,
                                                           at[1].devices, at[0].trace.device_count,
                                                           names, name_limit(choice)));
}

int cmd_diff_compat(const struct profdump_options *options, const struct compat_choice *choice)
{
    struct analysis at[2] = {0};
    char *const *paths = options->inputs;
    int bad = -1;
    if (options->input_count != 2) {
        complain("diff --compat: two Chrome traces are wanted");
        return EXIT_USAGE;
    }
    for (int i = 0; i < 2 && bad < 0; i++)
        if (!load(&at[i], paths[i], choice->type, options->partial))
            bad = i;
    for (int i = 0; i < 2 && bad < 0; i++)
        if (!compute(&at[i]))
            bad = i;
    int status = bad < 0 ? write_both(options, at, choice) : failed(&at[bad], paths[bad]);
    fini(&at[0]);
    fini(&at[1]);
    return status;
}
