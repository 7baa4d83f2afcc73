/* annotate.h - what the calls that write records of several words share: attributes, names,
 * counters, forwarding to another tool, allocators. */
#ifndef PROF_ANNOTATE_H
#define PROF_ANNOTATE_H

#include "recorder.h"

#include "prof/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- attributes ---- */

/* Facts about an event as ATTR records in the calling thread's log. */

/* What an attribute is about, as prof_rec_attr.target has it: */
#define ATTRS_OF_RANGE 0u /* the innermost open range of the thread */

/* One value, as decoded. */
struct attr_value {
    enum prof_attr_type type;
    uint64_t bits;    /* unless it is a string: the value as prof_rec_attr has it */
    const char *text; /* of a string; need not be terminated */
    size_t bytes;
};

struct name_cache;

/* Id of a text that is a value; 0: there have been too many (counted). */
uint32_t attrs_text(struct name_cache *names, const char *text, size_t bytes);

uint64_t attrs_double_bits(double value);

/* Writes one attribute; the thread is ready. */
void attrs_write(uint64_t target, const char *key, const struct attr_value *value);

/* ---- names and counters ---- */

/* Id of a name or key; 0 when there is nothing to record: NULL (counted), or recording is off. The
 * calling thread is attached then. */
uint32_t annotate_name(const char *name);

/* A counter's value; `name` is an id of a name or a label. */
void annotate_counter(uint32_t name, double value);

/* ---- forwarding to another tool ---- */

/* The recorder does not know who gets prof.h's ranges as they are recorded: entry hands it an
 * emitter, which is asked only where PROF_EMIT_NVTX or prof_options.emit_nvtx wants it. While it is
 * wanted, no thread takes the hot path (thread_enter_epoch), so that path does not look here. */

/* Called on the thread that records, after its log is ready. `name` is NUL-terminated and may be
 * gone after the call. None may change errno. */
struct emitter {
    void (*push)(const char *name);
    void (*push_int)(const char *name, const char *key, int64_t value);
    void (*pop)(void);
    void (*begin)(uint64_t id, const char *name);
    void (*end)(uint64_t id);
    void (*mark)(const char *name);
};

/* Before recording begins; lives as long as the process. */
void emitter_use(const struct emitter *emitter);

/* The emitter if forwarding is wanted, else NULL. */
const struct emitter *emitter_active(void);

/* Does nothing where forwarding is not wanted. */
#define emitter_forward(member, ...)                      \
    do {                                                  \
        const struct emitter *emitter = emitter_active(); \
        if (emitter)                                      \
            emitter->member(__VA_ARGS__);                 \
    } while (false)

/* ---- alloc.c: the program's own allocators ---- */

/* States the allocators known by now in a file that was just made. */
extern const struct collector alloc_collector;

/* Name of a registered allocator, "" for others. */
const char *alloc_name(uint32_t allocator);

#endif
