/* labelled.h - an event of NVTX's or ITT's kind as records in the calling thread's log: its name,
 * its label, what the name says beside it. The way of everything that a hot path does not know
 * already.
 *
 * All but labelled_end() need a ready thread (thread_ready).
 */
#ifndef PROF_LABELLED_H
#define PROF_LABELLED_H

#include "labels.h"
#include "thread.h"
#include "torch_names.h"

#include <stdint.h>

enum labelled_kind { LABELLED_PUSH, LABELLED_MARK, LABELLED_BEGIN };

/* The push of an event whose id is known, as it is kept (names_keep): the whole hot path. False: it
 * takes more than that. */
static inline bool labelled_push_fast(uint64_t kept)
{
    uint64_t place = names_place(kept);
    return __builtin_expect(place < PROF_NAME_ID_MAX, 1) &&
           __builtin_expect(thread_event_fast(PROF_KIND_NVTX_PUSH, (uint32_t)place + 1), 1);
}

/* What an event's text becomes. Zero-filled: no text. */
struct labelled_name {
    uint32_t name;            /* name id */
    struct torch_names torch; /* PyTorch's parts of it; count 0: none; points into the text */
};

/* Reads a NUL-terminated text, of `bytes` bytes where they are known. The second does not remember
 * where it stood: for texts whose place is used again. */
void labelled_read(struct labelled_name *named, const char *text);
void labelled_read_n(struct labelled_name *named, const char *text, size_t bytes);

/* The label of the key's first five fields, whose name is stated; NULL when there is no room
 * (counted). */
const struct label *labelled_label(const struct label *key);

/* Records the event `id`, a label's or a name's. Returns what attributes of it have as their
 * target. `begun`: the id of a range that any thread may end, 0 when there is none. */
uint64_t labelled_record(enum labelled_kind kind, uint32_t id, uint64_t *begun);

/* PyTorch's parts of the name as attributes. */
void labelled_parts(uint64_t target, const struct labelled_name *named);

/* Ends a range that labelled_record() has begun. Any thread. */
void labelled_end(uint64_t id);

/* Records a range that is over, from and to ticks of the recorder's clock. Returns its id, 0:
 * none. */
uint64_t labelled_past(uint32_t id, uint64_t begin_ticks, uint64_t end_ticks);

#endif
