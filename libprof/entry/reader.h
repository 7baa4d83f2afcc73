/* reader.h - the functions of prof.h that read the process's own recording: libprofdump.so does,
 * which is loaded from beside libprof.so when one of them is called for the first time. */
#ifndef PROF_READER_H
#define PROF_READER_H

#include <stdbool.h>
#include <stddef.h>

/* The path of libprof.so's file. Valid for the process's life. */
const char *reader_own_path(void);

/* Whether `profrun --attach` loaded us: attach_request.h. */
bool reader_is_attached(void);

/* Puts the path of `name`, relative to libprof.so's directory, into `path`. False: it does not
 * fit. */
bool reader_beside(const char *name, char *path, size_t path_bytes);

#endif
