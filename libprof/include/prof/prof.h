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
 * A program that includes this header need not link the library. Each function below is an inline
 * wrapper around a weak reference. If the library is absent or not recording, a call costs two
 * loads and two branches. If the library is preloaded (LD_PRELOAD, profrun), the same binary
 * records, also if it is not position-independent. A program that links libprof records from
 * prof_start() on, or from its start with PROF_START=now. It should define PROF_LINKED (the CMake
 * package and prof.pc do): the references are then strong, and `ld --as-needed` keeps the library.
 *
 * All functions may be called from any thread, from constructors that run before main() to exit
 * handlers, from signal handlers (unless the call is the first event of the process), and in
 * forked children, which record to their own files. No function fails the program or changes
 * errno. Events that cannot be recorded are counted: see prof_loss(). Names and keys are UTF-8 and
 * are copied; at most 4,096 bytes are kept. A NULL name is ignored and counted.
 *
 * While recording is on, a push and pop cost little more than reading the time-stamp counter
 * twice. After a thread's first event there is no lock, memory allocation or system call.
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
#define PROF_STATUSES(X)                                                        \
    X(OK, "done")                                                               \
    X(ABSENT, "libprof is not loaded in this process")                          \
    X(INVALID, "an argument is invalid")                                        \
    X(NOTHING, "nothing has been recorded yet")                                 \
    X(BUSY, "recording has already begun: these options can no longer change")  \
    X(FAILED, "the trace file cannot be read or the output cannot be written")  \
    X(UNSUPPORTED, "this process does not support it")                          \
    X(TAKEN, "another tool has set the profile function of this Python thread") \
    X(INCONCLUSIVE, "the recording does not support numbers")

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

/* Options of prof_configure(). Call prof_options_default() before setting fields: it also sets
 * `size_bytes`, by which the library recognizes callers compiled with an older header. */
struct prof_options {
    size_t size_bytes;
    const char *output; /* file name pattern, as in PROF_OUTPUT; NULL: use PROF_OUTPUT */
    uint64_t max_bytes; /* size limit of the file; 0: use PROF_MAX_MB */
    bool ring;          /* at the limit, overwrite the oldest part instead of stopping */
    /* Nonzero: forward ranges and marks to an attached NVTX tool, as PROF_EMIT_NVTX=1 does. Not a
     * bool, because older callers left the padding after `ring` uninitialized. */
    uint64_t emit_nvtx;
};

/* Losses by cause. Set size_bytes to sizeof(struct prof_loss_counts) before the call. */
struct prof_loss_counts {
    size_t size_bytes;
    uint64_t total;
    uint64_t cause[64]; /* indexed by enum prof_loss_cause of format.h */
};

/* A call site that pushes a string literal. All fields but `name` start as 0. PROF_RANGE defines
 * these. */
struct prof_site {
    const char *name;
    uint64_t id; /* set by the library */
};

/* An attribute of prof_range_push_attrs(). Key and text are sites, so each is looked up once. */
struct prof_attr {
    struct prof_site *key;
    struct prof_site *text; /* the value; NULL: `number` is */
    int64_t number;
};

/* Declares a library function under a name of its own, bound to the exported symbol. The public
 * wrapper gets a different assembler name; otherwise an unoptimized build would call the wrapper
 * instead of the library's function. */
#if defined(PROF_IMPLEMENTATION)
#define PROF_DECLARE(type, name, parameters) \
    __attribute__((visibility("default"))) type name parameters
#elif defined(PROF_LINKED)
#define PROF_DECLARE(type, name, parameters)                 \
    extern type name##_in_library parameters __asm__(#name); \
    static inline type name parameters __asm__(#name "_inline")
#define PROF_PRESENT(name) true
#elif defined(__PIC__)
#define PROF_DECLARE(type, name, parameters)                                       \
    extern type name##_in_library parameters __asm__(#name) __attribute__((weak)); \
    static inline type name parameters __asm__(#name "_inline")
#define PROF_PRESENT(name) (name##_in_library != NULL)
#else
/* A linker gives such code the address 0 for a weak reference, before any library is loaded. So the
 * library's functions are looked for at the first call. Without dlsym() (glibc before 2.34, linked
 * without -ldl) they are not found. */
extern void *prof_dlsym_(void *, const char *) __asm__("dlsym") __attribute__((weak));
#define PROF_DECLARE(type, name, parameters)                                                 \
    static inline type(*name##_found_(void)) parameters                                      \
    {                                                                                        \
        static type(*found) parameters; /* any thread, always the same value */              \
        type(*at) parameters = __atomic_load_n(&found, __ATOMIC_RELAXED);                    \
        if (__builtin_expect(at == NULL, 0) && prof_dlsym_) {                                \
            at = (type(*) parameters)(uintptr_t)prof_dlsym_(NULL /* RTLD_DEFAULT */, #name); \
            __atomic_store_n(&found, at, __ATOMIC_RELAXED);                                  \
        }                                                                                    \
        return at;                                                                           \
    }                                                                                        \
    static inline type name parameters __asm__(#name "_inline")
#define PROF_PRESENT(name) (name##_found_() != NULL)
#define PROF_CALL(name) name##_found_()
#endif
#ifndef PROF_CALL
#define PROF_CALL(name) name##_in_library
#endif

/* Address of two words of the library. The first is nonzero while recording is on. The second is
 * nonzero while recording is on or could be switched on by prof_step(). */
PROF_DECLARE(const uint32_t *, prof_gate, (void));

PROF_DECLARE(void, prof_range_push, (const char *name));
PROF_DECLARE(void, prof_range_push_n, (const char *name, size_t size));
PROF_DECLARE(void, prof_range_push_int, (const char *name, const char *key, int64_t value));
PROF_DECLARE(void, prof_range_push_site, (struct prof_site * site));
PROF_DECLARE(void, prof_range_push_attrs,
             (const char *name, const struct prof_attr *attrs, size_t count));
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
/* Exported for other languages. The C and C++ wrapper has the texts inline, so that it works
 * without the library. */
PROF_DECLARE(const char *, prof_status_text, (prof_status status));
#endif

#ifndef PROF_IMPLEMENTATION

static inline const uint32_t *prof_gate(void)
{
    static const uint32_t absent[2] = {0, 0};
    return PROF_PRESENT(prof_gate) ? PROF_CALL(prof_gate)() : absent;
}

/* Checked before each call: while nothing is recorded, a call costs two loads and two branches. */
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

/* Opens a range on the calling thread, nested in the innermost open one. prof_range_pop() closes
 * it. */
static inline void prof_range_push(const char *name)
{
    if (prof_recording_())
        PROF_CALL(prof_range_push)(name);
}

/* Like prof_range_push(), for a name of `size` bytes that need not be NUL-terminated. */
static inline void prof_range_push_n(const char *name, size_t size)
{
    if (prof_recording_())
        PROF_CALL(prof_range_push_n)(name, size);
}

/* Opens a range with an integer attribute. Unlike prof_attr_int(), it passes the attribute to NVTX
 * tools as well (PROF_EMIT_NVTX): they show the range as "name, key = value", with '_' of the key
 * replaced by a space ("stashed_seq" gives "name, stashed seq = 7"). */
static inline void prof_range_push_int(const char *name, const char *key, int64_t value)
{
    if (prof_recording_())
        PROF_CALL(prof_range_push_int)(name, key, value);
}

/* Like prof_range_push(), for a call site whose name never changes: the name is looked up once.
 * `site` must stay valid until the process exits. */
static inline void prof_range_push_site(struct prof_site *site)
{
    if (prof_recording_())
        PROF_CALL(prof_range_push_site)(site);
}

/* Opens a range with attributes, as prof_range_push() and then prof_attr_int() and
 * prof_attr_string() do, in less time. NVTX tools (PROF_EMIT_NVTX) see the first attribute if it is
 * a number. Texts beyond 262,144 different ones are left out and counted. */
static inline void prof_range_push_attrs(const char *name, const struct prof_attr *attrs,
                                         size_t count)
{
    if (prof_recording_())
        PROF_CALL(prof_range_push_attrs)(name, attrs, count);
}

/* Closes the innermost open range of the calling thread. If none is open, the call is ignored and
 * counted. */
static inline void prof_range_pop(void)
{
    if (prof_recording_())
        PROF_CALL(prof_range_pop)();
}

/* Begins a range that need not nest and that any thread may end. Returns its id, or 0 while
 * recording is off; prof_range_end() ignores 0. */
static inline uint64_t prof_range_begin(const char *name)
{
    return prof_recording_() ? PROF_CALL(prof_range_begin)(name) : 0;
}

/* Ends the range with this id. Any thread. An id that is not open is ignored and counted. */
static inline void prof_range_end(uint64_t id)
{
    if (prof_recording_())
        PROF_CALL(prof_range_end)(id);
}

/* ---- marks, steps, counters, attributes ---- */

/* Records an instant on the calling thread. */
static inline void prof_mark(const char *name)
{
    if (prof_recording_())
        PROF_CALL(prof_mark)(name);
}

/* Ends the current step and begins the next one, "ProfilerStep#N". The first call begins step 0.
 * Call it once per iteration, always from the same thread. While recording is off, steps are
 * counted only if PROF_SCHEDULE, PROF_START or PROF_STOP refers to steps. */
static inline void prof_step(void)
{
    if (prof_gate_open_(1))
        PROF_CALL(prof_step)();
}

/* Like prof_step(), for a loop that numbers its own steps: begins "ProfilerStep#number".
 * PROF_SCHEDULE, PROF_START and PROF_STOP ignore the number and count calls of both functions. */
static inline void prof_step_at(uint64_t number)
{
    if (prof_gate_open_(1))
        PROF_CALL(prof_step_at)(number);
}

/* Records one sample of a counter. Timelines show a counter as a curve. */
static inline void prof_counter(const char *name, double value)
{
    if (prof_recording_())
        PROF_CALL(prof_counter)(name, value);
}

/* Sets an attribute of the calling thread's innermost open range: flops, bytes, shape, seq ... A
 * later value for the same key replaces an earlier one. */
static inline void prof_attr_int(const char *key, int64_t value)
{
    if (prof_recording_())
        PROF_CALL(prof_attr_int)(key, value);
}

static inline void prof_attr_double(const char *key, double value)
{
    if (prof_recording_())
        PROF_CALL(prof_attr_double)(key, value);
}

static inline void prof_attr_string(const char *key, const char *value)
{
    if (prof_recording_())
        PROF_CALL(prof_attr_string)(key, value);
}

/* Sets the calling thread's name in every output. Works while recording is off. Of a name set
 * before the thread's first event, only the first 63 bytes are kept. */
static inline void prof_thread_name(const char *name)
{
    if (PROF_PRESENT(prof_thread_name))
        PROF_CALL(prof_thread_name)(name);
}

/* ---- memory ---- */

/* Registers one of the program's own allocators and returns its number, from 1. The same name
 * always gives the same number, in the process and its forked children. Works while recording is
 * off. Returns 0 without the library, for NULL, and (counted) beyond 1,024 allocators or 64 KiB of
 * names. */
static inline uint32_t prof_alloc_track(const char *name)
{
    return PROF_PRESENT(prof_alloc_track) ? PROF_CALL(prof_alloc_track)(name) : 0;
}

/* Records that the allocator handed out memory. Call it afterwards. With a NULL address only the
 * size is recorded, and the memory counts as never freed. The allocation belongs to the innermost
 * open range. */
static inline void prof_alloc(uint32_t allocator, const void *address, size_t bytes)
{
    if (prof_recording_())
        PROF_CALL(prof_alloc)(allocator, address, bytes);
}

/* Records that memory is returned to the allocator. Call it before another thread can be given the
 * address. Any thread. NULL is ignored. Outputs count frees of addresses whose allocation was not
 * recorded. An unknown allocator number is ignored and counted, here and in prof_alloc(). */
static inline void prof_free(uint32_t allocator, const void *address)
{
    if (prof_recording_())
        PROF_CALL(prof_free)(allocator, address);
}

/* ---- control ---- */

/* Fills in the defaults: everything as the environment variables say. */
static inline void prof_options_default(struct prof_options *options)
{
    options->size_bytes = sizeof *options;
    options->output = NULL;
    options->max_bytes = 0;
    options->ring = false;
    options->emit_nvtx = 0;
}

/* Overrides the environment variables for the output file. Call it before the first event; later
 * calls return PROF_BUSY. `output` is copied. */
static inline prof_status prof_configure(const struct prof_options *options)
{
    return PROF_PRESENT(prof_configure) ? PROF_CALL(prof_configure)(options) : PROF_ABSENT;
}

/* Starts and stops nest: recording is on while there have been more starts than stops. Preloading
 * or injecting the library counts as one start, unless PROF_START=api. A stop ends the open ranges.
 * Other switches (PROF_SCHEDULE, PROF_STOP, PROF_SIGNAL, profdump ctl, cudaProfilerStart() ...) do
 * not nest: on counts as one start, off cancels all pending starts. */
static inline prof_status prof_start(void)
{
    return PROF_PRESENT(prof_start) ? PROF_CALL(prof_start)() : PROF_ABSENT;
}

static inline prof_status prof_stop(void)
{
    return PROF_PRESENT(prof_stop) ? PROF_CALL(prof_stop)() : PROF_ABSENT;
}

/* Writes everything recorded so far to the file, including records of finished device operations.
 * Blocks for at most PROF_EXIT_MS. Does not synchronize the device: operations still running are
 * not included. */
static inline prof_status prof_flush(void)
{
    return PROF_PRESENT(prof_flush) ? PROF_CALL(prof_flush)() : PROF_ABSENT;
}

/* ---- results, inside the program ---- */

/* prof_table(), prof_export_chrome(), prof_dump_etprof() and prof_arrow() read the recording. They
 * need libprofdump.so next to libprof.so: the first call loads it, or returns PROF_FAILED if it is
 * missing. Do not call these functions, or prof_dump(), in signal handlers. */

/* Flushes, then prints the key averages of this process so far. Fits the table to the terminal if
 * `stream` is one. */
static inline prof_status prof_table(FILE *stream)
{
    return PROF_PRESENT(prof_table) ? PROF_CALL(prof_table)(stream) : PROF_ABSENT;
}

/* Flushes, then writes a Chrome trace (JSON) of this process so far. Replaces `path` atomically
 * once complete. Fails if `path` is a libprof trace. */
static inline prof_status prof_export_chrome(const char *path)
{
    return PROF_PRESENT(prof_export_chrome) ? PROF_CALL(prof_export_chrome)(path) : PROF_ABSENT;
}

/* Flushes, then copies the trace so far to a trace file of its own; recording continues. Replaces
 * `path` atomically once complete. Fails if `path` exists and is neither another libprof trace nor
 * empty. In ring mode (PROF_FULL=ring) the copy holds the last part of the run, which
 * PROF_RING_SECONDS can shorten. */
static inline prof_status prof_dump(const char *path)
{
    return PROF_PRESENT(prof_dump) ? PROF_CALL(prof_dump)(path) : PROF_ABSENT;
}

/* Returns what could not be recorded so far, by cause. Fills as many counters as
 * counts->size_bytes has room for. */
static inline prof_status prof_loss(struct prof_loss_counts *counts)
{
    return PROF_PRESENT(prof_loss) ? PROF_CALL(prof_loss)(counts) : PROF_ABSENT;
}

/* Path of this process's trace file, or "" before it exists. The library owns the string. */
static inline const char *prof_output_path(void)
{
    return PROF_PRESENT(prof_output_path) ? PROF_CALL(prof_output_path)() : "";
}

/* Version of the loaded library, such as "0.1.0", or NULL without the library. */
static inline const char *prof_version(void)
{
    return PROF_PRESENT(prof_version) ? PROF_CALL(prof_version)() : NULL;
}

/* Describes a status in English. The string is a constant. */
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

/* A range from here to the end of the scope. It can be neither copied nor moved. */
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

/* PROF_RANGE("name") opens a range until the end of the scope; the name must be a string literal.
 * With PROF_DISABLED defined, the macros here and in block.h compile to nothing. The functions
 * remain. */
#ifdef PROF_DISABLED
#define PROF_RANGE(literal) ((void)sizeof("" literal))
#else
#define PROF_RANGE(literal) PROF_RANGE_AT(literal, __COUNTER__)
#endif
#endif /* PROF_IMPLEMENTATION */

#endif
