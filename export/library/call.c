/* call.c - see call.h. */
#include "call.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

/* The last one is whole when the next one comes, or the end. */
static void tell(struct call *call)
{
    if (call->heard && call->options->say)
        call->options->say(call->options->user, call->sentence);
}

static void hear(void *user, const char *sentence)
{
    struct call *call = user;
    tell(call);
    call->heard++;
    call->items = 0;
    snprintf(call->sentence, COMPLAINT_BYTES, "%s", sentence);
}

static void hear_more(void *user, const char *item)
{
    struct call *call = user;
    size_t used = strlen(call->sentence);
    snprintf(call->sentence + used, COMPLAINT_BYTES - used, "%s%s", call->items++ ? ", " : " ",
             item);
}

/* Signals that writing may raise: on a closed pipe, and at the limit of file sizes. */
static const int raised[] = {SIGPIPE, SIGXFSZ};
#define RAISED (sizeof raised / sizeof raised[0])

static void hold_signals(struct call *call)
{
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < RAISED; i++)
        sigaddset(&held, raised[i]);
    sigemptyset(&call->pending_before);
    sigpending(&call->pending_before);
    pthread_sigmask(SIG_BLOCK, &held, &call->signals_before);
}

static void take_back(int number)
{
    static const struct timespec now = {0};
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR)
        continue;
}

/* Consumes the signals that the call itself raised, so that the program does not get them. */
static void release_signals(struct call *call)
{
    for (size_t i = 0; i < RAISED; i++)
        if (sigismember(&call->pending_before, raised[i]) != 1)
            take_back(raised[i]);
    pthread_sigmask(SIG_SETMASK, &call->signals_before, NULL);
}

void call_begin(struct call *call, const struct prof_trace_options *options, char *sentence)
{
    *call = (struct call){.options = options, .sentence = sentence, .errno_before = errno};
    call->listener = (struct listener){hear, hear_more, call};
    *sentence = '\0';
    hold_signals(call);
    call->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    call->locale_before = uselocale(call->locale);
    call->listener_before = complain_to(&call->listener);
    errno = 0;
}

prof_status call_end(struct call *call, prof_status status, const char *otherwise)
{
    if (status != PROF_OK && !call->heard)
        complain("%s", otherwise);
    tell(call);
    if (status == PROF_OK)
        *call->sentence = '\0';
    complain_to(call->listener_before);
    uselocale(call->locale_before);
    if (call->locale)
        freelocale(call->locale);
    release_signals(call);
    errno = call->errno_before;
    return status;
}
