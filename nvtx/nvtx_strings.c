/* A table of chains to which strings are only added, in front, by compare-and-swap. */
#include "nvtx_strings.h"

#include "atomic.h"
#include "meta.h"
#include "names.h"
#include "nvtx_arena.h"

#include <string.h>

#define NVTX_STRINGS_CHAINS 4096u

static struct nvtx_string *nvtx_strings_chains[NVTX_STRINGS_CHAINS]; /* CAS -> load_acquire */

size_t nvtx_strings_length(const char *text)
{
    return strnlen(text, PROF_NAME_BYTES_MAX + 1);
}

static struct nvtx_string *nvtx_strings_find(const struct nvtx_string *from, uint32_t domain,
                                             uint32_t hash, const char *text, size_t bytes)
{
    for (const struct nvtx_string *string = from; string; string = string->next)
        if (string->hash == hash && string->domain == domain && string->bytes == bytes &&
            memcmp(string->text, text, bytes) == 0)
            return (struct nvtx_string *)(uintptr_t)string;
    return NULL;
}

static struct nvtx_string *nvtx_strings_new(uint32_t domain, uint32_t hash, const char *text,
                                            size_t bytes)
{
    struct nvtx_string *string = nvtx_arena_take(sizeof *string);
    const char *copy = string ? nvtx_arena_copy(text, bytes) : NULL;
    if (!copy)
        return NULL;
    string->text = copy;
    string->bytes = (uint32_t)bytes;
    string->hash = hash;
    string->domain = domain;
    return string;
}

struct nvtx_string *nvtx_strings_keep(uint32_t domain, const char *text, size_t bytes)
{
    if (bytes > PROF_NAME_BYTES_MAX + 1)
        bytes = PROF_NAME_BYTES_MAX + 1;
    uint32_t hash = names_hash(text, bytes) ^ domain * 0x9e3779b9u;
    struct nvtx_string **chain = &nvtx_strings_chains[hash % NVTX_STRINGS_CHAINS];
    struct nvtx_string *first = load_acquire(chain), *fresh = NULL;
    for (;;) {
        struct nvtx_string *string = nvtx_strings_find(first, domain, hash, text, bytes);
        if (string)
            return string;
        if (!fresh)
            fresh = nvtx_strings_new(domain, hash, text, bytes);
        if (!fresh)
            return NULL;
        fresh->next = first;
        if (cas_acq_rel(chain, &first, fresh))
            return fresh;
    }
}

uint32_t nvtx_strings_name(struct nvtx_string *string)
{
    uint32_t name = load_relaxed(&string->name);
    if (name || !meta_has_file())
        return name;
    name = names_intern(string->text, string->bytes);
    store_relaxed(&string->name, name);
    return name;
}
