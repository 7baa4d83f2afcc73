/* requests.h - trace requests from outside: of Dynolog's daemon (dynolog.h), and of the
 * configuration file that KINETO_CONFIG names.
 *
 * Under KINETO_USE_DAEMON and PROF_DAEMON=auto, only while the process has not loaded PyTorch: its
 * Kineto asks the same daemon, and two tools that begin to use CUPTI at the same moment are in each
 * other's way.
 *
 * The file is read when it changes. Kineto used to read it at SIGUSR2; a guest must not take a
 * signal that ends programs, and of which it would not know whom it is for.
 */
#ifndef PROF_REQUESTS_H
#define PROF_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the environment. Once, from the library's constructor. */
void requests_init(void);

/* Whether anybody is listened to. */
bool requests_wanted(void);

/* From the control thread: at its beginning, when something is due, and at its end. */
void requests_begin(void);
void requests_tick(void);
void requests_finish(void);

/* When something is due next, CLOCK_MONOTONIC ns. */
uint64_t requests_due_ns(void);

/* In a forked child, before its control thread begins. */
void requests_fork_child(void);

#endif
