/* time_text.c - rounding to an integer and printing that: printf's %f has the locale's decimal
 * point. */
#include "time_text.h"

#include <stdio.h>
#include <string.h>

/* By enum time_unit. */
static const struct {
    const char *name;
    int64_t ns;
    int digits; /* decimals down to the nanosecond */
} units[] = {{"", 1, 0}, {"s", 1000000000, 9}, {"ms", 1000000, 6}, {"us", 1000, 3}, {"ns", 1, 0}};

/* From here on, doubles have no digits behind the point that would be worth rounding. */
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
    print_fixed(ns / (double)units[unit].ns, 1000, 3, units[unit].name, to);
}

void time_text(double ns, char to[TIME_TEXT_BYTES])
{
    time_text_in(ns, TIME_AUTO, to);
}

void time_text_exact(int64_t ns, enum time_unit unit, char to[TIME_TEXT_BYTES])
{
    if (unit == TIME_AUTO)
        unit = time_text_unit((double)ns);
    uint64_t whole = ns > 0 ? (uint64_t)ns : 0, scale = (uint64_t)units[unit].ns;
    int size = snprintf(to, TIME_TEXT_BYTES, "%llu", (unsigned long long)(whole / scale));
    if (units[unit].digits)
        size += snprintf(to + size, TIME_TEXT_BYTES - (size_t)size, ".%0*llu", units[unit].digits,
                         (unsigned long long)(whole % scale));
    snprintf(to + size, TIME_TEXT_BYTES - (size_t)size, "%s", units[unit].name);
}

bool time_text_find_unit(const char *name, enum time_unit *unit)
{
    for (enum time_unit i = TIME_S; i <= TIME_NS; i++)
        if (strcmp(name, units[i].name) == 0) {
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
        snprintf(to, TIME_TEXT_BYTES, "NaN");
}
