/* prof.h - the public interface of libprof, for C11 and C++17 and later.
 *
 *     #include <prof/prof.h>
 *
 *     void step(void)
 *     {
 *         PROF_RANGE("step");              // until the end of the scope
 *         prof_range_push("load batch");
 *         prof_attr_int("bytes", 1 << 20);
 *         prof_range_pop();
 *     }
 *
 * A program that includes this header need not link the library. Every function below is a small
 * inline wrapper around a weak reference: where the library is absent or not recording, a call
 * costs two loads; where it is preloaded (LD_PRELOAD, profrun) or linked, the same binary records.
 * Weak references want position-independent code, the default of today's compilers. A program that
 * links libprof should define PROF_LINKED (the CMake package and prof.pc do): the references are
 * then strong, and `ld --as-needed` keeps the library.
 *
 * Promises of every function: may be called from any thread, from constructors before main to
 * handlers after exit, from a signal handler (except as the first event of the whole process), and
 * in a forked child, which records into a file of its own. It never fails the program, never
 * changes errno. What cannot be recorded is counted (prof_loss). Names and keys are UTF-8, copied,
 * never kept by address; NULL is ignored and counted; of more than 4,096 bytes the first 4,096 are
 * kept.
 *
 * Cost of a push+pop pair where recording is on: two readings of the time-stamp counter and a
 * little; after a thread's first event there is no lock, allocation or system call.
 */
#ifndef PROF_PROF_H
#define PROF_PROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROF_VERSION_MAJOR 0
#define PROF_VERSION_MINOR 1
#define PROF_VERSION_PATCH 0

/* X(symbol, sentence). Values never change; append only. */
#define PROF_STATUSES(X)                                                         \
    X(OK, "done")                                                                \
    X(ABSENT, "libprof is not loaded in this process")                           \
    X(INVALID, "an argument is invalid")                                         \
    X(NOTHING, "nothing has been recorded yet")                                  \
    X(BUSY, "recording has begun already: these options cannot change any more") \
    X(FAILED, "the trace file could not be read or the output not be written")   \
    X(UNSUPPORTED, "there is nothing in this process that could do that")        \
    X(TAKEN, "another profiler has it")

typedef enum prof_status {
#define PROF_STATUS_ENUM(symbol, sentence) PROF_##symbol,
    PROF_STATUSES(PROF_STATUS_ENUM)
#undef PROF_STATUS_ENUM
} prof_status;

#define PROF_STATUS_TEXT_(symbol, sentence) sentence,
#define PROF_STATUS_TEXTS                \
    {                                    \
        PROF_STATUSES(PROF_STATUS_TEXT_) \
    }

/* Fill with prof_options_default() first: `size_bytes` tells the library which fields the caller
 * knows. */
struct prof_options {
    size_t size_bytes;
    const char *output; /* pattern of the file's name; NULL keeps PROF_OUTPUT's */
    uint64_t max_bytes; /* size limit of the file; 0 keeps PROF_MAX_MB's */
    bool ring;          /* at the limit, keep the last part of the run instead of stopping */
    /* Not 0: forward ranges and marks to an attached NVTX tool, as PROF_EMIT_NVTX=1 does. Eight
     * bytes wide, since the padding behind `ring` was never filled in. */
    uint64_t emit_nvtx;
};

/* What was not recorded, by cause. Fill size_bytes with sizeof before the call. */
struct prof_loss_counts {
    size_t size_bytes;
    uint64_t total;
    uint64_t cause[64]; /* by enum prof_loss_cause of format.h */
};

/* One place of the program that pushes a literal. Zero but for `name`; PROF_RANGE makes them. */
struct prof_site {
    const char *name;
    uint32_t id; /* the library's */
};

/* How the library's functions are declared here: under a name of their own, bound to the exported
 * symbol. The wrapper of the public name gets another assembler name, or an unoptimised build would
 * call it in place of the library's function. */
#if defined(PROF_IMPLEMENTATION)
#define PROF_DECLARE(type, name, parameters) \
    __attribute__((visibility("default"))) type name parameters
#elif defined(PROF_LINKED)
#define PROF_DECLARE(type, name, parameters)                 \
    extern type name##_in_library parameters __asm__(#name); \
    static inline type name parameters __asm__(#name "_inline")
#define PROF_PRESENT(name) true
#else
#define PROF_DECLARE(type, name, parameters)                                       \
    extern type name##_in_library parameters __asm__(#name) __attribute__((weak)); \
    static inline type name parameters __asm__(#name "_inline")
#define PROF_PRESENT(name) (name##_in_library != NULL)
#endif

/* Where the library keeps whether it is recording: a word that is zero while it is not, and behind
 * it another that is zero while it is not and nothing waits for a step either. */
PROF_DECLARE(const uint32_t *, prof_gate, (void));

PROF_DECLARE(void, prof_range_push, (const char *name));
PROF_DECLARE(void, prof_range_push_n, (const char *name, size_t size));
PROF_DECLARE(void, prof_range_push_int, (const char *name, const char *key, int64_t value));
PROF_DECLARE(void, prof_range_push_site, (struct prof_site * site));
PROF_DECLARE(void, prof_range_pop, (void));
PROF_DECLARE(uint64_t, prof_range_begin, (const char *name));
PROF_DECLARE(void, prof_range_end, (uint64_t id));
PROF_DECLARE(void, prof_mark, (const char *name));
PROF_DECLARE(void, prof_step, (void));
PROF_DECLARE(void, prof_step_at, (uint64_t number));
PROF_DECLARE(void, prof_counter, (const char *name, double value));
PROF_DECLARE(void, prof_attr_int, (const char *key, int64_t value));
PROF_DECLARE(void, prof_attr_double, (const char *key, double value));
PROF_DECLARE(void, prof_attr_string, (const char *key, const char *value));
PROF_DECLARE(void, prof_thread_name, (const char *name));
PROF_DECLARE(uint32_t, prof_alloc_track, (const char *name));
PROF_DECLARE(void, prof_alloc, (uint32_t allocator, const void *address, size_t bytes));
PROF_DECLARE(void, prof_free, (uint32_t allocator, const void *address));
PROF_DECLARE(prof_status, prof_configure, (const struct prof_options *options));
PROF_DECLARE(prof_status, prof_start, (void));
PROF_DECLARE(prof_status, prof_stop, (void));
PROF_DECLARE(prof_status, prof_flush, (void));
PROF_DECLARE(prof_status, prof_dump, (const char *path));
PROF_DECLARE(prof_status, prof_table, (FILE * stream));
PROF_DECLARE(prof_status, prof_export_chrome, (const char *path));
PROF_DECLARE(prof_status, prof_loss, (struct prof_loss_counts * counts));
PROF_DECLARE(const char *, prof_output_path, (void));
PROF_DECLARE(const char *, prof_version, (void));

#ifdef PROF_IMPLEMENTATION
/* Exported for other languages: in C and C++ the sentences are in the header, for programs without
 * the library. */
PROF_DECLARE(const char *, prof_status_text, (prof_status status));
#endif

#ifndef PROF_IMPLEMENTATION

static inline const uint32_t *prof_gate(void)
{
    static const uint32_t absent[2] = {0, 0};
    return PROF_PRESENT(prof_gate) ? prof_gate_in_library() : absent;
}

/* Looked at before each call, so that a program that is not being recorded pays two loads and no
 * call. */
static inline bool prof_gate_open_(int word)
{
    static const uint32_t *gate; /* any thread, always the same value */
    const uint32_t *at = __atomic_load_n(&gate, __ATOMIC_RELAXED);
    if (__builtin_expect(at == NULL, 0)) {
        at = prof_gate();
        __atomic_store_n(&gate, at, __ATOMIC_RELAXED);
    }
    return __atomic_load_n(at + word, __ATOMIC_RELAXED) != 0;
}

static inline bool prof_recording_(void)
{
    return prof_gate_open_(0);
}

/* ---- ranges ---- */

/* Opens a range on the calling thread, inside the one that is open; prof_range_pop() closes it. */
static inline void prof_range_push(const char *name)
{
    if (prof_recording_())
        prof_range_push_in_library(name);
}

/* The same for a name that is not NUL-terminated: `size` bytes. */
static inline void prof_range_push_n(const char *name, size_t size)
{
    if (prof_recording_())
        prof_range_push_n_in_library(name, size);
}

/* Opens a range and gives it its first attribute, an integer, in one call: a tool to which ranges
 * are forwarded learns a range's text when it opens, and shows "name, key = value" ('_' of the key
 * as a space: "stashed_seq" gives "name, stashed seq = 7"). */
static inline void prof_range_push_int(const char *name, const char *key, int64_t value)
{
    if (prof_recording_())
        prof_range_push_int_in_library(name, key, value);
}

/* The same for a name that never changes: it is looked up once. `site` lives as long as the
 * program. */
static inline void prof_range_push_site(struct prof_site *site)
{
    if (prof_recording_())
        prof_range_push_site_in_library(site);
}

/* Closes the innermost range of the calling thread. Without one: ignored and counted. */
static inline void prof_range_pop(void)
{
    if (prof_recording_())
        prof_range_pop_in_library();
}

/* Begins a range that need not nest and that any thread may end. Returns its id, never 0 while
 * recording; 0 (which prof_range_end ignores) while not. */
static inline uint64_t prof_range_begin(const char *name)
{
    return prof_recording_() ? prof_range_begin_in_library(name) : 0;
}

static inline void prof_range_end(uint64_t id)
{
    if (prof_recording_())
        prof_range_end_in_library(id);
}

/* ---- points in time, numbers, facts ---- */

/* Marks an instant on the calling thread. */
static inline void prof_mark(const char *name)
{
    if (prof_recording_())
        prof_mark_in_library(name);
}

/* Ends the step in progress and begins the next, "ProfilerStep#N", N counting from 0 in the
 * process; while recording is off, steps count only where PROF_SCHEDULE, PROF_START or PROF_STOP
 * speaks of them. The first call begins step 0. Call it once per iteration, from one thread. */
static inline void prof_step(void)
{
    if (prof_gate_open_(1))
        prof_step_in_library();
}

/* The same for a loop that numbers its steps: the step that begins is "ProfilerStep#number".
 * PROF_SCHEDULE, PROF_START and PROF_STOP still count calls of both functions, whatever the number. */
static inline void prof_step_at(uint64_t number)
{
    if (prof_gate_open_(1))
        prof_step_at_in_library(number);
}

/* One sample of a quantity that is drawn as a curve. */
static inline void prof_counter(const char *name, double value)
{
    if (prof_recording_())
        prof_counter_in_library(name, value);
}

/* A fact about the innermost open range: flops, bytes, shape, seq ... The latest value of a key
 * counts. */
static inline void prof_attr_int(const char *key, int64_t value)
{
    if (prof_recording_())
        prof_attr_int_in_library(key, value);
}

static inline void prof_attr_double(const char *key, double value)
{
    if (prof_recording_())
        prof_attr_double_in_library(key, value);
}

static inline void prof_attr_string(const char *key, const char *value)
{
    if (prof_recording_())
        prof_attr_string_in_library(key, value);
}

/* Names the calling thread in every output. Also while recording is off; of a name that is given
 * before the thread's first event, 63 bytes are kept. */
static inline void prof_thread_name(const char *name)
{
    if (PROF_PRESENT(prof_thread_name))
        prof_thread_name_in_library(name);
}

/* ---- memory ---- */

/* Number of one of the program's own allocators, from 1: the same for the same name, for the life
 * of the process and in its children. Also while nothing is recorded. 0 without the library, for
 * NULL, and when there are more than 1,024 allocators or their names exceed 64 KiB (counted). */
static inline uint32_t prof_alloc_track(const char *name)
{
    return PROF_PRESENT(prof_alloc_track) ? prof_alloc_track_in_library(name) : 0;
}

/* The allocator handed out memory: call it when it has. With NULL only the size counts: such memory
 * is never freed. Inside a range it is the range's, as with every other event. */
static inline void prof_alloc(uint32_t allocator, const void *address, size_t bytes)
{
    if (prof_recording_())
        prof_alloc_in_library(allocator, address, bytes);
}

/* The allocator takes memory back: call it before anyone else can be given that address. Any
 * thread. NULL is nothing; an address that was not handed out while recording is counted in the
 * outputs. An allocator that does not exist is ignored and counted, here as above. */
static inline void prof_free(uint32_t allocator, const void *address)
{
    if (prof_recording_())
        prof_free_in_library(allocator, address);
}

/* ---- control ---- */

static inline void prof_options_default(struct prof_options *options)
{
    options->size_bytes = sizeof *options;
    options->output = NULL;
    options->max_bytes = 0;
    options->ring = false;
    options->emit_nvtx = 0;
}

/* Replaces what the environment says about the file. Before the first event; PROF_BUSY after.
 * `output` is copied. */
static inline prof_status prof_configure(const struct prof_options *options)
{
    return PROF_PRESENT(prof_configure) ? prof_configure_in_library(options) : PROF_ABSENT;
}

/* Recording is on while there were more starts than stops. A preloaded or injected library counts
 * as one start (PROF_START=api: it does not). Ranges that are open at a stop end there. What
 * switches from outside of the program (PROF_SCHEDULE, PROF_STOP, PROF_SIGNAL, profdump ctl,
 * cudaProfilerStart()) sets it: on is one start, off takes all of them back. */
static inline prof_status prof_start(void)
{
    return PROF_PRESENT(prof_start) ? prof_start_in_library() : PROF_ABSENT;
}

static inline prof_status prof_stop(void)
{
    return PROF_PRESENT(prof_stop) ? prof_stop_in_library() : PROF_ABSENT;
}

/* When this returns, everything recorded so far is in the file, device records included. Blocks for
 * at most PROF_EXIT_MS. Does not synchronise the device: what is in progress is not included. */
static inline prof_status prof_flush(void)
{
    return PROF_PRESENT(prof_flush) ? prof_flush_in_library() : PROF_ABSENT;
}

/* ---- results, inside the program ---- */

/* What reads the recording needs libprofdump.so beside libprof.so: prof_table(), prof_export_chrome(), prof_dump_etprof(),
 * prof_arrow(). It is loaded when one of them is called for the first time; PROF_FAILED where it is missing. */

/* Flushes, then prints the key averages of this process so far, fitted to the terminal if the stream is
 * one. Not for signal handlers. */
static inline prof_status prof_table(FILE *stream)
{
    return PROF_PRESENT(prof_table) ? prof_table_in_library(stream) : PROF_ABSENT;
}

/* Flushes, then writes a Chrome trace (JSON) of this process so far. Replaces `path` at once when
 * complete; fails if `path` is a recording. */
static inline prof_status prof_export_chrome(const char *path)
{
    return PROF_PRESENT(prof_export_chrome) ? prof_export_chrome_in_library(path) : PROF_ABSENT;
}

/* Flushes, then writes a copy of the trace so far, which is a trace by itself, while recording goes
 * on. Replaces `path` at once when complete; fails if `path` is neither another recording nor an empty
 * file. Of a ring (PROF_FULL) it writes the last part; PROF_RING_SECONDS keeps less. Not for signal
 * handlers. */
static inline prof_status prof_dump(const char *path)
{
    return PROF_PRESENT(prof_dump) ? prof_dump_in_library(path) : PROF_ABSENT;
}

/* Fills in as many counters as counts->size_bytes has room for. */
static inline prof_status prof_loss(struct prof_loss_counts *counts)
{
    return PROF_PRESENT(prof_loss) ? prof_loss_in_library(counts) : PROF_ABSENT;
}

/* Path of this process's trace file, "" while there is none. Owned by the library. */
static inline const char *prof_output_path(void)
{
    return PROF_PRESENT(prof_output_path) ? prof_output_path_in_library() : "";
}

/* Version of the library in use, "0.1.0"; NULL when it is absent. */
static inline const char *prof_version(void)
{
    return PROF_PRESENT(prof_version) ? prof_version_in_library() : NULL;
}

/* The sentence for a status. */
static inline const char *prof_status_text(prof_status status)
{
    static const char *const texts[] = PROF_STATUS_TEXTS;
    return (size_t)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

#endif /* PROF_IMPLEMENTATION */

#ifdef __cplusplus
} /* extern "C" */
#endif

/* ---- scopes ---- */

#ifndef PROF_IMPLEMENTATION

#define PROF_JOIN_(a, b) a##b
#define PROF_JOIN(a, b) PROF_JOIN_(a, b)

#ifdef __cplusplus

namespace prof
{

/* A range from here to the end of the scope. Neither copied nor moved: it is the scope. */
class range
{
public:
    explicit range(const char *name) noexcept { prof_range_push(name); }
    range(const char *name, size_t size) noexcept { prof_range_push_n(name, size); }
    explicit range(prof_site &site) noexcept { prof_range_push_site(&site); }
    ~range() { prof_range_pop(); }
    range(const range &) = delete;
    range &operator=(const range &) = delete;
};

} /* namespace prof */

/* A range named by a literal, from here to the end of the scope. */
#define PROF_RANGE_AT(literal, number)                                \
    static prof_site PROF_JOIN(prof_site_, number) = {"" literal, 0}; \
    const ::prof::range PROF_JOIN(prof_range_, number)(PROF_JOIN(prof_site_, number))

#else

static inline void prof_range_cleanup_(const char *unused)
{
    (void)unused;
    prof_range_pop();
}

#define PROF_RANGE_AT(literal, number)                                          \
    static struct prof_site PROF_JOIN(prof_site_, number) = {"" literal, 0};    \
    __attribute__((cleanup(prof_range_cleanup_), unused)) const char PROF_JOIN( \
        prof_range_, number) = (prof_range_push_site(&PROF_JOIN(prof_site_, number)), (char)0)

#endif

/* PROF_DISABLED compiles the macros (here and in block.h) to nothing: no code, no reference to the
 * library. The functions stay. */
#ifdef PROF_DISABLED
#define PROF_RANGE(literal) ((void)sizeof("" literal))
#else
#define PROF_RANGE(literal) PROF_RANGE_AT(literal, __COUNTER__)
#endif
#endif /* PROF_IMPLEMENTATION */

#endif
