/* window_options.c - see window_options.h. */
#include "window_options.h"

#include "json_text.h"
#include "options.h"
#include "timeline_restrict.h"
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

bool window_options_duration(const char *text, int64_t *ns)
{
    enum time_unit unit = TIME_NS;
    char number[64]; /* with a zero in front: ".5" is one, too */
    size_t size = strspn(text, "0123456789.eE");
    bool named = text[size] ? time_text_find_unit(text + size, &unit) : strcmp(text, "0") == 0;
    unsigned scale = unit == TIME_S ? 9 : unit == TIME_MS ? 6 : unit == TIME_US ? 3 : 0;
    if (!size || size + 2 > sizeof number || !named)
        return false;
    snprintf(number, sizeof number, "0%.*s", (int)size, text);
    return json_text_nearest((struct text){number, size + 1}, scale, ns) && *ns < JSON_NUMBER_MAX;
}

/* Parses decimal digits; `*rest` is what follows. */
static bool parse_digits(const char *text, int64_t *number, const char **rest)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    *rest = end;
    return *text >= '0' && *text <= '9' && !errno;
}

static bool parse_point(const char *text, struct window_point *point)
{
    const char *rest;
    point->kind = *text == '@' ? WINDOW_SINCE_EPOCH : WINDOW_SINCE_FIRST;
    if (*text == '@')
        return parse_digits(text + 1, &point->ns, &rest) && !*rest;
    return window_options_duration(text, &point->ns);
}

static bool set_point(const char *text, struct window_point *point)
{
    if (parse_point(text, point))
        return true;
    if (*text && text[strspn(text, "0123456789.")] == '\0')
        complain("--window: '%s' has no unit: %sns, %sus, %sms or %ss?", text, text, text, text,
                 text);
    else
        complain("--window: '%s' is not a time: 1.5ms, 20us, 3s or 100ns after the first event, or "
                 "@NANOSECONDS since 1970 in UTC",
                 text);
    return false;
}

/* "5" or "5-9". */
static bool set_steps(struct profdump_options *options, const char *text)
{
    struct window_options *window = &options->window;
    const char *rest;
    bool good = parse_digits(text, &window->first_step, &rest);
    window->last_step = window->first_step;
    if (good && *rest == '-')
        good = parse_digits(rest + 1, &window->last_step, &rest);
    window->steps = true;
    if (good && !*rest && window->first_step <= window->last_step)
        return true;
    complain("--window: '%s' is neither a step, as in step:5, nor a range of steps, as in step:5-9",
             text);
    return false;
}

/* The N-th time that recording was on. */
static bool set_recording(struct profdump_options *options, const char *text)
{
    const char *rest;
    if (parse_digits(text, &options->window.recording, &rest) && !*rest &&
        options->window.recording > 0)
        return true;
    complain("--window: '%s' is not a number from 1 on, as in on:2", text);
    return false;
}

/* "A..B", either of which may be missing. */
static bool set_times(struct profdump_options *options, const char *text, const char *dots)
{
    char from[80];
    int size = snprintf(from, sizeof from, "%.*s", (int)(dots - text), text);
    const char *to = dots + 2;
    if (size >= (int)sizeof from || (!*from && !*to)) {
        complain("--window: '%s' has no times, as in 1.5ms..3s", text);
        return false;
    }
    return (!*from || set_point(from, &options->window.from)) &&
           (!*to || set_point(to, &options->window.to));
}

static bool set_window(struct profdump_options *options, const char *text)
{
    const char *dots = strstr(text, "..");
    if (dots)
        return set_times(options, text, dots);
    if (strncmp(text, "step:", 5) == 0)
        return set_steps(options, text + 5);
    if (strncmp(text, "on:", 3) == 0)
        return set_recording(options, text + 3);
    complain("--window: '%s' is not a window such as 1.5ms..3s, ..20ms, step:3-5 or on:2", text);
    return false;
}

const struct option_entry window_options[] = {
    {CALL("window", "SPEC", set_window, "show only 1.5ms..3s, ..20ms, step:3-5, 2nd window: on:2")},
    {0},
};

bool window_options_given(const struct profdump_options *options)
{
    const struct window_options *window = &options->window;
    return window->from.kind || window->to.kind || window->recording || window->steps;
}

/* Refuses contradictory options. */
static bool is_one_window(const struct window_options *window)
{
    bool times = window->from.kind || window->to.kind;
    if (times + (window->recording > 0) + window->steps > 1)
        complain("--window: times, step: and on: exclude each other");
    else if (window->from.kind && window->from.kind == window->to.kind &&
             window->from.ns >= window->to.ns)
        complain("--window: ends before it begins");
    else if (!window->from.kind && window->to.kind == WINDOW_SINCE_FIRST && window->to.ns == 0)
        complain("--window: ends when it begins");
    else
        return true;
    return false;
}

bool window_options_agree(const struct profdump_options *options, const struct command *command)
{
    if (!window_options_given(options))
        return true;
    if (command->whole_files)
        complain("--window: not with '%s', which copies whole traces", command->word);
    else if (options->compare)
        complain("--window: not with --compare");
    else
        return is_one_window(&options->window);
    return false;
}

/* ---- from words to times ---- */

static int64_t since_base(const struct timeline *timeline, int64_t epoch_ns)
{
    /* both are between 0 and INT64_MAX, but for a base that a damaged file claims */
    uint64_t base_ns = timeline->base_realtime_ns;
    return epoch_ns - (int64_t)(base_ns < INT64_MAX ? base_ns : INT64_MAX);
}

static int64_t time_of(const struct timeline *timeline, struct window_point point,
                       int64_t otherwise_ns)
{
    if (point.kind == WINDOW_SINCE_EPOCH)
        return since_base(timeline, point.ns);
    if (point.kind == WINDOW_OPEN)
        return otherwise_ns;
    int64_t time_ns;
    return __builtin_add_overflow(timeline->origin_ns, point.ns, &time_ns) ? INT64_MAX : time_ns;
}

/* The union of several windows. */
struct span {
    int64_t from_ns, to_ns;
    bool any;
};

static void widen(struct span *span, int64_t from_ns, int64_t to_ns)
{
    if (!span->any || from_ns < span->from_ns)
        span->from_ns = from_ns;
    if (!span->any || to_ns > span->to_ns)
        span->to_ns = to_ns;
    span->any = true;
}

/* Each process numbers its own windows; `*most` is the highest number. */
static struct span find_recording(const struct timeline *timeline, int64_t number, int64_t *most)
{
    struct span span = {0};
    int64_t count = 0;
    *most = 0;
    for (uint32_t i = 0; i < timeline->windows.count; i++) {
        const struct tl_window *window = &timeline->windows.at[i];
        count = i && window[-1].process == window->process ? count + 1 : 1;
        *most = count > *most ? count : *most;
        if (count == number)
            widen(&span, window->start_ns,
                  window->end_ns == TL_NO_TIME ? INT64_MAX : window->end_ns);
    }
    return span;
}

/* Parses each name once: `numbers` has the step by name. */
static struct span find_steps(const struct timeline *timeline, const struct window_options *window,
                              const int64_t *numbers)
{
    struct span span = {0};
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        int64_t number = slice->kind == TL_STEP ? numbers[slice->name] : -1;
        if (number >= window->first_step && number <= window->last_step)
            widen(&span, slice->start_ns, slice->end_ns);
    }
    return span;
}

static bool say(struct read_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool say(struct read_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return false;
}

static bool of_times(const struct window_options *window, const struct timeline *timeline,
                     struct span *span, struct read_error *error)
{
    char length[TIME_TEXT_BYTES];
    widen(span, time_of(timeline, window->from, INT64_MIN),
          time_of(timeline, window->to, INT64_MAX));
    if (span->from_ns < span->to_ns &&
        (window->may_be_empty ||
         (span->from_ns <= timeline->end_ns && span->to_ns > timeline->start_ns)))
        return true;
    time_text((double)(timeline->end_ns - timeline->start_ns), length);
    return say(error,
               "--window: there is no time between its ends in this recording, which lasts %s from "
               "@%" PRIu64 " on",
               length, timeline->base_realtime_ns + (uint64_t)timeline->start_ns);
}

static bool of_recording(const struct window_options *window, const struct timeline *timeline,
                         struct span *span, struct read_error *error)
{
    int64_t most;
    *span = find_recording(timeline, window->recording, &most);
    if (span->any && span->from_ns < span->to_ns)
        return true;
    return say(error, "--window: recording was on %" PRId64 " time%s, not %" PRId64, most,
               plural((uint64_t)most), window->recording);
}

static bool of_steps(const struct window_options *window, const struct timeline *timeline,
                     struct span *span, struct read_error *error)
{
    int64_t *numbers = malloc((timeline->names.count + (size_t)1) * sizeof *numbers);
    if (!numbers)
        return say(error, "--window: %s", strerror(ENOMEM));
    for (uint32_t i = 0; i < timeline->names.count; i++)
        numbers[i] = tl_step_number(timeline->names.at[i]);
    *span = find_steps(timeline, window, numbers);
    free(numbers);
    if (span->any && span->from_ns < span->to_ns)
        return true;
    return say(error, "--window: there is no step %" PRId64 " in this recording",
               window->first_step);
}

bool window_options_find(const struct profdump_options *options, const struct timeline *timeline,
                         int64_t *from_ns, int64_t *to_ns, struct read_error *error)
{
    const struct window_options *window = &options->window;
    struct span span = {0};
    bool found = window->recording ? of_recording(window, timeline, &span, error)
                 : window->steps   ? of_steps(window, timeline, &span, error)
                                   : of_times(window, timeline, &span, error);
    *from_ns = span.from_ns;
    *to_ns = span.to_ns;
    return found;
}

bool window_options_apply(const struct profdump_options *options, struct timeline *timeline,
                          struct read_error *error)
{
    int64_t from_ns, to_ns;
    if (!window_options_given(options))
        return true;
    if (!window_options_find(options, timeline, &from_ns, &to_ns, error))
        return false;
    return timeline_restrict(timeline, from_ns, to_ns) || say(error, "%s", strerror(ENOMEM));
}
