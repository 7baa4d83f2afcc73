/* itt_calls.h - what a program's pointers for calls of ITT hold. A section per source file.
 *
 * Any thread, any argument but an invalid handle; all preserve errno.
 */
#ifndef PROF_ITT_CALLS_H
#define PROF_ITT_CALLS_H

#include "itt_abi.h"

struct interned_text;

/* ---- itt_tasks.c ----
 *
 * Tasks that nest, the hot path; markers. A task is a push and a pop of its domain. */

void itt_task_begin(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
                    struct itt_string *name);
void itt_task_begin_fn(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
                       void *function);
void itt_task_end(const struct itt_domain *domain);

void itt_marker(const struct itt_domain *domain, struct itt_id id, struct itt_string *name,
                int scope);

/* What attributes of the instance `id` have as their target: the innermost task of the thread (its
 * id, or none given), the latest marker, a range that any thread may end. UINT64_MAX: none
 * that can be told: a task around the innermost one (counted), or what is not recorded. */
uint64_t itt_target(struct itt_id id);

/* ---- itt_spans.c ----
 *
 * Things that need not nest and that any thread may end: overlapped tasks, regions, frames. They
 * become ranges with a begin and an end. No lock: the end of a thing has the program's id, and a
 * table has ours. It has room for 16384; beyond that, things are not recorded (counted).
 */

void itt_task_begin_overlapped(const struct itt_domain *domain, struct itt_id id,
                               struct itt_id parent, struct itt_string *name);
void itt_task_end_overlapped(const struct itt_domain *domain, struct itt_id id);
void itt_region_begin(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
                      struct itt_string *name);
void itt_region_end(const struct itt_domain *domain, struct itt_id id);

/* Frames have no name but their domain's: here they are called "frame". Without an id there is one
 * at a time in a domain. */
void itt_frame_begin_v3(const struct itt_domain *domain, const struct itt_id *id);
void itt_frame_end_v3(const struct itt_domain *domain, const struct itt_id *id);

/* A frame that is over, in itt_get_timestamp()'s times; the other way round is counted. */
void itt_frame_submit_v3(const struct itt_domain *domain, const struct itt_id *id, uint64_t begin,
                         uint64_t end);

/* Now, in ticks of the recorder's clock. */
uint64_t itt_get_timestamp(void);

/* Frames of before version 3: what is created is a domain. */
struct itt_domain *itt_frame_create(const char *domain);
void itt_frame_begin(struct itt_domain *frame);
void itt_frame_end(struct itt_domain *frame);

/* An event of before version 3 on the calling thread. */
void itt_span_begin_event(uint32_t event, struct interned_text *name);
void itt_span_end_event(uint32_t event);

/* The range that is open as `id`; 0: none. */
uint64_t itt_span_find(struct itt_id id);

/* In a forked child: nothing is open. */
void itt_span_fork_child(void);

/* ---- itt_events.c ----
 *
 * Calls of before version 3 that go by a number for a name, names of threads, pausing. */

/* An event: from its start to its end on the same thread. One that is never ended lasts as long as
 * the recording. `bytes` of the name count; where negative, all. Numbers are from 1; 0: there are
 * too many, or no name (counted). The others return 0, or -1 for no number of ours (counted). */
int itt_event_create(const char *name, int bytes);
int itt_event_start(int event);
int itt_event_end(int event);

/* A mark; `parameter`, which may be NULL, becomes its attribute. */
int itt_mark_create(const char *name);
int itt_mark(int mark, const char *parameter);

/* The calling thread's name. */
void itt_thread_set_name(const char *name);
int itt_thr_name_set(const char *name, int bytes);

/* Pauses and resumes all recording, whatever started it. Starts and stops still count meanwhile.
 * After detach for good. `scope` of ITT_COLLECTION_HOST. */
void itt_pause(void);
void itt_resume(void);
void itt_pause_scoped(uint32_t scope);
void itt_resume_scoped(uint32_t scope);
void itt_detach(void);

/* ---- itt_counters.c ----
 *
 * A counter has one value in the process, which is kept also while nothing is recorded. Each change
 * is recorded as the value it leads to. */

/* NULL: no name, or no memory (counted). */
struct itt_counter *itt_counter_create(const char *name, const char *domain);
struct itt_counter *itt_counter_create_typed(const char *name, const char *domain, int type);
struct itt_counter *itt_counter_create_v3(const struct itt_domain *domain, const char *name,
                                          int type);

/* `value` points to a number of the counter's type. */
void itt_counter_set_value(struct itt_counter *counter, const void *value);

void itt_counter_inc(struct itt_counter *counter);
void itt_counter_dec(struct itt_counter *counter);
void itt_counter_inc_delta(struct itt_counter *counter, uint64_t delta);
void itt_counter_dec_delta(struct itt_counter *counter, uint64_t delta);

void itt_counter_inc_v3(const struct itt_domain *domain, struct itt_string *name);
void itt_counter_dec_v3(const struct itt_domain *domain, struct itt_string *name);
void itt_counter_inc_delta_v3(const struct itt_domain *domain, struct itt_string *name,
                              uint64_t delta);
void itt_counter_dec_delta_v3(const struct itt_domain *domain, struct itt_string *name,
                              uint64_t delta);

/* ---- itt_metadata.c ----
 *
 * Attributes of the instance `id`, or of the innermost range of the thread (no id, or a scope other
 * than markers). NULL keys and values, unknown types and ids of tasks around the innermost one are
 * ignored and counted; ids of what is not recorded (oneTBB names nodes of graphs so) are ignored.
 */

/* One value is a number, several are text: "[1, 2, 3]", cut at PROF_NAME_BYTES_MAX. */
void itt_metadata_add(const struct itt_domain *domain, struct itt_id id, struct itt_string *key,
                      int type, size_t count, const void *data);
void itt_metadata_add_with_scope(const struct itt_domain *domain, int scope, struct itt_string *key,
                                 int type, size_t count, const void *data);

/* `bytes` of the text count; ITT_TERMINATED: up to its end. */
void itt_metadata_str_add(const struct itt_domain *domain, struct itt_id id, struct itt_string *key,
                          const char *data, size_t bytes);
void itt_metadata_str_add_with_scope(const struct itt_domain *domain, int scope,
                                     struct itt_string *key, const char *data, size_t bytes);

/* As printf() has it, but without %n: the attribute "metadata". */
void itt_formatted_metadata_add(const struct itt_domain *domain, struct itt_string *format, ...);
void itt_formatted_metadata_add_overlapped(const struct itt_domain *domain, struct itt_id id,
                                           struct itt_string *format, ...);

/* ---- itt_heap.c: the program's own allocators: memory as prof_alloc() has it ----
 *
 * The functions of one domain are one allocator, since one of them frees what another gave.
 */

/* The allocator's number; NULL: too many, or no name (counted). */
void *itt_heap_function_create(const char *name, const char *domain);

/* `address` is where the program keeps the address. */
void itt_heap_allocate_end(void *function, void *const *address, size_t bytes, int initialized);
void itt_heap_free_begin(void *function, void *address);
void itt_heap_reallocate_begin(void *function, void *address, size_t bytes, int initialized);
void itt_heap_reallocate_end(void *function, void *address, void *const *new_address, size_t bytes,
                             int initialized);

#endif
