/* meta.h - appending process-wide facts to META chunks; see recorder.h for meta_append(). */
#ifndef PROF_META_H
#define PROF_META_H

#include "recorder.h"

/* A file was just created: appends go to the rest of chunk 0. */
void meta_begin_file(void);

/* Whether there is a file: names can be interned and facts stated from then on. */
bool meta_has_file(void);

/* There is no file any more (forked child). */
void meta_forget(void);

/* meta_append() for who counts himself what there is no space for. */
const void *meta_try_append(enum prof_record_type type, const void *head, size_t head_bytes,
                            const char *text, size_t text_bytes);

/* Takes a sample of the three clocks, and states it unless the latest one is recent enough; `last`:
 * even then, as the recording ends. */
struct prof_rec_clock meta_clock_sample(bool last);

#endif
