/* key_rows.h - which row an event belongs to; the inside of key_averages.c.
 *
 * A name and a kind have one small number in an array, so by name alone nothing is hashed. Each
 * further part (a thread, a shape ...) refines that number: the pair of number and part has a
 * number of its own, found in a hash table of exact keys.
 */
#ifndef PROF_KEY_ROWS_H
#define PROF_KEY_ROWS_H

#include "key_averages.h"
#include "key_names.h"
#include "maps.h"

#define KEY_PARTS 8u /* the KEY_BY_* beside the name */

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
    bool by_key; /* by name and nothing else */
    bool failed; /* no memory */
};

bool key_rows_init(struct key_rows *rows, struct key_averages *averages,
                   const struct timeline *timeline, const struct key_options *options);
void key_rows_fini(struct key_rows *rows);

/* Names are keyed apart by what they name, ranges, calls, marks or device work: a kernel may be
 * called like a range. */
#define KEY_CLASSES 4u
static inline uint32_t *key_rows_base(const struct key_rows *rows, uint32_t key, enum key_kind kind)
{
    uint32_t class = kind < KEY_KERNEL ? (uint32_t)kind : KEY_CLASSES - 1;
    return &rows->base_of_key[(size_t) class * rows->keys.key_count + key];
}

/* Index of the row; UINT32_MAX, and rows->failed: no memory. Of `group` only what rows are told
 * apart by is read. */
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

/* What of the spread needs all durations, when it was asked for; then hands the samples out, if that
 * was. */
bool key_rows_measure(struct key_rows *rows);

#endif
