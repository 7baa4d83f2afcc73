/* key_rows.h - which row of the averages an event belongs to; the inside of key_averages.c. */
#ifndef PROF_KEY_ROWS_H
#define PROF_KEY_ROWS_H

#include "key_averages.h"
#include "maps.h"
#include "steps.h"
#include "timeline.h"

/* ---- ranges that were recorded in several segments (timeline.h), joined again ---- */

/* A stretch of time; empty when it ends before it starts. */
struct key_span {
    int64_t start_ns, end_ns;
};

#define KEY_SPAN_EMPTY ((struct key_span){INT64_MAX, INT64_MIN})

static inline void key_span_widen(struct key_span *span, struct key_span by)
{
    span->start_ns = by.start_ns < span->start_ns ? by.start_ns : span->start_ns;
    span->end_ns = by.end_ns > span->end_ns ? by.end_ns : span->end_ns;
}

struct key_call {
    uint32_t last; /* its last segment */
    uint32_t row;  /* of its first segment, UINT32_MAX none yet */
    uint32_t shape, stack, step, overload;
    int64_t start_ns;       /* of the first segment */
    int64_t device_ns;      /* that the segments so far launched */
    struct key_span device; /* of the same */
};

struct key_calls {
    struct key_call *at;
    struct keymap of_slice; /* first segments and later ones -> call */
};

/* False: no memory; fini is not needed then. */
bool key_calls_init(struct key_calls *calls, const struct timeline *timeline);
void key_calls_fini(struct key_calls *calls);

/* NULL: the slice is a whole call. */
static inline struct key_call *key_calls_find(const struct key_calls *calls, uint32_t slice)
{
    if (!calls->at)
        return NULL;
    uint32_t call = keymap_find(&calls->of_slice, slice);
    return call == KEYMAP_NONE ? NULL : &calls->at[call];
}

/* ---- context ----
 *
 * What rows are grouped by that a slice does not contain itself: shapes, stacks, devices. */

struct key_context {
    const struct timeline *timeline;
    const struct key_options *options;
    uint32_t *device_of_stream; /* by stream: into devices[]; NULL unless requested */
    uint8_t *words;     /* by name: meaning of attributes with that key; NULL unless requested */
    struct steps steps; /* empty unless requested */
    uint32_t next_attr, next_stack; /* the first that is not before the current slice */
};

/* False: no memory; fini all the same. */
bool key_context_init(struct key_context *context, const struct timeline *timeline,
                      const struct key_options *options);
void key_context_fini(struct key_context *context);

/* Sets the shape and overload of a slice's group. Successive calls must pass slices in order. */
void key_context_attrs(struct key_context *context, uint32_t slice, struct key_group *group);
/* As key_group.stack. Slices in order, too. */
uint32_t key_context_stack(struct key_context *context, uint32_t slice);

/* Into devices[]; TL_NONE: none is known, or devices were not requested. */
static inline uint32_t key_context_device(const struct key_context *context, uint32_t stream)
{
    bool known = context->device_of_stream && stream != TL_NONE;
    return known ? context->device_of_stream[stream] : TL_NONE;
}

/* The step at a time. TL_NONE: steps were not requested, or there is none at that time. */
static inline uint32_t key_context_step(const struct key_context *context, uint32_t process,
                                        int64_t time_ns)
{
    const bool *apart = context->options->steps_apart;
    if (!context->steps.first || process == TL_NONE)
        return TL_NONE;
    uint32_t step = steps_find(&context->steps, process, time_ns);
    return step != TL_NONE && apart && !apart[step] ? TL_NONE : step;
}

/* ---- rows ----
 *
 * A name and a kind have one small number in an array, so by name alone nothing is hashed. Each
 * further part (a thread, a shape ...) refines that number: the pair of number and part has a
 * number of its own, found in a hash table of exact keys.
 */

#define KEY_PARTS 10u /* the KEY_BY_* beside the name */

/* What is known of a row only while it is added up. */
struct key_state {
    struct key_cold cold;
    uint32_t open; /* how many calls of it are open on the current thread */
};

struct key_rows {
    const struct timeline *timeline;
    struct key_averages *averages;
    const struct key_options *options;
    struct key_names keys;
    uint32_t *base_of_key; /* by class and key: base + 1, 0 none yet */
    uint32_t base_count;
    struct keymap refined[KEY_PARTS + 1]; /* (number << 32 | part) -> number; the last: -> row */
    uint32_t refined_count[KEY_PARTS + 1];
    struct keymap paths;
    uint32_t *row_of_path;    /* by path and nothing else a path is a row: row + 1, 0 none yet */
    struct key_state *states; /* by row */
    struct key_samples samples;
    /* By slice: time of the Python functions directly inside, which is not the slice's own. NULL:
     * functions are no rows. */
    int64_t *functions_ns;
    bool by_key; /* by name and nothing else */
    bool failed; /* no memory */
};

bool key_rows_init(struct key_rows *rows, struct key_averages *averages,
                   const struct timeline *timeline, const struct key_options *options);
void key_rows_fini(struct key_rows *rows);

/* Names are keyed apart by what they name, ranges, calls, marks, Python functions or device work: a
 * kernel may be called like a range. */
#define KEY_CLASSES 5u
static inline uint32_t *key_rows_base(const struct key_rows *rows, uint32_t key, enum key_kind kind)
{
    uint32_t class = kind < KEY_KERNEL ? (uint32_t)kind : KEY_CLASSES - 1;
    return &rows->base_of_key[(size_t) class * rows->keys.key_count + key];
}

/* Index of the row; UINT32_MAX, and rows->failed: no memory. Reads only the members of `group`
 * that rows are grouped by. */
uint32_t key_rows_find_slow(struct key_rows *rows, uint32_t key, enum key_kind kind,
                            const struct key_group *group);
static inline uint32_t key_rows_find(struct key_rows *rows, uint32_t name, enum key_kind kind,
                                     const struct key_group *group)
{
    uint32_t key = key_names_of(&rows->keys, name);
    uint32_t base = *key_rows_base(rows, key, kind);
    return rows->by_key && base ? base - 1 : key_rows_find_slow(rows, key, kind, group);
}

/* Index into paths[] of something inside of `parent`; TL_NONE when rows have no paths. */
uint32_t key_rows_path(struct key_rows *rows, uint32_t name, enum key_kind kind, uint32_t parent);

/* Adds the calls of Python functions, before all others. False: no memory, and rows->failed. */
bool key_rows_add_python(struct key_rows *rows);

/* Counts the start of a call. Calls arrive in order per thread, but not across threads. */
static inline void key_row_begins(struct key_average *row, int64_t start_ns)
{
    row->first_ns = start_ns < row->first_ns ? start_ns : row->first_ns;
}

/* A call of the row. */
static inline void key_rows_sample(struct key_rows *rows, uint32_t row, uint32_t process,
                                   int64_t start_ns, int64_t duration_ns)
{
    if (rows->options->spread)
        key_spread_add(&rows->averages->rows[row].spread, &rows->states[row].cold, process,
                       start_ns, duration_ns);
    if (rows->samples.capacity)
        key_samples_add(&rows->samples, row, duration_ns);
}

/* What a call of a range launched, 0 nothing. */
static inline void key_rows_device_sample(struct key_rows *rows, uint32_t row, int64_t device_ns)
{
    if (rows->options->samples && device_ns > 0)
        key_samples_add(&rows->averages->device_samples, row, device_ns);
}

/* Computes those parts of the spread that need all durations, if requested; then returns the
 * samples, if requested. */
bool key_rows_measure(struct key_rows *rows);

#endif
