/* attach_process.h - the process that profrun attaches to, as /proc shows it: who it is, why it cannot be attached to,
 * and where the functions are that are to be called in it.
 */
#ifndef PROFRUN_ATTACH_PROCESS_H
#define PROFRUN_ATTACH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { ATTACH_REASON_BYTES = 512 };

struct attach_process {
    pid_t pid;
    uid_t owner;
    unsigned long long started;       /* start time: tells it from a later process of this number */
    char program[64];                 /* its name */
    char reason[ATTACH_REASON_BYTES]; /* why not; a sentence without a full stop */
};

/* What is called in the process; addresses in it. */
struct attach_functions {
    uint64_t tls_init, create, detach, dlopen, dlsym, dlerror;
    uint64_t dlopen_flags;             /* of dlopen(3); for libc's own function one more */
    uint64_t gap;                      /* executable memory that nobody uses */
    uint64_t loader_begin, loader_end; /* code of ld.so */
    uint64_t libc_begin, libc_end;     /* and of libc */
    uint64_t tls_bytes;                /* no thread has more thread-local storage */
};

/* Returns 0, or the status to exit with; `reason` says why. */
int attach_process_init(struct attach_process *process, pid_t pid);

/* Whether it is the same process still, and no zombie. */
bool attach_process_exists(const struct attach_process *process);

/* Why ptrace(2) was refused with `error`, in `reason`. */
void attach_process_explain(struct attach_process *process, int error);

/* Finds the functions, and a gap for `code`, or where it is already. Returns false if nothing can be loaded into the process (static, another
 * libc); `reason` says why. */
bool attach_process_find(struct attach_process *process, const void *code, size_t code_bytes,
                         struct attach_functions *found);

/* The number of a thread in the innermost PID namespace of the process, 0 where it has gone. */
pid_t attach_process_inner_number(const struct attach_process *process, pid_t thread);

/* Whether `path` is the same file for the process as for us. */
bool attach_process_sees(const struct attach_process *process, const char *path);

/* Copies `library` to where the process sees it: /tmp in its file system. Stores the path as the process sees it. */
bool attach_process_copy(struct attach_process *process, const char *library, char *path,
                         size_t path_bytes);

/* Removes that copy again. */
void attach_process_remove_copy(const struct attach_process *process);

/* The version of Python that runs in it, as 0x030e; 0: none. */
unsigned attach_process_python(const struct attach_process *process);

/* The path of the libprof.so that is in it already, from this or an earlier attaching. False: none is. */
bool attach_process_has_library(const struct attach_process *process, char *path,
                                size_t path_bytes);

/* Reads or writes memory of the process. False: the memory or the process is not there. */
bool attach_process_read(const struct attach_process *process, uint64_t address, void *data,
                         size_t bytes);
bool attach_process_write(const struct attach_process *process, uint64_t address, const void *data,
                          size_t bytes);

#endif
