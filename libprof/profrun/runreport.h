/* runreport.h - after the program: which files were written, and the table of what is in them.
 *
 * The library appends the path of every file it makes, a line each, to the file PROF_SESSION_FILE names. So
 * profrun also finds what the program's children recorded. A process that records nothing makes no file; it
 * appends the reason, if it can tell: runnothing.h.
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

/* Prints which files were written and, unless the options say otherwise, the table. If there are none and a
 * recording was `expected`, prints why; `status` is waitpid's. */
void runreport_show(const struct runreport *report, const struct runopts *options, int status,
                    bool expected);

#endif
