/* flight_dump.h - dumps of PyTorch's flight recorder among the files of a command: Python reads
 * them. */
#ifndef PROF_FLIGHT_DUMP_H
#define PROF_FLIGHT_DUMP_H

#include <stdbool.h>

/* Whether one of the words is such a file, or a directory with one. Words that are no files are
 * passed over. */
bool flight_dump_is_among(char *const *words, int count);

#endif
