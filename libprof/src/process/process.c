#include "process.h"

#include "atomic.h"
#include "clock.h"
#include "number.h"
#include "own_files.h"
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STAT_BYTES 1024u

static char process_directory[PATH_MAX];
/* Stored by the thread that claims; a forked child takes it back. */
static struct process_owner process_claimed GUEST_DATA;

static uint32_t process_forks GUEST_DATA;
/* The process, by pid, that process_forks is of; 0: nobody has looked yet. */
static uint32_t process_counted GUEST_DATA;

GUEST_PATH void process_remember(void)
{
    process_counted = (uint32_t)getpid();
    if (!getcwd(process_directory, sizeof process_directory))
        process_directory[0] = '\0';
}

GUEST_PATH uint32_t process_generation(void)
{
    return load_relaxed(&process_forks);
}

GUEST_PATH void process_next_generation(void)
{
    process_counted = (uint32_t)getpid();
    store_relaxed(&process_forks, process_forks + 1);
}

void process_count_fork(void)
{
    if (process_counted && process_counted != (uint32_t)getpid())
        process_next_generation();
}

GUEST_PATH uint64_t process_pid_space(void)
{
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

void process_owner_set(struct process_owner *owner)
{
    owner->space = process_pid_space();
    store_release(&owner->pid, (uint32_t)getpid());
}

GUEST_PATH bool process_owner_is_us(const struct process_owner *owner)
{
    uint32_t pid = load_acquire(&owner->pid);
    if (!pid || pid != (uint32_t)getpid())
        return false;
    uint64_t space = owner->space ? process_pid_space() : 0;
    return !space || space == owner->space;
}

void process_claim(void)
{
    process_count_fork();
    if (!process_is_own())
        process_owner_set(&process_claimed);
}

GUEST_PATH bool process_is_own(void)
{
    return process_owner_is_us(&process_claimed);
}

GUEST_PATH void process_disclaim(void)
{
    store_relaxed(&process_claimed.pid, 0u);
}

const char *process_program(void)
{
    return program_invocation_short_name ? program_invocation_short_name : "program";
}

const char *process_host(void)
{
    static char host[256];
    if (gethostname(host, sizeof host - 1) != 0)
        return "localhost";
    return host;
}

/* ---- /proc ---- */

/* Not by libc's open(), read() and close(), before which code of the program's may stand. */
size_t process_read_file(const char *path, char *to, size_t size)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    size_t have = 0;
    ssize_t got = fd >= 0;
    while (got > 0 && have < size - 1) {
        got = syscall(SYS_read, fd, to + have, size - 1 - have);
        have += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        syscall(SYS_close, fd);
    to[have] = '\0';
    return have;
}

/* A field of /proc/self/stat, counted after the parenthesised name, which may hold anything
 * (proc(5)). */
static bool process_stat_field(int number, char *value, size_t value_bytes)
{
    char stat[STAT_BYTES];
    own_files_read("/proc/self/stat", stat, sizeof stat);
    const char *field = strrchr(stat, ')');
    for (int at = 2; field && at < number; at++)
        field = strchr(field + 1, ' ');
    return field &&
           snprintf(value, value_bytes, "%.*s", (int)strcspn(field + 1, " "), field + 1) > 0;
}

/* In clock ticks since boot. */
static bool process_start_boot_ticks(uint64_t *ticks)
{
    char value[32];
    return process_stat_field(22, value, sizeof value) && number_parse(value, ticks);
}

uint64_t process_address_budget(void)
{
    struct rlimit limit;
    char used[32];
    uint64_t used_bytes = 0;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    if (process_stat_field(23, used, sizeof used))
        number_parse(used, &used_bytes);
    return used_bytes < limit.rlim_cur ? (limit.rlim_cur - used_bytes) / 8 : 0;
}

/* Without a descriptor. */
unsigned long process_threads(void)
{
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 2
               ? (unsigned long)tasks.st_nlink - 2
               : 0;
}

/* It has no program any more. */
bool process_main_has_left(void)
{
    char path[8];
    return readlink("/proc/self/exe", path, sizeof path) < 0 && errno == ENOENT;
}

GUEST_PATH void process_free_lock(pthread_mutex_t *lock)
{
    const pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
    const unsigned char *is = (const unsigned char *)lock, *was = (const unsigned char *)&free_lock;
    unsigned differs = 0;
    for (size_t i = 0; i < sizeof free_lock; i++) /* memcmp() lies in two more pages */
        differs |= (unsigned)(is[i] ^ was[i]);
    if (differs)
        *lock = free_lock;
}

uint64_t process_start_realtime_ns(void)
{
    uint64_t ticks;
    long per_second = sysconf(_SC_CLK_TCK);
    if (per_second <= 0 || !process_start_boot_ticks(&ticks))
        return 0;
    uint64_t started = ticks * (1000000000u / (uint64_t)per_second);
    return clock_gettime_ns(CLOCK_REALTIME) - (clock_gettime_ns(CLOCK_BOOTTIME) - started);
}

bool process_absolute_path(const char *path, char *absolute, size_t absolute_bytes)
{
    char result[PATH_MAX];
    int size = *path == '/' || !*process_directory
                   ? snprintf(result, sizeof result, "%s", path)
                   : snprintf(result, sizeof result, "%s/%s", process_directory, path);
    if (size < 0 || (size_t)size >= sizeof result || (size_t)size >= absolute_bytes)
        return false;
    memcpy(absolute, result, (size_t)size + 1);
    return true;
}

/* As the kernel lays it out: getdents64(2). */
struct process_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

void process_each_entry(int directory, void (*see)(void *state, const char *name), void *state)
{
    char bytes[4096] __attribute__((aligned(8)));
    long size;
    while ((size = syscall(SYS_getdents64, directory, bytes, sizeof bytes)) > 0)
        for (long at = 0; at < size;) {
            const struct process_entry *entry = (const void *)(bytes + at);
            see(state, entry->name);
            at += entry->bytes;
        }
}

bool process_memory(void **memory, size_t bytes)
{
    if (*memory)
        return madvise(*memory, bytes, MADV_DONTNEED) == 0;
    void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *memory = made == MAP_FAILED ? NULL : made;
    return *memory != NULL;
}
