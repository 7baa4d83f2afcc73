/* packed_out.h - a stream that compresses what is written to it, by the name of the file it is for. */
#ifndef PROF_PACKED_OUT_H
#define PROF_PACKED_OUT_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A stream to the descriptor for a path that ends in ".gz" or ".zst"; NULL: any other path, or, with
 * errno set to something, memory was short or this program was built without zlib or libzstd (then
 * ENOTSUP). fclose() ends what is compressed and leaves the descriptor open. */
FILE *packed_out_open(int descriptor, const char *path);

/* The same as gzip, whatever the path. */
FILE *packed_out_gzip(int descriptor, const char *path);

#ifdef __cplusplus
}
#endif
#endif
