#include "registry.h"

#include "atomic.h"
#include "glibc_only.h"
#include "memory.h"
#include "meta.h"
#include "process.h"
#include "recorder.h"
#include "signals.h"
#include "thread.h"

#include <pthread.h>

#define REGISTRY_CHAINS 256u

enum registry_fact_kind { REGISTRY_FACT_CATEGORY, REGISTRY_FACT_RESOURCE, REGISTRY_FACT_THREAD };

/* Something that has a name, which may change. */
struct registry_fact {
    enum registry_fact_kind kind;
    uint32_t domain;
    uint32_t type;     /* of a resource: enum prof_resource_type */
    uint32_t raw_type; /* of a resource, as NVTX numbers it */
    uint64_t key;      /* category, handle or tid */
    uint64_t stated;   /* names_first_kept of the process in whose file it is */
    struct interned_text *name;
    struct registry_fact *next;
};

/* Of everything below but `behind`; nothing is locked inside it, no event recorded. */
static pthread_mutex_t registry_mutex GUEST_DATA = PTHREAD_MUTEX_INITIALIZER;

static struct {
    struct registry_fact *facts[REGISTRY_CHAINS];
    struct registry_fact *spare; /* of threads that have their names */
    struct domain *domains;      /* latest first */
    bool behind;                 /* a new file lacks something */
} registry;

/* Signals wait: a handler may name something too, and would wait for the thread it interrupted. */
static void registry_lock(struct signals_saved *saved)
{
    signals_block(saved);
    pthread_mutex_lock(&registry_mutex);
}

static void registry_unlock(const struct signals_saved *saved)
{
    pthread_mutex_unlock(&registry_mutex);
    signals_restore(saved);
}

/* ---- stating ---- */

static void registry_domain_emit(struct domain *domain)
{
    if (!meta_has_file() || domain->stated == names_first_kept)
        return;
    domain->stated = names_first_kept;
    struct prof_rec_domain head = {.domain = domain->number,
                                   .name =
                                       texts_name((struct interned_text *)(uintptr_t)domain->name)};
    meta_append(PROF_REC_DOMAIN, &head, sizeof head, NULL, 0);
}

static void registry_fact_emit(struct registry_fact *fact)
{
    if (!meta_has_file() || fact->kind == REGISTRY_FACT_THREAD || fact->stated == names_first_kept)
        return;
    fact->stated = names_first_kept;
    uint32_t name = texts_name(fact->name);
    if (fact->kind == REGISTRY_FACT_CATEGORY) {
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

/* The file exists before this looks at the lists, and other threads fill the lists before they look
 * for the file. So the second of the two emits the fact. Others wait for one chain at most; those
 * without a fact are passed while the lock is held, which takes system calls. */
static void registry_catch_up(void)
{
    struct signals_saved saved;
    if (!exchange_acquire(&registry.behind, false))
        return;
    for (unsigned chain = 0; chain < REGISTRY_CHAINS; chain++) {
        registry_lock(&saved);
        for (struct domain *domain = chain ? NULL : registry.domains; domain; domain = domain->next)
            registry_domain_emit(domain);
        while (!registry.facts[chain] && chain < REGISTRY_CHAINS - 1)
            chain++;
        for (struct registry_fact *fact = registry.facts[chain]; fact; fact = fact->next)
            registry_fact_emit(fact);
        registry_unlock(&saved);
    }
}

/* ---- domains ---- */

static struct domain *registry_domain_find(const struct interned_text *name)
{
    struct domain *domain = registry.domains;
    while (domain && domain->name != name)
        domain = domain->next;
    return domain;
}

static struct domain *registry_domain_new(const struct interned_text *name)
{
    uint32_t number = registry.domains ? registry.domains->number + 1 : 1;
    struct domain *domain = NULL;
    if (number < LABEL_DOMAINS_MAX)
        domain = arena_alloc(sizeof *domain);
    else
        loss_add(PROF_LOSS_NAMES, 1);
    if (!domain)
        return NULL;
    domain->number = number;
    domain->name = name;
    domain->next = registry.domains;
    registry.domains = domain;
    registry_domain_emit(domain);
    return domain;
}

/* Found, or made; one that is made is claimed if `claims`. */
static const struct domain *registry_domain_get(const char *name, size_t bytes, bool claims)
{
    const struct interned_text *string = texts_intern(0, name, bytes);
    if (!string)
        return NULL;
    struct signals_saved saved;
    registry_lock(&saved);
    struct domain *domain = registry_domain_find(string);
    if (!domain && (domain = registry_domain_new(string)))
        domain->claimed = claims;
    registry_unlock(&saved);
    return domain;
}

const struct domain *registry_domain(const char *name, size_t bytes)
{
    return registry_domain_get(name, bytes, false);
}

/* Threads that claim at the same time find what one of them made: that does not count as
 * another's. */
const struct domain *registry_domain_claim(const char *name, size_t bytes, bool *others)
{
    const struct domain *domain = registry_domain_get(name, bytes, true);
    *others = domain && !domain->claimed;
    return domain;
}

/* ---- facts ---- */

static struct registry_fact **registry_fact_chain(const struct registry_fact *key)
{
    uint64_t mixed = (key->key ^ (uint64_t)key->domain << 40 ^ key->raw_type) * 0x9e3779b97f4a7c15u;
    return &registry.facts[mixed >> 56];
}

static struct registry_fact *registry_fact_find(const struct registry_fact *key)
{
    struct registry_fact *fact = *registry_fact_chain(key);
    while (fact && !(fact->kind == key->kind && fact->domain == key->domain &&
                     fact->raw_type == key->raw_type && fact->key == key->key))
        fact = fact->next;
    return fact;
}

static struct registry_fact *registry_fact_find_or_add(const struct registry_fact *key)
{
    struct registry_fact *fact = registry_fact_find(key);
    if (fact)
        return fact;
    fact = registry.spare ? registry.spare : arena_alloc(sizeof *fact);
    if (!fact)
        return NULL;
    if (fact == registry.spare)
        registry.spare = fact->next;
    *fact = *key;
    fact->name = NULL;
    fact->next = *registry_fact_chain(key);
    *registry_fact_chain(key) = fact;
    return fact;
}

static void registry_fact_forget(struct registry_fact *fact)
{
    struct registry_fact **link = registry_fact_chain(fact);
    while (*link != fact)
        link = &(*link)->next;
    *link = fact->next;
    fact->next = registry.spare;
    registry.spare = fact;
}

/* Naming the same thing the same way again, as some programs do in every iteration, states
 * nothing. */
static struct registry_fact *registry_fact_set(const struct registry_fact *key, const char *name,
                                               size_t bytes)
{
    struct interned_text *string = texts_intern(0, name, bytes);
    if (!string)
        return NULL;
    struct signals_saved saved;
    registry_lock(&saved);
    struct registry_fact *fact = registry_fact_find_or_add(key);
    if (fact && fact->name != string) {
        fact->name = string;
        fact->stated = 0;
        registry_fact_emit(fact);
    }
    registry_unlock(&saved);
    return fact;
}

void registry_state(uint32_t domain, uint32_t category)
{
    struct signals_saved saved;
    if (!(domain | category))
        return;
    registry_lock(&saved);
    for (struct domain *each = registry.domains; each; each = each->next)
        if (each->number == domain)
            registry_domain_emit(each);
    struct registry_fact *fact = registry_fact_find(
        &(struct registry_fact){.kind = REGISTRY_FACT_CATEGORY, .domain = domain, .key = category});
    if (fact)
        registry_fact_emit(fact);
    registry_unlock(&saved);
}

void registry_category(uint32_t domain, uint32_t category, const char *name, size_t bytes)
{
    registry_fact_set(
        &(struct registry_fact){.kind = REGISTRY_FACT_CATEGORY, .domain = domain, .key = category},
        name, bytes);
}

const void *registry_resource(uint32_t domain, enum prof_resource_type type, uint32_t raw_type,
                              uint64_t handle, const char *name, size_t bytes)
{
    return registry_fact_set(&(struct registry_fact){.kind = REGISTRY_FACT_RESOURCE,
                                                     .domain = domain,
                                                     .type = type,
                                                     .raw_type = raw_type,
                                                     .key = handle},
                             name, bytes);
}

/* Remembered first, then looked for among the live: a thread that gets its log meanwhile finds one
 * or the other. */
void registry_thread(uint32_t tid, const char *name, size_t bytes)
{
    struct registry_fact *fact = registry_fact_set(
        &(struct registry_fact){.kind = REGISTRY_FACT_THREAD, .key = tid}, name, bytes);
    const struct interned_text *string = fact ? texts_intern(0, name, bytes) : NULL;
    if (string && thread_name_tid(tid, string->text))
        registry_thread_name(tid);
}

const char *registry_thread_name(uint32_t tid)
{
    struct signals_saved saved;
    registry_lock(&saved);
    struct registry_fact *fact =
        registry_fact_find(&(struct registry_fact){.kind = REGISTRY_FACT_THREAD, .key = tid});
    const struct interned_text *name = fact ? fact->name : NULL;
    if (fact)
        registry_fact_forget(fact);
    registry_unlock(&saved);
    return name ? name->text : NULL;
}

/* The lock may have been held by a thread that is not here. */
GUEST_PATH static void registry_fork_child(void)
{
    process_free_lock(&registry_mutex);
}

GUEST_PATH void registry_init(void)
{
    label_thread_init();
    glibc_only_atfork(NULL, NULL, registry_fork_child);
    thread_set_namer(registry_thread_name);
}

static void registry_file_created(void)
{
    store_release(&registry.behind, true);
}

static void registry_flush(unsigned deadline_ms)
{
    (void)deadline_ms;
    registry_catch_up();
}

const struct collector registry_collector = {
    .name = "registry",
    .file_created = registry_file_created,
    .tick = registry_catch_up,
    .flush = registry_flush,
};
