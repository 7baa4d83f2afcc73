/* diff_options.c - see diff_options.h. */
#include "diff_options.h"

#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool diff_options_agree(struct profdump_options *options)
{
    enum diff_by by;
    if (!options->by && options->export_paths[EXPORT_HTML]) /* a page has room for all */
        options->diff.tables |= 1u << DIFF_BY_API | 1u << DIFF_BY_COPY;
    if (!options->by)
        return true;
    if (!diff_by_find(options->by, &by)) {
        complain("--by: '%s' is not one of kernel, op, range, path, api, copy", options->by);
        return false;
    }
    options->diff.tables = 1u << by;
    return true;
}

/* Decimal digits, with a point or without, and what stands behind them. */
static bool read_number(const char *text, double *number, const char **rest)
{
    size_t size = strspn(text, "0123456789.");
    char digits[32], *end;
    if (size == 0 || size >= sizeof digits)
        return false;
    memcpy(digits, text, size);
    digits[size] = '\0';
    *number = strtod(digits, &end);
    *rest = text + size;
    return end == digits + size;
}

static bool set_resamples(struct profdump_options *options, const char *text)
{
    const char *rest;
    double number;
    bool good = read_number(text, &number, &rest) && !*rest && number == floor(number) &&
                number >= BOOTSTRAP_RESAMPLES_MIN && number <= BOOTSTRAP_RESAMPLES_MAX;
    if (good)
        options->diff.resamples = (uint32_t)number;
    else
        complain("--resamples: '%s' is not a number of %u to %u", text, BOOTSTRAP_RESAMPLES_MIN,
                 BOOTSTRAP_RESAMPLES_MAX);
    return good;
}

static bool set_confidence(struct profdump_options *options, const char *text)
{
    const char *rest;
    double percent;
    bool good = read_number(text, &percent, &rest) && (!*rest || strcmp(rest, "%") == 0) &&
                percent >= 50 && percent <= 99.9;
    if (good)
        options->diff.confidence = percent / 100;
    else
        complain("--confidence: '%s' is not a percentage of 50 to 99.9", text);
    return good;
}

/* "5%" and "1.05x" mean the same; a number alone could mean either. */
static bool set_limit(struct profdump_options *options, const char *text)
{
    const char *rest;
    double number = 0;
    bool read = read_number(text, &number, &rest);
    options->diff.gate = read && ((strcmp(rest, "%") == 0 && number <= 1e6) ||
                                  (strcmp(rest, "x") == 0 && number >= 1 && number <= 1e4));
    if (options->diff.gate)
        options->diff.gate_limit = *rest == '%' ? number / 100 : number - 1;
    else
        complain("--fail-if-slower: '%s' is no limit like 5%% or 1.05x", text);
    return options->diff.gate;
}

static bool set_gate(struct profdump_options *options, const char *name)
{
    static const char *const names[] = {"auto", "step", "device", "kernel"};
    for (unsigned i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) {
            options->diff.gate_of = (enum diff_gate_of)i;
            return true;
        }
    complain("--fail-on: '%s' is not one of auto, step, device, kernel", name);
    return false;
}

bool diff_options_names(const struct profdump_options *options, const char *names[2],
                        char **storage)
{
    *storage = strdup(options->diff_names ? options->diff_names : "base,new");
    char *comma = *storage ? strchr(*storage, ',') : NULL;
    if (!*storage) {
        complain("--names: %s", strerror(ENOMEM));
        return false;
    }
    if (!comma || strchr(comma + 1, ',') || comma == *storage || !comma[1]) {
        complain("--names: '%s' is not two names with a comma between them", *storage);
        return false;
    }
    *comma = '\0';
    names[0] = *storage;
    names[1] = comma + 1;
    if (strcmp(names[0], names[1]) != 0)
        return true;
    complain("--names: both are called '%s'", names[0]);
    return false;
}

const struct option_entry diff_option_entries[] = {
    TEXT("names", "A,B", diff_names, "with diff: what the two are called (default base,new)"),
    CHOICE("per-step", diff.normalise, DIFF_PER_STEP, NULL),
    CHOICE("totals", diff.normalise, DIFF_TOTALS,
           "with diff: calls and totals per step, or as they are; without it per\n"
           "step where both have steps, but not as many"),
    FLAG("no-match", diff_no_match, "with diff: kernels are the same by name only"),
    CALL("confidence", "PERCENT", set_confidence, "with diff: of the intervals (default 95)"),
    CALL("resamples", "N", set_resamples, "with diff: of the bootstrap (default 1000)"),
    CALL("fail-if-slower", "LIMIT", set_limit,
         "with diff: exit with 4 when the second is slower than 5% or 1.05x, and\n"
         "that is more than noise"),
    CALL("fail-on", "WHAT", set_gate,
         "with --fail-if-slower: step, device or kernel; auto (default): the\n"
         "median step, without steps the device time"),
    {0},
};
