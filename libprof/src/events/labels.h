/* labels.h - event names: a name with the domain, category and colour that came with it, stated
 * once in the file and a number from then on. A name of the default domain that came with nothing
 * keeps its own number and needs no statement. In a forked child's file, a label is stated when it
 * is first used there.
 */
#ifndef PROF_LABELS_H
#define PROF_LABELS_H

#include "thread.h"
#include "torch_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what each thread has ---- */

/* What annotations (NVTX, ITT) need of each thread: how deep it is in each of NVTX's domains, also
 * while nothing is recorded, and the labels it used last.
 *
 * Thread-local storage is scarce where libprof.so is loaded late, so only a pointer is kept there.
 */

#define LABEL_DOMAINS_MAX 4096u /* numbers 0 (the default domain) to LABEL_DOMAINS_MAX - 1 */
#define LABEL_THREAD_LABELS 64u
#define LABEL_THREAD_TASKS 64u

struct label;

/* A task of ITT that is open. */
struct label_task {
    uint64_t id[3]; /* the program's; all 0: none */
    uint32_t domain;
};

/* Belongs to its thread, and to the signal handlers that run on it. Only what is used is present
 * in memory. */
struct label_thread {
    const struct label *labels[LABEL_THREAD_LABELS]; /* labels_lookup() */
    uint32_t tasks_open; /* may pass LABEL_THREAD_TASKS: those are not known */
    struct label_task tasks[LABEL_THREAD_TASKS]; /* the innermost last */
    uint64_t marker[3];                          /* id of the latest of ITT's markers */
    int32_t depth[LABEL_DOMAINS_MAX];            /* open ranges per domain of NVTX */
};

extern __thread struct label_thread *label_thread_self
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* The calling thread's, made if need be; NULL when there is no memory. Keeps errno. */
struct label_thread *label_thread_create(void);

static inline struct label_thread *label_thread_get(void)
{
    return label_thread_self ? label_thread_self : label_thread_create();
}

/* Before the first call into the others. */
void label_thread_init(void);

/* ---- labels ---- */

/* Never changes once it can be found, but for the process that the id is kept for. */
struct label {
    uint32_t name; /* name id; 0 without a message */
    uint32_t domain;
    uint32_t category;
    uint32_t color; /* 0 where none was given */
    uint32_t flags; /* PROF_EVENT_NAME_* */
    uint64_t id;    /* names_keep(); stale in a forked child until labels_intern() */
};

/* What an event is looked up by: the first five fields. */
static inline bool labels_same(const struct label *a, const struct label *b)
{
    return a->name == b->name && a->domain == b->domain && a->category == b->category &&
           a->color == b->color && a->flags == b->flags;
}

static inline uint32_t labels_hash(const struct label *key)
{
    uint32_t mixed = key->name * 0x9e3779b1u ^ key->domain * 0x85ebca6bu ^
                     key->category * 0xc2b2ae35u ^ key->color * 0x27d4eb2fu ^ key->flags;
    return mixed ^ mixed >> 15;
}

/* The calling thread's copy of the answer, or NULL. Its id may be stale. */
static inline const struct label *labels_lookup(const struct label_thread *thread,
                                                const struct label *key)
{
    const struct label *known = thread->labels[labels_hash(key) % LABEL_THREAD_LABELS];
    return known && labels_same(known, key) ? known : NULL;
}

/* The event of the key, new or not; there is a file. Of more combinations than fit, the event of
 * the name and domain alone; NULL when not even that fits (each counted). `thread` may be NULL. Any
 * thread, lock-free. */
const struct label *labels_intern(struct label_thread *thread, const struct label *key);

/* States every event in this process's file, after its name. */
void labels_state_all(void);

/* ---- events with a label ---- */

/* An event of NVTX's or ITT's kind as records in the calling thread's log: its name, its label,
 * what the name says beside it. The way of everything that a hot path does not know already.
 *
 * All but labelled_end() need a ready thread (thread_ready).
 */

enum labelled_kind { LABELLED_PUSH, LABELLED_MARK, LABELLED_BEGIN };

/* The push of an event whose id is known, as it is kept (names_keep): the whole hot path. False: it
 * takes more than that. */
static inline bool labelled_push_fast(uint64_t kept)
{
    uint64_t place = names_place(kept);
    return __builtin_expect(place < PROF_NAME_ID_MAX, 1) &&
           __builtin_expect(thread_event_fast(PROF_KIND_NVTX_PUSH, (uint32_t)place + 1), 1);
}

/* What an event's text becomes. Zero-filled: no text. */
struct labelled_name {
    uint32_t name;            /* name id */
    struct torch_names torch; /* PyTorch's parts of it; count 0: none; points into the text */
};

/* Reads a NUL-terminated text, of `bytes` bytes where they are known. The second does not remember
 * where it stood: for texts whose place is used again. */
void labelled_read(struct labelled_name *named, const char *text);
void labelled_read_n(struct labelled_name *named, const char *text, size_t bytes);

/* The label of the key's first five fields, whose name is stated; NULL when there is no room
 * (counted). */
const struct label *labelled_label(const struct label *key);

/* Records the event `id`, a label's or a name's. Returns what attributes of it have as their
 * target. `begun`: the id of a range that any thread may end, 0 when there is none. */
uint64_t labelled_record(enum labelled_kind kind, uint32_t id, uint64_t *begun);

/* PyTorch's parts of the name as attributes. */
void labelled_parts(uint64_t target, const struct labelled_name *named);

/* Ends a range that labelled_record() has begun. Any thread. */
void labelled_end(uint64_t id);

/* Records a range that is over, from and to ticks of the recorder's clock. Returns its id, 0:
 * none. */
uint64_t labelled_past(uint32_t id, uint64_t begin_ticks, uint64_t end_ticks);

/* ---- texts: strings that are kept ---- */

/* They are kept whether or not there is a file yet: registered ones, and names of domains,
 * categories and resources. The same text in the same domain is one string. */

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
