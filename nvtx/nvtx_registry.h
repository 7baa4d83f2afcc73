/* nvtx_registry.h - what a program names through NVTX: domains, categories, resources, threads. Kept
 * in memory, so that it can be stated in a file that is made later (the first event, a forked
 * child). Naming something makes no file.
 *
 * Not for hot paths: takes a lock.
 */
#ifndef PROF_NVTX_REGISTRY_H
#define PROF_NVTX_REGISTRY_H

#include "nvtx_strings.h"

#include "prof/format.h"

/* A domain's handle is its address; valid as long as the process, also after its destruction. */
struct nvtx_domain {
    uint32_t number; /* from 1 */
    const struct nvtx_string *name;
    const struct nvtx_domain *next;
};

/* 0 for NULL: the default domain. */
static inline uint32_t nvtx_registry_number(const struct nvtx_domain *domain)
{
    return domain ? domain->number : 0;
}

/* The domain of this name. NULL when there are too many (counted): what it is used for then goes to
 * the default domain. */
const struct nvtx_domain *nvtx_registry_domain(const char *name, size_t bytes);

void nvtx_registry_category(uint32_t domain, uint32_t category, const char *name, size_t bytes);

/* Names a resource. Returns a handle that is not NULL unless memory is short. */
const void *nvtx_registry_resource(uint32_t domain, enum prof_resource_type type, uint32_t raw_type,
                                   uint64_t handle, const char *name, size_t bytes);

/* Names a thread of this process, living or to come. */
void nvtx_registry_thread(uint32_t tid, const char *name, size_t bytes);

/* The name that a thread was given before it recorded anything; NULL: none. Gives it once: another
 * thread may get the same number. */
const char *nvtx_registry_thread_name(uint32_t tid);

/* A new file was made: states everything again. */
void nvtx_registry_restate(void);

/* In a forked child: the lock may have been held by a thread that is not here. */
void nvtx_registry_fork_child(void);

#endif
