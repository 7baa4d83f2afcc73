/* chrome.h - what the parts of the Chrome trace writer share. The entry is write_chrome() in
 * write.h. */
#ifndef PROF_CHROME_H
#define PROF_CHROME_H

#include "around.h"
#include "chrome_operators.h"
#include "chrome_rows.h"
#include "heap_levels.h"
#include "quoted_names.h"
#include "range_paths.h"
#include "run_facts.h"
#include "stream_ranges.h"
#include "write.h"

struct chrome {
    const struct timeline *timeline;
    struct json_out out;
    struct quoted_names names;
    struct chrome_rows rows;
    struct run_facts facts;
    const char *trace_name;
    int64_t shift_ns; /* added to every time: nothing is before baseTimeNanoseconds */
    struct heap_levels heaps;
    const struct write_chrome_more *more; /* NULL: nothing */
    char *const *stacks;                  /* by stack, NULL none */
    struct range_paths paths;             /* of captured operations */
    struct stream_ranges ranges;          /* what is drawn of ranges on streams */
    struct chrome_operators operators;
    struct chrome_collectives collectives;
    uint32_t point_of; /* chrome_arrows.c: the slice that was requested last, TL_NONE */
    bool point_touches;
    uint64_t event_index;      /* of the next event of PyTorch's */
    bool stated_distributed;   /* by the caller's metadata */
    uint64_t skipped_counters; /* not a number, which JSON does not have */
    uint32_t *
        segment_of; /* by slice: 1 + the first one of its segments, 0 it has none; NULL: none has */
    /* By slice, for TensorBoard: the outermost collective, and the innermost drawn range, at or
     * around it; TL_NONE. */
    uint32_t *collective_around, *id_around;
    uint8_t *attr_words; /* chrome_args.c: by name index, which word of its table it is */
};

/* chrome_head.c: everything of the top-level object before and after the events. */
void chrome_head_write(struct chrome *chrome);
void chrome_head_finish(struct chrome *chrome);

/* chrome_args.c: the members of "args" of a device operation, in Kineto's order and words. */
void chrome_args_write(struct chrome *chrome, const struct tl_gpu *op);

/* chrome_args.c: "External id" of the operator around a slice, if there is one. */
void chrome_args_external_id(struct chrome *chrome, uint32_t slice);
/* "Sequence number" of a range of PyTorch's, if it has one. */
void chrome_args_sequence(struct chrome *chrome, uint32_t slice);
/* "Fwd thread id" of a range that has a sequence number, unless it is known to be backward. */
void chrome_args_no_forward(struct chrome *chrome, uint32_t slice);

/* chrome_tensorboard.c: what is different for TensorBoard's plugin. */

static inline bool chrome_for_tensorboard(const struct chrome *chrome)
{
    return chrome->more && chrome->more->for_tensorboard;
}

/* Needs chrome.collectives. Returns false when memory is short; fini is harmless then. */
bool chrome_tensorboard_init(struct chrome *chrome);
void chrome_tensorboard_fini(struct chrome *chrome);
/* The plugin's name of a collective, NULL: the slice is none, or within another. */
const char *chrome_tensorboard_collective(const struct chrome *chrome, uint32_t slice);
/* Ids of ranges, calls and operations; the size of a collective. */
void chrome_tensorboard_args(struct chrome *chrome, uint32_t slice);
void chrome_tensorboard_external_id(struct chrome *chrome, uint32_t slice);

/* chrome_args.c: the members of "args" that say what NVTX gave (`label` may be TL_NONE), and the
 * attributes. init returns false when memory is short; fini is harmless then. */
bool chrome_attrs_init(struct chrome *chrome);
void chrome_attrs_fini(struct chrome *chrome);
void chrome_attrs_write(struct chrome *chrome, uint32_t label, struct tl_attrs attrs,
                        bool is_operator);

/* True if the attributes are of a range that the program named through PyTorch. */
bool chrome_args_is_annotation(const struct chrome *chrome, struct tl_attrs attrs);

/* The member "name" of an operator: with its overload if that was recorded, as Kineto has it. */
void chrome_args_operator_name(struct chrome *chrome, uint32_t name, struct tl_attrs attrs);

/* "Ev Idx", the last member of "args": a running number of operators, annotations and memory
 * events. Written only if the trace has operators. */
void chrome_args_index(struct chrome *chrome);

/* Kineto's words for a CUpti_ActivitySynchronizationType. */
const char *chrome_args_sync_name(uint32_t type);

/* Whether an event is known that a wait is for. */
bool chrome_args_waits_for_event(const struct tl_sync *sync);

static inline int64_t chrome_time(const struct chrome *chrome, int64_t ns)
{
    int64_t shifted = ns + chrome->shift_ns;
    return shifted > 0 ? shifted : 0;
}

/* Begins an event on a line of its own: `members` is its constant part, ph and cat. */
#define chrome_event(out, members) \
    (json_newline(out), json_object_begin(out), json_members((out), members))

static inline void chrome_time_write(struct chrome *chrome, int64_t ns)
{
    json_key(&chrome->out, "ts"), json_microseconds(&chrome->out, chrome_time(chrome, ns));
}

/* chrome_arrows.c: arrows from a call to what it launched, from a range to the same range timed by
 * events, from a forward range to its backward passes. An arrow's end is written after the slice
 * that it is tied to. Failures are the writer's. */

/* From a slice to each operation that it launched. */
void chrome_arrows_launches(struct chrome *chrome, const struct chrome_row *row, uint32_t slice);

/* To an operation, if something launched it. */
void chrome_arrows_to(struct chrome *chrome, const struct chrome_row *row, uint32_t op);

/* From a slice, if it was timed by events; to what was timed, of timings[]. */
void chrome_arrows_timed_from(struct chrome *chrome, const struct chrome_row *row, uint32_t slice);
void chrome_arrows_timed_to(struct chrome *chrome, const struct chrome_row *row, uint32_t timing);

/* All from forward to backward. After all slices. */
void chrome_arrows_fwdbwd(struct chrome *chrome);

/* chrome_memory.c: a curve per heap, an instant per change, managed memory on rows of its device.
 * Callbacks of the exporter; `user` is a struct chrome. */
void chrome_memory_event(void *user, uint32_t index);
void chrome_memory_finish(struct chrome *chrome); /* repeats the last level of each curve */
void chrome_memory_migration(void *user, uint32_t index);

#endif
