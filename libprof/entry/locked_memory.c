/* locked_memory.c - interposes mlockall(), which would otherwise fail because of libprof's
 * mappings.
 *
 * For mlockall(MCL_CURRENT) the kernel compares the whole address space with the user's limit (8
 * MiB in Debian). Most of it may be the trace, its reserved address space, and libprof's sparse
 * tables. If the kernel refuses, we lock every mapping except these, provided that their total is
 * within the limit. The rest of libprof's memory is locked, too. In a process that records nothing,
 * the library is all that libprof has: there the call succeeds where it would without it.
 */
#include "entry.h"

#include "chunks.h"
#include "own_files.h"
#include "session.h"
#include "signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif
#define LOCKED_MEMORY_ON_FAULT 1u /* MLOCK_ONFAULT */

static int (*locked_memory_real)(int) GUEST_DATA;

/* Of libprof.so, by the linker: the end of data that is not zero at first. */
extern const char _edata[] __attribute__((visibility("hidden")));

GUEST_PATH void locked_memory_resolve(void)
{
    *(void **)&locked_memory_real = dlsym(RTLD_NEXT, "mlockall");
}

/* ---- /proc/self/maps ---- */

/* A line: "from-to rwxp ...", the addresses in hexadecimal. */
struct locked_memory_mapping {
    uint64_t from, to;
    bool accessible;
};

struct locked_memory_walk {
    bool (*visit)(struct locked_memory_walk *walk, const struct locked_memory_mapping *mapping);
    uint64_t bytes; /* so far */
    bool idle;      /* the process records nothing */
    bool on_fault;
    uint64_t hole_from, hole_to; /* in libprof.so */
};

/* What has been read of a line. */
struct locked_memory_line {
    struct locked_memory_mapping mapping;
    unsigned field; /* 0 from, 1 to, 2 permissions, 3 the rest */
};

static unsigned locked_memory_digit(char c)
{
    return (unsigned)(c >= 'a' ? c - 'a' + 10 : c - '0');
}

static void locked_memory_read(struct locked_memory_line *line, char c)
{
    if (line->field == 0 && c == '-')
        line->field = 1;
    else if (line->field < 3 && c == ' ')
        line->field++;
    else if (line->field == 0)
        line->mapping.from = line->mapping.from << 4 | locked_memory_digit(c);
    else if (line->field == 1)
        line->mapping.to = line->mapping.to << 4 | locked_memory_digit(c);
    else if (line->field == 2)
        line->mapping.accessible |= c == 'r' || c == 'w' || c == 'x';
}

static uint64_t locked_memory_page_from(const void *address)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return ((uintptr_t)address + page - 1) & ~(page - 1);
}

/* Tables are zero at first: they lie after all other data of the library. */
static void locked_memory_set_hole(struct locked_memory_walk *walk)
{
    walk->hole_from =
        walk->idle ? (uint64_t)(uintptr_t)__ehdr_start : locked_memory_page_from(_edata);
    walk->hole_to = locked_memory_page_from(_end);
}

/* The kernel merges neighbours into one mapping, the program's and ours. */
static bool locked_memory_visit(struct locked_memory_walk *walk,
                                const struct locked_memory_mapping *mapping)
{
    struct locked_memory_mapping before = *mapping, behind = *mapping;
    if (before.to > walk->hole_from)
        before.to = walk->hole_from;
    if (behind.from < walk->hole_to)
        behind.from = walk->hole_to;
    return (before.from >= before.to || walk->visit(walk, &before)) &&
           (behind.from >= behind.to || walk->visit(walk, &behind));
}

/* The kernel counts what is not accessible, too; where there are threads of ours, much of that is
 * theirs. Its own page, above all of the program's, cannot be locked. */
static bool locked_memory_counts(const struct locked_memory_walk *walk,
                                 const struct locked_memory_mapping *mapping)
{
    return (mapping->accessible || walk->idle) && !(mapping->from >> 63) &&
           !chunks_hold((uintptr_t)mapping->from);
}

static bool locked_memory_parse(struct locked_memory_walk *walk, struct locked_memory_line *line,
                                const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n') {
            locked_memory_read(line, bytes[i]);
            continue;
        }
        if (locked_memory_counts(walk, &line->mapping) &&
            !locked_memory_visit(walk, &line->mapping))
            return false;
        *line = (struct locked_memory_line){0};
    }
    return true;
}

static int locked_memory_walk_all(void *argument)
{
    struct locked_memory_line line = {0};
    char bytes[4096];
    locked_memory_set_hole(argument);
    int fd = own_files_open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t count;
    int error = fd < 0 ? errno : 0;
    while (!error && (count = read(fd, bytes, sizeof bytes)) != 0)
        if (count < 0)
            error = errno;
        else if (!locked_memory_parse(argument, &line, bytes, (size_t)count))
            error = ENOMEM;
    if (fd >= 0)
        syscall(SYS_close, fd);
    return error;
}

/* ---- locking ---- */

static bool locked_memory_add(struct locked_memory_walk *walk,
                              const struct locked_memory_mapping *mapping)
{
    walk->bytes += mapping->to - mapping->from;
    return true;
}

/* A mapping may have gone meanwhile. */
static bool locked_memory_lock(struct locked_memory_walk *walk,
                               const struct locked_memory_mapping *mapping)
{
    void *memory = (void *)(uintptr_t)mapping->from;
    size_t bytes = mapping->to - mapping->from;
    if (!mapping->accessible)
        return true;
    long result = walk->on_fault ? syscall(SYS_mlock2, memory, bytes, LOCKED_MEMORY_ON_FAULT)
                                 : mlock(memory, bytes);
    return result == 0 || errno == EINVAL || errno == EAGAIN || msync(memory, bytes, MS_ASYNC) != 0;
}

static bool locked_memory_may(uint64_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && bytes <= limit.rlim_cur;
}

/* A process that records nothing gets no thread for it: its stack would count. */
static int locked_memory_walk(struct locked_memory_walk *walk)
{
    return walk->idle ? locked_memory_walk_all(walk) : own_files_run(locked_memory_walk_all, walk);
}

/* Returns 0 or an errno value. */
static int locked_memory_lock_each(int flags)
{
    bool idle = session_is_idle();
    struct locked_memory_walk add = {.visit = locked_memory_add, .idle = idle};
    struct locked_memory_walk lock = {
        .visit = locked_memory_lock, .idle = idle, .on_fault = (flags & MCL_ONFAULT) != 0};
    struct signals_saved saved;
    signals_block(&saved);
    int error = locked_memory_walk(&add);
    if (!error && !locked_memory_may(add.bytes))
        error = ENOMEM;
    if (!error && (flags & MCL_FUTURE) && locked_memory_real(flags & ~MCL_CURRENT) != 0)
        error = errno;
    if (!error)
        error = locked_memory_walk(&lock);
    signals_restore(&saved);
    return error;
}

INTERPOSED int mlockall(int flags)
{
    if (!locked_memory_real)
        locked_memory_resolve();
    if (!locked_memory_real) {
        errno = ENOSYS;
        return -1;
    }
    int saved_errno = errno, result = locked_memory_real(flags);
    if (result == 0 || errno != ENOMEM || !(flags & MCL_CURRENT))
        return result;
    int error = locked_memory_lock_each(flags);
    errno = error ? ENOMEM : saved_errno;
    return error ? -1 : 0;
}
