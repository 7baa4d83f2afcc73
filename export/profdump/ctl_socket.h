/* ctl_socket.h - prof/control.h, the caller's side. */
#ifndef PROF_CTL_SOCKET_H
#define PROF_CTL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#define CTL_ANSWER_BYTES 16384

/* Sends a command to the process and reads its answer, as text. False after having said why not:
 * there is no such process, it is not yours, it has no libprof, or cannot be controlled. */
bool ctl_socket_ask(unsigned pid, const char *command, char *answer, size_t answer_bytes);

/* The same, silent. Removes the entry of a process that is gone. */
bool ctl_socket_try(unsigned pid, const char *command, char *answer, size_t answer_bytes);

/* Calls `each` with every process that has an entry. */
void ctl_socket_each(void (*each)(unsigned pid, void *user), void *user);

#endif
