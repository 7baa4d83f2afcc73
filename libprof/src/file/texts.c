#include "texts.h"

#include "arena.h"
#include "atomic.h"
#include "intern.h"
#include "meta.h"
#include "names.h"

#include <string.h>

/* Records are struct interned_text. */
static struct intern_table texts = {
    .slots = {1u << 12, 1u << 16, 1u << 21},
    .numbers_max = 1u << 21,
};

/* What is looked for. */
struct texts_given {
    const char *text;
    size_t bytes;
    uint32_t hash, domain;
};

size_t texts_length(const char *text)
{
    return strnlen(text, PROF_NAME_BYTES_MAX + 1);
}

static bool texts_equal(const void *record, const void *content)
{
    const struct interned_text *string = record;
    const struct texts_given *given = content;
    return string && string->hash == given->hash && string->domain == given->domain &&
           string->bytes == given->bytes && memcmp(string->text, given->text, given->bytes) == 0;
}

static const void *texts_create(uint32_t number, const void *content)
{
    (void)number;
    const struct texts_given *given = content;
    struct interned_text *string = arena_alloc_uncounted(sizeof *string + given->bytes + 1);
    if (!string)
        return NULL;
    *string = (struct interned_text){.text = (const char *)(string + 1),
                                     .bytes = (uint32_t)given->bytes,
                                     .hash = given->hash,
                                     .domain = given->domain};
    memcpy(string + 1, given->text, given->bytes); /* the terminator is there */
    return string;
}

struct interned_text *texts_intern(uint32_t domain, const char *text, size_t bytes)
{
    struct texts_given given = {.text = text, .bytes = bytes, .domain = domain};
    if (bytes > PROF_NAME_BYTES_MAX + 1)
        given.bytes = PROF_NAME_BYTES_MAX + 1;
    given.hash = names_hash(text, given.bytes) ^ domain * 0x9e3779b9u;
    uint32_t number = intern(&texts, given.hash, &given, texts_equal, texts_create);
    if (!number)
        loss_add(PROF_LOSS_NAMES, 1);
    return (struct interned_text *)(uintptr_t)intern_record(&texts, number);
}

uint32_t texts_name(struct interned_text *string)
{
    if (!meta_has_file())
        return 0;
    uint32_t name = names_kept(&string->name);
    if (name)
        return name;
    name = names_intern(string->text, string->bytes);
    store_relaxed(&string->name, names_keep(name));
    return name;
}
