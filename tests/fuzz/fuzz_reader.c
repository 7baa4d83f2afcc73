/* fuzz_reader.c - any bytes as a trace file: read, made into a timeline, checked, added up in every
 * way. libFuzzer's entry.
 *
 *     clang -fsanitize=fuzzer,address,undefined fuzz_reader.c $SOURCES_OF_EXPORT
 *     fuzz_seeds corpus && ./fuzz_reader -max_len=400000 corpus
 *
 * The first byte says whether the file is opened with `partial`, whether its averages are shown, and
 * whether only a window is read; the file follows. A file's header and chunk headers must be in
 * order for anything behind them to be reached, so the parts that a fuzzer would be long in guessing
 * are put right first.
 */
#include "check.h"
#include "fleet_rows.h"
#include "read.h"
#include "timeline.h"
#include "timeline_restrict.h"
#include "write.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void repair_header(uint8_t *bytes, size_t size)
{
    struct prof_file_header header;
    if (size < sizeof header)
        return;
    memcpy(&header, bytes, sizeof header);
    memcpy(header.magic, PROF_FILE_MAGIC, PROF_FILE_MAGIC_BYTES);
    header.version = PROF_FORMAT_VERSION;
    header.byte_order = PROF_BYTE_ORDER_MARK;
    header.header_bytes = PROF_FILE_HEADER_BYTES;
    header.chunk_bytes = PROF_CHUNK_BYTES;
    memcpy(bytes, &header, sizeof header);
}

static void repair_chunks(uint8_t *bytes, size_t size)
{
    for (size_t at = PROF_CHUNK_BYTES; at + PROF_CHUNK_HEADER_BYTES <= size;
         at += PROF_CHUNK_BYTES) {
        struct prof_chunk_header header;
        memcpy(&header, bytes + at, sizeof header);
        header.magic = PROF_CHUNK_MAGIC;
        header.header_bytes = PROF_CHUNK_HEADER_BYTES;
        header.index = at / PROF_CHUNK_BYTES;
        memcpy(bytes + at, &header, sizeof header);
    }
}

static void show_all(const struct timeline *timeline)
{
    struct write_options options;
    FILE *stream = fopen("/dev/null", "w");
    if (!stream)
        return;
    write_options_default(&options);
    options.columns = UINT32_MAX;
    options.group_by = UINT32_MAX;
    write_table(timeline, &options, WRITE_TEXT, stream);
    write_json(timeline, &options, stream);
    write_tree(timeline, &options, WRITE_TEXT, stream);
    write_folded(timeline, WRITE_SELF_CPU, NULL, stream);
    fclose(stream);
}

/* As profdump pack asks for them; also as if it had nothing but summaries. */
static void pack(const struct timeline *timeline, bool summaries)
{
    struct fleet *fleet = fleet_create();
    const struct fleet_source source = {
        .timeline = timeline, .file = "", .identity = "", .summaries = summaries};
    bool added = fleet && fleet_add(fleet, &source);
    for (unsigned i = 0; added && i < FLEET_TABLES; i++) {
        struct ArrowArrayStream stream;
        struct ArrowArray batch;
        if (!fleet_stream_init(&stream, fleet, i))
            continue;
        while (stream.get_next(&stream, &batch) == 0 && batch.release)
            batch.release(&batch);
        stream.release(&stream);
    }
    fleet_release(fleet);
}

/* The file's beginning is the window. */
static void read_window(const uint8_t *bytes, size_t size, bool partial)
{
    const int64_t from_ns = 500, to_ns = 100000;
    struct read_error error;
    struct check_report report;
    struct builder *builder = builder_begin();
    struct trace_file *file = trace_file_open_memory(bytes, size, "fuzz.prof", partial, &error);
    if (builder)
        builder_set_window(builder, from_ns, to_ns);
    struct timeline *timeline = file ? timeline_from_files(builder, &file, 1, &error) : NULL;
    if (!file)
        builder_abandon(builder);
    if (timeline && timeline_restrict(timeline, from_ns, to_ns))
        timeline_check(timeline, &report);
    timeline_destroy(timeline);
    trace_file_close(file);
}

static void read_all(const uint8_t *bytes, size_t size, bool partial, bool show)
{
    struct read_error error;
    struct check_report report;
    struct trace_file *file = trace_file_open_memory(bytes, size, "fuzz.prof", partial, &error);
    struct timeline *timeline =
        file ? timeline_from_files(builder_begin(), &file, 1, &error) : NULL;
    if (timeline) {
        timeline_check(timeline, &report);
        if (show)
            show_all(timeline);
        pack(timeline, false);
        pack(timeline, true);
    }
    timeline_destroy(timeline);
    trace_file_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    uint8_t *copy = malloc(size); /* of the right size: reading behind its end is noticed */
    if (!copy)
        return 0;
    memcpy(copy, data + 1, size - 1);
    read_all(copy, size - 1, data[0] & 1, data[0] & 4);
    if (data[0] & 2) {
        repair_header(copy, size - 1);
        repair_chunks(copy, size - 1);
        read_all(copy, size - 1, data[0] & 1, data[0] & 4);
    }
    if (data[0] & 8)
        read_window(copy, size - 1, data[0] & 1);
    free(copy);
    return 0;
}
