/* itt_record.h - records ITT events as labelled events. The thread must be ready (thread_ready). */
#ifndef PROF_ITT_RECORD_H
#define PROF_ITT_RECORD_H

#include "itt_abi.h"

#include "labels.h"

#include <stdbool.h>

/* Records an event of a domain (its number) and returns what attributes of it have as their target.
 * `text` may be NULL: no name. `parted`: it is PyTorch's name. `begun` as labelled_record() has
 * it. */
uint64_t itt_record(enum labelled_kind kind, uint32_t domain, struct interned_text *text,
                    bool parted, uint64_t *begun);

/* The same for a string's handle. */
uint64_t itt_record_string(enum labelled_kind kind, uint32_t domain, struct itt_string *name,
                           uint64_t *begun);

/* The id that events of this name in this domain have in the log. `text` is not PyTorch's. */
uint32_t itt_record_id(uint32_t domain, struct interned_text *text);

#endif
