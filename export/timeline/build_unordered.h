/* build_unordered.h - the inside of a file whose events come in any order; private to this folder.
 *
 *     build_unordered.c  gathers it
 *     build_owners.c     which process an operation belongs to, and which range it comes from
 *     build_nesting.c    sorts, cuts and nests its slices
 *     build_finish.c     appends it to the timeline, one process after the other
 */
#ifndef PROF_BUILD_UNORDERED_H
#define PROF_BUILD_UNORDERED_H

#include "array.h"
#include "build.h"
#include "unordered.h"

struct unordered_thread {
    uint64_t tid;
    uint32_t process;
    uint32_t name; /* id, 0 none */
};

/* Something that a device did. */
struct unordered_gpu {
    int64_t start_ns, end_ns;
    uint32_t name; /* id; 0: derived from its details */
    uint32_t correlation;
    uint32_t row, process; /* as in struct unordered_op */
    uint32_t origin;       /* the same */
    uint32_t range;  /* 1 + the slice that it comes from, into slices; 0 none, or not resolved */
    uint32_t detail; /* as in struct tl_gpu */
    uint32_t device; /* ordinal; TL_NONE unknown */
    uint8_t kind;    /* enum tl_gpu_kind */
    bool ambiguous;
    bool of_context; /* its device is that of its context, which may come later */
};

struct unordered_migration {
    struct migration of;
    uint32_t process;
};

struct unordered_slice {
    int64_t start_ns, end_ns;
    uint32_t thread, name;
    uint32_t correlation;
    int32_t result;
    uint32_t first_attr;
    uint16_t attr_count;
    uint8_t kind, flags;
};

enum unordered_instant_kind { UNORDERED_MARK, UNORDERED_COUNTER, UNORDERED_MEMORY };

/* A mark, a counter's value, or memory that was allocated or released. */
struct unordered_instant {
    int64_t time_ns;
    double value;
    uint32_t thread, name; /* of memory: into memories[] */
    enum unordered_instant_kind kind;
};

struct unordered_memory {
    struct memory_event event; /* with a thread: it is an instant, too */
    uint32_t process;
    uint32_t allocator; /* into allocators, from 1; 0: CUDA's memory */
};

struct unordered_allocator {
    uint32_t process, name;
};

struct unordered_frame {
    int64_t start_ns, end_ns;
    uint32_t thread, name;
};

/* When the file states that it was recorded. */
struct unordered_window {
    int64_t start_ns, end_ns;
    bool any;
};

struct unordered_async {
    int64_t start_ns, end_ns;
    uint64_t id;
    uint32_t name, thread, end_thread;
};

struct unordered_device {
    uint32_t process;
    struct tl_device_info device;
};

struct unordered_context {
    uint32_t process;
    struct cuda_context context;
};

struct unordered_stream {
    uint32_t process;
    struct cuda_stream stream;
};

struct unordered_domain {
    uint32_t process;
    uint32_t name; /* 0 none yet */
};

struct unordered_category {
    uint32_t process;
    struct nvtx_category category;
};

struct unordered_warning {
    const char *what;
    uint64_t count;
};

/* Indexes by group: of group g, from starts[g] up to starts[g + 1]. */
struct unordered_groups {
    uint32_t *items, *starts;
};

struct unordered_group {
    const uint32_t *at;
    uint32_t count;
};

static inline struct unordered_group unordered_group(const struct unordered_groups *groups,
                                                     uint32_t number)
{
    uint32_t first = groups->starts[number];
    return (struct unordered_group){groups->items + first, groups->starts[number + 1] - first};
}

/* The same by thread number, sorted by time. */
struct unordered_sorted {
    struct radix_item *items;
    uint32_t *starts;
};

/* What each process has, so that finishing it costs what it has and not what the file has. */
struct unordered_index {
    struct unordered_sorted slices, instants;
    struct unordered_groups threads, asyncs, gpus; /* by process */
    uint32_t
        *numbers; /* by slice: 1 + place of its first segment; NULL: no operation has an origin */
};

/* Numbers of processes, threads, domains and allocators are of the file, as are ids of names: those
 * that a process uses come into the timeline in the order in which its events use them, whatever
 * the file's is. */
struct unordered {
    struct builder *builder; /* whose timeline the events will be of */
    struct text_pool names;  /* by id - 1 */
    uint32_t *final;         /* by id - 1: the timeline's name, TL_NONE not used yet */
    TL_ARRAY(bool) plain;    /* by name id: PyTorch did not compose it */
    TL_ARRAY(struct tl_process_info) processes;
    TL_ARRAY(struct unordered_thread) threads;
    TL_ARRAY(struct unordered_slice) slices;
    TL_ARRAY(struct event_attr) attrs;
    TL_ARRAY(struct unordered_instant) instants;
    TL_ARRAY(struct unordered_memory) memories;
    TL_ARRAY(struct unordered_migration) migrations;
    TL_ARRAY(struct unordered_allocator) allocators;
    struct text note; /* of the file's first process; empty none */
    TL_ARRAY(struct unordered_async) asyncs;
    TL_ARRAY(struct unordered_frame) frames; /* by thread, then begin, outer ones first */
    TL_ARRAY(struct unordered_gpu) gpus;
    struct keymap details; /* see build_detail() */
    uint32_t first_kernel; /* the file's details of kernels have ids of names until they are used */
    bool *renamed;         /* by detail from there on: it has the timeline's name */
    bool has_origins;      /* an operation has one, and they are resolved */
    TL_ARRAY(struct unordered_device) devices;
    TL_ARRAY(struct unordered_context) contexts;
    TL_ARRAY(struct unordered_stream) streams;
    struct text_pool labels; /* each is the bytes of a struct event_name */
    TL_ARRAY(struct unordered_domain) domains;
    TL_ARRAY(struct unordered_category) categories;
    TL_ARRAY(struct unordered_warning) warnings;
    struct unordered_window window;
    int64_t origin_ns;             /* the file's time 0 */
    struct unordered_index *index; /* NULL until the first process is finished */
};

/* Ids of labels have this bit. Names can come after them. */
#define UNORDERED_LABEL UINT32_C(0x80000000)

void unordered_destroy(struct unordered *file);

/* Sorts everything by thread and process. False: no memory. */
bool unordered_index(struct unordered *file);
void unordered_index_destroy(struct unordered_index *index);
/* Appends slices and instants of the process's threads; returns how many slices. */
uint32_t unordered_append_threads(struct unordered *file, uint32_t process);

static inline bool unordered_is_operation(const struct unordered_gpu *gpu)
{
    return gpu->kind <= TL_GRAPH_RUN;
}

#endif
