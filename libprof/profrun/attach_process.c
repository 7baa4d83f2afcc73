#include "attach_process.h"

#include "clock.h"
#include "runopts.h"
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OTHER_MS = 2000 }; /* another profrun is done with the process by then */

static bool refuse(struct attach_process *process, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns false, for those who return whether something is possible. */
static bool refuse(struct attach_process *process, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(process->reason, sizeof process->reason, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- /proc ---- */

bool attach_process_file(pid_t pid, const char *name, char *text, size_t text_bytes)
{
    char path[96];
    if (pid)
        snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    else
        snprintf(path, sizeof path, "/proc/%s", name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, text_bytes - 1);
    if (fd >= 0)
        close(fd);
    text[size > 0 ? size : 0] = '\0';
    return size >= 0;
}

bool attach_process_status_text(const char *status, const char *name, char *value,
                                size_t value_bytes)
{
    char key[32];
    snprintf(key, sizeof key, "\n%s:", name);
    const char *at = strstr(status, key);
    if (!at)
        return false;
    at += strlen(key);
    at += strspn(at, " \t");
    snprintf(value, value_bytes, "%.*s", (int)strcspn(at, "\n"), at);
    return true;
}

long attach_process_status_number(const char *status, const char *name)
{
    char value[64];
    return attach_process_status_text(status, name, value, sizeof value) ? strtol(value, NULL, 10)
                                                                         : 0;
}

static unsigned long long start_time(pid_t pid)
{
    char stat[1024];
    if (!attach_process_file(pid, "stat", stat, sizeof stat))
        return 0;
    const char *field = strrchr(stat, ')');
    for (int at = 2; field && at < 22; at++)
        field = strchr(field + 1, ' ');
    return field ? strtoull(field + 1, NULL, 10) : 0;
}

bool attach_process_exists(const struct attach_process *process)
{
    char status[ATTACH_STATUS_BYTES], state[32];
    return start_time(process->pid) == process->started &&
           attach_process_file(process->pid, "status", status, sizeof status) &&
           attach_process_status_text(status, "State", state, sizeof state) && *state != 'Z' &&
           *state != 'X';
}

/* Linux 6.13, and 6.15 for the end of a process that is not ours; not in the headers of Debian
 * 12. */
struct pidfd_facts {
    uint64_t mask, group;
    uint32_t numbers[3], users[8];
    int32_t status;
};
#define PIDFD_FACTS _IOWR(0xff, 11, struct pidfd_facts)
enum { PIDFD_FACTS_END = 1 << 3, CALL_PIDFD_OPEN = 434 };
_Static_assert(sizeof(struct pidfd_facts) == 64, "the kernel's");

/* Of a zombie. */
static bool zombie_status(const struct attach_process *process, int *status)
{
    char stat[1024];
    if (start_time(process->pid) != process->started ||
        !attach_process_file(process->pid, "stat", stat, sizeof stat))
        return false;
    const char *state = strrchr(stat, ')'), *last = strrchr(stat, ' ');
    *status = last ? atoi(last) : 0;
    return last && state && state[1] && strchr("ZX", state[2]);
}

static void describe_signal(char *text, size_t text_bytes, int number)
{
    const char *name = strsignal(number);
    snprintf(text, text_bytes, "it was ended by signal %d (%s)", number, name ? name : "unknown");
}

enum attach_end attach_process_end(const struct attach_process *process, char *text,
                                   size_t text_bytes)
{
    struct pidfd_facts facts = {.mask = PIDFD_FACTS_END};
    int status = 0;
    if (attach_process_exists(process))
        return ATTACH_END_NONE;
    bool known = zombie_status(process, &status);
    if (!known && process->pidfd >= 0 && ioctl(process->pidfd, PIDFD_FACTS, &facts) == 0 &&
        facts.mask & PIDFD_FACTS_END) {
        status = facts.status;
        known = true;
    }
    if (!known) {
        snprintf(text, text_bytes, "it ended, and the kernel does not say how");
        return ATTACH_END_UNKNOWN;
    }
    if (WIFSIGNALED(status)) {
        describe_signal(text, text_bytes, WTERMSIG(status));
        return ATTACH_END_SIGNAL;
    }
    snprintf(text, text_bytes, "it ended in the meantime, with status %d", WEXITSTATUS(status));
    return ATTACH_END_EXIT;
}

pid_t attach_process_inner_number(const struct attach_process *process, pid_t thread)
{
    char name[64], status[ATTACH_STATUS_BYTES], numbers[256];
    snprintf(name, sizeof name, "task/%d/status", (int)thread);
    if (!attach_process_file(process->pid, name, status, sizeof status))
        return 0;
    if (!attach_process_status_text(status, "NSpid", numbers, sizeof numbers))
        return thread;
    const char *last = strrchr(numbers, '\t');
    return (pid_t)strtol(last ? last + 1 : numbers, NULL, 10);
}

bool attach_process_read(const struct attach_process *process, uint64_t address, void *data,
                         size_t bytes)
{
    struct iovec here = {data, bytes}, there = {(void *)(uintptr_t)address, bytes};
    return process_vm_readv(process->pid, &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

/* Of memory that is no process's any more, no byte is read; an address where there is none is an
 * error. */
bool attach_process_has_program(const struct attach_process *process)
{
    char byte;
    return pread(process->memory, &byte, 1, 0) != 0;
}

bool attach_process_write(const struct attach_process *process, uint64_t address, const void *data,
                          size_t bytes)
{
    struct iovec here = {(void *)(uintptr_t)data, bytes},
                 there = {(void *)(uintptr_t)address, bytes};
    return attach_process_has_program(process) &&
           process_vm_writev(process->pid, &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

/* ---- why not ---- */

/* The first process of the PID namespace in which `pid` is, or 0. */
static pid_t first_of_namespace(pid_t pid)
{
    char status[ATTACH_STATUS_BYTES], numbers[256];
    for (int level = 0; pid > 0 && level < 64; level++) {
        if (!attach_process_file(pid, "status", status, sizeof status) ||
            !attach_process_status_text(status, "NSpid", numbers, sizeof numbers))
            return 0;
        const char *last = strrchr(numbers, '\t');
        if (strcmp(last ? last + 1 : numbers, "1") == 0)
            return pid;
        pid = (pid_t)attach_process_status_number(status, "PPid");
    }
    return 0;
}

static long filters_of(pid_t pid)
{
    char status[ATTACH_STATUS_BYTES];
    return pid && attach_process_file(pid, "status", status, sizeof status)
               ? attach_process_status_number(status, "Seccomp_filters")
               : 0;
}

/* The filters of a container apply to its first process, too, and allow what ordinary programs do.
 * Those that a program has added itself kill it for calls that it does not make. */
static bool is_sandboxed(struct attach_process *process, const char *status)
{
    const long mode = attach_process_status_number(status, "Seccomp"),
               filters = attach_process_status_number(status, "Seccomp_filters");
    if (mode == 0)
        return false;
    if (mode == 2 && (filters <= filters_of(getpid()) ||
                      filters <= filters_of(first_of_namespace(process->pid))))
        return false;
    return !refuse(
        process, "it runs in a sandbox (seccomp), which could kill it for libprof's system calls");
}

static long tracer_of(const char *status, char *name, size_t name_bytes)
{
    const long tracer = attach_process_status_number(status, "TracerPid");
    snprintf(name, name_bytes, "?");
    if (tracer)
        attach_process_file((pid_t)tracer, "comm", name, name_bytes);
    name[strcspn(name, "\n")] = '\0';
    return tracer;
}

/* A tracer whose name cannot be read any more has just ended. */
static bool is_attached_to(const char *status)
{
    char name[64];
    return tracer_of(status, name, sizeof name) &&
           (strcmp(name, "profrun") == 0 || strcmp(name, "?") == 0);
}

bool attach_process_is_attached_to(const struct attach_process *process, pid_t thread)
{
    char file[64], status[ATTACH_STATUS_BYTES];
    snprintf(file, sizeof file, "task/%d/status", (int)thread);
    return attach_process_file(process->pid, file, status, sizeof status) && is_attached_to(status);
}

static bool is_stopped_or_traced(struct attach_process *process, const char *status)
{
    char state[32] = "", name[64];
    const long tracer = tracer_of(status, name, sizeof name);
    attach_process_status_text(status, "State", state, sizeof state);
    if (tracer) {
        return !refuse(process, "process %ld (%s) traces it already: detach that first", tracer,
                       name);
    }
    return *state == 'T' &&
           !refuse(process, "it is stopped: continue it first (kill -CONT %d)", (int)process->pid);
}

/* By the file: what cannot be seen is left to ptrace(2), which refuses, too. */
static bool is_foreign(struct attach_process *process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)process->pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const char *why = file >= 0 ? elfkind_foreign(file) : NULL;
    if (file >= 0)
        close(file);
    return why && !refuse(process, "it %s", why);
}

static bool is_kernel_thread(const char *status)
{
    char text[8];
    if (attach_process_status_text(status, "Kthread", text, sizeof text))
        return *text == '1';
    return !attach_process_status_text(status, "VmSize", text, sizeof text);
}

/* Returns 0 or a status. */
static int look_at(struct attach_process *process, const char *status)
{
    char state[32] = "";
    const pid_t pid = process->pid;
    attach_process_status_text(status, "State", state, sizeof state);
    if (attach_process_status_number(status, "Tgid") != pid) {
        refuse(process, "it is a thread of process %ld: attach to that",
               attach_process_status_number(status, "Tgid"));
        return STATUS_USAGE;
    }
    if (*state == 'Z' || *state == 'X') {
        refuse(process, "it has ended; its parent has not waited for it yet");
        return STATUS_NOT_FOUND;
    }
    if (pid == getpid())
        refuse(process, "that is profrun itself");
    else if (is_kernel_thread(status))
        refuse(process, "it is a kernel thread");
    return *process->reason || is_stopped_or_traced(process, status) || is_foreign(process) ||
                   is_sandboxed(process, status)
               ? STATUS_NOT_EXECUTABLE
               : 0;
}

static void explain_permission(struct attach_process *process)
{
    char scope[16] = "", own[ATTACH_STATUS_BYTES] = "", path[64];
    struct stat facts;
    const struct passwd *owner = getpwuid(process->owner);
    attach_process_file(0, "sys/kernel/yama/ptrace_scope", scope, sizeof scope);
    attach_process_file(getpid(), "status", own, sizeof own);
    snprintf(path, sizeof path, "/proc/%d", (int)process->pid);
    if (process->owner != geteuid() && geteuid() != 0)
        refuse(process, "it belongs to user %u (%s): only that user and root can attach to it",
               (unsigned)process->owner, owner ? owner->pw_name : "unknown");
    else if (*scope == '3')
        refuse(process, "kernel.yama.ptrace_scope is 3: nothing can be attached to until this "
                        "machine restarts");
    else if (geteuid() != 0 && (*scope == '1' || *scope == '2'))
        refuse(process,
               "kernel.yama.ptrace_scope is %c, which lets only root attach: run profrun as root, "
               "or set it to 0",
               *scope);
    else if (geteuid() != 0 && stat(path, &facts) == 0 && facts.st_uid != geteuid())
        refuse(process, "it has disabled debugging (PR_SET_DUMPABLE), or has "
                        "privileges: run profrun as root");
    else if (attach_process_status_number(own, "Seccomp") || geteuid() == 0)
        refuse(process, "this container may not use ptrace: start it with --cap-add SYS_PTRACE, or "
                        "run profrun outside of it");
    else
        refuse(process, "the system does not allow ptrace");
}

void attach_process_explain(struct attach_process *process, int error)
{
    char status[ATTACH_STATUS_BYTES] = "";
    attach_process_file(process->pid, "status", status, sizeof status);
    if (!attach_process_exists(process) || error == ESRCH)
        refuse(process, "it ended in the meantime");
    else if (is_stopped_or_traced(process, status))
        return;
    else if (error == EPERM || error == EACCES)
        explain_permission(process);
    else
        refuse(process, "%s", strerror(error));
}

/* Asks the kernel, before anything is done: it decides as for ptrace(2). A container's filter of
 * system calls may forbid the calls themselves: of nothing, they succeed. */
static bool may_attach(struct attach_process *process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)process->pid);
    process->memory = open(path, O_RDWR | O_CLOEXEC);
    const bool may = process->memory >= 0 &&
                     process_vm_readv(process->pid, NULL, 0, NULL, 0, 0) == 0 &&
                     process_vm_writev(process->pid, NULL, 0, NULL, 0, 0) == 0;
    if (!may)
        attach_process_explain(process, errno);
    return may;
}

int attach_process_init(struct attach_process *process, pid_t pid)
{
    char status[ATTACH_STATUS_BYTES], user[64];
    *process = (struct attach_process){
        .pid = pid, .pidfd = (int)syscall(CALL_PIDFD_OPEN, pid, 0), .started = start_time(pid)};
    for (unsigned ms = 0;; ms++) { /* what is judged below is the last thing that was read */
        if (!attach_process_file(pid, "status", status, sizeof status)) {
            refuse(process, "there is no such process");
            return STATUS_NOT_FOUND;
        }
        if (ms == OTHER_MS || !is_attached_to(status))
            break;
        clock_pause(1000);
    }
    snprintf(process->program, sizeof process->program, "%.*s",
             (int)strcspn(status + strcspn(status, "\t") + 1, "\n"),
             status + strcspn(status, "\t") + 1);
    if (attach_process_status_text(status, "Uid", user, sizeof user))
        process->owner = (uid_t)strtoul(user, NULL, 10);
    const int why_not = look_at(process, status);
    if (why_not)
        return why_not;
    return may_attach(process) ? 0 : STATUS_NOT_EXECUTABLE;
}

/* ---- files ---- */

bool attach_process_sees(const struct attach_process *process, const char *path)
{
    char there[4096 + 64];
    struct stat ours, theirs;
    snprintf(there, sizeof there, "/proc/%d/root%s", (int)process->pid, path);
    return stat(path, &ours) == 0 && stat(there, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
           ours.st_ino == theirs.st_ino;
}

/* Nothing in the file system of a container may lead out of it. */
static int open_inside(const struct attach_process *process, const char *path, int flags)
{
    char root[64];
    snprintf(root, sizeof root, "/proc/%d/root", (int)process->pid);
    const int directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC), .resolve = RESOLVE_IN_ROOT};
    const long fd = directory < 0 ? -1 : syscall(__NR_openat2, directory, path, &how, sizeof how);
    if (directory >= 0)
        close(directory);
    return (int)fd;
}

static bool copy_bytes(int from, int to)
{
    char buffer[65536];
    ssize_t size;
    while ((size = read(from, buffer, sizeof buffer)) > 0)
        if (write(to, buffer, (size_t)size) != size)
            return false;
    return size == 0;
}

/* Opens /tmp of the process. Nothing else of this process has that name. */
static int open_copies(const struct attach_process *process, char name[64])
{
    snprintf(name, 64, "libprof-%d-%llu.so", (int)process->pid, process->started);
    return open_inside(process, "/tmp", O_PATH | O_DIRECTORY);
}

void attach_process_remove_copy(const struct attach_process *process)
{
    char name[64];
    const int directory = open_copies(process, name);
    if (directory < 0)
        return;
    unlinkat(directory, name, 0);
    close(directory);
}

bool attach_process_copy(struct attach_process *process, const char *library, char *path,
                         size_t path_bytes)
{
    char name[64];
    attach_process_remove_copy(process); /* of an attempt that was cut off: nothing has loaded it */
    const int from = open(library, O_RDONLY | O_CLOEXEC);
    const int directory = open_copies(process, name);
    const int to =
        directory < 0
            ? -1
            : openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0755);
    const bool copied = from >= 0 && to >= 0 && copy_bytes(from, to);
    const int error = errno;
    snprintf(path, path_bytes, "/tmp/%s", name);
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    if (directory >= 0)
        close(directory);
    return copied ||
           refuse(process, "its file system lacks %s, and copying it to /tmp there failed: %s",
                  library, strerror(error));
}
