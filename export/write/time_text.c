/* time_text.c - rounding to an integer and printing that: printf's %f has the locale's decimal
 * point. */
#include "time_text.h"

#include <stdio.h>

static void print_fixed(double value, unsigned scale, int digits, const char *unit, char *to)
{
    uint64_t scaled = value > 0 && value < 1e15 ? (uint64_t)(value * scale + 0.5) : 0;
    snprintf(to, TIME_TEXT_BYTES, "%llu.%0*llu%s", (unsigned long long)(scaled / scale), digits,
             (unsigned long long)(scaled % scale), unit);
}

void time_text(double ns, char to[TIME_TEXT_BYTES])
{
    if (ns >= 1e9)
        print_fixed(ns / 1e9, 1000, 3, "s", to);
    else if (ns >= 1e6)
        print_fixed(ns / 1e6, 1000, 3, "ms", to);
    else
        print_fixed(ns / 1e3, 1000, 3, "us", to);
}

void time_text_share(int64_t part_ns, int64_t whole_ns, char to[TIME_TEXT_BYTES])
{
    if (whole_ns > 0)
        print_fixed(100.0 * (double)part_ns / (double)whole_ns, 100, 2, "%", to);
    else
        snprintf(to, TIME_TEXT_BYTES, "NaN");
}
