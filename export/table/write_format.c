/* write_format.c - see write_format.h. */
#include "write_format.h"

#include <string.h>

static const char *const names[] = {"text", "tsv", "csv", "json", "markdown"};

bool write_format_find(const char *name, enum write_format *format)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *format = (enum write_format)i;
            return true;
        }
    return false;
}

const char *write_format_name(enum write_format format)
{
    return names[format];
}

enum grid_style write_format_style(enum write_format format)
{
    static const enum grid_style styles[] = {
        [WRITE_TEXT] = GRID_ALIGNED, [WRITE_TSV] = GRID_TSV,           [WRITE_CSV] = GRID_CSV,
        [WRITE_JSON] = GRID_ALIGNED, [WRITE_MARKDOWN] = GRID_MARKDOWN,
    };
    return styles[format];
}
