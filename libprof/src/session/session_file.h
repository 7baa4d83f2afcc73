/* session_file.h - the file of a recording: its name, its header, and the facts of the process with
 * which it begins. */
#ifndef PROF_SESSION_FILE_H
#define PROF_SESSION_FILE_H

#include "environment.h"

#include "prof/format.h"

#include <stdbool.h>

#define SESSION_PATH_BYTES 4096

/* Creates the file with the name of PROF_OUTPUT; if that is taken, with one beside it that is this
 * process's own. Never overwrites, but renames an earlier file of the same process that has no
 * events. Stores the path. Returns 0, or an errno value. */
int session_file_create(const struct rank *rank, char path[SESSION_PATH_BYTES]);

/* The first chunk's beginning, for a thread of the program's or one of ours; and the records behind
 * it, once others may see the file. */
void session_file_fill_header(struct prof_file_header *header, const struct rank *rank,
                              bool by_program);
void session_file_emit_facts(const struct rank *rank);

/* Whether a thread of the program has recorded anything; and that one has. Any thread. */
bool session_file_has_events(void);
void session_file_note_event(void);

/* Whether a daemon keeps the system's clock: looked at, and stated, at the beginning and at the
 * end. */
void session_file_look_at_system_clock(void);
void session_file_emit_system_clock(void);

/* What the collector said by recorder_set_gpu_mode(). Any thread. */
uint32_t session_file_gpu_mode(void);
const char *session_file_gpu_reason(void);

/* In a forked child: no collector has said anything yet. */
void session_file_fork_child(void);

#endif
