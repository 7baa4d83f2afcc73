/* runtable.h - the table of key averages, printed by the profdump that lies beside profrun. */
#ifndef PROFRUN_RUNTABLE_H
#define PROFRUN_RUNTABLE_H

#include "runopts.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether profdump takes the table's options: a wrong column shall be found before hours of running, not after.
 * profdump itself says what is wrong. */
bool runtable_accepts(const struct runopts *options);

/* Runs the profdump that lies beside profrun with its stdout on `out`; `argv` begins with its name.
 * Returns its exit status, 127 when it could not be run. */
int runtable_profdump(const char **argv, int out);

/* Prints it on stderr: stdout belongs to the program. Says one line when profdump is not there. */
void runtable_print(char *const *paths, size_t count, const struct runopts *options);

#endif
