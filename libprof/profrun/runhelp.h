/* runhelp.h - the answers profrun prints on stdout instead of running anything. */
#ifndef PROFRUN_RUNHELP_H
#define PROFRUN_RUNHELP_H

#include "runopts.h"

/* Each returns RUNOPTS_DONE, or RUNOPTS_WRONG when stdout could not be written. */
enum runopts_verdict runhelp_usage(void);
enum runopts_verdict runhelp_version(void);

/* The PROF_* variables, from the recorder's own table. */
enum runopts_verdict runhelp_env(void);

#endif
