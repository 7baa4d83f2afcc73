/* trace_open.c - see trace_open.h. */
#include "trace_open.h"

#include "commands.h"
#include "inputs.h"
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- calls ---- */

/* Passes the last sentence on. */
static void pass_on(struct call *call)
{
    if (call->heard && call->options->say)
        call->options->say(call->options->user, call->sentence);
}

static void on_complaint(void *user, const char *sentence)
{
    struct call *call = user;
    pass_on(call);
    call->heard++;
    snprintf(call->sentence, COMPLAINT_BYTES, "%s", sentence);
}

/* Signals that writing can raise: closed pipe, file size limit. */
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

static void discard_signal(int number)
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
            discard_signal(raised[i]);
    pthread_sigmask(SIG_SETMASK, &call->signals_before, NULL);
}

void call_begin(struct call *call, const struct prof_trace_options *options, char *sentence)
{
    *call = (struct call){.options = options, .sentence = sentence, .errno_before = errno};
    call->listener = (struct listener){on_complaint, call};
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
    pass_on(call);
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

/* ---- a timeline that is kept ---- */

/* Error of the last prof_trace_open() of this thread: without a trace, there is no other place. */
static _Thread_local char thread_sentence[COMPLAINT_BYTES];

void held_timeline_release(struct held_timeline *held)
{
    if (!held || atomic_fetch_sub_explicit(&held->holders, 1, memory_order_acq_rel) != 1)
        return;
    timeline_destroy(held->timeline);
    free(held);
}

bool opened_parse_words(struct profdump_options *options, const struct command *command,
                        const char *const *words)
{
    for (; words && *words; words++) {
        if (!options_parse_word(options, command, *words))
            return false;
        if (options->help || options->version) {
            complain("%s: works only in profdump", *words);
            return false;
        }
    }
    return true;
}

static void list_free(char **list)
{
    for (char **at = list; at && *at; at++)
        free(*at);
    free(list);
}

/* NULL: no memory. */
static char **list_copy(const char *const *list, size_t count)
{
    char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (!(copy[i] = strdup(list[i]))) {
            list_free(copy);
            return NULL;
        }
    return copy;
}

static size_t list_count(const char *const *list)
{
    size_t count = 0;
    while (list && list[count])
        count++;
    return count;
}

static bool paths_are_good(const char *const *paths, size_t count)
{
    bool good = paths && count > 0 && count <= INT_MAX;
    for (size_t i = 0; i < count && good; i++)
        good = paths[i] && *paths[i];
    if (!good)
        complain("prof_trace_open: no inputs, or an empty input name");
    return good;
}

/* Copies as much as the caller's version of the structure has; the rest is zero. */
static bool copy_options(const struct prof_trace_options *from, struct prof_trace_options *to)
{
    size_t size = from ? from->size_bytes : sizeof *to;
    *to = (struct prof_trace_options){.size_bytes = sizeof *to};
    if (from)
        memcpy(to, from, size < sizeof *to ? size : sizeof *to);
    if (size < offsetof(struct prof_trace_options, words))
        complain("prof_trace_open: options.size_bytes is not sizeof(options)");
    else if (to->from_ns < 0 || to->to_ns < 0 || (to->to_ns && to->from_ns >= to->to_ns))
        complain("prof_trace_open: the window does not end after its start");
    else
        return true;
    return false;
}

static bool keep_arguments(struct prof_trace *trace, const char *const *paths, size_t count,
                           const struct prof_trace_options *options)
{
    trace->given = *options;
    trace->paths = list_copy(paths, count);
    trace->words = list_copy(options->words, list_count(options->words));
    trace->held = calloc(1, sizeof *trace->held);
    if (!trace->paths || !trace->words || !trace->held) {
        complain("prof_trace_open: out of memory");
        return false;
    }
    trace->held->holders = 1;
    command_options_default(&trace->options);
    trace->options.out = NULL;
    trace->options.inputs = trace->paths;
    trace->options.input_count = (int)count;
    return true;
}

static struct window_point since_epoch(int64_t time_ns)
{
    return (struct window_point){.kind = WINDOW_SINCE_EPOCH, .ns = time_ns};
}

static prof_status load(struct prof_trace *trace)
{
    if (!opened_parse_words(&trace->options, NULL, (const char *const *)trace->words))
        return PROF_INVALID;
    trace->options.window.may_be_empty = trace->given.from_ns || trace->given.to_ns;
    if (trace->given.from_ns)
        trace->options.window.from = since_epoch(trace->given.from_ns);
    if (trace->given.to_ns)
        trace->options.window.to = since_epoch(trace->given.to_ns);
    trace->held->timeline = inputs_load(&trace->options);
    return trace->held->timeline ? PROF_OK : PROF_FAILED;
}

static prof_status open_with(const char *const *paths, size_t count,
                             const struct prof_trace_options *options, struct prof_trace **trace)
{
    struct prof_trace *made = calloc(1, sizeof *made);
    if (!made)
        return PROF_FAILED;
    prof_status status = keep_arguments(made, paths, count, options) ? load(made) : PROF_FAILED;
    if (status == PROF_OK)
        *trace = made;
    else
        prof_trace_close(made);
    return status;
}

prof_status prof_trace_open(const char *const *paths, size_t count,
                            const struct prof_trace_options *options, struct prof_trace **trace)
{
    struct prof_trace_options given = {0};
    prof_status status = PROF_INVALID;
    struct call call;
    call_begin(&call, &given, thread_sentence);
    if (trace)
        *trace = NULL;
    if (trace && copy_options(options, &given) && paths_are_good(paths, count))
        status = open_with(paths, count, &given, trace);
    return call_end(&call, status,
                    trace ? "prof_trace_open: out of memory"
                          : "prof_trace_open: there is no place for the trace");
}

void prof_trace_close(struct prof_trace *trace)
{
    if (!trace)
        return;
    held_timeline_release(trace->held);
    list_free(trace->paths);
    list_free(trace->words);
    free(trace);
}

const char *prof_trace_error(const struct prof_trace *trace)
{
    return trace ? trace->sentence : thread_sentence;
}
