/* runnothing.h - why a program recorded nothing, and what to do about it: two lines. */
#ifndef PROFRUN_RUNNOTHING_H
#define PROFRUN_RUNNOTHING_H

#include "runopts.h"

/* What the library says of a process in which it was loaded (report.h). Of several processes, the one that
 * came closest to a recording is believed: the largest. */
enum runnothing {
    RUNNOTHING_UNKNOWN, /* nobody said anything: there is no CUDA library in the process */
    RUNNOTHING_OFF,     /* recording was never switched on */
    RUNNOTHING_COLD,    /* a CUDA library is loaded, but was not initialised */
    RUNNOTHING_IDLE,    /* it was, and did nothing that is recorded */
    RUNNOTHING_REFUSED, /* the same, without CUPTI */
    RUNNOTHING_FAILED,  /* the trace file could not be made */
};

/* What is known with one more line of the session file; `so_far` if it says nothing. */
enum runnothing runnothing_read(const char *line, enum runnothing so_far);

/* Says it of the program, which ended with `status` (waitpid's). */
void runnothing_say(const struct runopts *options, enum runnothing why, int status);

#endif
