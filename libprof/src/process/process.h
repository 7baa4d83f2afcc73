/* process.h - facts about this process that a file must carry to be mergeable with others. */
#ifndef PROF_PROCESS_H
#define PROF_PROCESS_H

#include "environment.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Remembers the working directory: a relative output name means the directory in which the program
 * began. */
void process_remember(void);

/* From here on there is something that belongs to this process: a file, CUPTI. Not before: a
 * process that records nothing makes no system call. */
void process_claim(void);

/* Nothing belongs to it any more. */
void process_disclaim(void);

/* Whether the calling process is the one that claimed. A vfork child shares our memory and must not
 * end the recording; false where nobody has claimed. Two system calls. */
bool process_is_own(void);

/* The process that something belongs to. Its number alone is not enough: PID 1 may have a child,
 * made without libc's fork(), that is PID 1 as well, of another namespace. All zero: nobody. */
struct process_owner {
    uint32_t pid;
    uint64_t space; /* of PIDs, as process_pid_space() */
};
void process_owner_set(struct process_owner *owner);
bool process_owner_is_us(const struct process_owner *owner);

/* The PID namespace that the process is in: its number in /proc; 0 unknown. */
uint64_t process_pid_space(void);

const char *process_program(void); /* file name without directory */
const char *process_host(void);

/* CLOCK_REALTIME of the process's start, nanoseconds since the epoch, to a hundredth of a second; 0
 * unknown. */
uint64_t process_start_realtime_ns(void);

/* Reads a whole file of /proc, up to `size` - 1 bytes, and terminates it. Returns how many bytes;
 * 0: it cannot be read. With the calling thread's lowest free descriptor: see own_files_read(). */
size_t process_read_file(const char *path, char *to, size_t size);

/* Calls `see` with the name of each entry of an open directory. opendir() would allocate. */
void process_each_entry(int directory, void (*see)(void *state, const char *name), void *state);

/* Makes `*memory` zeroed memory of that size, which costs nothing until it is touched: what an
 * earlier call made, or new. False: none. */
bool process_memory(void **memory, size_t bytes);

/* How many bytes of address space we may reserve: an eighth of what RLIMIT_AS leaves the program,
 * or UINT64_MAX when there is no limit. */
uint64_t process_address_budget(void);

/* How many forks lie between the process that loaded us and this one. What was kept in an earlier
 * one is the parent's: since this is found out at the next look, it costs children that never look
 * nothing. A fork of a process that has nothing of its own counts only once its child begins to
 * have something: counting would copy a page in each child. */
uint32_t process_generation(void);
void process_next_generation(void);

/* Counts such a fork of the parent's. process_claim() does so, too. One system call. */
void process_count_fork(void);

/* How many threads there are, as the interpreter of Python counts them: those included that have
 * ended and that the kernel has not removed yet, and the main thread. 0: unknown. */
unsigned long process_threads(void);

/* Whether the main thread has left by pthread_exit(). */
bool process_main_has_left(void);

/* In a forked child: a lock that another thread of the parent held is held by nobody here. One that
 * was free is not written to, as that would copy its page. */
void process_free_lock(pthread_mutex_t *lock);

/* `path` may be `absolute` itself. False when the result does not fit. */
bool process_absolute_path(const char *path, char *absolute, size_t absolute_bytes);

#endif
