/* formats.h - outputs for other programs, of profdump alone: they may use what libc does not have.
 *
 * `path` as in out_file.h: replaced as a whole, "-" is stdout. What ends in .gz or .zst is
 * compressed. A failure leaves no file. The functions neither print nor exit: they return false and
 * say why. Any number of threads may call them on one timeline.
 */
#ifndef PROF_FORMATS_H
#define PROF_FORMATS_H

#include "arrow_stream.h"
#include "out_file.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct symbols;

/* A protobuf trace for ui.perfetto.dev and trace_processor: see perfetto.h. `stacks` as in
 * write_chrome(); `symbols` of the timeline, for what PROF_SAMPLE sampled; NULL: without
 * samples. */
bool write_perfetto(const struct timeline *timeline, char *const *stacks, struct symbols *symbols,
                    const char *path, struct write_error *error);

/* A profile for pprof, always as gzip: see pprof.c. `symbols` of the timeline, for call stacks;
 * NULL: without them. */
bool write_pprof(const struct timeline *timeline, struct symbols *symbols, const char *path,
                 struct write_error *error);

/* Threads and streams as evented profiles for speedscope.app; with `symbols`, samples of threads as
 * sampled ones. */
bool write_speedscope(const struct timeline *timeline, struct symbols *symbols, const char *path,
                      struct write_error *error);

struct write_prometheus_options {
    const char *const
        *labels; /* NAME=VALUE, of each series: in place of one of ours of that name */
    size_t label_count;
};

/* Whether the series of some metric differ by that label. */
bool write_prometheus_has_label(struct text name);

/* What the run came to, as metrics in Prometheus' text format. `options` NULL: no labels. */
bool write_prometheus(const struct timeline *timeline,
                      const struct write_prometheus_options *options, const char *path,
                      struct write_error *error);

struct write_svg_options {
    int64_t from_ns, to_ns; /* as in the timeline; to_ns 0 and less than from_ns: to its end */
    unsigned width_px;
};

#define WRITE_SVG_WIDTH 1200u
#define WRITE_SVG_WIDTH_MIN 300u
#define WRITE_SVG_WIDTH_MAX 20000u

/* The timeline as a picture: a row per thread and stream, arrows from launches to what they
 * launched. */
bool write_svg(const struct timeline *timeline, const struct write_svg_options *options,
               const char *path, struct write_error *error);

/* Time of a call stack: its functions, outermost first, each followed by ';'. */
struct write_flame_line {
    const char *path;
    int64_t ns;
};

/* Call stacks as a flame graph, WRITE_SVG_WIDTH wide; `title` says what time it is. Sorts the
 * lines. */
bool write_flame_svg(struct write_flame_line *lines, uint32_t count, const char *title,
                     const char *path, struct write_error *error);

/* A table of prof/arrow.h as a file in Arrow's IPC format (Feather, version 2), not compressed by
 * itself: for pyarrow, polars, pandas, DuckDB ... `more` as in arrow_stream.h. */
bool write_arrow_file(const struct timeline *timeline, enum arrow_table table,
                      const struct arrow_more *more, const char *path, struct write_error *error);

#ifdef __cplusplus
}
#endif
#endif
