/* sqlite_format.c - databases of nsys and nvprof: which of them one is, or what it takes to read
 * it. */
#include "format_list.h"
#include "trace_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool recognise(struct text head)
{
    static const char magic[16] = "SQLite format 3";
    return head.size >= sizeof magic && memcmp(head.bytes, magic, sizeof magic) == 0;
}

#ifdef PROF_HAVE_SQLITE
#include "sqlite_trace.h"
#include "units.h"

/* "12,480": such counts are long. */
static void grouped(uint64_t count, char to[32])
{
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    for (int i = 0; i < size; i++) {
        if (i && (size - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
}

/* Names the tables that hold events and were not read. False: there is nothing else in the file. */
static bool note_unread(struct sqlite_trace *trace)
{
    struct sqlite_file *file = trace->file;
    struct sqlite_unread unread;
    char text[512], rows[32];
    sqlite_file_unread(file, &unread);
    if (!unread.tables || file->failed)
        return !file->failed;
    grouped(unread.rows, rows);
    snprintf(text, sizeof text, "not read: %u table%s, %s row%s (%s)", unread.tables,
             plural(unread.tables), rows, plural(unread.rows), unread.names);
    unordered_note(trace->events, (struct text){text, strlen(text)});
    if (trace->timed)
        return true;
    trace_error(file->error, file->path, "no event tables that profdump can read; %s", text);
    file->failed = true;
    return false;
}

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
    return !file->failed && note_unread(trace);
}

static struct trace_file *open_sqlite(struct source *source, bool partial, struct builder *builder,
                                      struct read_error *error)
{
    struct sqlite_file file;
    struct sqlite_trace trace = {.file = &file, .events = unordered_begin(builder)};
    struct trace_file *opened = NULL;
    uint64_t start_ns = 0;
    if (!trace.events) {
        trace_error(error, source_path(source), "out of memory");
        return NULL;
    }
    if (sqlite_file_open(&file, source, partial, error) && read_tables(&trace, &start_ns))
        opened = format_file(source, trace.events, start_ns, error);
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
