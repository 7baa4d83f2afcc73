/* nvtx_strings.h - strings that are kept, whether or not there is a file yet: registered ones, and
 * names of domains, categories and resources. The same text in the same domain is one string.
 */
#ifndef PROF_NVTX_STRINGS_H
#define PROF_NVTX_STRINGS_H

#include "nvtx_events.h"

#include <stddef.h>
#include <stdint.h>

/* Lives as long as the process. A registered string's handle is its address. */
struct nvtx_string {
    const struct nvtx_event *latest; /* the event it named last; whoever uses it writes */
    uint32_t name;                   /* name id, 0 before its first use in a file; idem */
    uint32_t domain;                 /* in which it was registered */
    uint32_t bytes;
    uint32_t hash;
    const struct nvtx_string *next; /* in its chain of the table */
    const char *text;               /* NUL-terminated */
};

/* The string of these bytes; what exceeds PROF_NAME_BYTES_MAX by more than one byte is cut. NULL
 * when there is no memory (counted). Any thread, lock-free. */
struct nvtx_string *nvtx_strings_keep(uint32_t domain, const char *text, size_t bytes);

/* The string's name id; 0 when there is no file or no room for names (counted). */
uint32_t nvtx_strings_name(struct nvtx_string *string);

/* Bytes of a name as far as it matters: never looks further than a name may be long. */
size_t nvtx_strings_length(const char *text);

#endif
