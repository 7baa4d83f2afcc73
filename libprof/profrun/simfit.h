/* simfit.h - whether a program can run on the simulated CUDA of --sim. */
#ifndef PROFRUN_SIMFIT_H
#define PROFRUN_SIMFIT_H

/* Returns 0, or prints why not and what to do, and returns a status to exit with. `path` is a
 * program; what it loads by itself later is not known here. */
int simfit_check(const char *path);

#endif
