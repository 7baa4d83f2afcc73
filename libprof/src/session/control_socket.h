/* control_socket.h - the socket of prof/control.h, the process's side. */
#ifndef PROF_CONTROL_SOCKET_H
#define PROF_CONTROL_SOCKET_H

/* Makes the directory and the socket, replacing an entry that this process's number had before.
 * Returns the listening descriptor, -1 where no directory can be trusted (said at level 2). */
int control_socket_open(void);

/* Takes one connection and answers it. Waits for a slow caller for a second at most. */
void control_socket_serve(int listener);

/* Removes the entry. Safe in signal handlers. */
void control_socket_remove(void);

#endif
