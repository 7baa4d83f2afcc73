/* process.h - facts about this process that a file must carry to be mergeable with others. */
#ifndef PROF_PROCESS_H
#define PROF_PROCESS_H

#include "rank.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Remembers the working directory: a relative output name means the directory in which the program
 * began. */
void process_remember(void);

const char *process_program(void); /* file name without directory */
const char *process_host(void);

/* CLOCK_REALTIME of the process's start, nanoseconds since the epoch, to a hundredth of a second; 0
 * unknown. */
uint64_t process_start_realtime_ns(void);

/* How many bytes of address space we may reserve: an eighth of what RLIMIT_AS leaves the program,
 * or UINT64_MAX when there is no limit. */
uint64_t process_address_budget(void);

/* Whether the main thread has left by pthread_exit() and just `count` others remain. Keeps a
 * descriptor. Threads: any; false while another one looks. */
bool process_has_threads_left(unsigned long count);

/* In a forked child: what is kept about the parent is let go. */
void process_fork_child(void);

/* `path` may be `absolute` itself. False when the result does not fit. */
bool process_absolute_path(const char *path, char *absolute, size_t absolute_bytes);

#endif
