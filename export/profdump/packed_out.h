/* packed_out.h - a stream that compresses what is written to it, by the name of the file it is for. */
#ifndef PROF_PACKED_OUT_H
#define PROF_PACKED_OUT_H

#include <stdio.h>

/* A stream to the descriptor for a path that ends in ".gz"; NULL: any other path, or, with errno set
 * to something, memory was short or this program was built without zlib. fclose() ends what is
 * compressed and leaves the descriptor open. */
FILE *packed_out_open(int descriptor, const char *path);

#endif
