/* kineto_slice.h - which kind of slice an event of a thread is. */
#ifndef PROF_KINETO_SLICE_H
#define PROF_KINETO_SLICE_H

#include "kineto_event.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline bool kineto_begins(struct text text, const char *word)
{
    size_t size = strlen(word);
    return text.size >= size && memcmp(text.bytes, word, size) == 0;
}

/* Sets kind, flags, result and correlation: of a call its own, of a range its "External id", by which
 * operations of devices may name it. `name` is the event's, without escapes. */
void kineto_slice_classify(const struct kineto_event *event, struct text name,
                           struct read_slice *slice);

#ifdef __cplusplus
}
#endif
#endif
