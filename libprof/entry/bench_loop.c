/* bench_loop.c - the functions of bench.h: ranges around the calls of a benchmark, and what happens
 * between them. reader.c has its numbers made.
 *
 * Between two measured calls the devices are idle twice: before the set that clears the L2 cache,
 * so that it follows all work of the call before, on any stream; and after it, so that the next
 * call's work, on any stream, does not begin before it ends.
 */
#define PROF_IMPLEMENTATION
#include "atomic.h"
#include "clock.h"
#include "entry.h"
#include "prof/bench.h"
#include "session.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BENCH_NAME_BYTES 208u
#define BENCH_RANGE "bench "
#define BENCH_WARMUP_RANGE "bench warm-up"
#define BENCH_BETWEEN_RANGE "bench: clear L2, wait"
#define BENCH_CALLS_LEAST 20u
#define BENCH_CALLS_MOST 10000u
#define BENCH_CLOCK_NS UINT64_C(20000000) /* from one sample of the devices' clocks to the next */

/* ---- the driver, and NVML ---- */

#define BENCH_L2_ATTRIBUTE 38 /* CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE */
#define BENCH_SM_CLOCK 1      /* NVML_CLOCK_SM */
#define BENCH_PCI_BYTES 32

/* X(symbol, member, parameters) */
#define BENCH_DRIVER(X)                                                                \
    X("cuDeviceGetCount", count, (int *count))                                         \
    X("cuDeviceGetAttribute", attribute, (int *value, int attribute, int device))      \
    X("cuDeviceGetPCIBusId", pci, (char *to, int bytes, int device))                   \
    X("cuDevicePrimaryCtxGetState", state, (int device, unsigned *flags, int *active)) \
    X("cuDevicePrimaryCtxRetain", retain, (void **context, int device))                \
    X("cuCtxGetCurrent", current, (void **context))                                    \
    X("cuCtxGetDevice", device, (int *device))                                         \
    X("cuCtxPushCurrent_v2", push, (void *context))                                    \
    X("cuCtxPopCurrent_v2", pop, (void **context))                                     \
    X("cuCtxSynchronize", synchronize, (void))                                         \
    X("cuMemAlloc_v2", allocate, (uint64_t * address, size_t bytes))                   \
    X("cuMemFree_v2", free, (uint64_t address))                                        \
    X("cuMemsetD8Async", set, (uint64_t address, unsigned char value, size_t n, void *stream))
#define BENCH_NVML(X)                                                               \
    X("nvmlInit_v2", init, (void))                                                  \
    X("nvmlDeviceGetHandleByPciBusId_v2", by_pci, (const char *pci, void **device)) \
    X("nvmlDeviceGetClockInfo", clock, (void *device, int type, unsigned *mhz))

#define BENCH_MEMBER(symbol, member, parameters) int(*member) parameters;
static struct {
    BENCH_DRIVER(BENCH_MEMBER)
} driver;
static struct {
    BENCH_NVML(BENCH_MEMBER)
} nvml;

#define BENCH_FIND(symbol, member, parameters) \
    found = (*(void **)&to->member = dlsym(library, symbol)) != NULL && found;

static bool bench_find_driver(void)
{
    __typeof__(&driver) to = &driver;
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    bool found = library != NULL;
    if (library) {
        BENCH_DRIVER(BENCH_FIND)
    }
    return found;
}

static bool bench_find_nvml(void)
{
    __typeof__(&nvml) to = &nvml;
    void *library = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
    bool found = library != NULL;
    if (library) {
        BENCH_NVML(BENCH_FIND)
    }
    return found && nvml.init() == 0;
}

/* ---- the benchmark ---- */

/* A context in which calls may work. */
struct bench_place {
    void *context;
    int device;
    uint64_t buffer;
    size_t bytes;
    void *nvml; /* NULL: its clock is unknown */
};
#define BENCH_PLACES 64u

/* Of one thread, but for `owner`. */
static struct {
    uint32_t owner; /* the process in which a benchmark goes on; 0 none */
    struct prof_bench_options options;
    char name[BENCH_NAME_BYTES];
    uint64_t calls; /* begun, those of the warm-up included */
    bool is_open;   /* a range */
    bool has_driver, has_nvml;
    uint64_t start_realtime_ns, start_ns, clock_ns;
    struct bench_place places[BENCH_PLACES];
    unsigned place_count;
    bool has_failed;
} bench;

static bool bench_is_on(void)
{
    return load_acquire(&bench.owner) == (uint32_t)getpid();
}

static void bench_add_place(struct bench_place place)
{
    for (unsigned i = 0; i < bench.place_count; i++)
        if (bench.places[i].context == place.context)
            return;
    if (bench.place_count < BENCH_PLACES)
        bench.places[bench.place_count++] = place;
}

/* The primary contexts that are in use, and the current one. The reference to a primary context is
 * kept: where one is released, libprof flushes CUPTI, which can take long. */
static void bench_find_places(void)
{
    int count = 0, active = 0;
    unsigned flags;
    struct bench_place place = {0};
    if (!bench.has_driver && !(bench.has_driver = bench_find_driver()))
        return;
    if (driver.count(&count) != 0)
        return;
    for (int i = 0; i < count; i++) {
        place = (struct bench_place){.device = i};
        if (driver.state(i, &flags, &active) == 0 && active &&
            driver.retain(&place.context, i) == 0)
            bench_add_place(place);
    }
    place = (struct bench_place){0};
    if (driver.current(&place.context) == 0 && place.context && driver.device(&place.device) == 0)
        bench_add_place(place);
}

static void bench_find_clocks(void)
{
    char pci[BENCH_PCI_BYTES];
    bench.has_nvml = bench_find_nvml();
    for (unsigned i = 0; i < bench.place_count && bench.has_nvml; i++)
        if (driver.pci(pci, sizeof pci, bench.places[i].device) != 0 ||
            nvml.by_pci(pci, &bench.places[i].nvml) != 0)
            bench.places[i].nvml = NULL;
}

static void bench_sample_clocks(void)
{
    char name[64];
    unsigned mhz;
    uint64_t now_ns = clock_monotonic_ns();
    if (!bench.has_nvml || (bench.clock_ns && now_ns - bench.clock_ns < BENCH_CLOCK_NS))
        return;
    bench.clock_ns = now_ns;
    for (unsigned i = 0; i < bench.place_count; i++) {
        snprintf(name, sizeof name, "GPU %d SM clock MHz", bench.places[i].device);
        if (bench.places[i].nvml && nvml.clock(bench.places[i].nvml, BENCH_SM_CLOCK, &mhz) == 0)
            prof_counter(name, mhz);
    }
}

/* ---- between calls ---- */

/* A mark in the recording, which `profdump bench` looks for. */
__attribute__((format(printf, 1, 2))) static void bench_fail(const char *format, ...)
{
    char mark[BENCH_NAME_BYTES + 160];
    va_list arguments;
    size_t used = (size_t)snprintf(mark, sizeof mark, "%s failed: ", bench.name);
    va_start(arguments, format);
    vsnprintf(mark + used, sizeof mark - used, format, arguments);
    va_end(arguments);
    bench.has_failed = true;
    prof_mark(mark);
}

/* In the place's context. Both return false if CUDA fails, as after an error of the program's own
 * work, which its next call reports. */
static bool bench_wait(const struct bench_place *place)
{
    void *unused;
    if (driver.push(place->context) != 0)
        return false;
    bool done = driver.synchronize() == 0;
    return driver.pop(&unused) == 0 && done;
}

static bool bench_clear(struct bench_place *place)
{
    void *unused;
    int l2_bytes = 0;
    if (driver.push(place->context) != 0)
        return false;
    bool done = driver.attribute(&l2_bytes, BENCH_L2_ATTRIBUTE, place->device) == 0;
    if (done && l2_bytes > 0 && !place->buffer) {
        place->bytes = 2 * (size_t)l2_bytes;
        done = driver.allocate(&place->buffer, place->bytes) == 0;
        if (!done) {
            place->buffer = 0;
            bench_fail("device %d has no memory for the %zu bytes that clear its L2 cache",
                       place->device, place->bytes);
        }
    }
    if (done && place->buffer)
        done = driver.set(place->buffer, 0, place->bytes, NULL) == 0;
    return driver.pop(&unused) == 0 && done;
}

static bool bench_wait_for_all(void)
{
    bool done = true;
    for (unsigned i = 0; i < bench.place_count; i++)
        done = bench_wait(&bench.places[i]) && done;
    return done;
}

/* Also what makes the calls comparable: each one begins on idle devices. */
static bool bench_between(void)
{
    bool done = bench_wait_for_all();
    for (unsigned i = 0; i < bench.place_count && bench.options.cold_l2 && done; i++)
        done = bench_clear(&bench.places[i]);
    return done && (!bench.options.cold_l2 || bench_wait_for_all());
}

/* The buffers of ours. */
static void bench_release(void)
{
    void *unused;
    for (unsigned i = 0; i < bench.place_count; i++) {
        struct bench_place *place = &bench.places[i];
        if (place->buffer && driver.push(place->context) == 0) {
            driver.free(place->buffer);
            driver.pop(&unused);
        }
    }
    bench.place_count = 0;
}

static void bench_close(void)
{
    if (bench.is_open)
        prof_range_pop();
    bench.is_open = false;
}

static bool bench_has_enough(uint64_t measured)
{
    if (bench.options.repeats)
        return measured >= bench.options.repeats;
    uint64_t passed_ns = clock_monotonic_ns() - bench.start_ns;
    return measured >= BENCH_CALLS_LEAST &&
           (measured >= BENCH_CALLS_MOST || passed_ns >= bench.options.min_time_ms * 1000000);
}

static bool bench_has_more(void)
{
    if (bench.calls < bench.options.warmup)
        return true;
    if (bench.calls > bench.options.warmup)
        return !bench_has_enough(bench.calls - bench.options.warmup);
    bench_find_places();
    bench_find_clocks();
    bench.start_ns = clock_monotonic_ns();
    return true;
}

/* Before a measured call; after `before_each`, whose work may use the devices, too. */
static bool bench_settle(void)
{
    bench_sample_clocks();
    prof_range_push(BENCH_BETWEEN_RANGE);
    bool done = bench_between();
    prof_range_pop();
    if (!done && !bench.has_failed)
        bench_fail("CUDA reported an error after call %llu, warm-up included",
                   (unsigned long long)bench.calls);
    return done;
}

/* ---- the public functions ---- */

static bool bench_take_options(const struct prof_bench_options *options)
{
    size_t size = options ? options->size_bytes : 0;
    if (size < offsetof(struct prof_bench_options, before_each) || !options->name ||
        !*options->name || !options->warmup || !(options->max_relative_error > 0))
        return false;
    memset(&bench.options, 0, sizeof bench.options);
    memcpy(&bench.options, options, size < sizeof *options ? size : sizeof *options);
    snprintf(bench.name, sizeof bench.name, BENCH_RANGE "%s", options->name);
    return true;
}

prof_status prof_bench_begin(const struct prof_bench_options *options)
{
    int saved_errno = errno;
    uint32_t owner = load_acquire(&bench.owner), own = (uint32_t)getpid();
    if (owner == own || !cas_acq_rel(&bench.owner, &owner, own))
        return PROF_BUSY;
    if (!bench_take_options(options)) {
        store_release(&bench.owner, 0u);
        return PROF_INVALID;
    }
    bench.calls = bench.clock_ns = 0;
    bench.place_count = 0;
    bench.is_open = bench.has_nvml = bench.has_failed = false;
    bench.start_realtime_ns = clock_gettime_ns(CLOCK_REALTIME);
    prof_start();
    errno = saved_errno;
    return PROF_OK;
}

bool prof_bench_next(void)
{
    int saved_errno = errno;
    if (!bench_is_on())
        return false;
    bench_close();
    bool more = bench_has_more(), warms_up = bench.calls < bench.options.warmup;
    if (more && bench.options.before_each)
        bench.options.before_each(bench.options.user);
    more = more && bench_is_on() && (warms_up || bench_settle());
    if (more) {
        prof_range_push(warms_up ? BENCH_WARMUP_RANGE : bench.name);
        if (bench.options.flops > 0)
            prof_attr_double("flops", bench.options.flops);
        if (bench.options.bytes > 0)
            prof_attr_double("bytes", bench.options.bytes);
        bench.is_open = true;
        bench.calls++;
    }
    errno = saved_errno;
    return more;
}

static prof_status bench_judge(struct prof_bench_result *result)
{
    int64_t to_ns = (int64_t)clock_gettime_ns(CLOCK_REALTIME) + 1;
    return reader_bench(bench.name, &bench.options, (int64_t)bench.start_realtime_ns, to_ns,
                        result);
}

prof_status prof_bench_end(struct prof_bench_result *result)
{
    int saved_errno = errno;
    if (!load_acquire(&bench.owner))
        return PROF_NOTHING;
    if (!bench_is_on())
        return PROF_INVALID;
    bench_close();
    if (!bench.place_count)
        bench_find_places(); /* there was no measured call */
    bench_wait_for_all();
    bench_release();
    prof_flush();
    prof_status status = result ? bench_judge(result) : PROF_OK;
    prof_stop();
    store_release(&bench.owner, 0u);
    errno = saved_errno;
    return status;
}
