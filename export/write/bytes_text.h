/* bytes_text.h - amounts of memory as torch.profiler writes them, whatever the host program's
 * locale. */
#ifndef PROF_BYTES_TEXT_H
#define PROF_BYTES_TEXT_H

#include <stdint.h>

#define BYTES_TEXT_BYTES 32

/* "1.50 GB", "1.50 MB", "1.50 KB", "12 B", "-1.00 KB": powers of 1024, the largest unit that gives
 * at least 1. */
void bytes_text(int64_t bytes, char to[BYTES_TEXT_BYTES]);

#endif
