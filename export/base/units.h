/* units.h - how durations, shares and amounts of memory are written: in tables as
 * torch.profiler does, whatever the host program's locale, and in sentences. */
#ifndef PROF_UNITS_H
#define PROF_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TIME_TEXT_BYTES 40

enum time_unit { TIME_AUTO, TIME_S, TIME_MS, TIME_US, TIME_NS };

/* "1.234s", "1.234ms", "1.234us": the largest unit that gives at least 1. */
void time_text(double ns, char to[TIME_TEXT_BYTES]);

/* A number that is not negative with one to three decimals, and a point before them in every
 * locale. */
void time_text_number(double value, int digits, char to[TIME_TEXT_BYTES]);

/* The same in this unit; "1.234ns" is one. */
void time_text_in(double ns, enum time_unit unit, char to[TIME_TEXT_BYTES]);

/* To the nanosecond: "1.234567ms"; so sums of such numbers can be checked by eye. */
void time_text_exact(int64_t ns, enum time_unit unit, char to[TIME_TEXT_BYTES]);

/* The unit that time_text() takes; TIME_US for what is smaller. */
enum time_unit time_text_unit(double ns);

/* "s", "ms", "us", "ns"; false: it is none of these. */
bool time_text_find_unit(const char *name, enum time_unit *unit);

/* "12.34%"; "-" of nothing. */
void time_text_share(int64_t part_ns, int64_t whole_ns, char to[TIME_TEXT_BYTES]);

#define BYTES_TEXT_BYTES 32

/* "1.50 GB", "1.50 MB", "1.50 KB", "12 B", "-1.00 KB": powers of 1024, the largest unit that gives
 * at least 1. */
void bytes_text(int64_t bytes, char to[BYTES_TEXT_BYTES]);

/* Units of time that tables are read and shown in. */

enum time_scale { TIME_SCALE_NS, TIME_SCALE_US, TIME_SCALE_MS, TIME_SCALE_S, TIME_SCALE_CYCLES };

/* "ns", "us", "ms", "s", "cycles". False: none of them. */
bool time_scale_find(const char *name, enum time_scale *scale);
const char *time_scale_name(enum time_scale scale);

/* Nanoseconds of one unit; 1 for cycles, whose length is unknown. */
uint64_t time_scale_ns(enum time_scale scale);

/* Cycles are not a time: they convert to no other unit. */
bool time_scale_fits(enum time_scale source, enum time_scale target);

/* What a number in the source's unit is divided by. */
double time_scale_divisor(enum time_scale source, enum time_scale target);

/* ---- numbers in sentences: three digits ----
 *
 *     "busy %s of %s", sentence_share(busy, window).text, sentence_time(window).text
 */

struct sentence_text {
    char text[32];
};

struct sentence_text sentence_time(int64_t ns);                   /* "1.23 ms" */
struct sentence_text sentence_share(int64_t part, int64_t whole); /* "41 %"; "unknown" of nothing */
struct sentence_text sentence_bytes(uint64_t bytes);              /* "1.50 MB", powers of 1024 */
struct sentence_text sentence_count(uint64_t count, const char *noun); /* "1 copy", "2 copies" */

/* "s", but for one. */
static inline const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#ifdef __cplusplus
}
#endif
#endif
