/* itt_spans.c - the open ranges, by the program's ids: a hash table with open addressing. A signal
 * handler skips a slot that the interrupted code is filling.
 *
 *     empty --cas, begin--> busy --begun--> open --cas, end--> busy --taken--> empty
 */
#include "itt_calls.h"

#include "itt_handles.h"

#include "memory.h"
#include "thread.h"

#include <string.h>

#define ITT_SPAN_PLACES 16384u
#define ITT_SPAN_PROBES 32u

/* Distinguishes ids of the program from those of things that have none. */
enum itt_span_kind { ITT_SPAN_ID, ITT_SPAN_FRAME, ITT_SPAN_EVENT };

struct itt_span_key {
    uint64_t kind; /* enum itt_span_kind */
    struct itt_id id;
};

enum itt_span_state { ITT_SPAN_EMPTY, ITT_SPAN_BUSY, ITT_SPAN_OPEN };

struct itt_span {
    uint32_t state; /* store_release -> load_acquire */
    struct itt_span_key key;
    uint64_t range;
};

static struct itt_span *itt_spans;     /* memory_once() */
static bool itt_spans_used GUEST_DATA; /* set when a place is reserved, cleared in a forked child */

/* Leaves an unused table alone: clearing it would fault in 192 pages in each child. */
GUEST_PATH void itt_span_fork_child(void)
{
    if (!load_relaxed(&itt_spans_used))
        return;
    memset(itt_spans, 0, ITT_SPAN_PLACES * sizeof *itt_spans);
    store_relaxed(&itt_spans_used, false);
}

/* ---- the table ---- */

static struct itt_span *itt_span_place(struct itt_span *spans, const struct itt_span_key *key,
                                       unsigned probe)
{
    uint64_t mixed =
        (key->id.d1 ^ key->id.d2 << 20 ^ key->id.d3 << 40 ^ key->kind << 60) * 0x9e3779b97f4a7c15u;
    return &spans[((mixed >> 40) + probe) % ITT_SPAN_PLACES];
}

static bool itt_span_is(const struct itt_span *span, const struct itt_span_key *key)
{
    return load_acquire(&span->state) == ITT_SPAN_OPEN &&
           load_relaxed(&span->key.id.d1) == key->id.d1 &&
           load_relaxed(&span->key.id.d2) == key->id.d2 &&
           load_relaxed(&span->key.id.d3) == key->id.d3 &&
           load_relaxed(&span->key.kind) == key->kind;
}

static bool itt_span_seize(struct itt_span *span, uint32_t state)
{
    return load_relaxed(&span->state) == state &&
           cas_acq_rel(&span->state, &state, (uint32_t)ITT_SPAN_BUSY);
}

/* A place for the key, which is busy; NULL: none is left (counted). */
static struct itt_span *itt_span_reserve(const struct itt_span_key *key)
{
    struct itt_span *spans = MEMORY_ONCE(&itt_spans, ITT_SPAN_PLACES);
    store_relaxed(&itt_spans_used, spans != NULL);
    for (unsigned probe = 0; spans && probe < ITT_SPAN_PROBES; probe++) {
        struct itt_span *span = itt_span_place(spans, key, probe);
        if (itt_span_seize(span, ITT_SPAN_EMPTY))
            return span;
    }
    loss_add(PROF_LOSS_LATE, 1);
    return NULL;
}

static void itt_span_open(struct itt_span *span, const struct itt_span_key *key, uint64_t range)
{
    store_relaxed(&span->key.kind, key->kind);
    store_relaxed(&span->key.id.d1, key->id.d1);
    store_relaxed(&span->key.id.d2, key->id.d2);
    store_relaxed(&span->key.id.d3, key->id.d3);
    store_relaxed(&span->range, range);
    store_release(&span->state, (uint32_t)(range ? ITT_SPAN_OPEN : ITT_SPAN_EMPTY));
}

/* The latest that is open of the key: of one thread's the largest id. NULL: none is. */
static struct itt_span *itt_span_latest(const struct itt_span_key *key)
{
    struct itt_span *spans = load_acquire(&itt_spans), *latest = NULL;
    for (unsigned probe = 0; spans && probe < ITT_SPAN_PROBES; probe++) {
        struct itt_span *span = itt_span_place(spans, key, probe);
        if (itt_span_is(span, key) &&
            (!latest || load_relaxed(&span->range) > load_relaxed(&latest->range)))
            latest = span;
    }
    return latest;
}

static struct itt_span_key itt_span_key(struct itt_id id)
{
    return (struct itt_span_key){.kind = ITT_SPAN_ID, .id = id};
}

uint64_t itt_span_find(struct itt_id id)
{
    struct itt_span_key key = itt_span_key(id);
    const struct itt_span *span = itt_span_latest(&key);
    return span ? load_relaxed(&span->range) : 0;
}

/* A thing that began while nothing was recorded is not in the table: its end is not recorded
 * either. */
static void itt_span_end(struct itt_span_key key)
{
    struct itt_span *span = itt_span_latest(&key);
    uint64_t range = span ? load_relaxed(&span->range) : 0;
    if (!span || !itt_span_seize(span, ITT_SPAN_OPEN))
        return; /* two threads end the same thing */
    store_release(&span->state, (uint32_t)ITT_SPAN_EMPTY);
    labelled_end(range);
}

static void itt_span_begin(struct itt_span_key key, uint32_t domain, struct interned_text *text,
                           bool parted)
{
    uint64_t begun;
    struct itt_span *span = itt_span_reserve(&key);
    if (!span)
        return;
    itt_record(LABELLED_BEGIN, domain, text, parted, &begun);
    itt_span_open(span, &key, begun);
}

/* ---- overlapped tasks and regions ---- */

void itt_task_begin_overlapped(const struct itt_domain *domain, struct itt_id id,
                               struct itt_id parent, struct itt_string *name)
{
    (void)parent;
    bool parted;
    if (!thread_ready(&thread_self))
        return;
    struct interned_text *text = itt_string_text(name, &parted);
    itt_span_begin(itt_span_key(id), itt_domain_number(domain), text, parted);
}

void itt_task_end_overlapped(const struct itt_domain *domain, struct itt_id id)
{
    (void)domain;
    itt_span_end(itt_span_key(id));
}

void itt_region_begin(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
                      struct itt_string *name)
{
    itt_task_begin_overlapped(domain, id, parent, name);
}

void itt_region_end(const struct itt_domain *domain, struct itt_id id)
{
    itt_task_end_overlapped(domain, id);
}

/* ---- what has no string ---- */

static void itt_span_begin_text(struct itt_span_key key, uint32_t domain,
                                struct interned_text *text)
{
    if (thread_ready(&thread_self))
        itt_span_begin(key, domain, text, false);
}

static struct itt_span_key itt_event_key(uint32_t event)
{
    return (struct itt_span_key){.kind = ITT_SPAN_EVENT,
                                 .id = {.d1 = event, .d2 = (uintptr_t)&thread_self}};
}

void itt_span_begin_event(uint32_t event, struct interned_text *name)
{
    itt_span_begin_text(itt_event_key(event), 0, name);
}

void itt_span_end_event(uint32_t event)
{
    itt_span_end(itt_event_key(event));
}

static struct itt_span_key itt_frame_key(uint32_t domain, const struct itt_id *id)
{
    if (id && (id->d1 | id->d2 | id->d3))
        return itt_span_key(*id);
    return (struct itt_span_key){.kind = ITT_SPAN_FRAME, .id = {.d1 = domain}};
}

static struct interned_text *itt_frame_text(void)
{
    return texts_intern(0, "frame", 5);
}

void itt_frame_begin_v3(const struct itt_domain *domain, const struct itt_id *id)
{
    uint32_t number = itt_domain_number(domain);
    itt_span_begin_text(itt_frame_key(number, id), number, itt_frame_text());
}

void itt_frame_end_v3(const struct itt_domain *domain, const struct itt_id *id)
{
    itt_span_end(itt_frame_key(itt_domain_number(domain), id));
}

void itt_frame_submit_v3(const struct itt_domain *domain, const struct itt_id *id, uint64_t begin,
                         uint64_t end)
{
    (void)id;
    if (!thread_ready(&thread_self))
        return;
    if (begin <= end)
        labelled_past(itt_record_id(itt_domain_number(domain), itt_frame_text()), begin, end);
    else
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
}

uint64_t itt_get_timestamp(void)
{
    return clock_now();
}

struct itt_domain *itt_frame_create(const char *domain)
{
    return itt_domain_create(domain);
}

void itt_frame_begin(struct itt_domain *frame)
{
    itt_frame_begin_v3(frame, NULL);
}

void itt_frame_end(struct itt_domain *frame)
{
    itt_frame_end_v3(frame, NULL);
}
