/* control_signal.h - PROF_SIGNAL: the handler of the signal that switches recording. */
#ifndef PROF_CONTROL_SIGNAL_H
#define PROF_CONTROL_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

/* Reads "USR2", "SIGUSR2", "RTMIN+3" or a number. False for anything else, and for signals that
 * cannot be caught or that report a fault or a child. */
bool control_signal_parse(const char *text, uint64_t *number);

/* Installs the handler. A handler that is there already is called after ours; one that the program
 * installs later replaces ours, as it asks. Each signal calls `switch_over`, in the handler. */
void control_signal_install(int number, void (*switch_over)(void));

#endif
