/* kineto_config.h - the text by which Dynolog's daemon, or Kineto's configuration file, requests a
 * trace.
 *
 *     PROFILE_START_TIME=1789000000000     # CLOCK_REALTIME in ms; at once when missing or 0
 *     ACTIVITIES_DURATION_MSECS=500
 *     ACTIVITIES_LOG_FILE=/tmp/trace.json  # only "trace" is used: see trace_request.h
 *
 * One KEY=VALUE per line, '#' begins a comment. The meaning of the keys is Kineto's. By iterations
 * (PROFILE_START_ITERATION, ACTIVITIES_ITERATIONS) has priority over by time, as there.
 */
#ifndef PROF_KINETO_CONFIG_H
#define PROF_KINETO_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
