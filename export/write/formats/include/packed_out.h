/* packed_out.h - a stream that compresses what is written to it, by the name of the file it is
 * for. */
#ifndef PROF_PACKED_OUT_H
#define PROF_PACKED_OUT_H

#include "out_file.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A stream to the descriptor for a path that ends in ".gz" or ".zst"; NULL: any other path, or,
 * with errno set to something, memory was short or this program was built without zlib or libzstd
 * (then ENOTSUP). fclose() ends what is compressed and leaves the descriptor open. */
FILE *packed_out_open(int descriptor, const char *path);

/* The same as gzip, whatever the path. */
FILE *packed_out_gzip(int descriptor, const char *path);

/* The file of an export, from its opening to its place: temporary name, compression by
 * ending, rename. */

struct export_file {
    struct out_file file;
    FILE *stream; /* NULL: write to file.fd */
};

/* `pack` as in struct write_chrome_more: packed_out_open() or packed_out_gzip(). False: `error`
 * says why, and nothing is left behind. */
bool export_file_open(struct export_file *file, const char *path,
                      FILE *(*pack)(int descriptor, const char *path), struct write_error *error);

/* A stream to the file where none compresses it. NULL: errno says why. */
FILE *export_file_stream(struct export_file *file);

/* Puts the file in place, unless `failure` (an errno) says that writing it failed. */
bool export_file_close(struct export_file *file, int failure, struct write_error *error);

#ifdef __cplusplus
}
#endif
#endif
