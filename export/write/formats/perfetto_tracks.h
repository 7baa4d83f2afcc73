/* perfetto_tracks.h - which track of a Perfetto trace everything is on.
 *
 *     process
 *       thread                    slices, marks; begin/end ranges on tracks below it, as many as
 *                                 overlap
 *       GPU 0: name               what chrome_rows.h calls a gpu: a device as this process sees it
 *         context 1               if the device has several
 *           ranges projected onto stream 7, waits of stream 7
 *         waits for the device, managed memory, ranges timed by events
 *       counters, curves of memory, overhead
 *
 * Viewers show pids and tids themselves, and sort by rank: processes and threads as the timeline
 * has them, what is of a device by stream.
 *
 * Device operations have no track: Perfetto makes one for each stream (perfetto_gpu.c).
 *
 * What lies on which row is decided by chrome_rows.h, as in Chrome traces. Each track is described
 * by a packet of its own before its first event; its uuid is a number of one or two bytes, given in
 * the order of description: it is in every event.
 */
#ifndef PROF_PERFETTO_TRACKS_H
#define PROF_PERFETTO_TRACKS_H

#include "chrome_rows.h"
#include "maps.h"
#include "proto_out.h"
#include "row_names.h"
#include "timeline.h"

/* A track of begin/end ranges; those that are free are a list. */
struct perfetto_lane {
    uint32_t track, thread;
    uint32_t next_free; /* TL_NONE: the last, or not free */
};

struct perfetto_tracks {
    const struct timeline *timeline;
    struct proto_out *out;
    struct chrome_rows rows;
    uint32_t *processes, *threads, *gpus; /* tracks; 0: not described yet */
    uint32_t *context_of,
        *contexts;            /* by stream: the first stream of its context; by that, its track */
    uint32_t *context_counts; /* by gpu */
    uint32_t *heaps;          /* curves, by heap */
    struct keymap counters;   /* process and name -> track */
    struct perfetto_lane *ranges; /* of begin/end ranges */
    uint32_t range_count, range_capacity;
    uint32_t *free_range; /* by thread, the lane freed last; TL_NONE none */
    uint32_t last_track;
};

/* False: no memory; fini is needed all the same. */
bool perfetto_tracks_init(struct perfetto_tracks *tracks, const struct timeline *timeline,
                          struct proto_out *out);
void perfetto_tracks_fini(struct perfetto_tracks *tracks);

/* Describes all processes and threads that did something. */
void perfetto_tracks_describe(struct perfetto_tracks *tracks);

/* The track of something; writes its description first where it is missing, so no packet may be
 * open. 0: no memory (then out->error is set). */
uint32_t perfetto_tracks_process(struct perfetto_tracks *tracks, uint32_t process);
uint32_t perfetto_tracks_thread_slow(struct perfetto_tracks *tracks, uint32_t thread);
uint32_t perfetto_tracks_of_spare(struct perfetto_tracks *tracks, struct chrome_spare *spare);
uint32_t perfetto_tracks_of_timing(struct perfetto_tracks *tracks, const struct tl_timing *timing);
uint32_t perfetto_tracks_counter(struct perfetto_tracks *tracks, const struct tl_counter *counter);

/* "GPU 0: NVIDIA H200" */
void perfetto_tracks_gpu_name(struct perfetto_tracks *tracks, uint32_t gpu,
                              char name[2 * ROW_NAME_BYTES]);

/* A free track for a begin/end range of the thread, taken until perfetto_tracks_release(). Returns
 * the lane, TL_NONE: no memory. */
uint32_t perfetto_tracks_take_range(struct perfetto_tracks *tracks, uint32_t thread);
void perfetto_tracks_release(struct perfetto_tracks *tracks, uint32_t lane);

static inline uint32_t perfetto_tracks_thread(struct perfetto_tracks *tracks, uint32_t thread)
{
    uint32_t track = tracks->threads[thread];
    return __builtin_expect(track != 0, 1) ? track : perfetto_tracks_thread_slow(tracks, thread);
}

/* Names and texts that stand in a Perfetto trace once, and as numbers from there on.
 *
 * Every function gives the number (iid) of a text in its space: event names, categories, names of
 * annotations, string values. The first time, the text joins the interned data that the packet in
 * progress carries; perfetto_names_put() writes them into it. Numbers start at 1 in each space and
 * are given in the order of first use: the frequent ones have one byte.
 *
 * A text that memory is short for has the number 0, and `fresh.error` is set.
 */

#define PERFETTO_CATEGORIES(X)      \
    X(RANGE, "user_annotation")     \
    X(OPERATOR, "cpu_op")           \
    X(RUNTIME, "cuda_runtime")      \
    X(DRIVER, "cuda_driver")        \
    X(KERNEL, "kernel")             \
    X(MEMCPY, "gpu_memcpy")         \
    X(MEMSET, "gpu_memset")         \
    X(GRAPH_RUN, "gpu_graph")       \
    X(SYNC, "cuda_sync")            \
    X(OVERHEAD, "overhead")         \
    X(TIMED, "gpu_user_annotation") \
    X(INSTANT, "cpu_instant_event") \
    X(MANAGED, "unified_memory")    \
    X(PYTHON, "python_function")

#define PERFETTO_KEYS(X)                                     \
    X(CORRELATION, "correlation")                            \
    X(CBID, "cbid")                                          \
    X(DEVICE, "device")                                      \
    X(CONTEXT, "context")                                    \
    X(STREAM, "stream")                                      \
    X(REGISTERS, "registers_per_thread")                     \
    X(STATIC_SHARED, "shared_mem_static")                    \
    X(DYNAMIC_SHARED, "shared_mem_dynamic")                  \
    X(BLOCKS_PER_SM, "blocks per SM")                        \
    X(WARPS_PER_SM, "warps per SM")                          \
    X(OCCUPANCY, "est. achieved occupancy %")                \
    X(PRIORITY, "priority")                                  \
    X(CHANNEL, "channel")                                    \
    X(QUEUED, "queued ns")                                   \
    X(SUBMITTED, "submitted ns")                             \
    X(GRAPH_NODE, "graph node id")                           \
    X(GRAPH, "graph id")                                     \
    X(CAPTURED_IN, "captured in")                            \
    X(CAPTURED_AT, "captured at")                            \
    X(BYTES, "bytes")                                        \
    X(BANDWIDTH, "memory bandwidth (GB/s)")                  \
    X(FROM_DEVICE, "fromDevice")                             \
    X(IN_DEVICE, "inDevice")                                 \
    X(TO_DEVICE, "toDevice")                                 \
    X(FROM_CONTEXT, "fromContext")                           \
    X(IN_CONTEXT, "inContext")                               \
    X(TO_CONTEXT, "toContext")                               \
    X(SYNC_KIND, "cuda_sync_kind")                           \
    X(WAIT_STREAM, "wait_on_stream")                         \
    X(WAIT_CORRELATION, "wait_on_cuda_event_record_corr_id") \
    X(WAIT_EVENT, "wait_on_cuda_event_id")                   \
    X(RESULT, "result")                                      \
    X(ERROR, "error")                                        \
    X(MISSING, "missing operations")                         \
    X(CONTINUED, "continued")                                \
    X(UNCLOSED, "unclosed")                                  \
    X(CALL_STACK, "Call stack")                              \
    X(RANGE_ID, "range id")                                  \
    X(PYTHON_ID, "Python id")                                \
    X(PYTHON_PARENT, "Python parent id")                     \
    X(PYTHON_MODULE, "Python module id")                     \
    X(DOMAIN, "domain")                                      \
    X(CATEGORY, "category")                                  \
    X(COLOR, "color")                                        \
    X(STREAM_HANDLE, "stream handle")                        \
    X(ERROR_NS, "error ns")                                  \
    X(RESERVED, "Total Reserved")                            \
    X(ALLOCATED, "Total Allocated")                          \
    X(CHANGE, "Bytes")                                       \
    X(ADDRESS, "Addr")                                       \
    X(MANAGED_ADDRESS, "address")                            \
    X(DEVICE_ID, "Device Id")                                \
    X(DEVICE_TYPE, "Device Type")                            \
    X(VALUE, "value")                                        \
    X(OPERATIONS, "operations")                              \
    X(SOURCE, "source") X(TARGET, "target") X(COST, "cost %") X(BUDGET, "budget %")

#define PERFETTO_ENUM_CATEGORY(name, text) PERFETTO_CATEGORY_##name,
enum perfetto_category { PERFETTO_CATEGORIES(PERFETTO_ENUM_CATEGORY) PERFETTO_CATEGORY_COUNT };
#define PERFETTO_ENUM_KEY(name, text) PERFETTO_KEY_##name,
enum perfetto_key { PERFETTO_KEYS(PERFETTO_ENUM_KEY) PERFETTO_KEY_COUNT };

/* A list of numbers that grows to the index requested; 0: not given yet. */
struct perfetto_numbers {
    uint32_t *at;
    uint32_t capacity;
};

#define PERFETTO_WORDS_MAX 48u

struct perfetto_names {
    const struct timeline *timeline;
    struct proto_out fresh;                /* entries that the packet in progress introduces */
    uint32_t *events, *keys, *values;      /* by index into timeline.names */
    uint32_t *operations;                  /* the same: events that are operations of devices */
    struct perfetto_numbers stacks, paths; /* string values, by index of stack and path */
    const char *words[PERFETTO_WORDS_MAX]; /* constant event names, by their own pointers */
    uint32_t word_numbers[PERFETTO_WORDS_MAX];
    uint32_t word_count;
    uint32_t event_count, key_count, value_count;
    bool known_keys[PERFETTO_KEY_COUNT], known_categories[PERFETTO_CATEGORY_COUNT];
};

/* False: no memory; fini is needed all the same. */
bool perfetto_names_init(struct perfetto_names *names, const struct timeline *timeline);
void perfetto_names_fini(struct perfetto_names *names);

/* The message InternedData of what is new, where something is. */
void perfetto_names_put(struct perfetto_names *names, struct proto_out *packet);

/* Slow paths of the functions below. */
uint32_t perfetto_names_new_event(struct perfetto_names *names, uint32_t *numbers, uint32_t name);
uint32_t perfetto_names_new_key(struct perfetto_names *names, uint32_t name);
uint32_t perfetto_names_new_value(struct perfetto_names *names, uint32_t name);
void perfetto_names_tell_key(struct perfetto_names *names, enum perfetto_key key);
void perfetto_names_tell_category(struct perfetto_names *names, enum perfetto_category category);

/* The name of a launch's argument (perfetto_gpu.c): a space of its own. */
void perfetto_names_introduce_argument(struct perfetto_names *names, enum perfetto_key key);

/* An event's name that is a constant: the same pointer every time. */
uint32_t perfetto_names_word(struct perfetto_names *names, const char *word);

/* String values: the text of a call stack, of a path of ranges. `text` is looked at the first
 * time. */
uint32_t perfetto_names_stack(struct perfetto_names *names, uint32_t stack, const char *text);
uint32_t perfetto_names_path(struct perfetto_names *names, uint32_t path, const char *text);
bool perfetto_names_has_path(const struct perfetto_names *names, uint32_t path);

static inline uint32_t perfetto_names_event(struct perfetto_names *names, uint32_t name)
{
    uint32_t number = names->events[name];
    return __builtin_expect(number != 0, 1) ? number
                                            : perfetto_names_new_event(names, names->events, name);
}

/* The name of an operation of a device. Perfetto's reader (gpu_event_parser.cc of version 58) reads
 * such entries as another message than those of other events, and aborts where one entry is read as
 * both. */
static inline uint32_t perfetto_names_operation(struct perfetto_names *names, uint32_t name)
{
    uint32_t number = names->operations[name];
    return number ? number : perfetto_names_new_event(names, names->operations, name);
}

static inline uint32_t perfetto_names_key_of(struct perfetto_names *names, uint32_t name)
{
    uint32_t number = names->keys[name];
    return __builtin_expect(number != 0, 1) ? number : perfetto_names_new_key(names, name);
}

static inline uint32_t perfetto_names_value(struct perfetto_names *names, uint32_t name)
{
    uint32_t number = names->values[name];
    return __builtin_expect(number != 0, 1) ? number : perfetto_names_new_value(names, name);
}

static inline uint32_t perfetto_names_key(struct perfetto_names *names, enum perfetto_key key)
{
    if (__builtin_expect(!names->known_keys[key], 0))
        perfetto_names_tell_key(names, key);
    return (uint32_t)key + 1;
}

static inline uint32_t perfetto_names_category(struct perfetto_names *names,
                                               enum perfetto_category category)
{
    if (__builtin_expect(!names->known_categories[category], 0))
        perfetto_names_tell_category(names, category);
    return (uint32_t)category + 1;
}

#endif
