/* kineto_facts.h - what a Chrome trace says beside its events: its members. */
#ifndef PROF_KINETO_FACTS_H
#define PROF_KINETO_FACTS_H

#include "event_store.h"
#include "json_text.h"
#include "kineto_event.h"
#include "kineto_groups.h"
#include "kineto_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A larger value says nothing that is wanted. */
#define KINETO_FACT_BYTES (UINT32_C(1) << 20)
#define KINETO_DEVICES_MAX 64u /* as many as event_store_busy_devices() tells of */

struct kineto_facts {
    struct event_store *store;
    uint64_t
        base_ns; /* since the epoch: what all times count from; 0 the epoch itself, or unknown */
    struct kineto_rows *rows;
    struct kineto_group own;                  /* of the file as a whole; its host is the store's */
    KINETO_ARRAY(struct kineto_group) groups; /* their hosts are the store's */
    bool is_libprofs, simulated;              /* libprof wrote the file; its device was simulated */
    uint32_t large_groups;                    /* members that were too large to be read */
    bool failed;
    struct prof_rec_device devices[KINETO_DEVICES_MAX];
    uint32_t device_count;
    bool cuda_calls, amd_calls, other_calls; /* whose runtime was called */
    char *value;                             /* of the member at hand */
    size_t size;
    bool skipping;
};

/* False: no memory. */
bool kineto_facts_init(struct kineto_facts *facts, struct event_store *store,
                       struct kineto_rows *rows);
void kineto_facts_fini(struct kineto_facts *facts);

/* As kineto_visitor.member. */
void kineto_facts_member(struct kineto_facts *facts, struct text key, struct text piece, bool first,
                         bool last);

/* Notes whose runtime or driver the call is of. */
void kineto_facts_call(struct kineto_facts *facts, const struct kineto_event *event);
/* Whose devices these are: how they were timed. */
void kineto_facts_mode(const struct kineto_facts *facts, struct read_process *process);
/* Tells of the devices, and of those on which operations of the process ran that are not among them:
 * AMD's are numbered with the processors, so those have what all that are listed agree on. */
void kineto_facts_devices(const struct kineto_facts *facts, uint32_t process);

#ifdef __cplusplus
}
#endif
#endif
