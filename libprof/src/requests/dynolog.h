/* dynolog.h - the client of Dynolog's daemon, by which `dyno gputrace` reaches a process.
 *
 * The daemon has the datagram socket "dynolog", in the abstract namespace or in
 * KINETO_IPC_SOCKET_DIR. A message is a size, a type and that many bytes:
 *
 *     uint64 size | char type[32] | payload
 *     "ctxt"  to it: int32 device, int32 pid, int64 job       back: int32 processes of that device
 *     "req"   to it: int32 type, int32 n, int64 job, int32 pids[n]   back: text, "" mostly
 *
 * The type of "req" is 2 for a trace, and 0 while one is in progress: the daemon then keeps a
 * request, and reports us as busy. The text is that of kineto_config.h. The socket is connected, so
 * the kernel takes messages from the daemon's socket alone; its user must be ours or root. All
 * functions are the control thread's, but for those that say otherwise.
 */
#ifndef PROF_DYNOLOG_H
#define PROF_DYNOLOG_H

#include <stdint.h>

/* Reads the environment. Once, from the library's constructor. */
void dynolog_init(void);

/* A process begins: nothing is open, nobody knows it. */
void dynolog_begin(void);

/* Polls for a request, if that is due; every `interval_ns`, less often while the daemon does not
 * answer. */
void dynolog_poll(uint64_t interval_ns);

/* What to poll() for answers, -1 nothing; and reads them. */
int dynolog_fd(void);
void dynolog_receive(void);

void dynolog_close(void);

/* Removes the socket's file, if it has one. Safe in signal handlers, in the process that made
 * it. */
void dynolog_end(void);

/* In a forked child: the socket is the parent's. */
void dynolog_fork_child(void);

#endif
