/* write_formats.h - outputs for other programs that profdump alone has.
 *
 * As those of write.h: they neither print on their own account nor exit; `path` as in out_file.h.
 */
#ifndef PROF_WRITE_FORMATS_H
#define PROF_WRITE_FORMATS_H

#include "out_file.h"
#include "timeline.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct write_svg_options {
    int64_t from_ns, to_ns; /* as in the timeline; to_ns 0 and less than from_ns: to its end */
    unsigned width_px;
};

#define WRITE_SVG_WIDTH 1200u
#define WRITE_SVG_WIDTH_MIN 300u
#define WRITE_SVG_WIDTH_MAX 20000u

/* The timeline as a picture: a row per thread and stream, arrows from launches to what they launched. */
bool write_svg(const struct timeline *timeline, const struct write_svg_options *options,
               const char *path, struct write_error *error);

/* The timeline as an SQLite database with the tables and columns of `nsys export --type sqlite`, and
 * libprof's own beside them: see nsys_schema.h. `path` must be a file. */
bool write_sqlite(const struct timeline *timeline, const char *path, struct write_error *error);

#ifdef __cplusplus
}
#endif
#endif
