/* process_look.h - what /proc says of another process. Nothing here touches the process.
 *
 * A process id is as this process sees it; in a container a process has another one than in its own
 * file.
 */
#ifndef PROF_PROCESS_LOOK_H
#define PROF_PROCESS_LOOK_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

enum process_state {
    PROCESS_UNKNOWN, /* it cannot be looked at */
    PROCESS_GONE,    /* there is none, or one of another program */
    PROCESS_STOPPED, /* by SIGSTOP or a debugger */
    PROCESS_RUNNING,
};

/* `program`: the name of its executable, without directories; its length. */
enum process_state process_look(unsigned pid, const char *program, size_t program_bytes);

/* False: there is no such process. */
bool process_owner(unsigned pid, uid_t *owner);

/* Whether a file whose path contains `part` is mapped. */
bool process_maps(unsigned pid, const char *part);

/* A mapping that is shared and writable, as a recording is. */
struct process_mapping {
    uint64_t inode;
    const char *path; /* as the process sees it; into `line` */
    char line[PATH_MAX + 128];
};

/* For process_next_mapping() and fclose(). NULL: errno says why not. */
FILE *process_open_mappings(unsigned pid);

/* False: there are no more. */
bool process_next_mapping(FILE *mappings, struct process_mapping *mapping);

/* Whether the process, or any one, has the file mapped in that way. */
bool process_writes(unsigned pid, const char *file, const struct stat *status);
bool process_any_writes(const char *file, const struct stat *status);

/* Whether it belongs to another user, so that nothing can be seen of it. */
bool process_is_hidden(unsigned pid);

#endif
