/* attach_process.h - the process that profrun attaches to, as /proc shows it: who it is, why it
 * cannot be attached to, and where the functions are that are to be called in it.
 */
#ifndef PROFRUN_ATTACH_PROCESS_H
#define PROFRUN_ATTACH_PROCESS_H

#include "attach_arch.h"
#include "attach_stub.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>

enum { ATTACH_REASON_BYTES = 512, ATTACH_STATUS_BYTES = 8192 };

struct attach_process {
    pid_t pid;
    int pidfd;  /* -1: the kernel has none */
    int memory; /* /proc/PID/mem of the program that it ran when we began */
    uid_t owner;
    unsigned long long
        started;      /* start time: distinguishes it from a later process with this number */
    char program[64]; /* its name */
    char reason[ATTACH_REASON_BYTES]; /* why not; a sentence without a full stop */
};

enum { ATTACH_LIBC_PARTS = 4 };

struct attach_range {
    uint64_t begin, end;
};

/* What is called in the process, and changed for a moment; addresses in it. */
struct attach_functions {
    uint64_t create, join, detach, dlopen, dlsym, dlerror;
    uint64_t dlopen_flags; /* of dlopen(3); for libc's own function one more */
    uint64_t gap;          /* executable memory that nobody uses */
    bool has_code;         /* our code is there already */
    struct attach_range libc[ATTACH_LIBC_PARTS]; /* code of libc, libpthread, libdl and ld.so */
    unsigned libc_parts;
    uint64_t single_threaded;              /* libc's flag, a byte; 0: that has none */
    uint64_t pointers[ATTACH_ALLOCATIONS]; /* through which ld.so calls the program's allocator */
    uint64_t theirs[ATTACH_ALLOCATIONS];   /* and that allocator's functions */
    uint64_t page, page_bytes; /* of those pointers that the loader makes read-only; 0: none */
    uint64_t turn;             /* struct attach_turn */
    uint64_t tls_bytes;        /* no thread has more thread-local storage */
    /* What libc says of its struct pthread to debuggers: its size, and where in it the number is */
    uint64_t thread_bytes_at, thread_number_at;
    uint32_t thread_bytes, thread_number;
};

/* Returns 0, or the status to exit with; `reason` says why. */
int attach_process_init(struct attach_process *process, pid_t pid);

/* Whether it is the same process still, and no zombie. */
bool attach_process_exists(const struct attach_process *process);

enum attach_end {
    ATTACH_END_NONE, /* it has not ended */
    ATTACH_END_EXIT, /* by itself */
    ATTACH_END_SIGNAL,
    ATTACH_END_UNKNOWN, /* the kernel does not tell (before Linux 6.15), as its parent was first */
};

/* How the process has ended; `text` is a sentence without a full stop that says so. */
enum attach_end attach_process_end(const struct attach_process *process, char *text,
                                   size_t text_bytes);

/* Reads a file of /proc/PID, or of /proc where `pid` is 0. Returns false if there is none. */
bool attach_process_file(pid_t pid, const char *name, char *text, size_t text_bytes);

/* The text or number after "Name:\t" in /proc/PID/status, up to the end of the line. 0: none. */
bool attach_process_status_text(const char *status, const char *name, char *value,
                                size_t value_bytes);
long attach_process_status_number(const char *status, const char *name);

/* Why ptrace(2) was refused with `error`, in `reason`. */
void attach_process_explain(struct attach_process *process, int error);

/* Whether another profrun traces the thread, or did until it ended. */
bool attach_process_is_attached_to(const struct attach_process *process, pid_t thread);

/* Finds the functions, and a gap for `code`, or where it is already. Returns false if nothing can
 * be loaded into the process (static, another libc), or no thread be made there without its
 * allocator; `reason` says why. */
bool attach_process_find(struct attach_process *process, const struct attach_code *code,
                         struct attach_functions *found);

/* The number of a thread in the innermost PID namespace of the process, 0 where it has gone. */
pid_t attach_process_inner_number(const struct attach_process *process, pid_t thread);

/* Whether `path` is the same file for the process as for us. */
bool attach_process_sees(const struct attach_process *process, const char *path);

/* Copies `library` to where the process sees it: /tmp in its file system. Stores the path as the
 * process sees it. */
bool attach_process_copy(struct attach_process *process, const char *library, char *path,
                         size_t path_bytes);

/* Removes that copy again. */
void attach_process_remove_copy(const struct attach_process *process);

/* Whether the process itself may write to an address. */
bool attach_process_may_write(const struct attach_process *process, uint64_t address);

/* The version of Python that runs in it, as 0x030e; 0: none. */
unsigned attach_process_python(const struct attach_process *process);

/* The path of the libprof.so that is in it already, from this or an earlier attaching. False: none
 * is. */
bool attach_process_has_library(const struct attach_process *process, char *path,
                                size_t path_bytes);

/* Whether it has executed no other program since. */
bool attach_process_has_program(const struct attach_process *process);

/* Reads or writes memory of the process. False: the memory or the process is not there. Nothing is
 * written to another program that it executes. */
bool attach_process_read(const struct attach_process *process, uint64_t address, void *data,
                         size_t bytes);
bool attach_process_write(const struct attach_process *process, uint64_t address, const void *data,
                          size_t bytes);

/* ---- attach_threads.c: which thread of the process may be stopped, and when ---- */

/* The kernel makes most system calls again that a stop has cut short. But send(2) with a timeout
 * fails with EINTR then, write(2) to a full pipe or socket returns a short count, and the timeout
 * of epoll_wait(2) starts again. So only a thread is stopped that computes, or waits where a stop
 * leaves no trace. A call that is not in the list here is left alone.
 */

enum { ATTACH_RUNS = -2 }; /* in the place of a call's number */

enum attach_wait {
    ATTACH_WAIT_NO,      /* leave it alone */
    ATTACH_WAIT_TIMED,   /* its timeout starts again: only where it has just begun */
    ATTACH_WAIT_ENDLESS, /* the kernel makes it again as it was */
    ATTACH_WAIT_FUTEX,   /* likewise; without a timeout */
};

/* A thread as /proc shows it. */
struct attach_thread {
    pid_t number;
    char state;
    long call; /* of the system call that it is in; -1: none; ATTACH_RUNS */
    uint64_t arguments[6], stack_pointer;
    uint64_t waits, switches; /* how often it has given up the processor; and lost it */
    /* from watching */
    uint64_t still_ns; /* since when it has not run */
    uint64_t busy_ns;  /* since when it has not waited */
    bool just_begun;   /* its wait began after the last look */
    unsigned attempts;
};

struct attach_watch {
    struct attach_process *process;
    struct attach_thread *threads; /* in ascending order of their numbers */
    size_t count;
    uint64_t begin_ns, looked_ns;
};

void attach_watch_begin(struct attach_watch *watch, struct attach_process *process);
void attach_watch_end(struct attach_watch *watch);

/* Waits until a thread may be stopped, and returns it. NULL: none is within 10 s, or the process
 * has ended; `reason` says which. Valid until the next call. */
struct attach_thread *attach_watch_next(struct attach_watch *watch);

/* Looks again. Whether the thread is still where it was. */
bool attach_thread_is_same(const struct attach_process *process,
                           const struct attach_thread *thread);

/* What a stop does to a system call. */
enum attach_wait attach_thread_wait(const struct attach_process *process, pid_t thread, long call,
                                    const uint64_t arguments[6], uint64_t stack_pointer);

/* ---- attach_tracee.c: a thread that is stopped by ptrace(2) ---- */

struct attach_tracee {
    struct attach_process *process;
    const struct attach_functions *functions;
    size_t code_bytes; /* of our code in the gap */
    pid_t thread;
    int signal; /* that it is about to get; 0: none */
    struct user_regs_struct registers;
    uint64_t block;           /* that libc has of the thread: the thread pointer */
    bool in_call;             /* it is to make a system call, again or for the first time */
    bool is_rewound;          /* again, by our doing (aarch64) */
    bool keeps_time;          /* again, and the kernel has kept when that ends (aarch64) */
    struct attach_thread saw; /* as it was before the stop */
    bool has_changed;         /* it is no longer so: it has run since, or took a signal */
    uint64_t remainder_at;    /* 0: none */
    uint64_t remainder[2];    /* before the stop */
};

/* Looks at the thread before it is stopped. */
void attach_tracee_begin(struct attach_tracee *tracee, const struct attach_thread *thread);

/* nanosleep(2) stores what is left when it is stopped, and the program may look at that though the
 * call goes on. Stores what was there before. */
void attach_tracee_restore_remainder(const struct attach_tracee *tracee);

/* Whether the gap with our code, or another range, has the address. */
bool attach_tracee_is_within(uint64_t address, uint64_t begin, uint64_t bytes);
bool attach_tracee_is_within_libc(const struct attach_tracee *tracee, uint64_t address);

/* ptrace(2), for those requests that let it run. */
bool attach_tracee_send(const struct attach_tracee *tracee, enum __ptrace_request request,
                        long data);

/* Waits for a stop of the thread, for 5 s. False: it does not stop, or has ended; errno says
 * which. */
bool attach_tracee_await(const struct attach_tracee *tracee, int *status);

bool attach_tracee_get_registers(const struct attach_tracee *tracee,
                                 struct user_regs_struct *registers);
bool attach_tracee_set_registers(const struct attach_tracee *tracee,
                                 const struct user_regs_struct *registers);

/* Stops the thread. Signals that come first are delivered. False: it does not stop, or the reason
 * says why. */
bool attach_tracee_stop(struct attach_tracee *tracee);

/* Ends tracing it, wherever it is. It must not be left behind: it would stand still later, for as
 * long as we run. */
void attach_tracee_let_go(struct attach_tracee *tracee);

/* Whether the stopped thread may be sent elsewhere from where it is, and come back, and nothing
 * shows that. May let it run for some milliseconds, and stores its registers. */
bool attach_tracee_is_good_place(struct attach_tracee *tracee);

#endif
