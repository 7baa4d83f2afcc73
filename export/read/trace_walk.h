/* trace_walk.h - the inside of the native reader: one record of a chunk, an opened file, one walk
 * through it. */
#ifndef PROF_TRACE_WALK_H
#define PROF_TRACE_WALK_H

#include "builder.h"
#include "clockmap.h"
#include "maps.h"
#include "prof/format.h"
#include "read.h"
#include "trace_reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct record {
    const uint64_t *at; /* its header word in the file */
    uint64_t header;
    unsigned words; /* header included */
};

enum record_status {
    RECORD_EMPTY, /* never committed: skip one word */
    RECORD_GOOD,
    RECORD_TORN,    /* reserved, never committed: skip `words` */
    RECORD_UNKNOWN, /* a type of a later version: skip `words` */
    RECORD_BAD,     /* impossible: nothing after it can be trusted */
};

/* Looks at the word `at`, of which `room` words remain in the chunk (at least 1). A live recorder
 * may be writing the file: the header is read once (acquire, partner of the recorder's commit). */
enum record_status record_read(const uint64_t *at, size_t room, struct record *record);

/* The same, without a call for the records of one word, of which most are. */
static inline enum record_status record_read_short(const uint64_t *at, size_t room,
                                                   struct record *record)
{
    uint64_t header = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    unsigned kind = PROF_WORD_KIND(header);
    if (kind != PROF_KIND_PUSH && (kind != PROF_KIND_POP || PROF_WORD_NAME(header)))
        return record_read(at, room, record);
    *record = (struct record){at, header, 1};
    return RECORD_GOOD;
}

/* Copies the record, or as much of it as `size` takes; what the record does not cover becomes
 * zero. */
static inline void record_copy(const struct record *record, void *to, size_t size)
{
    size_t have = (size_t)record->words * 8;
    memset(to, 0, size);
    memcpy(to, record->at, have < size ? have : size);
}

static inline unsigned record_type(const struct record *record)
{
    return PROF_WORD_TYPE(record->header);
}

/* The text that follows `head_bytes` bytes of the record; false when the record is too short for
 * it. */
bool record_text(const struct record *record, size_t head_bytes, uint32_t bytes, const char **text);

/* The inside of the native reader: an opened file, and one walk through it.
 *
 *     trace_file.c    opens, checks the header, closes
 *     trace_walk.c    order of the walk; finds and sorts the chunks; damage
 *     trace_meta.c    META chunks: facts about the process, call stacks, what recording cost
 *     trace_log.c     LOG chunks: what threads did, and the threads themselves
 *     trace_window.c  the same, of which a window of time is wanted
 *     trace_device.c  what devices did, memory and graphs, from the same chunks
 *     trace_cost.c    what recording cost
 */

struct trace_file {
    const struct trace_reader *reader; /* of another format; NULL: libprof's own */
    void *foreign;                     /* that reader's */
    uint32_t process_count;
    char *path;
    const uint8_t *bytes;
    size_t size;
    void *mapping; /* to unmap, or NULL */
    void *copy;    /* to free, or NULL */
    bool partial;
    bool truncated;
    bool skips; /* trace_file_skip_before() */
    int64_t from_ns;
    struct prof_file_header header; /* as it was when the file was opened */
};

/* A record outside of the window, held back until it is known whether it is needed: see
 * trace_window.c. */
struct walk_pending {
    struct record record;
    uint64_t base; /* of its chunk */
    int64_t time_ns;
    uint64_t order;  /* of those that are held back */
    uint32_t thread; /* number */
};

struct walk_pendings {
    struct walk_pending *at;
    size_t count, capacity;
    size_t ranges; /* begins of ranges of prof.h or NVTX */
};

/* A thread as its log describes it. */
struct walk_thread {
    uint32_t number; /* the file's */
    uint32_t epoch;
    int64_t last_ns;
    bool begun; /* has an epoch */
    bool ended;
    bool described;     /* the builder knows its tid */
    bool stated;        /* META describes it: what logs say of it does not count */
    bool mark_left_out; /* its latest mark was */
    bool has_begun;     /* the builder knows when its first range or call that is left out began */
    /* Begins, outermost first, with what is said about them: ranges and CUDA calls; calls of Python
     * functions. */
    struct walk_pendings pending, pending_frames;
};

/* A LOG chunk, or a part of a PARTS chunk. */
struct walk_chunk {
    uint32_t log, thread, epoch;
    uint64_t sequence;
    uint64_t base_ticks;  /* of its records */
    uint64_t begin_ticks; /* when it was begun */
    size_t offset;        /* of what belongs to it ... */
    size_t skip, bytes;   /* ... and how much of that is not a record */
    bool has_device_records;
};

/* The window of time that is wanted; without one, everything is. */
struct walk_window {
    bool given;
    int64_t from_ns, to_ns;
    int64_t first_ns, last_ns;               /* time span of what was left out */
    struct idset calls_kept, calls_left_out; /* by correlation id */
    struct idset asyncs_kept, asyncs_left_out;
    int64_t open_asyncs;          /* of those left out */
    struct idset tokens_left_out; /* of ranges that are timed by CUDA events */
    struct walk_pendings late;    /* of begin/end ranges that were not known by then */
    uint64_t next_order;
    bool has_blocks; /* profiling blocks: all begin/end ranges and allocations are kept */
};

/* What the values of ATTRS records mean. */
struct walk_attr_set {
    uint32_t id, count;
    struct prof_attr_field fields[PROF_ATTR_SET_FIELDS_MAX];
};

/* What the recorder states that recording cost. Pushes, pops and the like it only says the price
 * of: they are counted here, as far as its statement goes. */
struct walk_cost {
    struct prof_rec_cost head; /* the latest statement; ticks 0: there is none */
    struct prof_cost_item items[PROF_COST_COUNT];
    uint64_t events, records; /* in the logs, until then */
};

struct walk {
    const struct trace_file *file;
    struct builder *builder;
    struct tl_health health;
    struct read_error *error;
    bool failed;
    struct tl_process_info process;
    struct clockmap clock;
    struct idmap thread_slots; /* thread number -> index into threads */
    struct walk_thread *threads;
    uint32_t thread_count, thread_capacity;
    struct walk_chunk *chunks;
    size_t chunk_count, chunk_capacity;
    size_t *metas; /* offsets of META chunks */
    size_t meta_count, meta_capacity;
    uint64_t *stops; /* ticks at which recording was switched off */
    size_t stop_count, stop_capacity;
    struct idmap stop_of_epoch; /* into stops[] */
    uint32_t *late_epochs;      /* that began in the midst of the program, ascending */
    size_t late_count, late_capacity;
    struct walk_attr_set *attr_sets;
    size_t attr_set_count, attr_set_capacity;
    uint64_t cut_names;  /* too long for the file */
    bool unmarked_names; /* of them, some without what distinguishes them: an older recorder's */
    int64_t end_ns;      /* of everything seen so far */
    struct walk_cost cost;
    struct walk_window window;
};

/* Where the records of a chunk are. */
struct walk_span {
    const uint64_t *at;
    size_t words;
};

struct walk_span walk_records(const struct walk *walk, size_t chunk_offset);
struct walk_span walk_log_records(const struct walk *walk, const struct walk_chunk *chunk);
size_t walk_offset(const struct walk *walk, const uint64_t *at);

/* This chunk comes next, of a file of which not all are read. */
void walk_expect(const struct walk *walk, const struct walk_chunk *chunk);

/* The records of this chunk are not needed again: its pages leave the process's memory. */
void walk_forget(const struct walk *walk, const struct walk_chunk *chunk);
/* The same; progress is shown. */
void walk_done(const struct walk *walk, const struct walk_chunk *chunk);

/* Notes damage. Ends the walk unless the file was opened with `partial`. */
void walk_damage(struct walk *walk, size_t offset, const char *what);
void walk_no_memory(struct walk *walk);

/* Grows an array of the walk to hold one more; false (and the walk fails): no memory. */
bool walk_room(struct walk *walk, void *array, size_t count, size_t *capacity, size_t item_bytes);

/* Says what was passed over and how much of the current record to skip; true when it is to be
 * taken. */
bool walk_accepts(struct walk *walk, enum record_status status, const struct record *record);

/* trace_meta.c: reads all META chunks, then passes them to the builder. */
void walk_meta_collect(struct walk *walk);
void walk_meta_append(struct walk *walk);

/* trace_log.c: the chunks [first, end) of one log. */
void walk_log(struct walk *walk, size_t first, size_t end);

/* The walk through one chunk of one log. */
struct log_state {
    struct walk *walk;
    struct walk_thread *thread; /* owner of the current records */
    uint64_t base;
    uint64_t begun; /* range id of the record before, if that began a range */
    bool has_device_records;
};

/* When a thread's event was by the clock; and its time then, never before the thread's last one. */
static inline int64_t log_clock_ns(const struct log_state *log, uint64_t info)
{
    return clockmap_time_ns(&log->walk->clock, log->base + info);
}

static inline int64_t log_take_ns(struct log_state *log, int64_t time_ns)
{
    struct walk_thread *thread = log->thread;
    if (time_ns < thread->last_ns) {
        log->walk->health.clamped_times++;
        return thread->last_ns;
    }
    thread->last_ns = time_ns;
    return time_ns;
}

static inline int64_t log_event_ns(struct log_state *log, uint64_t info)
{
    return log_take_ns(log, log_clock_ns(log, info));
}

/* Passes the record on to the builder. */
void log_pass_on(struct log_state *log, const struct record *record);

/* When a RANGE began and ended; `record_ns`: the time of its record. */
void log_range_times(struct walk *walk, const struct prof_rec_range *range, int64_t record_ns,
                     int64_t *begin_ns, int64_t *end_ns);

/* trace_window.c. */
void walk_window_init(struct walk *walk);
void walk_window_fini(struct walk *walk);
/* log_pass_on(), unless the window does not need the record. */
void walk_window_record(struct log_state *log, const struct record *record);
/* Before what the thread has open ends: passes on the begins that were kept back. */
void walk_window_flush(struct walk *walk, struct walk_thread *thread);
/* After all logs: what had to wait until all of them are read. After that, and when the threads are
 * closed, walk_window_close(). */
void walk_window_end(struct walk *walk);
void walk_window_close(struct walk *walk);

/* The thread of that number, new if it was not known; NULL (and the walk fails): no
 * memory. */
struct walk_thread *walk_thread_find(struct walk *walk, uint32_t number);
/* What is open now was open when the recording ended, or when it was switched off. */
void walk_close_threads(struct walk *walk);

/* trace_device.c: one record; `info` as its header has it. */
void walk_device(struct walk *walk, const struct record *record, uint64_t info);

/* trace_device.c: memory and graphs. */

/* ALLOC, FREE: what the thread did at `time_ns`. */
void walk_allocation(struct walk *walk, uint32_t thread, int64_t time_ns,
                     const struct record *record);

/* META ALLOCATOR. */
void walk_allocator(struct walk *walk, const struct record *record);

/* Records of CUDA graphs, as the walk meets them; private to this folder. */

/* In a LOG: PROF_REC_GRAPH_NODE. */
void walk_graph_node(struct walk *walk, uint32_t thread, int64_t time_ns,
                     const struct record *record);

/* In META: PROF_REC_EARLIER_NODE, PROF_REC_GRAPH. */
void walk_earlier_node(struct walk *walk, const struct record *record);
void walk_graph(struct walk *walk, const struct record *record);

/* trace_log.c: attributes that come several in a record. */
/* In META: PROF_REC_ATTR_SET. */
void walk_attr_set_collect(struct walk *walk, const struct record *record);

/* trace_cost.c: what recording cost. */

/* In META: PROF_REC_COST; PROF_REC_THROTTLE, with the names. */
void walk_cost_collect(struct walk_cost *cost, const struct record *record);
void walk_throttle_append(struct walk *walk, const struct record *record);

/* A record of a log, stamped `ticks`. */
void walk_cost_count(struct walk_cost *cost, uint64_t header, uint64_t ticks);

/* After the logs. */
void walk_cost_append(struct walk *walk);

#endif
