/* json_window.h - the part of a source that is in memory: it moves on as it is read.
 *
 * A reader that comes to the end in the midst of something asks for more and looks at that again:
 * bytes from the place it names are kept, and move. The window grows where the thing is larger than
 * it, up to JSON_WINDOW_MAX.
 */
#ifndef PROF_JSON_WINDOW_H
#define PROF_JSON_WINDOW_H

#include "json_text.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

#define JSON_WINDOW_MAX (UINT32_C(64) << 20)

struct json_window {
    struct source *source;
    char *buffer;
    size_t capacity; /* without the quotes behind it */
    const char *end;
    uint64_t offset; /* of buffer[0] in the unpacked file */
    bool ended;      /* there are no more bytes */
};

enum json_more { JSON_MORE, JSON_END, JSON_TOO_LARGE, JSON_FAILED };

/* False: no memory. fini may be called anyway. */
bool json_window_init(struct json_window *window, struct source *source, struct read_error *error);
void json_window_fini(struct json_window *window);

/* Keeps what lies from `*keep` on, which moves, and reads more. JSON_END: nothing was added, what is
 * kept stands where it stood. JSON_TOO_LARGE: the window is full of what is kept. JSON_FAILED: `error`
 * says why. */
enum json_more json_window_more(struct json_window *window, const char **keep,
                                struct read_error *error);

static inline uint64_t json_window_offset(const struct json_window *window, const char *at)
{
    return window->offset + (uint64_t)(at - window->buffer);
}

#ifdef __cplusplus
}
#endif
#endif
