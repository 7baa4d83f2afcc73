/* trace_reader.c - why reading failed, as one line for a person. */
#include "trace_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One line for a person. */

/* A path that does not fit loses its beginning, so that the reason stays. */
#define PATH_SHOWN 240

static void write_line(struct read_error *error, const char *path, const char *place,
                       const char *format, va_list arguments)
{
    if (!error)
        return;
    size_t length = strlen(path);
    bool whole = length <= PATH_SHOWN;
    char reason[sizeof error->message];
    vsnprintf(reason, sizeof reason, format, arguments);
    snprintf(error->message, sizeof error->message, "%s%.*s: %s%.*s", whole ? "" : "...",
             PATH_SHOWN, whole ? path : path + length - PATH_SHOWN, place, 220, reason);
}

void trace_error_at(struct read_error *error, const char *path, uint64_t offset, const char *format,
                    ...)
{
    char place[40];
    snprintf(place, sizeof place, "offset %llu: ", (unsigned long long)offset);
    va_list arguments;
    va_start(arguments, format);
    write_line(error, path, place, format, arguments);
    va_end(arguments);
}

void trace_error(struct read_error *error, const char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_line(error, path, "", format, arguments);
    va_end(arguments);
}
