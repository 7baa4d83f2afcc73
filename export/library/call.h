/* call.h - what every call of the library begins and ends with.
 *
 * During a call, the calling thread has the C locale (decimal points in files). SIGPIPE and SIGXFSZ are blocked, so that
 * a closed pipe and the limit of file sizes are errors of the call and do not end the program. Messages of profdump's
 * commands go to a listener instead of standard error.
 */
#ifndef PROF_CALL_H
#define PROF_CALL_H

#include "prof/trace.h"
#include "profdump.h"

#include <locale.h>
#include <signal.h>

struct call {
    const struct prof_trace_options *options; /* who hears */
    char *sentence;                           /* COMPLAINT_BYTES: the last one */
    unsigned heard, items;                    /* sentences; what was added to the last one */
    struct listener listener;
    const struct listener *listener_before;
    locale_t locale, locale_before;
    sigset_t signals_before, pending_before;
    int errno_before;
};

/* `options` and `sentence` are borrowed until the end. */
void call_begin(struct call *call, const struct prof_trace_options *options, char *sentence);

/* `otherwise` is why it failed where nothing was heard. Returns `status`. */
prof_status call_end(struct call *call, prof_status status, const char *otherwise);

#endif
