/* flight_dump.h - finds dumps of PyTorch's flight recorder among a command's files; Python reads
 * them. */
#ifndef PROF_FLIGHT_DUMP_H
#define PROF_FLIGHT_DUMP_H

#include <stdbool.h>

/* True if one of the arguments is such a dump, or a directory that contains one. Ignores arguments
 * that are not files. */
bool flight_dump_is_among(char *const *words, int count);

#endif
