/* gpu_capture.c - records raw CUPTI activity buffers of a program into a replay fixture.
 *
 * An injection library: CUDA_INJECTION64_PATH=gpu_capture.so FIXTURE_OUT=x.bin program. It is
 * libprof's own CUPTI part with a recorder that records nothing, so the buffers are those that
 * libprof would be given. At exit it writes the fixture. What identifies a device or its owner
 * is left out: uuids are zeroed.
 */
#define _POSIX_C_SOURCE 200809L
#include "abi_records.h"
#include "activity.h"
#include "clock.h"
#include "config.h"
#include "cost.h"
#include "cupti.h"
#include "fixture.h"
#include "loader.h"
#include "log.h"
#include "own_thread.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUFFERS_MAX 256u
#define BYTES_MAX (192u << 10) /* of all buffers: fixtures are kept in the repository */
#define STRINGS_MAX 256u
#define PUBLIC __attribute__((visibility("default")))

PUBLIC int InitializeInjection(void);

struct string {
    uint64_t pointer;
    char *text;
};

struct kept {
    uint8_t *bytes;
    size_t size;
    struct string strings[STRINGS_MAX];
    uint32_t string_count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows */
static struct kept *kept[BUFFERS_MAX];
static uint32_t kept_count;
static size_t kept_bytes;

/* ---- the recorder that records nothing ---- */

static struct config the_config = {
    .cuda = 1, .exit_ms = 5000, .gpu_buffer_kib = 64, .gpu_detail = CONFIG_DETAIL_FULL};

bool recorder_on(void)
{
    return true;
}

uint64_t *thread_reserve(enum prof_record_type type, unsigned words)
{
    (void)type, (void)words;
    return NULL;
}

uint64_t *thread_reserve_now(enum prof_record_type type, unsigned words, uint64_t *ticks)
{
    *ticks = 0;
    return thread_reserve(type, words);
}

uint64_t *thread_reserve_late(enum prof_record_type type, unsigned words)
{
    return thread_reserve(type, words);
}

void thread_commit(uint64_t *record, enum prof_record_type type, unsigned words, uint64_t info)
{
    (void)record, (void)type, (void)words, (void)info;
}

uint64_t thread_ticks(const uint64_t *record)
{
    (void)record;
    return 0;
}

void thread_mark_internal(void) {}

void own_thread_adopt(void) {}

int own_thread_create(size_t stack_bytes, void *(*main)(void *), void *argument)
{
    pthread_t thread;
    (void)stack_bytes;
    int error = pthread_create(&thread, NULL, main, argument);
    if (!error)
        pthread_detach(thread);
    return error;
}

void own_thread_enter(const char *name)
{
    (void)name;
}

void own_thread_leave(void) {}

bool own_thread_changes(void)
{
    return false;
}

uint64_t clock_gettime_ns(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
    return clock_gettime_ns(CLOCK_MONOTONIC);
}

void clock_wait(int attempt)
{
    (void)attempt;
    sched_yield();
}

void clock_pause(uint32_t us)
{
    nanosleep(&(struct timespec){.tv_nsec = us * 1000l}, NULL);
}

void cost_add_launches(uint64_t count)
{
    (void)count;
}

void cost_add_ns(enum prof_cost_part part, uint64_t count, uint64_t ns)
{
    (void)part, (void)count, (void)ns;
}

void cost_charge_sampled(enum prof_cost_part part, uint32_t stood_for, uint64_t began)
{
    (void)part, (void)stood_for, (void)began;
}

void cost_end(struct cost_sampler *sampler, enum prof_cost_part part, uint64_t began)
{
    (void)sampler, (void)part, (void)began;
}

bool recorder_ending(void)
{
    return false;
}

bool recorder_is_forked(void)
{
    return false;
}

uint32_t recorder_gpu_detail(void)
{
    return (uint32_t)config_get()->gpu_detail;
}

bool recorder_leaving(void)
{
    return false;
}

void recorder_renew_exit(void) {}

void recorder_throttleable(enum prof_throttle_thing what, void (*keep)(bool on))
{
    (void)what, (void)keep;
}

void recorder_switch(bool on, enum prof_control_reason reason)
{
    (void)on, (void)reason;
}

void recorder_time_ranges(const struct range_timer *timer)
{
    (void)timer;
}

uint32_t stacks_mode; /* off */

uint32_t stacks_capture(struct stacks_origin origin)
{
    (void)origin;
    return 0;
}

uint32_t names_intern(const char *bytes, size_t size)
{
    (void)bytes, (void)size;
    return 1;
}

uint32_t names_intern_stable(const char *name)
{
    (void)name;
    return 1;
}

uint32_t names_state_again(uint32_t id)
{
    return id;
}

const void *meta_append(enum prof_record_type type, const void *head, size_t head_bytes,
                        const char *text, size_t text_bytes)
{
    (void)type, (void)head, (void)head_bytes, (void)text, (void)text_bytes;
    return NULL;
}

void meta_info(enum prof_info_key key, const char *text)
{
    (void)key, (void)text;
}

void loss_add(enum prof_loss_cause cause, uint64_t count)
{
    (void)cause, (void)count;
}

void recorder_set_gpu_mode(enum prof_gpu_mode mode, const char *reason)
{
    if (mode != PROF_GPU_CUPTI)
        fprintf(stderr, "gpu_capture: %s\n", reason);
}

void recorder_set_simulated(void) {}

void recorder_count_gpu_records(uint64_t count)
{
    (void)count;
}

uint64_t clock_now(void)
{
    return 0;
}

__thread uint64_t cost_charged;

void cost_charge(enum prof_cost_part part, uint64_t began)
{
    (void)part, (void)began;
}

const struct config *config_get(void)
{
    return &the_config;
}

void log_line(enum log_level level, const char *format, ...)
{
    (void)level, (void)format;
}

/* ---- keeping buffers ---- */

static void keep_string(struct kept *into, uint64_t pointer)
{
    for (uint32_t i = 0; i < into->string_count; i++)
        if (into->strings[i].pointer == pointer)
            return;
    if (!pointer || into->string_count == STRINGS_MAX)
        return;
    char *text = strdup((const char *)(uintptr_t)pointer);
    if (text)
        into->strings[into->string_count++] = (struct string){pointer, text};
}

static void keep_strings(struct kept *into)
{
    const struct oracle *oracle = activity_oracle();
    for (size_t at = 0; at + 8 <= into->size;) {
        uint8_t *record = into->bytes + at;
        uint32_t kind = abi_kind_of(record), size = oracle_size(oracle, kind);
        if (!size || at + size > into->size)
            return;
        if (kind == ABI_KIND_KERNEL || kind == ABI_KIND_CONCURRENT_KERNEL)
            keep_string(into, abi_uint64_t(record, ABI_KERNEL_NAME));
        at += size;
    }
}

static void keep(const uint8_t *buffer, size_t bytes)
{
    pthread_mutex_lock(&lock);
    if (bytes && kept_count < BUFFERS_MAX && kept_bytes + bytes <= BYTES_MAX) {
        struct kept *into = calloc(1, sizeof *into);
        if (into && (into->bytes = malloc(bytes))) {
            memcpy(into->bytes, buffer, bytes);
            into->size = bytes;
            keep_strings(into);
            kept[kept_count++] = into;
            kept_bytes += bytes;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* ---- writing the fixture ---- */

static void write_padded(FILE *file, const void *bytes, size_t size)
{
    static const char zeros[8];
    fwrite(bytes, 1, size, file);
    fwrite(zeros, 1, (8 - size % 8) % 8, file);
}

static void write_buffer(FILE *file, const struct kept *buffer)
{
    struct fixture_buffer head = {.bytes = buffer->size, .string_count = buffer->string_count};
    fwrite(&head, sizeof head, 1, file);
    write_padded(file, buffer->bytes, buffer->size);
    for (uint32_t i = 0; i < buffer->string_count; i++) {
        struct fixture_string string = {.pointer = buffer->strings[i].pointer,
                                        .bytes = (uint32_t)strlen(buffer->strings[i].text)};
        fwrite(&string, sizeof string, 1, file);
        write_padded(file, buffer->strings[i].text, string.bytes);
    }
}

/* Of the first one; empty: the driver does not say. */
static void name_device(char *name, size_t bytes)
{
    const struct driver_library *driver = loader_driver();
    int device = 0;
    if (driver && driver->cuDeviceGet && driver->cuDeviceGetName &&
        driver->cuDeviceGet(&device, 0) == ABI_OK)
        driver->cuDeviceGetName(name, (int)bytes, device);
}

static void write_header(FILE *file)
{
    const char *label = getenv("FIXTURE_LABEL");
    struct fixture_header head = {.version = FIXTURE_VERSION, .buffer_count = kept_count};
    char device_name[40] = "";
    memcpy(head.magic, FIXTURE_MAGIC, sizeof head.magic);
    head.cupti_version = loader_cupti() ? loader_cupti()->version : 0;
    memcpy(head.size, activity_oracle()->size, sizeof head.size);
    name_device(device_name, sizeof device_name);
    snprintf(head.origin, sizeof head.origin, "%s, %s", device_name, label ? label : "program");
    fwrite(&head, sizeof head, 1, file);
}

static void finish(void)
{
    const char *path = getenv("FIXTURE_OUT");
    cupti_collector.flush(5000);
    cupti_collector.finish();
    pthread_mutex_lock(&lock);
    FILE *file = path && kept_count ? fopen(path, "wb") : NULL;
    if (file) {
        write_header(file);
        for (uint32_t i = 0; i < kept_count; i++)
            write_buffer(file, kept[i]);
        if (fclose(file) != 0)
            fprintf(stderr, "gpu_capture: cannot write %s\n", path);
    } else {
        fprintf(stderr, "gpu_capture: nothing to write to %s\n", path ? path : "FIXTURE_OUT");
    }
    pthread_mutex_unlock(&lock);
}

int InitializeInjection(void)
{
    static bool once;
    if (once)
        return 1;
    once = true;
    activity_set_tap(keep);
    cupti_collector.cuda_init();
    atexit(finish);
    return 1;
}
