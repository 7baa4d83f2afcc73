/* cmd_formats.c - profdump --perfetto OUT FILE... and its like: what export/write/formats makes. */
#include "profdump.h"

#include "formats.h"
#include "stack_text.h"

#include <stdlib.h>

int cmd_perfetto(const struct profdump_options *options, const struct timeline *timeline,
                 const char *path)
{
    struct write_error error;
    struct symbols *symbols = timeline->stacks.count ? stack_text_symbols(options, timeline) : NULL;
    char **stacks = symbols ? stack_text_lines(symbols, timeline) : NULL;
    bool written = write_perfetto(timeline, stacks, path, &error);
    if (symbols)
        stack_text_complain(symbols);
    stack_text_free(stacks, timeline->stacks.count);
    symbols_destroy(symbols);
    return finish_export(options, timeline, written, &error);
}

int cmd_pprof(const struct profdump_options *options, const struct timeline *timeline,
              const char *path)
{
    struct write_error error;
    struct symbols *symbols = timeline->stacks.count ? stack_text_symbols(options, timeline) : NULL;
    bool written = write_pprof(timeline, symbols, path, &error);
    if (symbols)
        stack_text_complain(symbols);
    symbols_destroy(symbols);
    return finish_export(options, timeline, written, &error);
}

/* Outputs that need nothing but the timeline. */
static int write_simple(const struct profdump_options *options, const struct timeline *timeline,
                        const char *path,
                        bool (*write)(const struct timeline *, const char *, struct write_error *))
{
    struct write_error error;
    bool written = write(timeline, path, &error);
    return finish_export(options, timeline, written, &error);
}

int cmd_speedscope(const struct profdump_options *options, const struct timeline *timeline,
                   const char *path)
{
    return write_simple(options, timeline, path, write_speedscope);
}

int cmd_prometheus(const struct profdump_options *options, const struct timeline *timeline,
                   const char *path)
{
    return write_simple(options, timeline, path, write_prometheus);
}

int cmd_sqlite(const struct profdump_options *options, const struct timeline *timeline,
               const char *path)
{
#ifdef PROF_HAVE_SQLITE
    return write_simple(options, timeline, path, write_sqlite);
#else
    (void)options, (void)timeline;
    complain("%s: cannot write: this profdump was built without SQLite", path);
    return EXIT_FAILURE;
#endif
}
