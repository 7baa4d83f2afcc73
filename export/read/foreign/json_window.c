/* json_window.c - see json_window.h. */
#include "json_window.h"

#include "trace_error.h"

#include <stdlib.h>
#include <string.h>

/* So much stays in the processor's cache between being read and being looked at. */
#define WINDOW_BYTES (UINT32_C(256) << 10)

static void close_window(struct json_window *window, size_t used)
{
    memset(window->buffer + used, '"', JSON_PAD_BYTES);
    window->end = window->buffer + used;
}

bool json_window_init(struct json_window *window, struct source *source, struct read_error *error)
{
    *window = (struct json_window){.source = source, .capacity = WINDOW_BYTES};
    window->buffer = malloc(window->capacity + JSON_PAD_BYTES);
    if (!window->buffer) {
        trace_error(error, source_path(source), "out of memory");
        return false;
    }
    close_window(window, 0);
    return true;
}

void json_window_fini(struct json_window *window)
{
    free(window->buffer);
    window->buffer = NULL;
}

static bool grow(struct json_window *window, struct read_error *error)
{
    size_t used = (size_t)(window->end - window->buffer);
    char *buffer = realloc(window->buffer, window->capacity * 2 + JSON_PAD_BYTES);
    if (!buffer) {
        trace_error(error, source_path(window->source), "out of memory");
        return false;
    }
    window->buffer = buffer;
    window->capacity *= 2;
    close_window(window, used);
    return true;
}

enum json_more json_window_more(struct json_window *window, const char **keep,
                                struct read_error *error)
{
    size_t from = (size_t)(*keep - window->buffer), kept = (size_t)(window->end - *keep);
    if (window->ended)
        return JSON_END;
    if (kept == window->capacity && kept >= JSON_WINDOW_MAX)
        return JSON_TOO_LARGE;
    memmove(window->buffer, *keep, kept);
    window->offset += from;
    close_window(window, kept);
    *keep = window->buffer;
    if (kept > window->capacity / 2 && window->capacity < JSON_WINDOW_MAX) {
        if (!grow(window, error))
            return JSON_FAILED;
        *keep = window->buffer;
    }
    ptrdiff_t got =
        source_read(window->source, window->buffer + kept, window->capacity - kept, error);
    if (got < 0)
        return JSON_FAILED;
    window->ended = got == 0;
    close_window(window, kept + (size_t)got);
    return got ? JSON_MORE : JSON_END;
}
