/* time_scale.c - see time_scale.h. */
#include "time_scale.h"

#include <stddef.h>
#include <string.h>

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
