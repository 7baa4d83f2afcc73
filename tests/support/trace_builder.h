/* trace_builder.h - makes trace files without a recorder, record by record as format.h has them.
 *
 * Times are nanoseconds since the file was made; one tick is one nanosecond unless the header is
 * changed. Facts go to META, events to the log chosen last. Chunks are begun as they fill. Running
 * out of memory aborts: this is for tests.
 *
 *     struct trace_builder *trace = trace_builder_create();
 *     trace_builder_thread(trace, 1, 4242, "main", 0);
 *     trace_builder_log(trace, 0, 1, 0);
 *     trace_builder_push(trace, 100, trace_builder_name(trace, "work"));
 *     trace_builder_pop(trace, 200);
 *     trace_builder_write(trace, "run.prof");
 *     trace_builder_destroy(trace);
 */
#ifndef PROF_TRACE_BUILDER_H
#define PROF_TRACE_BUILDER_H

#include "prof/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the header says unless it is changed. */
#define TRACE_BUILDER_START_TICKS UINT64_C(5000000000000)
#define TRACE_BUILDER_START_MONOTONIC UINT64_C(5000000000000)
#define TRACE_BUILDER_START_REALTIME UINT64_C(1700000000000000000)

struct trace_builder;

struct trace_builder *trace_builder_create(void);
void trace_builder_destroy(struct trace_builder *trace);

/* The file's header: closed, with CUPTI, 1 tick = 1 ns. Change it at will, at any time before the
 * bytes are taken. */
struct prof_file_header *trace_builder_header(struct trace_builder *trace);

/* The file so far; valid until the next call. Adds the two usual clock samples when none was
 * given. */
const uint8_t *trace_builder_bytes(struct trace_builder *trace, size_t *size);
bool trace_builder_write(struct trace_builder *trace, const char *path);

/* Offset at which the next record of META, or of the log chosen last, will be. */
size_t trace_builder_meta_offset(struct trace_builder *trace);
size_t trace_builder_log_offset(struct trace_builder *trace);

/* Facts. */
uint32_t trace_builder_name(struct trace_builder *trace, const char *name); /* one id per text */
void trace_builder_name_as(struct trace_builder *trace, uint32_t id, const char *bytes,
                           size_t size);
void trace_builder_info(struct trace_builder *trace, enum prof_info_key key, const char *text);
void trace_builder_system_clock(struct trace_builder *trace, bool synchronized,
                                uint64_t max_error_ns, uint64_t estimated_error_ns);
void trace_builder_clock(struct trace_builder *trace, uint64_t ticks, uint64_t monotonic_ns,
                         uint64_t realtime_ns, uint64_t width_ticks);
void trace_builder_thread(struct trace_builder *trace, uint32_t thread, uint32_t tid,
                          const char *name, uint32_t flags);
void trace_builder_device(struct trace_builder *trace, uint32_t device, const char *name);
void trace_builder_context(struct trace_builder *trace, uint32_t context, uint32_t device);
void trace_builder_stream(struct trace_builder *trace, uint32_t context, uint32_t stream,
                          int32_t priority);
void trace_builder_control(struct trace_builder *trace, int64_t time_ns, uint32_t epoch, bool on);
void trace_builder_cost(struct trace_builder *trace, int64_t time_ns,
                        const struct prof_rec_cost *head, const struct prof_cost_item *items,
                        size_t count);
void trace_builder_throttle(struct trace_builder *trace, int64_t time_ns, uint32_t what, bool on,
                            uint32_t cost_ppm, uint32_t budget_ppm);
void trace_builder_frames_end(struct trace_builder *trace, int64_t time_ns);
void trace_builder_control_by(struct trace_builder *trace, int64_t time_ns, uint32_t epoch, bool on,
                              uint32_t reason);
void trace_builder_api_name(struct trace_builder *trace, enum prof_api_domain domain, uint32_t cbid,
                            const char *name);
/* time_ns < 0: before the file began */
void trace_builder_child(struct trace_builder *trace, int64_t time_ns, uint32_t pid,
                         enum prof_child_origin origin);
void trace_builder_meta(struct trace_builder *trace, const void *record,
                        size_t bytes); /* header word included */

/* What NVTX says. An event name's id is new and of the same sequence as names'; `detail` says all
 * but the id. */
uint32_t trace_builder_event_name(struct trace_builder *trace, struct prof_rec_event_name detail);
void trace_builder_domain(struct trace_builder *trace, uint32_t domain, const char *name);
void trace_builder_category(struct trace_builder *trace, uint32_t domain, uint32_t category,
                            const char *name);
void trace_builder_resource(struct trace_builder *trace, enum prof_resource_type type,
                            uint64_t handle, const char *name);

/* Chooses the log that events go to; begins its first chunk on behalf of `thread`. */
void trace_builder_log(struct trace_builder *trace, uint32_t log, uint32_t thread, uint32_t epoch);
/* Goes on in a new chunk of the log, leaving out `skipped` places of its sequence. One begins by
 * itself when a chunk is full, and when a time is too far from the chunk's base for its 40 bits. */
void trace_builder_chunk(struct trace_builder *trace, uint64_t skipped);
void trace_builder_handover(struct trace_builder *trace, uint32_t thread, uint32_t tid);
void trace_builder_thread_end(struct trace_builder *trace, int64_t time_ns);
void trace_builder_epoch(struct trace_builder *trace, int64_t time_ns, uint32_t epoch);

/* What a thread does. */
void trace_builder_push(struct trace_builder *trace, int64_t time_ns, uint32_t name);
void trace_builder_pop(struct trace_builder *trace, int64_t time_ns);
void trace_builder_nvtx_push(struct trace_builder *trace, int64_t time_ns, uint32_t name);
void trace_builder_nvtx_pop(struct trace_builder *trace, int64_t time_ns, uint32_t domain);
void trace_builder_mark(struct trace_builder *trace, int64_t time_ns, uint32_t name);
void trace_builder_begin(struct trace_builder *trace, int64_t time_ns, uint32_t name, uint64_t id);
/* The same with its end, told at time_ns. */
void trace_builder_range(struct trace_builder *trace, int64_t time_ns, uint32_t name, uint64_t id,
                         int64_t begin_ns, int64_t end_ns);
void trace_builder_end(struct trace_builder *trace, int64_t time_ns, uint64_t id);
void trace_builder_counter(struct trace_builder *trace, int64_t time_ns, uint32_t name,
                           double value);
void trace_builder_attr(struct trace_builder *trace, uint32_t key, enum prof_attr_type type,
                        uint64_t value);
void trace_builder_attr_of(struct trace_builder *trace, uint32_t key, enum prof_attr_type type,
                           uint64_t value, uint64_t target);
void trace_builder_step(struct trace_builder *trace, int64_t time_ns, uint64_t number);
void trace_builder_enter(struct trace_builder *trace, int64_t time_ns,
                         struct prof_rec_api_enter call);
void trace_builder_exit(struct trace_builder *trace, int64_t time_ns, uint32_t correlation,
                        int32_t result);
void trace_builder_start_event(struct trace_builder *trace, uint32_t device, uint32_t correlation,
                               int64_t before_ns, int64_t after_ns);
void trace_builder_event(struct trace_builder *trace, enum prof_record_type type, int64_t time_ns,
                         const uint64_t *payload, unsigned words);
void trace_builder_timed(struct trace_builder *trace, int64_t time_ns, uint64_t token);
void trace_builder_word(struct trace_builder *trace, uint64_t word); /* whatever it is */
void trace_builder_ext(struct trace_builder *trace, enum prof_record_type type, uint64_t info,
                       const uint64_t *payload, unsigned words);

/* What a device does. Start and end are times of the trace; they are stored as CLOCK_REALTIME. The
 * header word and the times of `detail` are filled in. Kernels, copies and sets are counted in the
 * header. */
void trace_builder_kernel(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                          uint32_t correlation, struct prof_rec_kernel detail, bool whole);
void trace_builder_memcpy(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                          uint32_t correlation, struct prof_rec_memcpy detail);
void trace_builder_memset(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                          uint32_t correlation, struct prof_rec_memset detail);
void trace_builder_sync(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                        uint32_t correlation, struct prof_rec_sync detail);
void trace_builder_overhead(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                            uint32_t correlation, struct prof_rec_overhead detail);

/* Memory. Times are filled in as above; a record with a pool has the long form. */
void trace_builder_memory(struct trace_builder *trace, int64_t time_ns, uint32_t correlation,
                          struct prof_rec_memory detail);
void trace_builder_memory_pool(struct trace_builder *trace, int64_t time_ns, uint32_t correlation,
                               struct prof_rec_memory_pool detail);
void trace_builder_unified_memory(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                                  struct prof_rec_unified_memory detail);
void trace_builder_allocator(struct trace_builder *trace, uint32_t allocator, const char *name);
void trace_builder_alloc(struct trace_builder *trace, int64_t time_ns, uint32_t allocator,
                         uint64_t address, uint64_t bytes);
void trace_builder_free(struct trace_builder *trace, int64_t time_ns, uint32_t allocator,
                        uint64_t address);
/* CUDA time of a range, in times of the trace, stored as CLOCK_REALTIME; error 1 us. */
void trace_builder_range_time(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                              uint64_t token, uint32_t device);

/* A file with one of everything: two threads, ranges, steps, calls, every kind of device record.
 * Small enough to be damaged in every byte. */
struct trace_builder *trace_builder_sample(void);

#ifdef __cplusplus
}
#endif
#endif
