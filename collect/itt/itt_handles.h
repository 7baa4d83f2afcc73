/* itt_handles.h - what a program holds for domains and strings: made here, or by the static part
 * and met here for the first time. Making one makes no file.
 *
 * Any thread; keep errno. The same name gives the same handle. NULL names and no memory give NULL
 * (counted).
 */
#ifndef PROF_ITT_HANDLES_H
#define PROF_ITT_HANDLES_H

#include "annotate.h"
#include "atomic.h"
#include "itt_abi.h"
#include "labels.h"

#include <stdbool.h>

struct itt_domain *itt_domain_create(const char *name);
struct itt_string *itt_string_create(const char *text);

/* A number that the domain's handle keeps: its own + 1, so that 0 is a handle not met before. */
uint32_t itt_domain_learn(const struct itt_domain *domain);

/* The number of a domain; 0, the default domain, for NULL and where there are too many. */
static inline uint32_t itt_domain_number(const struct itt_domain *domain)
{
    if (!domain)
        return 0;
    uint32_t kept = (uint32_t)load_relaxed(&domain->extra1) - 1;
    return __builtin_expect(kept < LABEL_DOMAINS_MAX, 1) ? kept : itt_domain_learn(domain);
}

/* What the handle of a string keeps beside its kept text. */
#define ITT_STRING_PLAIN 1
#define ITT_STRING_PARTED 2 /* PyTorch's name, which is taken apart: a new one each time */

/* The text of a string that was met before, NULL when it was not, is parted or NULL. */
static inline struct interned_text *itt_string_plain(const struct itt_string *string)
{
    bool plain = string && load_acquire(&string->extra1) == ITT_STRING_PLAIN;
    return plain ? (struct interned_text *)string->extra2 : NULL;
}

/* The text of any string, NULL when there is none (counted). `parted`: it is PyTorch's. */
struct interned_text *itt_string_text(struct itt_string *string, bool *parted);

/* The text of a name of ITT's that is kept for itself, one per space and name, with what ITT gave a
 * program for it in `handle`. */
enum itt_space { ITT_SPACE_DOMAINS = 1, ITT_SPACE_COUNTERS, ITT_SPACE_FUNCTIONS, ITT_SPACE_EVENTS };
struct interned_text *itt_space_text(enum itt_space space, uint32_t domain, const char *name,
                                     size_t bytes);

/* The text's handle, of `bytes` bytes, new or not; zero-filled where new. NULL: no memory
 * (counted). A handle is filled by `fill` before others see it. */
void *itt_space_handle(struct interned_text *text, size_t bytes,
                       void (*fill)(void *handle, const struct interned_text *text));

/* ---- ITT events as labelled events ---- */

/* The thread must be ready (thread_ready). */

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

/* ---- itt_number.c: numbers of ITT's types ---- */

/* Reads the number of enum itt_type at `data`, which need not be aligned. False: unknown type. */
bool itt_number_read(int type, const void *data, struct attr_value *value);

/* May round: see arch_float_hold(). */
double itt_number_double(const struct attr_value *value);

/* "[1, 2, 3]" of `count` numbers of a known type, cut to `room` bytes with a terminator. Returns
 * the bytes without it. */
size_t itt_number_list(int type, size_t count, const void *data, char *text, size_t room);

#endif
