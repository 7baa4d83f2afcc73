/* sim_activity.h - enabled activity kinds, and the records of simulated work. */
#ifndef SIM_ACTIVITY_H
#define SIM_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

struct sim_call;
struct sim_context;
struct sim_memory_change;
struct sim_migration;
struct sim_op;
struct sim_pool_change;
struct sim_stream;
struct sim_sync;

/* Clients of activity records: 0 is the client of the v1 API, the others are subscribers of the v2
 * API. */
enum { SIM_CLIENTS = 5 };

/* Whether anybody wants records of that kind. Threads: any. */
bool sim_activity_is_on(uint32_t kind);

/* Who gets a record of that kind, a bit per client. */
uint32_t sim_activity_clients(uint32_t kind);
bool sim_activity_client_is_on(uint32_t client);

/* Returns  SIM_CUPTI_OK, SIM_CUPTI_INVALID_KIND, SIM_CUPTI_NOT_COMPATIBLE. */
int sim_activity_enable(uint32_t client, uint32_t kind, bool on);
void sim_activity_disable_client(uint32_t client);

/* Whether API records of this function are wanted: the kind, or the function alone, is on. */
bool sim_activity_wants_api(const struct sim_call *call);
void sim_activity_enable_api(uint32_t domain, uint32_t cbid, bool on);

/* Records of what exists already: devices, contexts, streams. */
void sim_activity_dump(uint32_t kind);

void sim_activity_set_latency(bool on);
bool sim_activity_has_latency(void);

/* The hardware times kernels: it has room for SIM_HARDWARE_RECORDS until the next flush. */
void sim_activity_set_hardware(bool on);
bool sim_activity_has_hardware(void);
void sim_activity_hardware_flushed(void);
void sim_activity_set_event_timestamps(bool on);

/* 1: thread ids are the system's; 0: pthread_self()'s low half. */
void sim_activity_set_thread_id_type(uint32_t type);
uint32_t sim_activity_thread_id_type(void);

/* The records, each made only if its kind is on. */
void sim_activity_api(const struct sim_call *call, uint64_t end_ns);
void sim_activity_op(const struct sim_op *op);
void sim_activity_sync(const struct sim_sync *sync);
void sim_activity_memory(const struct sim_memory_change *change);
void sim_activity_pool(const struct sim_pool_change *change);
void sim_activity_migration(const struct sim_migration *migration);

/* A kernel begins: managed memory that is elsewhere comes to it. Core lock. */
void sim_activity_touch(const struct sim_op *kernel);

/* Which counters of managed memory are delivered: CUPTI's configuration. */
int sim_activity_configure_unified(const uint32_t (*configs)[4], uint32_t count);
void sim_activity_context(const struct sim_context *context);
void sim_activity_stream(const struct sim_stream *stream);
void sim_activity_overhead(uint64_t start_ns, uint64_t end_ns);

/* The calling thread's stack of external ids of one kind. pop: SIM_CUPTI_QUEUE_EMPTY when empty. */
int sim_external_push(uint32_t kind, uint64_t id);
int sim_external_pop(uint32_t kind, uint64_t *id);
void sim_external_record(const struct sim_call *call);

/* A graph was instantiated: whether its launches will have records as a whole. */
void sim_activity_instantiated(uint32_t graph);

#endif
