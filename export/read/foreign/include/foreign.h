/* foreign.h - opens whatever can be read: libprof's own files and those of others. */
#ifndef PROF_FOREIGN_H
#define PROF_FOREIGN_H

#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a file by its content, whatever its name, compressed or not. `partial` as for
 * trace_file_open(). The events of most formats are appended to `builder` at once: it is the one
 * that the file is appended to later, and is as good as failed if this fails. On failure returns
 * NULL and fills `error`: what is wrong with the file, or which formats are known. Close with
 * trace_file_close(). */
struct trace_file *foreign_open(const char *path, bool partial, struct builder *builder,
                                struct read_error *error);

/* The same, for files that do not describe their clock. */
struct trace_file *foreign_open_clock(const char *path, struct source_clock clock, bool partial,
                                      struct builder *builder, struct read_error *error);

/* The same for a file that is in memory; `bytes` are borrowed and must outlive the trace_file. */
struct trace_file *foreign_open_memory(const void *bytes, size_t size, const char *name,
                                       bool partial, struct builder *builder,
                                       struct read_error *error);

#ifdef __cplusplus
}
#endif
#endif
