/* runnothing.h - why a program recorded nothing, and what to do about it: two lines. */
#ifndef PROFRUN_RUNNOTHING_H
#define PROFRUN_RUNNOTHING_H

#include "runopts.h"

/* The reason that libprof gave in a process (report.h). Of several processes, the one that came closest to a
 * recording counts: the largest value. */
enum runnothing {
    RUNNOTHING_UNKNOWN, /* no reason given: there is no CUDA library in the process */
    RUNNOTHING_OFF,     /* recording was never switched on */
    RUNNOTHING_COLD,    /* a CUDA library was loaded, but CUDA was not initialised */
    RUNNOTHING_IDLE,    /* CUDA was initialised, but did nothing that is recorded */
    RUNNOTHING_REFUSED, /* CUDA was initialised without CUPTI */
    RUNNOTHING_FAILED,  /* the trace file could not be made */
};

/* The larger of `so_far` and the reason in a line of the session file, if it has one. */
enum runnothing runnothing_read(const char *line, enum runnothing so_far);

/* Prints the reason and what to do; `status` is waitpid's. */
void runnothing_print(const struct runopts *options, enum runnothing why, int status);

#endif
