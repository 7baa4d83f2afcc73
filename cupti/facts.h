/* facts.h - process-wide facts: devices, contexts, streams, names of CUDA calls.
 *
 * Stated into META at once, and remembered, since the trace file may not exist yet:
 * facts_emit_all() states everything again when it is made. A fact that was stated before is not
 * stated twice.
 */
#ifndef PROF_FACTS_H
#define PROF_FACTS_H

#include "loader.h"
#include "recorder.h"

/* `head` is the whole META record, its first word left zero; at most FACTS_BYTES_MAX. Threads:
 * any. */
#define FACTS_BYTES_MAX 104u
void facts_emit(enum prof_record_type type, const void *head, size_t bytes);

/* A sentence about the run. The last one of a key counts. Threads: any one at a time. */
void facts_set_info(enum prof_info_key key, const char *text);

/* Trouble: the sentence is logged, and goes into the file as a note. */
void facts_emit_note(const char *sentence);

/* The trace file was just made. */
void facts_emit_all(void);

/* ---- devices ----
 *
 * Read from the driver, not from CUPTI, whose device records reach only a tool that was there when
 * CUDA was initialised.
 */

/* States every device as a fact, the first time that the driver answers: it does not before cuInit
 * has finished. Says whether the devices are simulated. Threads: one at a time. */
void facts_emit_devices(const struct driver_library *driver);

#endif
