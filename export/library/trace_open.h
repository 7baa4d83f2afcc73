/* trace_open.h - a trace that is open, and what every call of the library begins and ends with.
 *
 * During a call, the calling thread has the C locale (decimal points in files). SIGPIPE and SIGXFSZ
 * are blocked, so that a closed pipe and the limit of file sizes are errors of the call and do not
 * end the program. Messages of profdump's commands go to a listener instead of standard error.
 */
#ifndef PROF_TRACE_OPEN_H
#define PROF_TRACE_OPEN_H

#include "prof/trace.h"
#include "profdump.h"

#include <locale.h>
#include <signal.h>
#include <stdatomic.h>

struct call {
    const struct prof_trace_options *options; /* with the error listener */
    char *sentence;                           /* COMPLAINT_BYTES: the last one */
    unsigned heard;                           /* sentences */
    struct listener listener;
    const struct listener *listener_before;
    locale_t locale, locale_before;
    sigset_t signals_before, pending_before;
    int errno_before;
};

/* `options` and `sentence` are borrowed until the end. */
void call_begin(struct call *call, const struct prof_trace_options *options, char *sentence);

/* `otherwise` is the message if nothing was heard. Returns `status`. */
prof_status call_end(struct call *call, prof_status status, const char *otherwise);

/* A timeline that a trace shares with its streams. */
struct held_timeline {
    _Atomic(uint32_t) holders;
    struct timeline *timeline;
};

struct prof_trace {
    struct held_timeline *held;
    struct prof_trace_options given; /* its words are copied to `words` */
    struct profdump_options options; /* parsed from `words`, with the inputs */
    char **paths;                    /* NULL at the end, as of words */
    char **words;
    char sentence[COMPLAINT_BYTES];
};

/* Frees the timeline with its last holder. NULL is fine. */
void held_timeline_release(struct held_timeline *held);

struct command;

/* Parses the words, options of `command` (NULL: of any), into the options, which borrow them; NULL:
 * none. False after having complained. */
bool opened_parse_words(struct profdump_options *options, const struct command *command,
                        const char *const *words);

#endif
