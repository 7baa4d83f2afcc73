/* packed_zstd.h - a stream that writes one zstd frame; the rest is packed_out.h's. */
#ifndef PROF_PACKED_ZSTD_H
#define PROF_PACKED_ZSTD_H

#include <stdio.h>

/* NULL with errno set: memory was short, or ENOTSUP where this program was built without libzstd. */
FILE *packed_zstd_open(int descriptor);

#endif
