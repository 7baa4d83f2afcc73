/* cmd_augment.c - profdump augment IN OUT: a copy of a Chrome trace in which kernels and operators have
 * "kernel_flop" and "kernel_num_gb" in their args.
 *
 * What is in the trace already, and is not 0, stays; what is not known is not added. A kernel has its
 * part of its operator's work, the operator all of it; --compat: both have all of it, as PyTorch's
 * torch/_inductor/analysis/profile_analysis.py reckons it.
 */
#include "profdump.h"

#include "augment_event.h"
#include "augment_plan.h"
#include "chrome_copy.h"
#include "compat_trace.h"
#include "kineto_file.h"
#include "merge_chrome.h"
#include "python_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct augmenting {
    const struct profdump_options *options;
    const char *path;
    struct json_out *out;
    struct augment_event event;
    /* without --compat */
    struct augment_plan *plan;
    struct kineto_event read;
    struct kineto_keys keys;
    uint64_t kept; /* values that were there */
    /* --compat */
    struct compat_trace *trace;
    uint32_t next_op, next_kernel;
    struct kineto_walked walked;
    struct read_error error;
    bool begun; /* the brace is written */
};

#define VALUE_BYTES (PYTHON_TEXT_BYTES + 16)

/* Whole numbers as such, as far as a double is exact. */
static struct text number_text(double value, char to[VALUE_BYTES])
{
    if (!isfinite(value))
        return (struct text){"", 0};
    if (value == floor(value) && fabs(value) < 0x1p53)
        snprintf(to, VALUE_BYTES, "%.0f", value);
    else
        python_float(value, to);
    return (struct text){to, strlen(to)};
}

static struct text compat_text(struct compat_value value, char to[VALUE_BYTES])
{
    if (value.kind == COMPAT_NONE)
        return (struct text){"", 0};
    if (value.kind == COMPAT_WHOLE)
        snprintf(to, VALUE_BYTES, "%" PRId64, value.whole);
    else
        python_float(value.real, to);
    return (struct text){to, strlen(to)};
}

/* ---- which values ---- */

/* A value in the file that says something. */
static bool is_told(struct text value)
{
    int64_t number;
    if (!value.bytes)
        return false;
    return !json_text_scaled(value, 18, &number) || number != 0;
}

static struct text unless_told(struct augmenting *augmenting, struct text there, struct text value)
{
    if (!is_told(there))
        return value;
    augmenting->kept++;
    return (struct text){"", 0};
}

static const char *copy_event(void *user, struct json_cursor *cursor, const char *p)
{
    struct augmenting *augmenting = user;
    const struct augment_event *event = &augmenting->event;
    char flop[VALUE_BYTES], gigabytes[VALUE_BYTES];
    const char *end = kineto_event_read(&augmenting->read, &augmenting->keys, cursor, p);
    if (end && augmenting->read.is_flow)
        augmenting->event = (struct augment_event){0};
    else if (!end || !augment_event_read(&augmenting->event, cursor, p))
        return NULL;
    struct augment_work work = {NAN, NAN};
    if (!augmenting->read.is_flow)
        work = augment_plan_work(augmenting->plan, &augmenting->read);
    json_newline(augmenting->out);
    augment_event_write(
        augmenting->out, event, p, end,
        unless_told(augmenting, event->flop, number_text(work.flop, flop)),
        unless_told(augmenting, event->gigabytes, number_text(work.bytes / 1e9, gigabytes)));
    augmenting->out->comma = true;
    return end;
}

static const char *copy_event_compat(void *user, struct json_cursor *cursor, const char *p)
{
    struct augmenting *augmenting = user;
    const struct augment_event *event = &augmenting->event;
    char flop[VALUE_BYTES], gigabytes[VALUE_BYTES];
    struct compat_value values[2] = {0};
    const char *end = augment_event_read(&augmenting->event, cursor, p);
    if (!end)
        return NULL;
    if (compat_is_op(event)) {
        const struct compat_op *op = &augmenting->trace->ops[augmenting->next_op++];
        if (op->has_kernel)
            values[0] = op->flop, values[1] = op->gigabytes;
    } else if (compat_is_kernel(event)) {
        const struct compat_kernel *kernel = &augmenting->trace->kernels[augmenting->next_kernel++];
        if (kernel->external_id.bytes)
            values[0] = kernel->flop, values[1] = kernel->gigabytes;
    }
    json_newline(augmenting->out);
    augment_event_write(augmenting->out, event, p, end, compat_text(values[0], flop),
                        compat_text(values[1], gigabytes));
    augmenting->out->comma = true;
    return end;
}

/* ---- the copy ---- */

/* A file that is an array of events stays one. */
static void begin_object(struct augmenting *augmenting)
{
    if (!augmenting->begun && !augmenting->walked.is_array)
        json_object_begin(augmenting->out);
    augmenting->begun = true;
}

static void copy_member(void *user, struct text key, struct text piece, bool first, bool last)
{
    struct augmenting *augmenting = user;
    begin_object(augmenting);
    chrome_copy_piece(augmenting->out, key, piece, first, last);
}

static void copy_events(void *user, bool begin)
{
    struct augmenting *augmenting = user;
    struct json_out *out = augmenting->out;
    if (begin) {
        begin_object(augmenting);
        if (!augmenting->walked.is_array)
            json_newline(out), json_key(out, "traceEvents");
        json_array_begin(out);
    } else {
        chrome_copy_end_line(out);
        json_array_end(out);
    }
}

static bool write_all(void *user, struct json_out *out)
{
    struct augmenting *augmenting = user;
    const struct kineto_visitor visitor = {
        .user = augmenting,
        .event = augmenting->trace ? copy_event_compat : copy_event,
        .events = copy_events,
        .member = copy_member,
    };
    struct source *source = source_open(augmenting->path, &augmenting->error);
    augmenting->out = out;
    bool good = source && kineto_file_walk(source, augmenting->options->partial, &visitor,
                                           &augmenting->walked, &augmenting->error);
    source_close(source);
    chrome_copy_end_line(out);
    if (!augmenting->walked.is_array) {
        json_object_end(out);
        chrome_copy_end_line(out);
    }
    if (good && augmenting->plan && augmenting->plan->failed) {
        snprintf(augmenting->error.message, sizeof augmenting->error.message, "out of memory");
        good = false;
    }
    return good;
}

static bool write_copy(struct augmenting *augmenting, const char *to)
{
    struct write_error error = {0};
    if (chrome_copy_write(to, write_all, augmenting, &error))
        return true;
    if (augmenting->error.message[0])
        complain("%s", augmenting->error.message);
    else if (error.code != EPIPE)
        complain("%s", error.message);
    return false;
}

/* ---- the two ways ---- */

/* "78 kernels: FLOPs of 12, bytes of 60, no FLOPs of 50 (no formula), 16 (no operator)" */
static void say_counts(const struct augmenting *augmenting)
{
    const struct augment_counts *counts = &augmenting->plan->counts;
    char text[600];
    int used = snprintf(text, sizeof text,
                        "%" PRIu64 " kernels: FLOPs given to %" PRIu64 ", bytes to %" PRIu64,
                        counts->kernels, counts->with_flop, counts->with_bytes);
    const char *before = "; no FLOPs: ";
    for (unsigned i = 0; i < AUGMENT_REASONS && used < (int)sizeof text; i++)
        if (counts->without[i]) {
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%" PRIu64 " %s", before,
                             counts->without[i], augment_reason_text(i));
            before = ", ";
        }
    if (augmenting->kept && used < (int)sizeof text)
        snprintf(text + used, sizeof text - (size_t)used,
                 "; %" PRIu64 " values were there and stay", augmenting->kept);
    complain("%s: %s", augmenting->path, text);
}

static int augment_by_timeline(struct augmenting *augmenting, const char *to)
{
    struct augment_plan plan = {0};
    struct timeline *timeline = inputs_load(augmenting->options);
    if (!timeline)
        return EXIT_FAILURE;
    bool good = augment_plan_init(&plan, timeline);
    augmenting->plan = &plan;
    kineto_keys_init(&augmenting->keys);
    if (!good)
        complain("%s: out of memory", augmenting->path);
    good = good && write_copy(augmenting, to);
    if (good)
        say_counts(augmenting);
    augmenting->plan = NULL;
    augment_plan_fini(&plan);
    timeline_destroy(timeline);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int augment_compat(struct augmenting *augmenting, const char *to)
{
    struct compat_trace trace;
    struct compat_message message;
    bool read = compat_trace_read(&trace, augmenting->path, augmenting->options->partial, &message);
    bool good = read && compat_trace_augment(&trace, &message);
    augmenting->trace = &trace;
    if (!good)
        complain("%s%s%s", read ? augmenting->path : "", read ? ": " : "", message.text);
    good = good && write_copy(augmenting, to);
    augmenting->trace = NULL;
    compat_trace_fini(&trace);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static bool check_usage(const struct profdump_options *options)
{
    if (options->input_count == 2)
        return true;
    complain("augment: a trace and the file to write are wanted: profdump augment IN OUT");
    return false;
}

int cmd_augment(const struct profdump_options *options)
{
    struct profdump_options one = *options;
    struct read_error error;
    if (!check_usage(options))
        return EXIT_USAGE;
    one.input_count = 1;
    struct augmenting augmenting = {.options = &one, .path = options->inputs[0]};
    struct source *source = source_open(augmenting.path, &error);
    source_close(source);
    if (!source) {
        complain("%s", error.message);
        return EXIT_FAILURE;
    }
    if (!merge_chrome_is(augmenting.path)) {
        complain("%s: no Chrome trace; 'profdump --chrome OUT %s' makes one of what can be read",
                 augmenting.path, augmenting.path);
        return EXIT_FAILURE;
    }
    return options->compat ? augment_compat(&augmenting, options->inputs[1])
                           : augment_by_timeline(&augmenting, options->inputs[1]);
}
