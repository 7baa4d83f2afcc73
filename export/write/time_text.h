/* time_text.h - durations, shares and counts as torch.profiler writes them, whatever the host
 * program's locale. */
#ifndef PROF_TIME_TEXT_H
#define PROF_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#define TIME_TEXT_BYTES 40

enum time_unit { TIME_AUTO, TIME_S, TIME_MS, TIME_US, TIME_NS };

/* "1.234s", "1.234ms", "1.234us": the largest unit that gives at least 1. */
void time_text(double ns, char to[TIME_TEXT_BYTES]);

/* A number that is not negative with one to three decimals, and a point before them in every locale. */
void time_text_number(double value, int digits, char to[TIME_TEXT_BYTES]);

/* The same in this unit; "1.234ns" is one. */
void time_text_in(double ns, enum time_unit unit, char to[TIME_TEXT_BYTES]);

/* To the nanosecond: "1.234567ms"; so sums of such numbers can be checked by eye. */
void time_text_exact(int64_t ns, enum time_unit unit, char to[TIME_TEXT_BYTES]);

/* The unit that time_text() takes; TIME_US for what is smaller. */
enum time_unit time_text_unit(double ns);

/* "s", "ms", "us", "ns"; false: it is none of these. */
bool time_text_find_unit(const char *name, enum time_unit *unit);

/* "12.34%"; "NaN" of nothing. */
void time_text_share(int64_t part_ns, int64_t whole_ns, char to[TIME_TEXT_BYTES]);

#endif
