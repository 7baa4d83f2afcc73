/* stackwalk.c - the walk by tables is libunwind's unw_backtrace(), which remembers per thread how
 * each function keeps its frame. The walk by frame pointers:
 *
 *     frame -> | caller's frame | return address |      higher addresses ->
 *                     '----------> | its caller's | return address | ...
 *
 * Code without frame pointers leaves anything in that register, so an address is followed only
 * upwards and only where memory is known to be readable: up to the end of the thread's own stack,
 * or, on a stack that we know nothing about, page by page as far as the kernel says so.
 */
#include "stackwalk.h"

#include "loaded.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define STACKWALK_LIBUNWIND "libunwind.so.8"
#define STACKWALK_OUR_FRAMES 16u /* between unw_backtrace() and who called us, at most */
#define STACKWALK_PAGE 4096u     /* the smallest there is */
#define STACKWALK_PROBES_MAX 64u /* 256 KiB of an unknown stack */

#if defined(__aarch64__)
#define STACKWALK_ADDRESS_MASK 0x0000ffffffffffffu /* without pointer authentication */
#else
#define STACKWALK_ADDRESS_MASK UINT64_MAX
#endif

static int (*stackwalk_unw_backtrace)(void **addresses, int limit);

/* There below valgrind, which would say that the signal mask is not initialised. */
extern void _vgnU_freeres(void) __attribute__((weak));

static bool stackwalk_probe_by_copy(uintptr_t at)
{
    char byte;
    struct iovec to = {&byte, 1}, from = {(void *)at, 1};
    return process_vm_readv((pid_t)syscall(SYS_getpid), &to, 1, &from, 1, 0) == 1;
}

/* The kernel copies the new signal mask before it finds out that there is no such way to change the
 * mask. */
static bool stackwalk_probe(uintptr_t at)
{
    if (_vgnU_freeres)
        return stackwalk_probe_by_copy(at);
    return syscall(SYS_rt_sigprocmask, -1, at, NULL, 8) != 0 && errno != EFAULT;
}

/* ---- tables ---- */

/* Where it has to guess, libunwind first writes a byte of the address to a pipe, to see whether
 * memory is there. It keeps the pipe's descriptors for the life of the process. A program that
 * closes or replaces descriptors which it did not open then has its own read and written there:
 * bash, after `exec 3>file`, lost bytes of its pipes, or waited forever. So libunwind gets no pipe:
 * its write asks the kernel instead, and its read, which makes room, has nothing to do. */
static int stackwalk_no_pipe(int descriptors[2], int flags)
{
    (void)flags;
    descriptors[0] = descriptors[1] = -1;
    return 0;
}

/* errno is set also where nothing is wrong: libunwind repeats the call while it is EINTR. */
static ssize_t stackwalk_no_read(int fd, void *buffer, size_t size)
{
    if (size != 1)
        return read(fd, buffer, size);
    errno = 0;
    return 1;
}

static ssize_t stackwalk_probing_write(int fd, const void *address, size_t size)
{
    if (size != 1)
        return write(fd, address, size);
    bool readable = stackwalk_probe((uintptr_t)address);
    errno = readable ? 0 : EFAULT;
    return readable ? 1 : -1;
}

/* Some versions write so, and the sanitizers do not see it. */
static long stackwalk_probing_call(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_write)
        return stackwalk_probing_write((int)a, (const void *)b, (size_t)c);
    return syscall(number, a, b, c, d, e, f);
}

/* As long as libunwind has not been called, or it has its pipe already. */
static void stackwalk_replace_pipe(void *library)
{
    gotpatch_replace(library, "pipe2", (void *)(uintptr_t)stackwalk_no_pipe);
    gotpatch_replace(library, "read", (void *)(uintptr_t)stackwalk_no_read);
    gotpatch_replace(library, "write", (void *)(uintptr_t)stackwalk_probing_write);
    gotpatch_replace(library, "syscall", (void *)(uintptr_t)stackwalk_probing_call);
}

bool stackwalk_open_tables(void)
{
    if (stackwalk_unw_backtrace)
        return true;
    void *library = dlopen(STACKWALK_LIBUNWIND, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *function = library ? dlsym(library, "unw_backtrace") : NULL;
    if (function)
        stackwalk_replace_pipe(library);
    *(void **)(void *)&stackwalk_unw_backtrace = function;
    return function != NULL;
}

void stackwalk_warm_tables(void)
{
    void *addresses[4];
    stackwalk_unw_backtrace(addresses, 4);
}

unsigned stackwalk_tables(struct stacks_origin origin, uint64_t *addresses, unsigned limit)
{
    void *found[STACKWALK_OUR_FRAMES + STACKWALK_FRAMES_MAX + 1];
    uint64_t caller = origin.address & STACKWALK_ADDRESS_MASK;
    int count = stackwalk_unw_backtrace(found, (int)(STACKWALK_OUR_FRAMES + limit));
    int first = 0;
    while (first < count && (uint64_t)(uintptr_t)found[first] != caller)
        first++;
    unsigned kept = 0;
    for (int i = first; i < count && kept < limit && found[i]; i++)
        addresses[kept++] = (uint64_t)(uintptr_t)found[i];
    return kept;
}

/* ---- frame pointers ---- */

struct stackwalk_bounds stackwalk_own_bounds(void)
{
    struct stackwalk_bounds own = {0, 0};
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return own;
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0)
        own = (struct stackwalk_bounds){(uintptr_t)low, (uintptr_t)low + bytes};
    pthread_attr_destroy(&attributes);
    return own;
}

/* Memory that can be read, as far as it was looked at. */
struct stackwalk_readable {
    uintptr_t low, high;
    unsigned probes;
};

static uintptr_t stackwalk_page_end(uintptr_t at)
{
    return (at | (STACKWALK_PAGE - 1)) + 1;
}

static struct stackwalk_readable stackwalk_begin(const struct stackwalk_bounds *own, uintptr_t from)
{
    bool known = stackwalk_is_own(own, from);
    return (struct stackwalk_readable){from, known ? own->high : stackwalk_page_end(from), 0};
}

/* A handler on an alternate stack was called from the thread's own. */
static void stackwalk_change_stack(struct stackwalk_readable *readable, uintptr_t at)
{
    if (readable->probes++ < STACKWALK_PROBES_MAX && stackwalk_probe(at))
        *readable = (struct stackwalk_readable){at, stackwalk_page_end(at), readable->probes};
}

/* One page more. Never over an end of the thread's own stack: what is behind it is others'. */
static bool stackwalk_extend(struct stackwalk_readable *readable,
                             const struct stackwalk_bounds *own)
{
    bool inside = stackwalk_is_own(own, readable->high - 1);
    if (inside != stackwalk_is_own(own, readable->high) ||
        readable->probes++ >= STACKWALK_PROBES_MAX || !stackwalk_probe(readable->high))
        return false;
    readable->high += STACKWALK_PAGE;
    return true;
}

static bool stackwalk_can_read(struct stackwalk_readable *readable,
                               const struct stackwalk_bounds *own, uintptr_t at)
{
    if (!stackwalk_is_own(own, readable->low) && stackwalk_is_own(own, at))
        stackwalk_change_stack(readable, at);
    if (at < readable->low || at > UINTPTR_MAX - STACKWALK_PAGE)
        return false;
    while (at + 2 * sizeof(void *) > readable->high)
        if (!stackwalk_extend(readable, own))
            return false;
    return true;
}

/* A stack frame of other code: not a variable that a sanitizer tracks. */
__attribute__((noinline, no_sanitize("address"), no_sanitize("thread"))) static void
stackwalk_load(uintptr_t at, uintptr_t pair[2])
{
    const volatile uintptr_t *words = (const volatile uintptr_t *)at;
    pair[0] = words[0];
    pair[1] = words[1];
}

unsigned stackwalk_frames(const struct stackwalk_bounds *own, uintptr_t from,
                          struct stacks_origin origin, uint64_t *addresses, unsigned limit)
{
    struct stackwalk_readable readable = stackwalk_begin(own, from);
    uintptr_t pair[2] = {origin.frame, origin.address};
    unsigned count = 0;
    while (count < limit && (pair[1] & STACKWALK_ADDRESS_MASK) >= STACKWALK_PAGE) {
        uintptr_t at = pair[0];
        addresses[count++] = pair[1] & STACKWALK_ADDRESS_MASK;
        bool upwards = at > from || (!stackwalk_is_own(own, from) && stackwalk_is_own(own, at));
        if (!upwards || at % sizeof(void *) || !stackwalk_can_read(&readable, own, at))
            break;
        stackwalk_load(at, pair);
        from = at;
    }
    return count;
}
