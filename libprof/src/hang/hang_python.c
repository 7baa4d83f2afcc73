/* hang_python.c - the interpreter prints the stacks of its threads itself, in a copy of the
 * process; and who owns an RLock.
 *
 * Py_FatalError() is what all versions export. It prints them without the GIL and allocates nothing
 * before it has done so, then ends the process. The copy may also crash or stand still, as nothing
 * protects the interpreter's state from being half changed at the moment of copying: nobody waits
 * for it for longer than HANG_PYTHON_MS.
 */
#include "clock.h"
#include "hang.h"
#include "hang_inside.h"
#include "own_thread.h"
#include "unwind.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HANG_PYTHON_MS 2000u
#define HANG_PYTHON_END_MS 200u /* for the copy to be gone after SIGKILL */

static void *(*hang_python_interpreter)(void);
static void (*hang_python_fatal)(const char *message);

/* What the copy prints, by lines. */
static struct {
    char line[1024];
    size_t size;
    bool in_stack;
    unsigned lines; /* of stacks */
} hang_python;

/* After hang_threads_add(), which has read what is mapped. */
static bool hang_python_find(void)
{
    unwind_lock();
    *(void **)(void *)&hang_python_interpreter = unwind_find_python("PyInterpreterState_Main");
    *(void **)(void *)&hang_python_fatal = unwind_find_python("Py_FatalError");
    unwind_unlock();
    return hang_python_interpreter && hang_python_fatal;
}

/* ---- the copy ---- */

static void hang_python_end_copy(int number)
{
    syscall(SYS_exit_group, number == SIGABRT ? 0 : number);
}

/* Another thread may have held the lock of stderr when the process was copied, and its buffer is
 * the program's. So is its descriptor, also in the copy: that has the program's table, as closing a
 * copy of it could flush files. */
static void hang_python_print(int fd)
{
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        signal(number, number == SIGABRT ? hang_python_end_copy : SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_DUMPABLE, 0); /* no core file */
    __fsetlocking(stderr, FSETLOCKING_BYCALLER);
    __fpurge(stderr);
    stderr->_fileno = fd;
    if (hang_python_interpreter())
        hang_python_fatal("printed by libprof");
    hang_python_end_copy(SIGABRT);
}

/* ---- what it prints ---- */

static bool hang_python_begins(const char *begin)
{
    return strncmp(hang_python.line, begin, strlen(begin)) == 0;
}

/* Around the stacks there is a heading, a list of modules, and since 3.14 a stack of the copy
 * itself. */
static void hang_python_end_line(void)
{
    bool is_head = hang_python_begins("Thread 0x") || hang_python_begins("Current thread 0x");
    hang_python.in_stack = is_head || (hang_python.in_stack && hang_python_begins("  "));
    if (hang_python.in_stack) {
        hang_text_add_bytes(hang_python.line, hang_python.size);
        hang_text_add_bytes("\n", 1);
        hang_python.lines++;
    }
    hang_python.size = 0;
}

static void hang_python_take(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hang_python.line[hang_python.size] = '\0';
        if (bytes[i] == '\n')
            hang_python_end_line();
        else if (hang_python.size < sizeof hang_python.line - 1)
            hang_python.line[hang_python.size++] = bytes[i];
    }
}

/* Both ends of the pipe are the program's, which does not end with the copy. False: the copy stands
 * still. */
static bool hang_python_collect(int fd, pid_t copy, int *status)
{
    char bytes[4096];
    bool ended = false;
    uint64_t end_ns = clock_monotonic_ns() + HANG_PYTHON_MS * 1000000ull;
    while (clock_monotonic_ns() < end_ns) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        ssize_t got = poll(&wait, 1, ended ? 0 : 10) > 0 ? read(fd, bytes, sizeof bytes) : 0;
        if (got > 0)
            hang_python_take(bytes, (size_t)got);
        else if (ended)
            return true;
        else
            ended = own_child_await(copy, 0, status);
    }
    return false;
}

static void hang_python_explain(bool ended, int status)
{
    if (!ended)
        hang_text_add("python-failed \"it printed nothing more for %u ms\"\n", HANG_PYTHON_MS);
    else if (WIFSIGNALED(status))
        hang_text_add("python-failed \"its copy ended with signal %d\"\n", WTERMSIG(status));
    else if (!hang_python.lines)
        hang_text_add("python-failed \"it printed no stacks\"\n");
}

/* A plain clone: none of the program's fork handlers runs, no signal reports its end, and no
 * debugger follows. */
void hang_python_add(void)
{
    int ends[2], status = 0;
    if (!hang_python_find())
        return;
    if (own_child_would_be_first() || pipe2(ends, O_CLOEXEC) != 0) {
        hang_text_add("python-failed \"the process cannot be cloned\"\n");
        return;
    }
    hang_python.size = hang_python.lines = 0;
    hang_python.in_stack = false;
    pid_t copy = (pid_t)syscall(SYS_clone, CLONE_FILES | CLONE_UNTRACED, NULL, NULL, NULL, NULL);
    int error = errno;
    if (copy == 0)
        hang_python_print(ends[1]);
    if (copy > 0) {
        hang_text_add("python\n");
        bool ended = hang_python_collect(ends[0], copy, &status);
        if (!ended) {
            kill(copy, SIGKILL);
            own_child_await(copy, HANG_PYTHON_END_MS, &status);
        }
        hang_python_explain(ended, status);
    } else {
        hang_text_add("python-failed \"the process cannot be cloned: %s\"\n", strerror(error));
    }
    close(ends[0]);
    close(ends[1]);
}

/* ---- who owns an RLock ----
 *
 * A Lock has no owner. An RLock (_thread.RLock) states it since Python 3.2:
 *
 *     to 3.13                         3.14 on
 *     header, 16 bytes                header, 16 bytes
 *     address of a semaphore          a mutex of one byte
 *     owner: pthread_t                owner: pthread_t
 *     how often it has entered        the same, less one
 *
 * The thread waits on the semaphore's futex. To 3.13, the object's address is among what acquire()
 * keeps on the thread's stack. From 3.14 on, the semaphore is on the stack, in a record of the
 * parking lot, behind the address of the mutex.
 */

#define HANG_STACK_WORDS 1024u
#define HANG_TYPE_NAME_AT 24u /* in PyTypeObject */

struct hang_rlock {
    uint64_t references, type, lock, owner, depth;
};

/* Objects are aligned to 16 bytes. */
static bool hang_read_rlock(uint64_t address, struct hang_rlock *rlock)
{
    static const char name[] = "_thread.RLock";
    char found[sizeof name];
    uint64_t name_at;
    return address % 16 == 0 && unwind_copy(rlock, address, sizeof *rlock) &&
           unwind_copy(&name_at, rlock->type + HANG_TYPE_NAME_AT, sizeof name_at) &&
           unwind_copy(found, name_at, sizeof found) && memcmp(found, name, sizeof name) == 0;
}

/* Returns its address, 0: there is none. */
static uint64_t hang_find_rlock(uint64_t futex, uint64_t stack, struct hang_rlock *rlock)
{
    static uint64_t words[HANG_STACK_WORDS];
    uint64_t address, mutex;
    if (unwind_copy(&mutex, futex - sizeof mutex, sizeof mutex) &&
        hang_read_rlock(mutex - offsetof(struct hang_rlock, lock), rlock))
        return mutex - offsetof(struct hang_rlock, lock);
    size_t count = HANG_STACK_WORDS; /* fewer near the stack's end */
    while (count && !unwind_copy(words, stack, count * sizeof *words))
        count /= 2;
    for (size_t i = 0; i < count; i++) {
        address = words[i];
        if (address % 16 == 0 && unwind_copy(rlock, address, sizeof *rlock) &&
            rlock->lock == futex && hang_read_rlock(address, rlock))
            return address;
    }
    return 0;
}

/* Where libc keeps a thread's number, from the beginning of what pthread_t points to: where that of
 * the calling thread is. */
static uint32_t hang_tid_of(uint64_t thread)
{
    static uint32_t offset;
    uint32_t self = (uint32_t)syscall(SYS_gettid), tid = 0;
    for (uint32_t at = 0; !offset && at < 4096; at += sizeof tid)
        if (unwind_copy(&tid, (uint64_t)pthread_self() + at, sizeof tid) && tid == self)
            offset = at;
    return offset && unwind_copy(&tid, thread + offset, sizeof tid) ? tid : 0;
}

bool hang_python_find_lock(uint64_t futex, uint64_t stack, struct hang_python_lock *lock)
{
    struct hang_rlock rlock;
    lock->address = hang_find_rlock(futex, stack, &rlock);
    if (!lock->address || !rlock.owner)
        return false;
    lock->owner_thread = rlock.owner;
    lock->owner = hang_tid_of(rlock.owner);
    return hang_is_thread(lock->owner);
}
