/* requests.h - trace requests from outside: of Dynolog's daemon (dynolog.c), and of the
 * configuration file that KINETO_CONFIG names.
 *
 * Under KINETO_USE_DAEMON and PROF_DAEMON=auto, only while the process has not loaded PyTorch: its
 * Kineto asks the same daemon, and two tools that begin to use CUPTI at the same moment are in each
 * other's way.
 *
 * The file is read when it changes. Kineto used to read it at SIGUSR2; a guest must not take a
 * signal that ends programs, and of which it would not know whom it is for.
 */
#ifndef PROF_REQUESTS_H
#define PROF_REQUESTS_H

#include "recorder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the environment. Once, from the library's constructor. */
void requests_init(void);

/* Whether anybody is listened to. */
bool requests_wanted(void);

/* From the control thread: at its beginning, when something is due, and at its end. */
void requests_begin(void);
void requests_tick(void);
void requests_finish(void);

/* When something is due next, CLOCK_MONOTONIC ns. */
uint64_t requests_due_ns(void);

/* In a forked child, before its control thread begins. */
void requests_fork_child(void);

/* ---- kineto_config.c: the text of a request ---- */

#define KINETO_CONFIG_BYTES_MAX 8192u
#define KINETO_CONFIG_NO_STEP UINT64_MAX
#define KINETO_CONFIG_DURATION_MS 500u /* when the text has none */
#define KINETO_CONFIG_WARMUP_MS 5000u

struct kineto_config {
    bool wants_trace;      /* it requests a trace; otherwise it only sets defaults */
    uint64_t start_ms;     /* CLOCK_REALTIME; 0: at once */
    uint64_t duration_ms;  /* also if steps are requested and the program counts none */
    uint64_t warmup_ms;    /* before start_ms */
    uint64_t start_step;   /* the first step that may be recorded; NO_STEP: by time */
    uint64_t round_step;   /* begin at a multiple of this, 0: at any step */
    uint64_t steps;        /* how many are recorded */
    uint64_t warmup_steps; /* before the first of them */
    uint64_t poll_s;       /* ON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS; 0 not given */
    char log_file[256];    /* ACTIVITIES_LOG_FILE as given, "" none; too long: its end */
    char id[64];           /* REQUEST_TRACE_ID, "" none */
    char unused[200];      /* keys that have no effect or are unknown */
};

/* Reads `size` bytes, which need not end with NUL. False: the request is wrong or contradictory;
 * `reason` says why in half a sentence. */
bool kineto_config_parse(const char *text, size_t size, struct kineto_config *config, char *reason,
                         size_t reason_bytes);

/* Writes the name that the trace of process `pid` gets to `name`, without a directory: the last
 * component of `log_file` without its endings, of harmless characters, as in "trace_4711.prof".
 * `attempt`: from 1 on, for when earlier names are taken. */
void kineto_config_file_name(const struct kineto_config *config, uint32_t pid, unsigned attempt,
                             char *name, size_t name_bytes);

/* ---- trace_request.c: the trace on demand ---- */

/* From here on steps are counted while recording is off, too. */
void trace_request_listen(bool listens);
bool trace_request_listens(void);

/* Accepts a request of `source` ("Dynolog's daemon", or a path). A request that cannot be met is
 * refused with a sentence, on stderr and in the file. */
void trace_request_accept(const struct kineto_config *config, const char *source);

/* States such a sentence: "trace request of SOURCE refused: REASON". */
void trace_request_refuse(const char *source, const char *reason);

/* Whether there is one, so that another would be refused. */
bool trace_request_is_busy(void);

/* From the control thread: does what is due. */
void trace_request_tick(void);

/* When something is due next, CLOCK_MONOTONIC ns; UINT64_MAX: nothing by time. */
uint64_t trace_request_due_ns(void);

/* Step `number` begins. Any thread; one comparison unless something changes. */
void trace_request_step(uint64_t number);

/* In a forked child: the request is the parent's. */
void trace_request_fork_child(void);

/* Emits what was stated before there was a file. */
extern const struct collector trace_request_collector;

/* ---- dynolog.c: the client of Dynolog's daemon ---- */

/* Reads the environment. Once, from the library's constructor. */
void dynolog_init(void);

/* A process begins: nothing is open, nobody knows it. */
void dynolog_begin(void);

/* Polls for a request, if that is due; every `interval_ns`, less often while the daemon does not
 * answer. */
void dynolog_poll(uint64_t interval_ns);

/* What to poll() for answers, -1 nothing; and reads them. */
int dynolog_fd(void);
void dynolog_receive(void);

void dynolog_close(void);

/* Removes the socket's file, if it has one. Safe in signal handlers, in the process that made
 * it. */
void dynolog_end(void);

/* In a forked child: the socket is the parent's. */
void dynolog_fork_child(void);

#endif
