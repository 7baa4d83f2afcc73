/* runreport.h - after the program: which files were written, and the table of what is in them.
 *
 * The library appends the path of every file it makes, a line each, to the file PROF_SESSION_FILE
 * names. So profrun also finds what the program's children recorded. A process that records nothing
 * makes no file; it appends the reason, if it can tell.
 */
#ifndef PROFRUN_RUNREPORT_H
#define PROFRUN_RUNREPORT_H

#include "runopts.h"

#include <stdbool.h>
#include <stddef.h>

struct runreport {
    char *
        session_path; /* the file the library writes names to; removed by runreport_fini(); owned */
};

/* Makes the session file. False: said why. runreport_fini() accepts what a failed call left. */
bool runreport_init(struct runreport *report);
void runreport_fini(struct runreport *report);

/* Prints which files were written and, unless the options say otherwise, the table. If there are
 * none and a recording was `expected`, prints why; `status` is waitpid's. */
void runreport_show(const struct runreport *report, const struct runopts *options, int status,
                    bool expected);

/* Whether the program ran with PROF_SAMPLE or PROF_HANG, which are off by default. */
bool runreport_has(const char *variable);

/* ---- runnothing.c: why a program recorded nothing, and what to do about it: two lines ---- */

/* The reason that libprof gave in a process (entry.h). Of several processes, the one that came
 * closest to a recording counts: the largest value. */
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

/* ---- runtable.c ----
 *
 * The table of key averages, printed by the profdump that lies beside profrun. */

/* Whether profdump takes the table's options: finds a wrong column before hours of running, not
 * after. profdump prints the error. */
bool runtable_accepts(const struct runopts *options);

/* Runs the profdump that lies beside profrun with its stdout on `out`; `argv` begins with its name.
 * Returns its exit status, 127 when it could not be run. */
int runtable_profdump(const char **argv, int out);

/* Prints it on stderr: stdout belongs to the program. Says one line when profdump is not there. */
void runtable_print(char *const *paths, size_t count, const struct runopts *options);

#endif
