/* opened.h - a trace that is open. */
#ifndef PROF_OPENED_H
#define PROF_OPENED_H

#include "call.h"

#include <stdatomic.h>

/* A timeline that the trace and streams of it have together. */
struct held_timeline {
    _Atomic(uint32_t) holders;
    struct timeline *timeline;
};

struct prof_trace {
    struct held_timeline *held;
    struct prof_trace_options given; /* but words: those are in `words` */
    struct profdump_options options; /* as `words` say, with the inputs */
    char **paths;                    /* NULL at the end, as of words */
    char **words;
    char sentence[COMPLAINT_BYTES];
};

/* The last holder's end is the timeline's. NULL is fine. */
void held_timeline_release(struct held_timeline *held);

/* Has the options say what the words say, which they borrow. NULL: there are none. False after having complained. */
bool opened_take_words(struct profdump_options *options, const char *const *words);

#endif
