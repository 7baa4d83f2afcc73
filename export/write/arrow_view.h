/* arrow_view.h - the inside of arrow_stream.c: what the cells of a table are read from, its
 * columns, and the dictionary.
 *
 * The view is a timeline, and what must be known of all of it before the first row: sums over what
 * is inside of events, places of attributes, rows of events.
 */
#ifndef PROF_ARROW_VIEW_H
#define PROF_ARROW_VIEW_H

#include "arrow_stream.h"
#include "memory_use.h"
#include "quoted_names.h"
#include "slice_sums.h"
#include "text.h"

#include <stdatomic.h>
#include <string.h>

/* Words that are in every dictionary after the timeline's names. */
enum arrow_word {
    ARROW_RANGE,
    ARROW_STEP,
    ARROW_CALL,
    ARROW_ASYNC,
    ARROW_MARK,
    ARROW_KERNEL,
    ARROW_MEMCPY,
    ARROW_MEMSET,
    ARROW_GRAPH,
    ARROW_COUNTER,
    ARROW_MEMORY,
    ARROW_UNNAMED,
    ARROW_WORDS
};

struct arrow_view {
    const struct timeline *timeline;
    const double *flops; /* as in struct arrow_more */

    /* Of slices: a bit for each that has a row in ARROW_EVENTS, and how many have one before each
     * 64. */
    uint64_t *is_event;
    uint32_t *events_before;
    bool all_are_events; /* every slice's row is its number */

    /* ARROW_EVENTS alone. */
    struct slice_sums *sums; /* by slice */
    struct memory_slices memory;
    uint32_t *first_attr;        /* by slice; NULL: nothing has attributes */
    uint8_t *attr_words;         /* by name: which own column it is; NULL likewise */
    struct quoted_names *quoted; /* NULL likewise */
    struct {
        bool shapes, sequence, stack, flops;
    } given; /* attributes that have a column: a name is theirs */
    uint32_t first_stack,
        first_category; /* in the dictionary: lines of stacks, unnamed categories */

    int64_t *levels; /* ARROW_COUNTERS: what the heap holds after each of memory_events[] */
};

/* False: no memory; fini is needed all the same. */
bool arrow_view_init(struct arrow_view *view, const struct timeline *timeline,
                     enum arrow_table table);
void arrow_view_fini(struct arrow_view *view);

static inline bool arrow_view_is_event(const struct arrow_view *view, uint32_t slice)
{
    return view->is_event[slice / 64] >> slice % 64 & 1;
}

/* How many slices before this one have a row: its own row, if it has one. */
static inline int64_t arrow_view_row(const struct arrow_view *view, uint32_t slice)
{
    uint64_t before = view->is_event[slice / 64] & ((UINT64_C(1) << slice % 64) - 1);
    return (int64_t)view->events_before[slice / 64] + __builtin_popcountll(before);
}

int64_t arrow_view_row_around_slow(const struct arrow_view *view, uint32_t slice);

/* The row of the slice, or of the innermost one around it that has a row; -1 none, as of
 * TL_NONE. */
static inline int64_t arrow_view_row_around(const struct arrow_view *view, uint32_t slice)
{
    if (view->all_are_events)
        return slice == TL_NONE ? -1 : (int64_t)slice;
    return arrow_view_row_around_slow(view, slice);
}

/* How many operations a slice itself launched: kernels, copies, sets, graphs; not the waits of
 * devices. */
uint32_t arrow_view_launched(const struct timeline *timeline, const struct tl_slice *slice);

/* ---- attributes of events: those that have columns of their own, and all others as JSON ---- */

/* The ones with columns; NULL: not given. Of several for one column the last counts. */
struct arrow_attrs_own {
    const struct tl_attr *shapes; /* "Input Dims", "sizes": text */
    const struct tl_attr
        *sequence;               /* "stashed_seq", else "Sequence number", "seq": a whole number */
    const struct tl_attr *stack; /* "Call stack": text */
    const struct tl_attr *flops; /* "flops": a number that is not negative */
};

struct tl_attrs arrow_attrs_of_slice(const struct arrow_view *view, uint32_t slice);
struct arrow_attrs_own arrow_attrs_own(const struct arrow_view *view, struct tl_attrs attrs);

/* A JSON object of the others; each key once, with the last value that was given for it. Numbers
 * are numbers, null those that are not finite. False: there are none, nothing was written. */
bool arrow_attrs_json(const struct arrow_view *view, struct tl_attrs attrs, struct text_out *out);

/* The dictionary that all columns of names share, as Arrow's large_string: names of the timeline,
 * then those of enum arrow_word, then what events need beside these: call stacks and numbered
 * categories.
 *
 * Each text is there once, as pandas wants it of categories: names that were distinguished by bytes
 * that are not UTF-8 can have become equal, and a program may call its ranges "step". So a cell's
 * number is one of all these texts in that order, and `places` has its place in the dictionary. */

/* Counted: the stream, and every array that has it, hold it. */
struct arrow_names {
    _Atomic(uint32_t) holders;
    uint32_t count;
    int64_t *offsets; /* count + 1 */
    char *bytes;
    uint32_t *places; /* by number */
};

/* With one holder. `table` ARROW_EVENTS: with what events need, of which the view gets the places;
 * `stacks` as in struct arrow_more. NULL: no memory. */
struct arrow_names *arrow_names_create(struct arrow_view *view, enum arrow_table table,
                                       char *const *stacks);
struct arrow_names *arrow_names_hold(struct arrow_names *names);
void arrow_names_release(struct arrow_names *names); /* NULL is fine */

/* ---- columns ---- */

/* An item's cell goes to `to` as its column's type; of a column of texts to the end of a struct
 * text_out. False: it is null, and `to` was perhaps written to. */
typedef bool arrow_cell(const struct arrow_view *view, uint32_t item, void *to);

/* Writes the cells of `count` items to `to`, and a bit for each that is not null to `bits`, unless
 * it is NULL: then no cell can be null. Null is written as zeros. Returns how many are not null. */
typedef uint32_t arrow_fill(const struct arrow_view *view, const uint32_t *items, uint32_t count,
                            char *to, uint8_t *bits);

/* Defines a cell that is one expression of view, item and to. */
#define ARROW_CELL(name, ...)                                                \
    static bool name(const struct arrow_view *view, uint32_t item, void *to) \
    {                                                                        \
        return __VA_ARGS__;                                                  \
    }

struct arrow_column {
    const char *name;
    const char *format; /* as Arrow writes types */
    uint8_t bytes;      /* of a value; 0: a text of its own */
    bool nullable;
    bool is_name; /* an index into the dictionary */
    arrow_cell *cell;
    arrow_fill *fill; /* not of texts */
};

struct arrow_rows {
    const struct arrow_column *columns;
    uint32_t column_count;
    /* Rows are those items for which this holds. NULL: all. */
    bool (*is_row)(const struct arrow_view *view, uint32_t item);
    uint32_t (*item_count)(const struct timeline *timeline);
    /* Whether nothing in the timeline has a value of that column: it need not be asked row by row.
     * NULL: unknown. */
    bool (*is_absent)(const struct arrow_view *view, arrow_cell *cell);
};

extern const struct arrow_rows arrow_event_rows, arrow_launch_rows, arrow_kernel_rows,
    arrow_counter_rows, arrow_function_rows;

/* A table lists its columns once, in arrow_columns.h; the cell of a column is TABLE_NAME().
 * ARROW_FILLS makes a loop of each that the cell is inlined into, ARROW_ENTRY a struct
 * arrow_column. */
#define ARROW_FILLS(table, name, type, meaning)                                                 \
    static uint32_t fill_##table##_##name(const struct arrow_view *view, const uint32_t *items, \
                                          uint32_t count, char *to, uint8_t *bits)              \
    {                                                                                           \
        return arrow_fill_cells(view, items, count, to, bits, ARROW_BYTES(ARROW_##type),        \
                                table##_##name);                                                \
    }
#define ARROW_ENTRY(table, name, type, meaning) \
    {#name, ARROW_##type, table##_##name, fill_##table##_##name},

/* Types: format, bytes, nullable, an index into the dictionary. */
#define ARROW_U16 "S", 2, false, false
#define ARROW_U32 "I", 4, false, false
#define ARROW_U32_NULL "I", 4, true, false
#define ARROW_I32_NULL "i", 4, true, false
#define ARROW_I64 "l", 8, false, false
#define ARROW_I64_NULL "l", 8, true, false
#define ARROW_U64 "L", 8, false, false
#define ARROW_U64_NULL "L", 8, true, false
#define ARROW_F64 "g", 8, false, false
#define ARROW_F64_NULL "g", 8, true, false
#define ARROW_TIME "tsn:UTC", 8, false, false
#define ARROW_NAME "I", 4, false, true
#define ARROW_NAME_NULL "I", 4, true, true
#define ARROW_TEXT_NULL "U", 0, true, false
#define ARROW_SECOND(format, bytes, ...) bytes
#define ARROW_BYTES(...) ARROW_SECOND(__VA_ARGS__)

static inline __attribute__((always_inline)) uint32_t
arrow_fill_cells(const struct arrow_view *view, const uint32_t *items, uint32_t count, char *to,
                 uint8_t *bits, size_t bytes, arrow_cell *cell)
{
    uint32_t valid_count = 0;
    unsigned group = 0;
    if (!bits) {
        for (uint32_t i = 0; i < count; i++, to += bytes)
            cell(view, items[i], to);
        return count;
    }
    for (uint32_t i = 0; i < count; i++, to += bytes) {
        bool valid = cell(view, items[i], to);
        if (!valid)
            memset(to, 0, bytes);
        valid_count += valid;
        group |= (unsigned)valid << i % 8;
        if (i % 8 == 7 || i + 1 == count) {
            bits[i / 8] = (uint8_t)group;
            group = 0;
        }
    }
    return valid_count;
}

static inline bool arrow_put_16(void *to, uint16_t value)
{
    memcpy(to, &value, sizeof value);
    return true;
}

static inline bool arrow_put_32(void *to, uint32_t value)
{
    memcpy(to, &value, sizeof value);
    return true;
}

/* Null where nothing is known. */
static inline bool arrow_put_known(void *to, uint32_t value)
{
    return arrow_put_32(to, value) && value != TL_NONE;
}

static inline bool arrow_put_64(void *to, int64_t value)
{
    memcpy(to, &value, sizeof value);
    return true;
}

static inline bool arrow_put_u64(void *to, uint64_t value)
{
    memcpy(to, &value, sizeof value);
    return true;
}

static inline bool arrow_put_f64(void *to, double value)
{
    memcpy(to, &value, sizeof value);
    return true;
}

static inline bool arrow_put_word(const struct arrow_view *view, void *to, enum arrow_word word)
{
    return arrow_put_32(to, view->timeline->names.count + word);
}

/* A name that something must have. */
static inline bool arrow_put_name(const struct arrow_view *view, void *to, uint32_t name)
{
    return name < view->timeline->names.count ? arrow_put_32(to, name)
                                              : arrow_put_word(view, to, ARROW_UNNAMED);
}

static inline bool arrow_put_pid(const struct arrow_view *view, void *to, uint32_t process)
{
    return arrow_put_u64(to, view->timeline->processes.at[process].info.pid);
}

static inline bool arrow_put_time(const struct arrow_view *view, void *to, int64_t time_ns)
{
    return arrow_put_64(to, (int64_t)view->timeline->base_realtime_ns + time_ns);
}

/* The row in ARROW_EVENTS of a slice, or of the innermost one around it that has a row. */
static inline bool arrow_put_event(const struct arrow_view *view, void *to, uint32_t slice)
{
    int64_t row = arrow_view_row_around(view, slice);
    return arrow_put_64(to, row) && row >= 0;
}

#endif
