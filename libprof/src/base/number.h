/* number.h - numbers out of text, and text of numbers.
 *
 * Not strtoull(): from glibc 2.38 on that is a function that older versions and other libcs do not have. It also takes
 * spaces and signs.
 */
#ifndef PROF_NUMBER_H
#define PROF_NUMBER_H

#include <stdint.h>

/* Reads the decimal digits at `text`. Returns what follows them; NULL when there are none, or the number does not fit,
 * and `*number` is 0 then. Safe in signal handlers. */
const char *number_parse(const char *text, uint64_t *number);

struct number_text {
    char bytes[32];
};

/* As printf's %.*f and %.*g, but with a point in every locale: the program may choose one for the process, or for the calling
 * thread. What does not fit is cut off. */
struct number_text number_fixed(double number, int decimals);
struct number_text number_general(double number, int digits);

#endif
