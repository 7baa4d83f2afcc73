/* itt_number.h - reads and prints numbers of ITT's types. */
#ifndef PROF_ITT_NUMBER_H
#define PROF_ITT_NUMBER_H

#include "itt_abi.h"

#include "annotate.h"

#include <stdbool.h>

/* Reads the number of enum itt_type at `data`, which need not be aligned. False: unknown type. */
bool itt_number_read(int type, const void *data, struct attr_value *value);

/* May round: see arch_float_hold(). */
double itt_number_double(const struct attr_value *value);

/* "[1, 2, 3]" of `count` numbers of a known type, cut to `room` bytes with a terminator. Returns
 * the bytes without it. */
size_t itt_number_list(int type, size_t count, const void *data, char *text, size_t room);

#endif
