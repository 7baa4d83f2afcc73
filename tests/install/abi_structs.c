/* Prints the layout of what a program compiled with the public headers relies on, a fact a line: for abi.txt. */
#include <prof/arrow_abi.h>
#include <prof/block.h>
#include <prof/format.h>
#include <prof/prof.h>
#include <prof/trace.h>

#include <stddef.h>
#include <stdio.h>

#define FIELD(type, field) printf("%s.%s at %zu\n", #type, #field, offsetof(struct type, field))
#define SIZE(type) printf("%s has %zu bytes\n", #type, sizeof(struct type))
#define NUMBER(name) printf("%s is %lld\n", #name, (long long)(name))

#define PRINT_STATUS(symbol, sentence) NUMBER(PROF_##symbol);

int main(void)
{
    PROF_STATUSES(PRINT_STATUS)

    /* Structs that begin with size_bytes may grow; the others may not. */
    FIELD(prof_options, size_bytes);
    FIELD(prof_options, output);
    FIELD(prof_options, max_bytes);
    FIELD(prof_options, ring);
    FIELD(prof_options, emit_nvtx);
    FIELD(prof_attr, key);
    FIELD(prof_attr, text);
    FIELD(prof_attr, number);
    SIZE(prof_attr);
    FIELD(prof_loss_counts, size_bytes);
    FIELD(prof_loss_counts, total);
    FIELD(prof_loss_counts, cause);
    FIELD(prof_trace_options, size_bytes);
    FIELD(prof_trace_options, from_ns);
    FIELD(prof_trace_options, to_ns);
    FIELD(prof_trace_options, words);
    FIELD(prof_trace_options, say);
    FIELD(prof_trace_options, user);
    FIELD(prof_table_options, size_bytes);
    FIELD(prof_table_options, format);
    FIELD(prof_table_options, sort);
    FIELD(prof_table_options, group_by);
    FIELD(prof_table_options, columns);
    FIELD(prof_table_options, rows);
    FIELD(prof_table_options, words);
    FIELD(prof_site, name);
    FIELD(prof_site, id);
    SIZE(prof_site);
    SIZE(ArrowSchema);
    SIZE(ArrowArray);
    SIZE(ArrowArrayStream);

    /* The trace file. The headers of its records check the size of each of them. */
    NUMBER(PROF_FORMAT_VERSION);
    NUMBER(PROF_CHUNK_BYTES);
    SIZE(prof_file_header);
    SIZE(prof_chunk_header);
    FIELD(prof_file_header, version);
    FIELD(prof_file_header, byte_order);
    return 0;
}
