/* control.h - how a program outside talks to a process in which libprof runs (PROF_CONTROL=1).
 *
 * 1. Where
 *
 * A process listens on the stream socket PID.sock, PID being its number in its own namespace, in
 *
 *     $XDG_RUNTIME_DIR/libprof      where that can be made and used, else
 *     /tmp/libprof-UID              UID being its effective user id
 *
 * The directory is used only when it is a directory (no symbolic link), belongs to that user and is
 * open to nobody else (0700): whoever made one in the user's name gets nothing. Both sides ask the
 * kernel who the other one is (SO_PEERCRED): commands are taken from the user and from root, and
 * a caller trusts a process of the directory's owner only.
 *
 * A process removes its entry when it ends, but for kill -9 and exec: an entry that nobody listens
 * to (ECONNREFUSED) is stale. Whoever finds it removes it when there is no such process; the
 * program that a process has become may be about to make its own.
 *
 * 2. What is said
 *
 * The caller sends one command, ended by a newline, and reads to the end:
 *
 *     status            start            stop            dump PATH      (absolute)
 *
 * The answer is lines of text: "ok", or "failed" and a sentence; after the "ok" of status lines
 * "KEY VALUE", of which a caller passes over those it does not know.
 */
#ifndef PROF_CONTROL_H
#define PROF_CONTROL_H

#include <stddef.h>
#include <stdio.h>

#define PROF_CONTROL_COMMAND_BYTES 4352 /* a path and a word */
#define PROF_CONTROL_SUFFIX ".sock"

/* Path of the directory: below `runtime` (XDG_RUNTIME_DIR; NULL or not absolute: the other one).
 * False when it does not fit. */
static inline int prof_control_directory(const char *runtime, unsigned user, char *path,
                                         size_t path_bytes)
{
    int size = runtime && *runtime == '/' ? snprintf(path, path_bytes, "%s/libprof", runtime)
                                          : snprintf(path, path_bytes, "/tmp/libprof-%u", user);
    return size > 0 && (size_t)size < path_bytes;
}

#endif
