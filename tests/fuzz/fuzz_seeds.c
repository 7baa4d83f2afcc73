/* fuzz_seeds.c - writes the fuzzer's first inputs into a directory: sample traces, whole and of few
 * chunks. */
#include "trace_builder.h"

#include <stdio.h>

static bool write_seed(const char *directory, const char *name, struct trace_builder *trace,
                       int first_byte, size_t most)
{
    char path[4096];
    size_t size;
    const uint8_t *bytes = trace_builder_bytes(trace, &size);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    size = size < most ? size : most;
    bool written = fputc(first_byte, file) != EOF && fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && written;
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: fuzz_seeds DIRECTORY\n");
        return 2;
    }
    struct trace_builder *trace = trace_builder_sample();
    bool written = write_seed(arguments[1], "sample", trace, 4, SIZE_MAX) &&
                   write_seed(arguments[1], "sample_partial", trace, 7, SIZE_MAX) &&
                   write_seed(arguments[1], "sample_cut", trace, 3, 2 * PROF_CHUNK_BYTES + 512);
    trace_builder_header(trace)->flags |= PROF_FILE_RING;
    trace_builder_header(trace)->state = PROF_STATE_RECORDING;
    written = written && write_seed(arguments[1], "ring", trace, 2, SIZE_MAX);
    trace_builder_destroy(trace);
    return written ? 0 : 1;
}
