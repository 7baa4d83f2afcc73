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

/* The key of a search: the bytes that are kept, in two parts, as in names.c. */
struct texts_given {
    const char *text;
    size_t begin, mark_bytes, full;
    uint32_t hash, domain;
    char mark[NAMES_MARK_BYTES];
};

static bool texts_equal(const void *record, const void *content)
{
    const struct interned_text *string = record;
    const struct texts_given *given = content;
    return string && string->hash == given->hash && string->domain == given->domain &&
           string->bytes == given->begin + given->mark_bytes &&
           string->full_bytes == (uint32_t)given->full &&
           memcmp(string->text, given->text, given->begin) == 0 &&
           memcmp(string->text + given->begin, given->mark, given->mark_bytes) == 0;
}

static const void *texts_create(uint32_t number, const void *content)
{
    (void)number;
    const struct texts_given *given = content;
    size_t bytes = given->begin + given->mark_bytes;
    struct interned_text *string = arena_alloc_uncounted(sizeof *string + bytes + 1);
    if (!string)
        return NULL;
    char *text = (char *)(string + 1); /* the terminator is there */
    memcpy(text, given->text, given->begin);
    memcpy(text + given->begin, given->mark, given->mark_bytes);
    *string = (struct interned_text){.text = text,
                                     .bytes = (uint32_t)bytes,
                                     .full_bytes = (uint32_t)given->full,
                                     .hash = given->hash,
                                     .domain = given->domain};
    return string;
}

struct interned_text *texts_intern(uint32_t domain, const char *text, size_t bytes)
{
    struct texts_given given = {.text = text, .begin = bytes, .full = bytes, .domain = domain};
    if (bytes > PROF_NAME_BYTES_MAX) {
        given.begin = names_cut(text, bytes, given.mark);
        given.mark_bytes = sizeof given.mark;
    }
    given.hash = names_hash(text, given.begin) ^ names_hash(given.mark, given.mark_bytes) ^
                 domain * 0x9e3779b9u;
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
    name = string->full_bytes > string->bytes
               ? names_intern_cut(string->text, string->bytes, string->full_bytes)
               : names_intern(string->text, string->bytes);
    store_relaxed(&string->name, names_keep(name));
    return name;
}
