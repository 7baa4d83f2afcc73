/* summary_inside.h - what the files of the summary share. All of it is protected by the lock of
 * summary.c, except where noted. */
#ifndef PROF_SUMMARY_INSIDE_H
#define PROF_SUMMARY_INSIDE_H

#include "prof/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUMMARY_NEVER INT64_MAX

/* Device records reach the log at the latest one flush after the operation ended, as a rule. */
#define SUMMARY_LAG_NS INT64_C(3000000000)

/* ---- summary.c ---- */

/* Whether the logs are walked. Any thread. */
bool summary_wanted(void);

/* ---- summary_clock.c: ticks and device times to nanoseconds since the file was made ---- */

/* Takes the samples that came since the last call. Returns the ticks of the latest one: events
 * before it can be converted exactly. */
uint64_t summary_clock_update(void);
int64_t summary_clock_ns(uint64_t ticks);
int64_t summary_clock_device_ns(uint64_t realtime_ns);
void summary_clock_forget(void);

/* When recording of that epoch stopped; false: it did not, or too long ago. */
bool summary_clock_stop_ns(uint32_t epoch, int64_t *stop_ns);

/* ---- summary_table.c ---- */

bool summary_table_begin(void);
/* Writes out what the table holds when it is full. */
void summary_table_add(enum prof_summary_kind kind, uint64_t step, uint64_t name, int64_t ns);
void summary_table_unseen(uint64_t chunks);
/* Writes the records and empties the table; the round lasted from..to. */
void summary_table_emit(int64_t from_ns, int64_t to_ns);

/* ---- summary_device.c ---- */

/* The call that launched something. */
struct summary_call {
    int64_t enter_ns, exit_ns;
    uint32_t correlation;
    uint32_t flags; /* PROF_API_* */
};

bool summary_device_begin(void);
void summary_step_begin(uint64_t number, int64_t start_ns);
void summary_step_end(uint64_t number, int64_t start_ns, int64_t end_ns);
/* The step that an event of this time belongs to, PROF_SUMMARY_NO_STEP. */
uint64_t summary_step_at(int64_t time_ns);
void summary_launch(const struct summary_call *call);
/* Whether libprof itself made the call, as far as calls were walked. */
bool summary_is_internal(uint32_t correlation);
void summary_launch_end(uint32_t correlation, int64_t enter_ns, int64_t exit_ns);
/* A device record; other types are ignored. */
void summary_operation(const uint64_t *record, unsigned words);
/* Gives operations of earlier walks their steps, as their launches were seen meanwhile. */
void summary_operations_place(void);
/* Emits steps that ended before `until_ns`. */
void summary_steps_emit(int64_t until_ns);

/* ---- summary_log.c ---- */

bool summary_log_begin(uint64_t chunks);
/* Walks what the logs have gained, up to events at `limit_ticks`. */
void summary_log_walk(uint64_t limit_ticks);
/* Ends what is open. */
void summary_log_end(int64_t end_ns);

#endif
