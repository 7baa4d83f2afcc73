/* call.h - what every call of the library begins and ends with.
 *
 * In between the calling thread has the C locale (numbers in files have points), SIGPIPE and SIGXFSZ wait (a reader
 * who closed the pipe and a limit of file sizes are errors of the call, not the end of the program), and the messages of
 * profdump's commands are heard instead of printed.
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
