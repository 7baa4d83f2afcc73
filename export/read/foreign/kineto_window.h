/* kineto_window.h - the part of a Chrome trace that is in memory.
 *
 *     file --source_read()--> blocks --kineto_window_more()--> the window --> kineto_file.c
 *
 * If the caller reaches the end of the window in the middle of a value, it requests more and
 * parses that value again: bytes from the position that it names are kept, but move. The window
 * grows if the value is larger than a block, up to KINETO_WINDOW_MAX.
 *
 * For a file of more than two blocks, a second thread reads and inflates ahead if the process may
 * run on two processors. With no block left to fill, it parses events in the block farthest ahead.
 * It must guess where an event begins, so its events are used only if the caller arrives at exactly
 * that position. So the thread changes neither what is read nor which damage is reported.
 */
#ifndef PROF_KINETO_WINDOW_H
#define PROF_KINETO_WINDOW_H

#include "kineto_event.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KINETO_WINDOW_MAX (UINT32_C(64) << 20)

/* Events that were parsed ahead; nothing but commas and white space is between them. */
struct kineto_run {
    const char *begin, *end;            /* in the window: the first brace, after the last one */
    const uint8_t *packed, *packed_end; /* see kineto_event_unpack() */
};

struct kineto_window {
    struct source *source;
    const char *begin, *end; /* JSON_PAD_BYTES quotes are after the end */
    uint64_t offset;         /* of `begin` in the unpacked file */
    struct kineto_run run;   /* begin NULL: none */
    struct kineto_blocks *blocks;
    char *large; /* holds the window where it is larger than a block */
    size_t large_bytes;
    bool ended; /* there are no more bytes */
};

enum kineto_more { KINETO_MORE, KINETO_END, KINETO_TOO_LARGE, KINETO_FAILED };

/* An empty window at the beginning of the source, of which nothing was read. `parses`: the second
 * thread parses events, too. False: no memory. fini may be called anyway. */
bool kineto_window_init(struct kineto_window *window, struct source *source, bool parses,
                        struct read_error *error);
void kineto_window_fini(struct kineto_window *window);

/* Keeps what lies from `*keep` on, which moves, and reads more. KINETO_END: nothing was added, and
 * nothing has moved. KINETO_TOO_LARGE: the window is full of what is kept. KINETO_FAILED: `error`
 * says why. */
enum kineto_more kineto_window_more(struct kineto_window *window, const char **keep,
                                    struct read_error *error);

static inline uint64_t kineto_window_offset(const struct kineto_window *window, const char *at)
{
    return window->offset + (uint64_t)(at - window->begin);
}

#ifdef __cplusplus
}
#endif
#endif
