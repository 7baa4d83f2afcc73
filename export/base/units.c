#include "units.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Rounding to an integer and printing that: printf's %f has the locale's decimal
 * point. */

/* By enum time_unit. */
static const struct {
    const char *name;
    int64_t ns;
    int digits; /* decimals down to the nanosecond */
} time_units[] = {
    {"", 1, 0}, {"s", 1000000000, 9}, {"ms", 1000000, 6}, {"us", 1000, 3}, {"ns", 1, 0}};

/* From here on, doubles have no digits after the point that would be worth rounding. */
#define WHOLE_FROM 1e15

static void print_fixed(double value, unsigned scale, int digits, const char *unit, char *to)
{
    bool whole = value >= WHOLE_FROM;
    uint64_t scaled = value > 0 && !whole ? (uint64_t)(value * scale + 0.5) : 0;
    uint64_t whole_units = !whole ? scaled / scale : value < 1.8e19 ? (uint64_t)value : UINT64_MAX;
    snprintf(to, TIME_TEXT_BYTES, "%llu.%0*llu%s", (unsigned long long)whole_units, digits,
             (unsigned long long)(scaled % scale), unit);
}

void time_text_number(double value, int digits, char to[TIME_TEXT_BYTES])
{
    static const unsigned scales[] = {1, 10, 100, 1000};
    print_fixed(value, scales[digits], digits, "", to);
}

enum time_unit time_text_unit(double ns)
{
    return ns >= 1e9 ? TIME_S : ns >= 1e6 ? TIME_MS : TIME_US;
}

void time_text_in(double ns, enum time_unit unit, char to[TIME_TEXT_BYTES])
{
    if (unit == TIME_AUTO)
        unit = time_text_unit(ns);
    print_fixed(ns / (double)time_units[unit].ns, 1000, 3, time_units[unit].name, to);
}

void time_text(double ns, char to[TIME_TEXT_BYTES])
{
    time_text_in(ns, TIME_AUTO, to);
}

void time_text_exact(int64_t ns, enum time_unit unit, char to[TIME_TEXT_BYTES])
{
    if (unit == TIME_AUTO)
        unit = time_text_unit((double)ns);
    uint64_t whole = ns > 0 ? (uint64_t)ns : 0, scale = (uint64_t)time_units[unit].ns;
    int size = snprintf(to, TIME_TEXT_BYTES, "%llu", (unsigned long long)(whole / scale));
    if (time_units[unit].digits)
        size += snprintf(to + size, TIME_TEXT_BYTES - (size_t)size, ".%0*llu",
                         time_units[unit].digits, (unsigned long long)(whole % scale));
    snprintf(to + size, TIME_TEXT_BYTES - (size_t)size, "%s", time_units[unit].name);
}

bool time_text_find_unit(const char *name, enum time_unit *unit)
{
    for (enum time_unit i = TIME_S; i <= TIME_NS; i++)
        if (strcmp(name, time_units[i].name) == 0) {
            *unit = i;
            return true;
        }
    return false;
}

void time_text_share(int64_t part_ns, int64_t whole_ns, char to[TIME_TEXT_BYTES])
{
    if (whole_ns > 0)
        print_fixed(100.0 * (double)part_ns / (double)whole_ns, 100, 2, "%", to);
    else
        snprintf(to, TIME_TEXT_BYTES, "-");
}

void bytes_text(int64_t bytes, char to[BYTES_TEXT_BYTES])
{
    static const char *const units[] = {"KB", "MB", "GB"};
    uint64_t amount = bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;
    const char *sign = bytes < 0 ? "-" : "";
    int unit = 2;
    if (amount < 1024) {
        snprintf(to, BYTES_TEXT_BYTES, "%s%u B", sign, (unsigned)amount);
        return;
    }
    while (unit > 0 && amount >> (10 * (unit + 1)) == 0)
        unit--;
    uint64_t scale = UINT64_C(1) << (10 * (unit + 1));
    uint64_t hundredths = amount / scale * 100 + (amount % scale * 100 + scale / 2) / scale;
    snprintf(to, BYTES_TEXT_BYTES, "%s%llu.%02u %s", sign, (unsigned long long)(hundredths / 100),
             (unsigned)(hundredths % 100), units[unit]);
}

static const struct {
    const char *name;
    uint64_t ns;
} scales[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"cycles", 1}};

bool time_scale_find(const char *name, enum time_scale *scale)
{
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (strcmp(scales[i].name, name) == 0) {
            *scale = (enum time_scale)i;
            return true;
        }
    return false;
}

const char *time_scale_name(enum time_scale scale)
{
    return scales[scale].name;
}

uint64_t time_scale_ns(enum time_scale scale)
{
    return scales[scale].ns;
}

bool time_scale_fits(enum time_scale source, enum time_scale target)
{
    return (source == TIME_SCALE_CYCLES) == (target == TIME_SCALE_CYCLES);
}

double time_scale_divisor(enum time_scale source, enum time_scale target)
{
    return (double)scales[target].ns / (double)scales[source].ns;
}

/* ---- numbers in sentences ---- */

#define WHOLE_DIGITS 100.0

/* What rounds up to the next unit is shown in that: 999.6 us is 1.00 ms. */
static struct sentence_text scaled(double value, double step, const char *const *units)
{
    struct sentence_text to;
    while (value >= step - 0.5 && units[1]) {
        value /= step;
        units++;
    }
    int decimals = value < 9.995 ? 2 : value < WHOLE_DIGITS - 0.05 ? 1 : 0;
    snprintf(to.text, sizeof to.text, "%.*f %s", decimals, value, *units);
    return to;
}

struct sentence_text sentence_time(int64_t ns)
{
    static const char *const units[] = {"us", "ms", "s", NULL};
    struct sentence_text to;
    if (ns > -1000 && ns < 1000) {
        snprintf(to.text, sizeof to.text, "%" PRId64 " ns", ns);
        return to;
    }
    return scaled((double)ns / 1000, 1000, units);
}

struct sentence_text sentence_share(int64_t part, int64_t whole)
{
    struct sentence_text to;
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

struct sentence_text sentence_bytes(uint64_t bytes)
{
    static const char *const units[] = {"KB", "MB", "GB", "TB", NULL};
    struct sentence_text to;
    if (bytes < 1024) {
        snprintf(to.text, sizeof to.text, "%" PRIu64 " B", bytes);
        return to;
    }
    return scaled((double)bytes / 1024, 1024, units);
}

/* "calls", "copies", "stretches" */
struct sentence_text sentence_count(uint64_t count, const char *noun)
{
    struct sentence_text to;
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
