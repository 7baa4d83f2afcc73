/* read.h - from files to a timeline.
 *
 * Every reader (libprof's own format here, others in foreign/) appends what its file holds to the
 * builder of a timeline.
 */
#ifndef PROF_READ_H
#define PROF_READ_H

#include "builder.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a file with these first bytes is a recording of libprof, even if a text-mode transfer
 * damaged it. */
static inline bool read_is_recording(struct text head)
{
    return head.size >= 5 && memcmp(head.bytes + 1, "PROF", 4) == 0;
}

/* Where and why reading failed, as one line for a person: names the file and the offset. */
struct read_error {
    char message[512];
};

struct trace_file;

/* Opens a file of libprof's own format, recognized by content. `partial` shows what is readable of
 * a damaged file instead of refusing it. On failure returns NULL and fills `error`. Close with
 * trace_file_close(), which accepts NULL.
 *
 * The file is mapped at its current size: records that a live recorder adds later are not seen.
 * Truncating the file while it is open causes SIGBUS, as for every mapped file. */
struct trace_file *trace_file_open(const char *path, bool partial, struct read_error *error);

/* The same for a file that is in memory already. `bytes` is borrowed (copied only where it is not
 * 8-aligned) and must outlive the trace_file; `name` stands for the path in messages. */
struct trace_file *trace_file_open_memory(const void *bytes, size_t size, const char *name,
                                          bool partial, struct read_error *error);

/* How many processes the file contains. libprof's own files contain one; other formats may contain
 * any number, including 0. */
uint32_t trace_file_process_count(const struct trace_file *file);

/* Appends everything that is in the file about one process, between builder_begin_process() and
 * builder_end_process(). May be called again. A damaged record ends it with false unless the file
 * was opened with `partial`; `health` (may be NULL) is filled either way. */
bool trace_file_append(struct trace_file *file, uint32_t process, struct builder *builder,
                       struct tl_health *health, struct read_error *error);

/* Leaves out what threads did before `from_ns`, since the file's time 0, without reading it: for
 * long recordings of which the end alone is wanted. Whole chunks are left out, so some of what came
 * before remains. The process then counts as one whose trace is a ring: what was open before is
 * unknown. Only for files of libprof's own format. */
void trace_file_skip_before(struct trace_file *file, int64_t from_ns);

/* Whether it is of libprof's own format. */
bool trace_file_is_recording(const struct trace_file *file);

/* Whether the recorder has finished the file. */
bool trace_file_is_closed(const struct trace_file *file);

/* The process that the file is of, as it numbers itself. */
uint32_t trace_file_pid(const struct trace_file *file);

/* The latest time that the file's chunks and clock samples state, since its time 0: the recording
 * ends there or a little later. 0: unknown. */
int64_t trace_file_last_ns(struct trace_file *file);

/* How many records a file of libprof's own format has; 0: of another format, or no memory. */
uint64_t trace_file_count_records(struct trace_file *file);

/* What the recorder wrote about the latest time that the program stood still (PROF_HANG), as
 * docs/hangs.md describes it, in malloc()ed memory; NULL: nothing. False: no memory for all of
 * it. */
bool trace_file_hang_text(struct trace_file *file, char **text);

void trace_file_close(struct trace_file *file);

const char *trace_file_path(const struct trace_file *file);

/* Where the file's time 0 lies, since the epoch. */
uint64_t trace_file_start_realtime_ns(const struct trace_file *file);

/* Builds the timeline of the files. On failure returns NULL and fills `error`. partial: see
 * trace_file_open(). Threads: any, each with a timeline of its own; the result may be read by any
 * number. The files are closed again: the timeline owns all of its texts. */
struct timeline *timeline_load(const char *const *paths, size_t path_count, bool partial,
                               struct read_error *error);

/* The same with another way to open files, as one that knows more formats and appends to the
 * builder. */
typedef struct trace_file *timeline_opener(const char *path, bool partial, struct builder *builder,
                                           struct read_error *error);
struct timeline *timeline_load_by(timeline_opener *open, const char *const *paths,
                                  size_t path_count, bool partial, struct read_error *error);

/* The same of files that are open; the caller closes them. `builder` is a new one, or the one with
 * which the files were opened; it is destroyed. NULL: no memory. */
struct timeline *timeline_from_files(struct builder *builder, struct trace_file *const *files,
                                     size_t file_count, struct read_error *error);
#ifdef __cplusplus
}
#endif
#endif
