/* control.h - the socket protocol by which `profdump ctl` controls a process (PROF_CONTROL=1).
 *
 * 1. The socket
 *
 * A process listens on a stream socket named PID.sock, where PID is its number in its own PID
 * namespace. If a process of another namespace listens there, the socket is named
 * PID-NAMESPACE.sock, with the number in the link /proc/PID/ns/pid. A client finds a process by the
 * number of the peer (SO_PEERCRED). The socket's directory is
 *
 *     $XDG_RUNTIME_DIR/libprof      if it exists or can be created, otherwise
 *     /tmp/libprof-UID              with the effective user id
 *
 * The directory is used only if it is a directory (not a symbolic link), belongs to that user and
 * has mode 0700, so that no other user can plant a socket in it. Both sides check the peer's
 * credentials (SO_PEERCRED): a process accepts commands from its own user and from root, and a
 * client trusts only processes of the directory's owner.
 *
 * A process removes its socket when it exits, except after kill -9 or exec. A socket that refuses
 * connections (ECONNREFUSED) is stale. A client removes a stale PID.sock only if the process no
 * longer exists: after exec, the new program may be about to create its own.
 *
 * 2. Commands
 *
 * The client sends one command, terminated by a newline, and reads until end of file:
 *
 *     status
 *     start [for=MILLISECONDS] [detail=minimal|standard|full]
 *     stop [SESSION]
 *     dump PATH    an absolute one
 *     metrics
 *
 * The first line of the answer is "ok", or "failed" and a sentence.
 *
 * For status, lines "KEY VALUE" follow; clients ignore unknown keys. Each session that has not
 * ended has a line "session NUMBER [for=MILLISECONDS] [detail=WORD]"; `for` is the time that is
 * left. For start, "session NUMBER" follows. Recording stays on until the session has ended, by its
 * time or a stop, and CUPTI records the most that any session wants. A stop without a number ends
 * all recording. For metrics, which writes the file of PROF_PROMETHEUS at once, "file PATH"
 * follows.
 */
#ifndef PROF_CONTROL_H
#define PROF_CONTROL_H

#include <stddef.h>
#include <stdio.h>

#define PROF_CONTROL_COMMAND_BYTES 4352 /* a path and a word */
#define PROF_CONTROL_SUFFIX ".sock"

/* Stores the directory's path: below `runtime` (XDG_RUNTIME_DIR) if that is an absolute path,
 * otherwise in /tmp. Returns false if `path_bytes` is too small. */
static inline int prof_control_directory(const char *runtime, unsigned user, char *path,
                                         size_t path_bytes)
{
    int size = runtime && *runtime == '/' ? snprintf(path, path_bytes, "%s/libprof", runtime)
                                          : snprintf(path, path_bytes, "/tmp/libprof-%u", user);
    return size > 0 && (size_t)size < path_bytes;
}

#endif
