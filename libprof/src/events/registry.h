/* registry.h - what a program names through NVTX or ITT: domains, categories, resources, threads.
 * Kept in memory, so that it can be stated in a file that is made later (the first event, a forked
 * child): what an event uses is, before the event; the rest a little later, as it may be much.
 * Naming something makes no file.
 *
 * Not for hot paths: takes a lock.
 */
#ifndef PROF_REGISTRY_H
#define PROF_REGISTRY_H

#include "labels.h"
#include "recorder.h"

#include "prof/format.h"

/* A domain's handle is its address; valid as long as the process, also after its destruction. */
struct domain {
    uint32_t number; /* from 1 */
    const struct interned_text *name;
    struct domain *next;
    uint64_t stated; /* names_first_kept of the process in whose file it is */
    bool claimed;    /* registry_domain_claim() made it */
};

/* 0 for NULL: the default domain. */
static inline uint32_t registry_number(const struct domain *domain)
{
    return domain ? domain->number : 0;
}

/* The domain of this name. NULL when there are too many (counted): what it is used for then goes to
 * the default domain. */
const struct domain *registry_domain(const char *name, size_t bytes);

/* The same for a collector that adds to a domain of others. `others`: another caller claimed it
 * before. */
const struct domain *registry_domain_claim(const char *name, size_t bytes, bool *others);

void registry_category(uint32_t domain, uint32_t category, const char *name, size_t bytes);

/* Names a resource. Returns a handle that is not NULL unless memory is short. */
const void *registry_resource(uint32_t domain, enum prof_resource_type type, uint32_t raw_type,
                              uint64_t handle, const char *name, size_t bytes);

/* Names a thread of this process, living or to come. */
void registry_thread(uint32_t tid, const char *name, size_t bytes);

/* The name that a thread was given before it recorded anything; NULL: none. Gives it once: another
 * thread may get the same number. */
const char *registry_thread_name(uint32_t tid);

/* Emits what these numbers mean, 0 for none. Call it when an event uses them. */
void registry_state(uint32_t domain, uint32_t category);

/* States in a new file what nobody uses at once, too, from the writer thread. */
extern const struct collector registry_collector;

/* Once, before the first call into the others and before recording begins. */
void registry_init(void);

#endif
