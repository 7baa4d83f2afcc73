/* progress.c - a thread that wakes up five times a second and prints the line. */
#include "progress.h"

#include "text.h"
#include "units.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FIRST_NS INT64_C(1000000000)
#define PERIOD_NS INT64_C(200000000)
#define NAME_COLUMNS 40u
#define NUMBERS_BYTES 160
#define LINE_BYTES (SHOW_TEXT_BYTES(NAME_COLUMNS) + NUMBERS_BYTES + 32)

static struct {
    unsigned (*width)(int descriptor); /* NULL: nothing is shown */
    unsigned depth;                    /* of work within work; of the calling thread */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t ended;
    bool running, shown;
    const char *verb, *name;
    uint64_t total_bytes;
    int written; /* descriptor of the file that is written, -1 */
    int64_t began_ns;

    _Atomic uint64_t bytes, items, all_items;
    pthread_t thread;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void progress_enable(unsigned (*width)(int descriptor))
{
    if (isatty(STDERR_FILENO))
        progress.width = width;
}

/* ---- the line ---- */

static uint64_t bytes_done(void)
{
    struct stat status;
    if (progress.written >= 0)
        return fstat(progress.written, &status) == 0 ? (uint64_t)status.st_size : 0;
    return atomic_load_explicit(&progress.bytes, memory_order_relaxed);
}

/* From 0 to 1; 0: unknown. */
static double share_done(uint64_t bytes)
{
    uint64_t items = atomic_load_explicit(&progress.items, memory_order_relaxed);
    uint64_t all = atomic_load_explicit(&progress.all_items, memory_order_relaxed);
    if (all)
        return (double)items / (double)all;
    return progress.total_bytes ? (double)bytes / (double)progress.total_bytes : 0;
}

/* Three digits: bytes_text() has more than a number needs that changes five times a second. */
static void short_bytes(double bytes, char to[BYTES_TEXT_BYTES])
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    unsigned unit = 0;
    for (; bytes >= 1000 && unit < 4; unit++)
        bytes /= 1024;
    snprintf(to, BYTES_TEXT_BYTES, "%.*f %s",
             unit == 0 || bytes >= 100 ? 0
             : bytes >= 10             ? 1
                                       : 2,
             bytes, units[unit]);
}

/* "412 MB of 881 MB, 103 MB/s, "; nothing when no bytes are counted. */
static size_t describe_bytes(uint64_t bytes, double seconds, char to[NUMBERS_BYTES])
{
    char done[BYTES_TEXT_BYTES], total[BYTES_TEXT_BYTES], rate[BYTES_TEXT_BYTES];
    if (!bytes)
        return 0;
    short_bytes((double)bytes, done);
    short_bytes((double)progress.total_bytes, total);
    short_bytes((double)bytes / seconds, rate);
    int size =
        snprintf(to, NUMBERS_BYTES, "%s%s%s, %s/s, ", done, progress.total_bytes ? " of " : "",
                 progress.total_bytes ? total : "", rate);
    return (size_t)size;
}

/* All bytes have been read: how long sorting takes is unknown. */
static void describe_sorting(double seconds, char to[NUMBERS_BYTES])
{
    char total[BYTES_TEXT_BYTES];
    short_bytes((double)progress.total_bytes, total);
    snprintf(to, NUMBERS_BYTES, "%s, sorting, %.0f s", total, seconds);
}

static void describe(double seconds, char to[NUMBERS_BYTES])
{
    uint64_t bytes = bytes_done();
    double share = share_done(bytes);
    if (share >= 1 && progress.total_bytes) {
        describe_sorting(seconds, to);
        return;
    }
    size_t size = describe_bytes(bytes, seconds, to);
    if (share > 0)
        snprintf(to + size, NUMBERS_BYTES - size, "%.0f s left", seconds / share - seconds + 0.5);
    else
        snprintf(to + size, NUMBERS_BYTES - size, "%.0f s", seconds);
}

/* In one write(2), so that nothing comes between. The last column stays free: some terminals wrap
 * there. */
static void print_line(const char *text)
{
    char line[LINE_BYTES + 16];
    unsigned width = progress.width(STDERR_FILENO);
    int columns = width > 1 ? (int)width - 1 : 79;
    int size = snprintf(line, sizeof line, "\r%.*s\x1b[K", columns, text);
    progress.shown = *text != '\0';
    if (write(STDERR_FILENO, line, (size_t)size) < 0)
        progress.shown = false; /* the terminal is gone: the work is not */
}

static void print_progress(double seconds)
{
    char name[SHOW_TEXT_BYTES(NAME_COLUMNS)], numbers[NUMBERS_BYTES], line[LINE_BYTES];
    show_text_cut((struct text){progress.name, strlen(progress.name)}, NAME_COLUMNS, name);
    describe(seconds, numbers);
    snprintf(line, sizeof line, "%s %s  %s", progress.verb, name, numbers);
    print_line(line);
}

static void hide(void)
{
    if (progress.shown)
        print_line("");
}

/* ---- the thread ---- */

/* False: the work ended before. */
static bool wait_ns(int64_t ns)
{
    int64_t until_ns = now_ns(CLOCK_REALTIME) + ns;
    struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
    int code = 0;
    while (progress.running && code == 0)
        code = pthread_cond_timedwait(&progress.ended, &progress.lock, &until);
    return progress.running;
}

static void *show(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&progress.lock);
    for (int64_t ns = FIRST_NS; wait_ns(ns); ns = PERIOD_NS)
        print_progress((double)(now_ns(CLOCK_MONOTONIC) - progress.began_ns) / 1e9);
    pthread_mutex_unlock(&progress.lock);
    return NULL;
}

/* Output on a terminal must not be mixed with the line. */
static bool is_terminal(int written)
{
    return written >= 0 && isatty(written);
}

static void begin(const char *verb, const char *name, uint64_t total_bytes, int written)
{
    if (!progress.width || progress.depth++ || is_terminal(written))
        return;
    progress.verb = verb;
    progress.name = name;
    progress.total_bytes = total_bytes;
    progress.written = written;
    progress.began_ns = now_ns(CLOCK_MONOTONIC);
    atomic_store_explicit(&progress.bytes, 0, memory_order_relaxed);
    atomic_store_explicit(&progress.items, 0, memory_order_relaxed);
    atomic_store_explicit(&progress.all_items, 0, memory_order_relaxed);
    progress.running = true;
    progress.running = pthread_create(&progress.thread, NULL, show, NULL) == 0;
}

void progress_begin(const char *verb, const char *name, uint64_t total_bytes)
{
    begin(verb, name, total_bytes, -1);
}

void progress_begin_writing(const char *name, int descriptor)
{
    begin("writing", strcmp(name, "-") == 0 ? "standard output" : name, 0, descriptor);
}

void progress_extend(uint64_t bytes)
{
    pthread_mutex_lock(&progress.lock);
    progress.total_bytes += progress.total_bytes ? bytes : 0;
    pthread_mutex_unlock(&progress.lock);
}

void progress_add(uint64_t bytes)
{
    if (progress.width)
        atomic_fetch_add_explicit(&progress.bytes, bytes, memory_order_relaxed);
}

void progress_share(uint64_t done, uint64_t total)
{
    atomic_store_explicit(&progress.items, done, memory_order_relaxed);
    atomic_store_explicit(&progress.all_items, total, memory_order_relaxed);
}

void progress_end(void)
{
    if (!progress.width || --progress.depth || !progress.running)
        return;
    pthread_mutex_lock(&progress.lock);
    progress.running = false;
    hide();
    pthread_cond_signal(&progress.ended);
    pthread_mutex_unlock(&progress.lock);
    pthread_join(progress.thread, NULL);
}

void progress_hide(void)
{
    pthread_mutex_lock(&progress.lock);
    hide();
    pthread_mutex_unlock(&progress.lock);
}
