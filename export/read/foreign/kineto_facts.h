/* kineto_facts.h - what a Chrome trace says beside its events: its members. */
#ifndef PROF_KINETO_FACTS_H
#define PROF_KINETO_FACTS_H

#include "event_store.h"
#include "json_text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A larger value says nothing that is wanted. */
#define KINETO_FACT_BYTES (UINT32_C(1) << 20)
#define KINETO_DEVICES_MAX 64u

struct kineto_facts {
    struct event_store *store;
    uint64_t
        base_ns; /* since the epoch: what all times count from; 0 the epoch itself, or unknown */
    int32_t rank, world_size; /* -1 unknown */
    struct text host;         /* the store's */
    struct prof_rec_device devices[KINETO_DEVICES_MAX];
    uint32_t device_count;
    char *value; /* of the member at hand */
    size_t size;
    bool skipping;
};

/* False: no memory. */
bool kineto_facts_init(struct kineto_facts *facts, struct event_store *store);
void kineto_facts_fini(struct kineto_facts *facts);

/* As kineto_visitor.member. */
void kineto_facts_member(struct kineto_facts *facts, struct text key, struct text piece, bool first,
                         bool last);

#ifdef __cplusplus
}
#endif
#endif
