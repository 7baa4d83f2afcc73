/* texts.h - strings that are kept, whether or not there is a file yet: registered ones, and
 * names of domains, categories and resources. The same text in the same domain is one string.
 */
#ifndef PROF_TEXTS_H
#define PROF_TEXTS_H

#include "labels.h"

#include <stddef.h>
#include <stdint.h>

/* Lives as long as the process. A registered string's handle is its address. */
struct interned_text {
    const struct label *latest; /* the event it named last; stored by the thread that uses it */
    uint64_t name;              /* its id (names_keep), 0 before its first use in a file; idem */
    uint32_t domain;            /* in which it was registered */
    uint32_t bytes;
    uint32_t full_bytes; /* of the string as given: more than `bytes` if it was cut */
    uint32_t hash;
    const char *text; /* NUL-terminated */
    void *handle;     /* that ITT gives out for it, NULL: none yet; cas_acq_rel -> load_acquire */
};

/* The string of these bytes; one that is too long for a name is cut as names are. NULL
 * when there is no memory (counted). Any thread, lock-free. */
struct interned_text *texts_intern(uint32_t domain, const char *text, size_t bytes);

/* The string's name id; 0 when there is no file or no room for names (counted). */
uint32_t texts_name(struct interned_text *string);

#endif
