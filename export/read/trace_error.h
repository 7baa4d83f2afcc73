/* trace_error.h - why reading failed, as one line for a person. */
#ifndef PROF_TRACE_ERROR_H
#define PROF_TRACE_ERROR_H

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "path: offset N: what". `error` may be NULL. */
void trace_error_at(struct read_error *error, const char *path, uint64_t offset, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));
/* "path: what". */
void trace_error(struct read_error *error, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
