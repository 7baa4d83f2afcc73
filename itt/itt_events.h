/* itt_events.h - what a program's pointers hold for calls of before version 3 that go by a number for
 * a name, for names of threads, and for pausing.
 *
 * Any thread, any argument; they keep errno.
 */
#ifndef PROF_ITT_EVENTS_H
#define PROF_ITT_EVENTS_H

#include "itt_abi.h"

/* An event: from its start to its end on the same thread. One that is never ended lasts as long as the
 * recording. `bytes` of the name count; where negative, all. Numbers are from 1; 0: there are too many,
 * or no name (counted). The others return 0, or -1 for no number of ours (counted). */
int itt_event_create(const char *name, int bytes);
int itt_event_start(int event);
int itt_event_end(int event);

/* A mark; `parameter`, which may be NULL, becomes its attribute. */
int itt_mark_create(const char *name);
int itt_mark(int mark, const char *parameter);

/* The calling thread's name. */
void itt_thread_set_name(const char *name);
int itt_thr_name_set(const char *name, int bytes);

/* Recording as a whole stops and goes on, whoever started it; starts and stops are counted on
 * meanwhile. After detach for good. `scope` of ITT_COLLECTION_HOST. */
void itt_pause(void);
void itt_resume(void);
void itt_pause_scoped(uint32_t scope);
void itt_resume_scoped(uint32_t scope);
void itt_detach(void);

#endif
