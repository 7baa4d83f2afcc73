/* chrome_rows.h - which row of a Chrome trace everything is drawn on: its (pid, tid).
 *
 * As in Kineto, a process's threads are rows (OS pid, OS tid), and a device is a "process" whose
 * pid is its ordinal and whose rows are streams, tid = stream id. Where that would put two things
 * on one row, or where the format cannot hold the number, it gets one from CHROME_OWN_IDS on, which
 * is beyond every Linux pid and tid:
 *
 *     a process whose pid another process of the trace has, or that is from CHROME_OWN_IDS to 32
 *     bits, or beyond `most_id`; a device whose ordinal is taken (several processes, or a process
 *     with a small pid, as in a container); a thread whose tid was used before, or is such a
 *     number; its row is called "thread TID (name)" all the same; a stream with id 0 (viewers
 *     replace tid 0 by the pid) or with the id of another stream of the device; rows of ranges that
 *     were timed by events: "ranges timed by events (thread 4711)"; extra lanes, for operations
 *     that overlap on one stream: "stream 7 (lane 2)" ranges projected onto such a stream, or of
 *     several threads onto one: "stream 7 (ranges)"
 *
 * Waits for a stream are on the row CHROME_SYNC_IDS + stream id, "stream 7 (sync)", as Kineto draws
 * them, and ranges projected onto a stream are on the stream's own row. The true device and stream
 * are always in args.
 *
 * Each process counts its correlation ids from 1: those of a later one that are in the range of an
 * earlier one's are moved beyond it, since nothing else tells whose call launched an operation of a
 * device.
 */
#ifndef PROF_CHROME_ROWS_H
#define PROF_CHROME_ROWS_H

#include "json_out.h"
#include "maps.h"
#include "timeline.h"

#define CHROME_SYNC_IDS 1000000u
#define CHROME_OWN_IDS 8000000u
/* Integers that every reader of JSON keeps exactly. */
#define CHROME_IDS_MAX (UINT64_C(1) << 53)

/* A row, with its members as JSON: they are in every event. */
struct chrome_row {
    uint64_t pid, tid;
    uint32_t size;
    char json[56]; /* "pid":1,"tid":2 */
};

/* A device as one process sees it. */
struct chrome_gpu {
    uint64_t pid;
    uint32_t process;
    uint32_t ordinal; /* TL_NONE unknown */
    uint32_t device;  /* into timeline.devices, TL_NONE unknown */
    uint32_t next;    /* of the same process, TL_NONE none */
};

struct chrome_stream {
    uint32_t gpu;        /* into chrome_rows.gpus */
    uint32_t first_lane; /* into chrome_rows.lanes; lane 0 is the stream's own row */
    uint32_t lane_count; /* at least 1 */
};

enum chrome_spare_kind {
    CHROME_SPARE_STREAM,
    CHROME_SPARE_GPU,
    CHROME_SPARE_PROCESS,
    CHROME_SPARE_MANAGED, /* migrations of managed memory, of a device */
    CHROME_SPARE_FAULTS,  /* the same of the host */
    CHROME_SPARE_RANGES,  /* ranges projected onto a stream, beside its row */
};

/* One of the rows that a stream's waits, a device's waits or a process's overhead share, since they
 * may overlap. */
struct chrome_spare {
    struct chrome_row row;
    enum chrome_spare_kind kind;
    uint32_t index; /* of the stream, of the device in chrome_rows.gpus, or of the process */
    uint32_t lane;  /* place among the rows of its kind and index */
    bool named;     /* chrome_labels_spare() has written its metadata */
    uint32_t track; /* for formats that number rows; 0 none yet */
    int64_t end_ns; /* it is free from here on */
    struct chrome_spare *next;
};

/* The row of what one thread had timed on one device by events: such ranges nest. */
struct chrome_timed {
    struct chrome_row row;
    uint32_t gpu, thread;
    uint32_t track; /* as in struct chrome_spare */
    struct chrome_timed *next;
};

struct chrome_rows {
    const struct timeline *timeline;
    struct chrome_row *threads; /* by thread */
    uint64_t *pids;             /* by process */
    uint64_t most_id;           /* of pids and tids that the format holds */
    uint64_t *first_ids;        /* by process: what is added to its correlation ids */
    struct chrome_gpu *gpus;
    uint32_t gpu_count, gpu_capacity;
    uint32_t *process_gpus;        /* by process: the first of its devices, TL_NONE none */
    struct keymap gpu_slots;       /* process << 32 | ordinal -> gpus */
    struct keymap taken_pids;      /* of processes and devices */
    struct chrome_stream *streams; /* by stream */
    struct chrome_row *lanes;
    struct chrome_spare **spares; /* lists: by stream, device, process, for managed memory by
                                     device and process again, for ranges by stream again */
    struct chrome_timed *timed;   /* a list, the one used last in front */
    uint32_t next_id;
};

/* `most_id`: the largest pid and tid that the format holds; larger ones get other numbers.
 * Returns false when memory is short; fini is not needed then. */
bool chrome_rows_init(struct chrome_rows *rows, const struct timeline *timeline, uint64_t most_id);
void chrome_rows_fini(struct chrome_rows *rows);

/* The row of a wait or of overhead: the first of its group that is free at its start. NULL when
 * memory is short. Calls must come in the order of the operations' start. */
struct chrome_spare *chrome_rows_spare(struct chrome_rows *rows, const struct tl_gpu *op);

/* The same for what happens to managed memory. */
struct chrome_spare *chrome_rows_managed(struct chrome_rows *rows,
                                         const struct tl_migration *migration);

/* A row for ranges projected onto a stream: the stream's own in lane 0 of one whose operations do
 * not overlap, else NULL, and `*spare` is one of the rows beside it, NULL when memory is short. */
const struct chrome_row *chrome_rows_ranges(struct chrome_rows *rows, uint32_t stream,
                                            uint32_t lane, struct chrome_spare **spare);
/* The same for formats that draw all such ranges beside the stream: one of those rows, NULL when
 * memory is short. */
struct chrome_spare *chrome_rows_range_spare(struct chrome_rows *rows, uint32_t stream,
                                             uint32_t place);

/* The row of a timed range. `*is_new`: it was made just now, and has no name yet. NULL when memory
 * is short. */
struct chrome_timed *chrome_rows_timed(struct chrome_rows *rows, const struct tl_timing *timing,
                                       bool *is_new);

static inline const struct chrome_row *chrome_rows_of_stream(const struct chrome_rows *rows,
                                                             const struct tl_gpu *op)
{
    const struct chrome_stream *stream = &rows->streams[op->stream];
    uint32_t lane = op->lane < stream->lane_count ? op->lane : stream->lane_count - 1;
    return &rows->lanes[stream->first_lane + lane];
}

/* A process's correlation id as the trace has it; 0 stays none. */
static inline uint64_t chrome_rows_id(const struct chrome_rows *rows, uint32_t process,
                                      uint32_t correlation)
{
    return correlation ? correlation + rows->first_ids[process] : 0;
}

/* The devices of a process: each leads to the next. */
static inline uint32_t chrome_rows_first_gpu(const struct chrome_rows *rows, uint32_t process)
{
    return rows->process_gpus[process];
}

static inline void chrome_row_write(const struct chrome_row *row, struct json_out *out)
{
    json_out_literal(out, row->json, row->size, true);
}

/* The metadata events of a Chrome trace: what rows are called and in which order
 * they stand. */

/* Names processes, devices, threads and streams. */
void chrome_labels_write(const struct chrome_rows *rows, struct json_out *out);

/* Names a row made by chrome_rows_spare(), once. */
void chrome_labels_spare(const struct chrome_rows *rows, struct json_out *out,
                         struct chrome_spare *spare);

/* The same for a row of timed ranges, once. */
void chrome_labels_timed(const struct chrome_rows *rows, struct json_out *out,
                         const struct chrome_timed *timed);

#endif
