/* event_store_inside.h - what event_store.c and store_tell.c share. */
#ifndef PROF_EVENT_STORE_INSIDE_H
#define PROF_EVENT_STORE_INSIDE_H

#include "array.h"
#include "event_store.h"
#include "text_pool.h"

struct store_thread {
    uint32_t process, tid;
    uint32_t name; /* 0 none */
};

struct store_slice {
    int64_t start_ns, end_ns;
    uint32_t thread, name;
    uint32_t correlation;
    int32_t result;
    uint32_t first_attr;
    uint16_t attr_count;
    uint8_t kind, flags;
};

enum store_instant_kind { STORE_MARK, STORE_COUNTER, STORE_MEMORY };

/* A mark, a counter's value, or memory that was allocated or released. */
struct store_instant {
    int64_t time_ns;
    double value;
    uint32_t thread, name; /* of memory: into memories[] */
    enum store_instant_kind kind;
};

enum store_memory_place { STORE_AT_START, STORE_IN_THREAD, STORE_BY_CALL };

struct store_memory {
    enum store_memory_place place;
    uint32_t process;     /* not of what is in a thread */
    uint32_t correlation; /* of a call */
    uint32_t allocator;   /* into allocators, from 1; 0: CUDA's memory */
    int64_t time_ns;      /* of what a call did */
    struct memory_op record;
};

struct store_allocator {
    uint32_t process, name;
};

struct store_range {
    int64_t start_ns, end_ns;
    uint64_t id;
    uint32_t name, thread, end_thread;
};

struct store_gpu {
    int64_t start_ns, end_ns;
    uint32_t process, correlation, name;
    uint32_t detail; /* into details: its record, without times */
    uint32_t origin; /* id of a range; when resolved, 1 + index of its slice */
    bool ambiguous;
};

struct store_device {
    uint32_t process;
    struct tl_device_info device;
};

struct store_context {
    uint32_t process;
    struct cuda_context context;
};

struct store_stream {
    uint32_t process;
    struct cuda_stream stream;
};

struct store_domain {
    uint32_t process;
    uint32_t name; /* 0 none yet */
};

struct store_category {
    uint32_t process;
    struct nvtx_category category;
};

/* Labels have numbers of their own, so that names can come after them. */
#define STORE_LABEL UINT32_C(0x80000000)

/* What PyTorch's emit_nvtx composes into a range's name, taken apart. */
#define STORE_PARTS_MAX 5u
struct store_name {
    uint32_t name; /* as of event_store_name() or event_store_label() */
    uint32_t count;
    struct event_attr attrs[STORE_PARTS_MAX];
};

/* store_names.c: false: the name stays as it is. */
bool store_name_split(struct event_store *store, uint32_t name, struct store_name *split);

/* Indexes by group: of group g, from starts[g] up to starts[g + 1]. */
struct store_groups {
    uint32_t *items, *starts;
};

struct store_group {
    const uint32_t *at;
    uint32_t count;
};

static inline struct store_group store_group(const struct store_groups *groups, uint32_t number)
{
    uint32_t first = groups->starts[number];
    return (struct store_group){groups->items + first, groups->starts[number + 1] - first};
}

/* The same by thread number, sorted by time. */
struct store_sorted {
    struct radix_item *items;
    uint32_t *starts;
};

/* What is told of each process. */
struct store_index {
    struct store_sorted slices, instants;
    struct store_groups threads, gpus, ranges; /* by process */
    uint32_t *names, *labels;                  /* by number: the telling that it was part of last */
    uint32_t tellings;                         /* of processes, this one included */
    uint32_t *numbers;                         /* as struct teller's; NULL: nobody asks */
};

struct store_warning {
    const char *what;
    uint64_t count;
};

#define STORE_ARRAY(type)         \
    struct {                      \
        type *at;                 \
        uint32_t count, capacity; \
    }

struct event_store {
    bool failed;
    struct text_pool names;
    STORE_ARRAY(bool) plain; /* by name: store_name_split() found nothing to split */
    STORE_ARRAY(struct tl_process_info) processes;
    STORE_ARRAY(struct store_thread) threads;
    STORE_ARRAY(struct store_slice) slices;
    STORE_ARRAY(struct event_attr) attrs;
    STORE_ARRAY(struct store_instant) instants;
    STORE_ARRAY(struct store_memory) memories;
    STORE_ARRAY(struct store_allocator) allocators;
    STORE_ARRAY(struct store_range) ranges;
    STORE_ARRAY(struct store_gpu) gpus;
    bool has_origins; /* some operation has one, and they are resolved */
    STORE_ARRAY(struct read_gpu) details;
    uint32_t *detail_slots; /* open addressing: index + 1, 0 empty; a power of two */
    uint32_t detail_slot_count;
    STORE_ARRAY(struct store_device) devices;
    STORE_ARRAY(struct store_context) contexts;
    STORE_ARRAY(struct store_stream) streams;
    struct text_pool labels; /* each is the bytes of a struct event_name */
    STORE_ARRAY(struct store_domain) domains;
    STORE_ARRAY(struct store_category) categories;
    STORE_ARRAY(struct store_warning) warnings;
    struct store_index *index; /* NULL until the first process is told */
};

/* store_index.c: false: no memory. */
bool store_index(struct event_store *store);
void store_index_destroy(struct store_index *index);

/* Not a wait, nor overhead. */
static inline bool store_is_operation(const struct event_store *store, const struct store_gpu *gpu)
{
    enum read_gpu_kind kind = store->details.at[gpu->detail].kind;
    return kind <= READ_GPU_MEMSET || kind == READ_GPU_GRAPH;
}

#endif
