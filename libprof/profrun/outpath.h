/* outpath.h - the -o pattern: checked before hours of running depend on it.
 *
 * The library replaces the % signs in each process, since only there the process id and the program's name
 * are known. profrun makes the pattern absolute (the program may change its directory before its first
 * event) and refuses what cannot work or would overwrite a file.
 */
#ifndef PROFRUN_OUTPATH_H
#define PROFRUN_OUTPATH_H

#include <stdbool.h>

/* Returns 0 and the absolute pattern in *absolute (the caller frees), or the status to exit with, having
 * said why. With `force`, removes a recording or an empty file that the pattern names. */
int outpath_prepare(const char *pattern, bool force, char **absolute);

#endif
