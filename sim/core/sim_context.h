/* sim_context.h - contexts: one primary context per device, more through cuCtxCreate, and the
 * calling thread's current context.
 */
#ifndef SIM_CONTEXT_H
#define SIM_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim_facts.h"
#include "sim_shared.h"

struct sim_stream;

struct sim_context {
    struct sim_context *next; /* all contexts; core lock */
    uint32_t id;              /* CUPTI's contextUid, from 1 */
    int device;
    bool primary;
    int references;             /* retains of a primary; core lock */
    uint64_t peers;             /* bit per device with peer access enabled; core lock */
    uint32_t next_stream_id;    /* core lock */
    struct sim_stream *legacy;  /* stream 0 */
    struct sim_stream *streams; /* all, legacy included; core lock */
};

/* The device's primary context with one more reference, made if there is none. */
SIM_SHARED int sim_context_retain(int device, struct sim_context **context);
SIM_SHARED int sim_context_release(int device);

/* The primary context of a device, NULL when it is not active. */
SIM_SHARED struct sim_context *sim_context_primary(int device);

SIM_SHARED int sim_context_create(int device, struct sim_context **context);
SIM_SHARED int sim_context_destroy(struct sim_context *context);

/* Tears a primary context down whatever its references (cudaDeviceReset). */
SIM_SHARED int sim_context_reset(int device);

/* The calling thread's current context; NULL when none, or when it has been destroyed. */
SIM_SHARED struct sim_context *sim_context_current(void);

/* Replaces the top of the thread's stack of contexts; NULL pops it. */
SIM_SHARED int sim_context_set_current(struct sim_context *context);
SIM_SHARED int sim_context_push(struct sim_context *context);
SIM_SHARED int sim_context_pop(struct sim_context **context);

/* The first of all contexts, linked by next. Core lock. */
SIM_SHARED struct sim_context *sim_context_first_locked(void);

/* Every stream's work is done, in simulated time too. */
SIM_SHARED void sim_context_synchronize(struct sim_context *context);

#endif
