/* format_list.h - the formats that foreign.c knows; each is one line of its table. */
#ifndef PROF_FORMAT_LIST_H
#define PROF_FORMAT_LIST_H

#include "event_store.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

struct foreign_format {
    const char *name; /* for people, as in "Chrome trace" */
    /* Whether a file that begins so is one. `head` is at most SOURCE_PEEK_BYTES long. */
    bool (*recognise)(struct text head);
    /* Reads the file. NULL: it is not what it seemed to be; `error` says where. */
    struct trace_file *(*open)(struct source *source, bool partial, struct read_error *error);
};

extern const struct foreign_format format_sqlite;
extern const struct foreign_format format_kineto;
extern const struct foreign_format format_etdump;
extern const struct foreign_format format_etprof;

/* For readers that fill an event_store: makes a trace_file of it, which owns the store. NULL: memory
 * was short, the store was destroyed. */
struct trace_file *format_from_store(const struct source *source, struct event_store *store,
                                     uint64_t start_realtime_ns, struct read_error *error);

#ifdef __cplusplus
}
#endif
#endif
