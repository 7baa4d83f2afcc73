/* format_list.h - the formats that foreign.c knows; each is one line of its table. */
#ifndef PROF_FORMAT_LIST_H
#define PROF_FORMAT_LIST_H

#include "source.h"
#include "unordered.h"

#ifdef __cplusplus
extern "C" {
#endif

struct foreign_format {
    const char *name; /* for people, as in "Chrome trace" */
    /* Whether a file that begins so is one. `head` is at most SOURCE_PEEK_BYTES long. */
    bool (*recognise)(struct text head);
    /* Reads the file; appends its events to the builder if they come in any order. NULL: it is not
     * what it seemed to be; `error` says where. */
    struct trace_file *(*open)(struct source *source, bool partial, struct builder *builder,
                               struct read_error *error);
};

extern const struct foreign_format format_sqlite;
extern const struct foreign_format format_kineto;
extern const struct foreign_format format_etdump;
extern const struct foreign_format format_etprof;

/* Makes a trace_file of the events, which unordered_begin() returned. NULL: no memory. */
struct trace_file *format_file(const struct source *source, struct unordered *events,
                               uint64_t start_realtime_ns, struct read_error *error);

#ifdef __cplusplus
}
#endif
#endif
