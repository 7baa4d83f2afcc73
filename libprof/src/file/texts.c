/* A table of chains to which strings are only added, in front, by compare-and-swap. */
#include "texts.h"

#include "arena.h"
#include "atomic.h"
#include "meta.h"
#include "names.h"

#include <string.h>

#define TEXTS_CHAINS 4096u

static struct kept_text *texts_chains[TEXTS_CHAINS]; /* CAS -> load_acquire */

size_t texts_length(const char *text)
{
    return strnlen(text, PROF_NAME_BYTES_MAX + 1);
}

static struct kept_text *texts_find(const struct kept_text *from, uint32_t domain, uint32_t hash,
                                    const char *text, size_t bytes)
{
    for (const struct kept_text *string = from; string; string = string->next)
        if (string->hash == hash && string->domain == domain && string->bytes == bytes &&
            memcmp(string->text, text, bytes) == 0)
            return (struct kept_text *)(uintptr_t)string;
    return NULL;
}

static struct kept_text *texts_new(uint32_t domain, uint32_t hash, const char *text, size_t bytes)
{
    struct kept_text *string = arena_take(sizeof *string);
    const char *copy = string ? arena_copy(text, bytes) : NULL;
    if (!copy)
        return NULL;
    string->text = copy;
    string->bytes = (uint32_t)bytes;
    string->hash = hash;
    string->domain = domain;
    return string;
}

struct kept_text *texts_keep(uint32_t domain, const char *text, size_t bytes)
{
    if (bytes > PROF_NAME_BYTES_MAX + 1)
        bytes = PROF_NAME_BYTES_MAX + 1;
    uint32_t hash = names_hash(text, bytes) ^ domain * 0x9e3779b9u;
    struct kept_text **chain = &texts_chains[hash % TEXTS_CHAINS];
    struct kept_text *first = load_acquire(chain), *fresh = NULL;
    for (;;) {
        struct kept_text *string = texts_find(first, domain, hash, text, bytes);
        if (string)
            return string;
        if (!fresh)
            fresh = texts_new(domain, hash, text, bytes);
        if (!fresh)
            return NULL;
        fresh->next = first;
        if (cas_acq_rel(chain, &first, fresh))
            return fresh;
    }
}

uint32_t texts_name(struct kept_text *string)
{
    uint32_t name = load_relaxed(&string->name);
    if (name || !meta_has_file())
        return name;
    name = names_intern(string->text, string->bytes);
    store_relaxed(&string->name, name);
    return name;
}
