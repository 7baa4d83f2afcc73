/* sim_subscriber.h - subscribers, their API (v1 or v2), and the callbacks that they enabled. */
#ifndef SIM_SUBSCRIBER_H
#define SIM_SUBSCRIBER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim_tools.h"

struct sim_call;
struct sim_subscriber;

typedef void (*sim_callback)(void *user, uint32_t domain, uint32_t cbid, const void *data);

/* How a client subscribes; through v2, exclusively or not. */
enum sim_sharing { SIM_FIRST_FORM, SIM_SECOND_FORM, SIM_SECOND_FORM_SHARED };

/* Returns  SIM_CUPTI_OK; SIM_CUPTI_MULTIPLE_SUBSCRIBERS while there is one, unless it and the new one
 *          both let others in. */
int sim_subscriber_create(struct sim_subscriber **subscriber, sim_callback callback, void *user,
                          const char *name, enum sim_sharing sharing);
int sim_subscriber_destroy(struct sim_subscriber *subscriber);

/* Who is in the way (SIM_OTHER_SUBSCRIBER, or the subscriber's own name); NULL: nobody. */
const char *sim_subscriber_other(void);

bool sim_subscriber_is(const struct sim_subscriber *subscriber);

/* The subscriber's number among the clients of activity records: 0 is all users of the v1 API.
 * Negative: not a v2 subscriber. */
int sim_subscriber_client(const struct sim_subscriber *subscriber);

/* Whether a client uses the v2 (v1) API: they exclude each other. */
bool sim_subscriber_v2_in_use(void);
bool sim_subscriber_v1_in_use(void);

/* cbid 0: the whole domain. */
int sim_subscriber_enable(struct sim_subscriber *subscriber, uint32_t domain, uint32_t cbid,
                          bool on);
bool sim_subscriber_wants(const struct sim_subscriber *subscriber, uint32_t domain, uint32_t cbid);

/* No callback any more, for anybody. */
void sim_subscriber_destroy_all(void);

/* Calls the subscriber, if it wants to. Where: any thread, no lock held. */
void sim_subscriber_api(const struct sim_call *call, bool is_exit);
void sim_subscriber_resource(enum sim_resource_id id, const struct sim_resource *resource);
void sim_subscriber_synchronized(const struct sim_sync *sync);
void sim_subscriber_state(uint32_t cbid, int result, const char *message);

/* The calling thread is inside a callback of a domain in which flushing is not allowed. */
bool sim_subscriber_forbids_flush(void);

#endif
