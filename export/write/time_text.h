/* time_text.h - durations, shares and counts as torch.profiler writes them, whatever the host
 * program's locale. */
#ifndef PROF_TIME_TEXT_H
#define PROF_TIME_TEXT_H

#include <stdint.h>

#define TIME_TEXT_BYTES 40

/* "1.234s", "1.234ms", "1.234us": the largest unit that gives at least 1. */
void time_text(double ns, char to[TIME_TEXT_BYTES]);

/* "12.34%"; "NaN" of nothing. */
void time_text_share(int64_t part_ns, int64_t whole_ns, char to[TIME_TEXT_BYTES]);

#endif
