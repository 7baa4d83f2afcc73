/* runreport.h - after the program: which files were written, and the table of what is in them.
 *
 * The library appends the path of every file it makes, a line each, to the file PROF_SESSION_FILE names. So
 * also what the program's children recorded is found. A process that records nothing leaves no trace, but for
 * a word that says why, where it knows: runnothing.h.
 */
#ifndef PROFRUN_RUNREPORT_H
#define PROFRUN_RUNREPORT_H

#include "runopts.h"

struct runreport {
    char *
        session_path; /* the file the library writes names to; removed by runreport_fini(); owned */
};

/* Makes the session file. False: said why. runreport_fini() accepts what a failed call left. */
bool runreport_init(struct runreport *report);
void runreport_fini(struct runreport *report);

/* Says what the program, which ended with `status` (waitpid's), recorded, and prints the table unless the
 * options say otherwise. Why nothing was recorded is said only where something was `expected`. */
void runreport_show(const struct runreport *report, const struct runopts *options, int status,
                    bool expected);

#endif
