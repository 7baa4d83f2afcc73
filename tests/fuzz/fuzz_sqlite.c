/* fuzz_sqlite.c - any bytes as a database of nsys or nvprof: read, made into a timeline, checked.
 * libFuzzer's entry.
 *
 *     make_databases corpus && ./fuzz_sqlite -max_len=100000 corpus
 *
 * The last byte says whether the file is opened with `partial`. Bytes that do not begin as a database
 * does are made to.
 */
#include "check.h"
#include "foreign.h"
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char magic[16] = "SQLite format 3";
    struct read_error error;
    struct check_report report;
    if (size <= sizeof magic)
        return 0;
    uint8_t *copy = malloc(size - 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size - 1);
    memcpy(copy, magic, sizeof magic);
    struct builder *builder = builder_begin();
    struct trace_file *file =
        foreign_open_memory(copy, size - 1, "fuzz.sqlite", data[size - 1] & 1, builder, &error);
    struct timeline *timeline = file ? timeline_from_files(builder, &file, 1, &error) : NULL;
    if (!file)
        builder_abandon(builder);
    if (timeline)
        timeline_check(timeline, &report);
    timeline_destroy(timeline);
    trace_file_close(file);
    free(copy);
    return 0;
}
