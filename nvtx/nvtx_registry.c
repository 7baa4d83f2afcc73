#include "nvtx_registry.h"

#include "atomic.h"
#include "meta.h"
#include "nvtx_arena.h"
#include "recorder.h"
#include "signals.h"
#include "thread.h"

#include <pthread.h>

#define NVTX_REGISTRY_CHAINS 256u

enum nvtx_fact_kind { NVTX_FACT_CATEGORY, NVTX_FACT_RESOURCE, NVTX_FACT_THREAD };

/* Something that has a name, which may change. */
struct nvtx_fact {
    enum nvtx_fact_kind kind;
    uint32_t domain;
    uint32_t type;     /* of a resource: enum prof_resource_type */
    uint32_t raw_type; /* of a resource, as NVTX numbers it */
    uint64_t key;      /* category, handle or tid */
    struct nvtx_string *name;
    struct nvtx_fact *next;
};

static struct {
    pthread_mutex_t lock; /* of everything below; nothing is locked inside it, no event recorded */
    struct nvtx_fact *facts[NVTX_REGISTRY_CHAINS];
    struct nvtx_fact *spare;     /* of threads that have their names */
    struct nvtx_domain *domains; /* latest first */
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Signals wait: a handler may name something too, and would wait for the thread it interrupted. */
static void nvtx_registry_lock(struct signals_saved *saved)
{
    signals_block(saved);
    pthread_mutex_lock(&registry.lock);
}

static void nvtx_registry_unlock(const struct signals_saved *saved)
{
    pthread_mutex_unlock(&registry.lock);
    signals_restore(saved);
}

/* ---- stating ---- */

static void nvtx_domain_state(const struct nvtx_domain *domain)
{
    struct prof_rec_domain head = {
        .domain = domain->number,
        .name = nvtx_strings_name((struct nvtx_string *)(uintptr_t)domain->name)};
    meta_append(PROF_REC_DOMAIN, &head, sizeof head, NULL, 0);
}

static void nvtx_fact_state(const struct nvtx_fact *fact)
{
    if (!meta_has_file() || fact->kind == NVTX_FACT_THREAD)
        return;
    uint32_t name = nvtx_strings_name(fact->name);
    if (fact->kind == NVTX_FACT_CATEGORY) {
        struct prof_rec_category head = {
            .domain = fact->domain, .category = (uint32_t)fact->key, .name = name};
        meta_append(PROF_REC_CATEGORY, &head, sizeof head, NULL, 0);
        return;
    }
    struct prof_rec_resource head = {.handle = fact->key,
                                     .domain = fact->domain,
                                     .type = fact->type,
                                     .name = name,
                                     .raw_type = fact->raw_type};
    meta_append(PROF_REC_RESOURCE, &head, sizeof head, NULL, 0);
}

/* The file is there before this looks at the lists, and the lists are filled before somebody else
 * looks for the file: whoever comes second states the fact, perhaps both do. */
void nvtx_registry_restate(void)
{
    struct signals_saved saved;
    nvtx_registry_lock(&saved);
    for (const struct nvtx_domain *domain = registry.domains; domain; domain = domain->next)
        nvtx_domain_state(domain);
    for (unsigned chain = 0; chain < NVTX_REGISTRY_CHAINS; chain++)
        for (const struct nvtx_fact *fact = registry.facts[chain]; fact; fact = fact->next)
            nvtx_fact_state(fact);
    nvtx_registry_unlock(&saved);
}

/* ---- domains ---- */

static struct nvtx_domain *nvtx_domain_find(const struct nvtx_string *name)
{
    struct nvtx_domain *domain = registry.domains;
    while (domain && domain->name != name)
        domain = (struct nvtx_domain *)(uintptr_t)domain->next;
    return domain;
}

static struct nvtx_domain *nvtx_domain_new(const struct nvtx_string *name)
{
    uint32_t number = registry.domains ? registry.domains->number + 1 : 1;
    struct nvtx_domain *domain = NULL;
    if (number < NVTX_DOMAINS_MAX)
        domain = nvtx_arena_take(sizeof *domain);
    else
        loss_add(PROF_LOSS_NAMES, 1);
    if (!domain)
        return NULL;
    domain->number = number;
    domain->name = name;
    domain->next = registry.domains;
    registry.domains = domain;
    if (meta_has_file())
        nvtx_domain_state(domain);
    return domain;
}

const struct nvtx_domain *nvtx_registry_domain(const char *name, size_t bytes)
{
    const struct nvtx_string *string = nvtx_strings_keep(0, name, bytes);
    if (!string)
        return NULL;
    struct signals_saved saved;
    nvtx_registry_lock(&saved);
    struct nvtx_domain *domain = nvtx_domain_find(string);
    if (!domain)
        domain = nvtx_domain_new(string);
    nvtx_registry_unlock(&saved);
    return domain;
}

/* ---- facts ---- */

static struct nvtx_fact **nvtx_fact_chain(const struct nvtx_fact *key)
{
    uint64_t mixed = (key->key ^ (uint64_t)key->domain << 40 ^ key->raw_type) * 0x9e3779b97f4a7c15u;
    return &registry.facts[mixed >> 56];
}

static struct nvtx_fact *nvtx_fact_find(const struct nvtx_fact *key)
{
    struct nvtx_fact *fact = *nvtx_fact_chain(key);
    while (fact && !(fact->kind == key->kind && fact->domain == key->domain &&
                     fact->raw_type == key->raw_type && fact->key == key->key))
        fact = fact->next;
    return fact;
}

static struct nvtx_fact *nvtx_fact_find_or_add(const struct nvtx_fact *key)
{
    struct nvtx_fact *fact = nvtx_fact_find(key);
    if (fact)
        return fact;
    fact = registry.spare ? registry.spare : nvtx_arena_take(sizeof *fact);
    if (!fact)
        return NULL;
    if (fact == registry.spare)
        registry.spare = fact->next;
    *fact = *key;
    fact->name = NULL;
    fact->next = *nvtx_fact_chain(key);
    *nvtx_fact_chain(key) = fact;
    return fact;
}

static void nvtx_fact_forget(struct nvtx_fact *fact)
{
    struct nvtx_fact **link = nvtx_fact_chain(fact);
    while (*link != fact)
        link = &(*link)->next;
    *link = fact->next;
    fact->next = registry.spare;
    registry.spare = fact;
}

/* Naming the same thing the same way again, as some programs do in every iteration, states
 * nothing. */
static struct nvtx_fact *nvtx_fact_set(const struct nvtx_fact *key, const char *name, size_t bytes)
{
    struct nvtx_string *string = nvtx_strings_keep(0, name, bytes);
    if (!string)
        return NULL;
    struct signals_saved saved;
    nvtx_registry_lock(&saved);
    struct nvtx_fact *fact = nvtx_fact_find_or_add(key);
    if (fact && fact->name != string) {
        fact->name = string;
        nvtx_fact_state(fact);
    }
    nvtx_registry_unlock(&saved);
    return fact;
}

void nvtx_registry_category(uint32_t domain, uint32_t category, const char *name, size_t bytes)
{
    nvtx_fact_set(
        &(struct nvtx_fact){.kind = NVTX_FACT_CATEGORY, .domain = domain, .key = category}, name,
        bytes);
}

const void *nvtx_registry_resource(uint32_t domain, enum prof_resource_type type, uint32_t raw_type,
                                   uint64_t handle, const char *name, size_t bytes)
{
    return nvtx_fact_set(&(struct nvtx_fact){.kind = NVTX_FACT_RESOURCE,
                                             .domain = domain,
                                             .type = type,
                                             .raw_type = raw_type,
                                             .key = handle},
                         name, bytes);
}

/* Remembered first, then looked for among the live: a thread that gets its log meanwhile finds one
 * or the other. */
void nvtx_registry_thread(uint32_t tid, const char *name, size_t bytes)
{
    struct nvtx_fact *fact =
        nvtx_fact_set(&(struct nvtx_fact){.kind = NVTX_FACT_THREAD, .key = tid}, name, bytes);
    const struct nvtx_string *string = fact ? nvtx_strings_keep(0, name, bytes) : NULL;
    if (string && thread_name_tid(tid, string->text))
        nvtx_registry_thread_name(tid);
}

const char *nvtx_registry_thread_name(uint32_t tid)
{
    struct signals_saved saved;
    nvtx_registry_lock(&saved);
    struct nvtx_fact *fact =
        nvtx_fact_find(&(struct nvtx_fact){.kind = NVTX_FACT_THREAD, .key = tid});
    const struct nvtx_string *name = fact ? fact->name : NULL;
    if (fact)
        nvtx_fact_forget(fact);
    nvtx_registry_unlock(&saved);
    return name ? name->text : NULL;
}

void nvtx_registry_fork_child(void)
{
    registry.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
