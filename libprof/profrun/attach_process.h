/* attach_process.h - the process that profrun attaches to, as /proc shows it: who it is, why it
 * cannot be attached to, and where the functions are that are to be called in it.
 */
#ifndef PROFRUN_ATTACH_PROCESS_H
#define PROFRUN_ATTACH_PROCESS_H

#include "attach_stub.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/* The text or number behind "Name:\t" in /proc/PID/status, up to the end of the line. 0: none. */
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

#endif
