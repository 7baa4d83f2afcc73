/* export_file.h - the file of an export, from its opening to its place: temporary name, compression by
 * ending, rename. */
#ifndef PROF_EXPORT_FILE_H
#define PROF_EXPORT_FILE_H

#include "out_file.h"

#ifdef __cplusplus
extern "C" {
#endif

struct export_file {
    struct out_file file;
    FILE *stream; /* NULL: write to file.fd */
};

/* `pack` as in struct write_chrome_more: packed_out_open() or packed_out_gzip(). False: `error` says
 * why, and nothing is left behind. */
bool export_file_open(struct export_file *file, const char *path,
                      FILE *(*pack)(int descriptor, const char *path), struct write_error *error);

/* Puts the file in place, unless `failure` (an errno) says that writing it failed. */
bool export_file_close(struct export_file *file, int failure, struct write_error *error);

#ifdef __cplusplus
}
#endif
#endif
