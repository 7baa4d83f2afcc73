/* number.h - numbers out of text, and text of numbers.
 *
 * libc's strtoull and its like are not used: from glibc 2.38 on they are functions that older
 * versions and other libcs do not have. They also take signs.
 */
#ifndef PROF_NUMBER_H
#define PROF_NUMBER_H

#include <stdint.h>

/* Reads the decimal digits at `text`. Returns what follows them; NULL when there are none, or the
 * number does not fit, and `*number` is 0 then. Safe in signal handlers. */
const char *number_parse(const char *text, uint64_t *number);

/* The next number of a line of /proc, after spaces and tabs, in base 10 or 16 (with or without 0x),
 * and moves `*text` to what follows it. 0: there is none. Digits that do not fit are lost. Safe in
 * signal handlers. */
uint64_t number_next(const char **text, unsigned base);

/* The same of what follows the first `field` in `text`; 0 also where there is no such field. */
uint64_t number_of_field(const char *text, const char *field, unsigned base);

struct number_text {
    char bytes[32];
};

/* As printf's %.*f and %.*g, but with a point in every locale: the program may choose one for the
 * process, or for the calling thread. What does not fit is cut off. */
struct number_text number_fixed(double number, int decimals);
struct number_text number_general(double number, int digits);

#endif
