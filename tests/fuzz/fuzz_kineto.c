/* fuzz_kineto.c - any bytes as a file of another format: read, made into a timeline, checked.
 * libFuzzer's entry.
 *
 *     clang -fsanitize=fuzzer,address,undefined fuzz_kineto.c $SOURCES_OF_READ_AND_MODEL
 *     fuzz_kineto_seeds corpus && ./fuzz_kineto corpus
 *
 * The first byte says whether the file is opened with `partial`; the file follows.
 */
#include "check.h"
#include "foreign.h"
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct read_error error;
    struct check_report report;
    if (size < 1)
        return 0;
    uint8_t *copy = malloc(size); /* of the right size: reading behind its end is noticed */
    if (!copy)
        return 0;
    memcpy(copy, data + 1, size - 1);
    struct builder *builder = builder_begin();
    struct trace_file *file =
        foreign_open_memory(copy, size - 1, "fuzz.json", data[0] & 1, builder, &error);
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
