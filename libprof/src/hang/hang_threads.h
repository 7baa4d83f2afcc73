/* hang_threads.h - what threads do, as /proc and signal handlers tell: also for the sampler. */
#ifndef PROF_HANG_THREADS_H
#define PROF_HANG_THREADS_H

#include "unwind.h"

#include <signal.h>

/* Numbers of the process's threads, at most `limit`. Returns how many. */
unsigned hang_list_threads(uint32_t *tids, unsigned limit);

/* Reads a file of /proc/self/task/TID, as process_read_file(). */
size_t hang_read_task(uint32_t tid, const char *name, char *to, size_t size);

/* Whether a mask in /proc's "status", such as "SigBlk:", has the signal. */
bool hang_mask_has(const char *status, const char *field, int number);

#define HANG_ARGUMENTS 4

/* Where a thread waits, and the first arguments of its system call (NULL: not wanted). Returns the number of the call, -1 none;
 * -2: it runs, or that is unknown, and no register is known. */
long hang_read_call(uint32_t tid, struct unwind_registers *registers, uint64_t *arguments);

/* The registers of what a signal handler interrupted; `context` is its third argument. */
void hang_copy_registers(const void *context, struct unwind_registers *registers);

/* Installs the handler for a real-time signal that the program leaves alone, with every signal blocked meanwhile. Returns its
 * number, -1: none is to be had. */
int hang_choose_signal(void (*handler)(int, siginfo_t *, void *));

#endif
