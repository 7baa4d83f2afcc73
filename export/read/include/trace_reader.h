/* trace_reader.h - what a reader of another format implements: for the readers in foreign/. */
#ifndef PROF_TRACE_READER_H
#define PROF_TRACE_READER_H

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `foreign` is what the reader made of the file when it was opened. */
struct trace_reader {
    /* As trace_file_append(); `health` is zeroed. */
    bool (*append)(void *foreign, uint32_t process, struct builder *builder,
                   struct tl_health *health, struct read_error *error);
    void (*close)(void *foreign);
};

/* Makes a trace_file of it, which owns `foreign` from then on. `start_realtime_ns` is where the
 * times of all of its processes count from, since the epoch. NULL: no memory, `foreign` was
 * closed. */
struct trace_file *trace_file_adopt(const char *path, const struct trace_reader *reader,
                                    void *foreign, uint32_t process_count,
                                    uint64_t start_realtime_ns, struct read_error *error);

/* Opens a file of libprof's own format from malloc()ed bytes. The trace_file owns them; they are
 * also freed if NULL is returned. */
struct trace_file *trace_file_open_owned(void *bytes, size_t size, const char *name, bool partial,
                                         struct read_error *error);

/* Why reading failed, as one line for a person. */

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
