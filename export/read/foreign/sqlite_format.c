/* sqlite_format.c - databases of nsys and nvprof: which of them one is, or what it takes to read it. */
#include "format_list.h"
#include "trace_reader.h"

#include <stdlib.h>
#include <string.h>

static bool recognise(struct text head)
{
    static const char magic[16] = "SQLite format 3";
    return head.size >= sizeof magic && memcmp(head.bytes, magic, sizeof magic) == 0;
}

#ifdef PROF_HAVE_SQLITE
#include "sqlite_trace.h"

/* Either has the table of its strings, whatever was recorded. */
static bool read_tables(struct sqlite_trace *trace, uint64_t *start_ns)
{
    struct sqlite_file *file = trace->file;
    if (sqlite_file_has_table(file, "StringIds"))
        *start_ns = sqlite_nsys_read(trace);
    else if (sqlite_file_has_table(file, "StringTable"))
        *start_ns = sqlite_nvprof_read(trace);
    else if (!file->failed) {
        trace_error(file->error, file->path,
                    "an SQLite database, but neither from nsys (no table StringIds) nor nvprof "
                    "(no table StringTable)");
        return false;
    }
    sqlite_trace_warn(trace);
    return !file->failed;
}

static struct trace_file *open_sqlite(struct source *source, bool partial, struct builder *builder,
                                      struct read_error *error)
{
    struct sqlite_file file;
    struct sqlite_trace trace = {.file = &file, .builder = builder};
    struct trace_file *opened = NULL;
    uint64_t start_ns = 0;
    uint32_t number = timeline_begin_unordered(builder);
    if (timeline_build_failed(builder)) {
        trace_error(error, source_path(source), "out of memory");
        return NULL;
    }
    if (sqlite_file_open(&file, source, partial, error) && read_tables(&trace, &start_ns))
        opened = format_file(source, builder, number, start_ns, error);
    sqlite_trace_fini(&trace);
    sqlite_file_close(&file);
    return opened;
}
#else
static struct trace_file *open_sqlite(struct source *source, bool partial, struct builder *builder,
                                      struct read_error *error)
{
    (void)partial, (void)builder;
    trace_error(error, source_path(source),
                "an SQLite database, as nsys and nvprof write them, which this profdump was built "
                "without (Debian: libsqlite3-dev)");
    return NULL;
}
#endif

const struct foreign_format format_sqlite = {"nsys and nvprof SQLite", recognise, open_sqlite};
