/* finding_text.c - see finding_text.h. */
#include "finding_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WHOLE_DIGITS 100.0

/* What rounds up to the next unit is shown in that: 999.6 us is 1.00 ms. */
static struct finding_text scaled(double value, double step, const char *const *units)
{
    struct finding_text to;
    while (value >= step - 0.5 && units[1]) {
        value /= step;
        units++;
    }
    int decimals = value < 9.995 ? 2 : value < WHOLE_DIGITS - 0.05 ? 1 : 0;
    snprintf(to.text, sizeof to.text, "%.*f %s", decimals, value, *units);
    return to;
}

struct finding_text finding_time(int64_t ns)
{
    static const char *const units[] = {"us", "ms", "s", NULL};
    struct finding_text to;
    if (ns > -1000 && ns < 1000) {
        snprintf(to.text, sizeof to.text, "%" PRId64 " ns", ns);
        return to;
    }
    return scaled((double)ns / 1000, 1000, units);
}

struct finding_text finding_share(int64_t part, int64_t whole)
{
    struct finding_text to;
    double percent = whole > 0 ? 100 * (double)part / (double)whole : 0;
    if (whole <= 0)
        snprintf(to.text, sizeof to.text, "unknown");
    else if (part > 0 && percent < 0.1)
        snprintf(to.text, sizeof to.text, "< 0.1 %%");
    else
        snprintf(to.text, sizeof to.text, percent > 0 && percent < 9.95 ? "%.1f %%" : "%.0f %%",
                 percent);
    return to;
}

struct finding_text finding_bytes(uint64_t bytes)
{
    static const char *const units[] = {"KB", "MB", "GB", "TB", NULL};
    struct finding_text to;
    if (bytes < 1024) {
        snprintf(to.text, sizeof to.text, "%" PRIu64 " B", bytes);
        return to;
    }
    return scaled((double)bytes / 1024, 1024, units);
}

/* "calls", "copies", "stretches" */
struct finding_text finding_count(uint64_t count, const char *noun)
{
    struct finding_text to;
    size_t size = strlen(noun);
    bool ends_in_y = size && noun[size - 1] == 'y', ends_in_h = size && noun[size - 1] == 'h';
    if (count == 1)
        snprintf(to.text, sizeof to.text, "1 %s", noun);
    else if (ends_in_y)
        snprintf(to.text, sizeof to.text, "%" PRIu64 " %.*sies", count, (int)size - 1, noun);
    else
        snprintf(to.text, sizeof to.text, "%" PRIu64 " %s%s", count, noun, ends_in_h ? "es" : "s");
    return to;
}
