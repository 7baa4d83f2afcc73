/* outpath.h - the -o pattern: checked before hours of running depend on it.
 *
 * The library replaces the % signs in each process, since only there the process id and the
 * program's name are known. profrun makes the pattern absolute (the program may change its
 * directory before its first event), refuses what cannot work or would overwrite another file, and
 * keeps a previous recording of that name as FILE.old.
 */
#ifndef PROFRUN_OUTPATH_H
#define PROFRUN_OUTPATH_H

#include <stdbool.h>

/* Returns 0 and the absolute pattern in *absolute (the caller frees), or the status to exit with,
 * having said why. A recording that the pattern names is renamed to FILE.old; with `force`, the
 * recording is removed. */
int outpath_prepare(const char *pattern, bool force, char **absolute);

#endif
