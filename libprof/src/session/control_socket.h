/* control_socket.h - the socket of prof/control.h, the process's side. */
#ifndef PROF_CONTROL_SOCKET_H
#define PROF_CONTROL_SOCKET_H

#include <stddef.h>

/* Makes the directory and the socket, replacing an entry that this process's number had before.
 * Returns the listening descriptor, -1 where no directory can be trusted (said at level 2). */
int control_socket_open(void);

/* Takes one connection and answers it. Waits for a slow caller for a second at most. */
void control_socket_serve(int listener);

/* Removes the entry. Safe in signal handlers. */
void control_socket_remove(void);

/* control_commands.c: does what the command says and writes the answer, at most `answer_bytes`.
 * Returns its size. */
size_t control_commands_run(const char *command, char *answer, size_t answer_bytes);

#endif
