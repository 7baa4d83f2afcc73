/* cmd_augment.c - profdump augment IN OUT: a copy of a Chrome trace in which kernels and operators have
 * "kernel_flop" and "kernel_num_gb" in their args.
 *
 * What is in the trace already, and is not 0, stays; what is not known is not added. A kernel has its
 * part of its operator's work, the operator all of it.
 */
#include "profdump.h"

#include "augment_event.h"
#include "augment_plan.h"
#include "chrome_copy.h"
#include "compat.h"
#include "merge_chrome.h"
#include "python_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct augmenting {
    const char *path;
    struct augment_plan plan;
    struct augment_event event;
    struct kineto_event read;
    struct kineto_keys keys;
    uint64_t kept; /* values that were there */
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

static const char *copy_event(void *user, struct json_out *out, struct json_cursor *cursor,
                              const char *p)
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
        work = augment_plan_work(&augmenting->plan, &augmenting->read);
    json_newline(out);
    augment_event_write(
        out, event, p, end, unless_told(augmenting, event->flop, number_text(work.flop, flop)),
        unless_told(augmenting, event->gigabytes, number_text(work.bytes / 1e9, gigabytes)));
    out->comma = true;
    return end;
}

/* "78 kernels: FLOPs of 12, bytes of 60, no FLOPs of 50 (no formula), 16 (no operator)" */
static void say_counts(const struct augmenting *augmenting)
{
    const struct augment_counts *counts = &augmenting->plan.counts;
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

static bool write_copy(struct augmenting *augmenting, bool partial, const char *to)
{
    const struct chrome_copy copy = {.path = augmenting->path,
                                     .partial = partial,
                                     .user = augmenting,
                                     .event = copy_event,
                                     .no_memory = &augmenting->plan.failed};
    struct write_error error = {0};
    bool written = chrome_copy_trace(&copy, to, &error);
    if (!written && error.code != EPIPE)
        complain("%s", error.message);
    return written;
}

static int augment(const struct profdump_options *options, const char *to)
{
    struct augmenting augmenting = {.path = options->inputs[0]};
    struct timeline *timeline = inputs_load(options);
    if (!timeline)
        return EXIT_FAILURE;
    bool good = augment_plan_init(&augmenting.plan, timeline);
    kineto_keys_init(&augmenting.keys);
    if (!good)
        complain("%s: out of memory", augmenting.path);
    good = good && write_copy(&augmenting, options->partial, to);
    if (good)
        say_counts(&augmenting);
    augment_plan_fini(&augmenting.plan);
    timeline_destroy(timeline);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static bool check_usage(const struct profdump_options *options)
{
    if (options->input_count == 2)
        return true;
    complain("augment: a trace and the file to write are wanted: profdump augment IN OUT");
    return false;
}

/* False after having complained. */
static bool is_chrome_trace(const char *path)
{
    struct read_error error;
    struct source *source = source_open(path, &error);
    source_close(source);
    if (!source)
        complain("%s", error.message);
    else if (!merge_chrome_is(path))
        complain("%s: no Chrome trace; 'profdump --chrome OUT %s' makes one of what can be read",
                 path, path);
    else
        return true;
    return false;
}

int cmd_augment(const struct profdump_options *options)
{
    struct profdump_options one = *options;
    if (!check_usage(options))
        return EXIT_USAGE;
    if (!is_chrome_trace(options->inputs[0]))
        return EXIT_FAILURE;
    if (options->compat)
        return compat_augment(options);
    one.input_count = 1;
    return augment(&one, options->inputs[1]);
}
