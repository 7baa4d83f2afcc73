/* runopts.h - profrun's command line. */
#ifndef PROFRUN_RUNOPTS_H
#define PROFRUN_RUNOPTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct runopts {
    const char *output;     /* -o; NULL: the library's own default */
    const char *sim_layout; /* --sim=LAYOUT; NULL: the simulation's own default */
    const char *rows;       /* --rows; NULL: profdump's default */
    const char *sort;       /* --sort; NULL: profdump's default */
    bool force;             /* --force */
    bool sim;               /* --sim */
    bool table;             /* false after --no-table */
    bool quiet;             /* -q */
    bool doctor;            /* --doctor: there may be no program */
    pid_t attach;           /* --attach: there is no program; 0: not given */
    uint64_t for_ms;        /* --for; 0: until it is stopped */
    char **program;         /* the program and its arguments, NULL-terminated; inside argv */
};

enum runopts_verdict {
    RUNOPTS_RUN,   /* run options->program */
    RUNOPTS_DONE,  /* the answer was printed: exit 0 */
    RUNOPTS_WRONG, /* said why: exit STATUS_USAGE */
};

/* Reads the command line up to the program's name. -e NAME=VALUE takes effect here and now, in this
 * process' environment, from where the program inherits it. */
enum runopts_verdict runopts_parse(int argc, char **argv, struct runopts *options);

/* ---- runhelp.c: the answers profrun prints on stdout instead of running anything ---- */

/* Each returns RUNOPTS_DONE, or RUNOPTS_WRONG when stdout could not be written. */
enum runopts_verdict runhelp_usage(void);
enum runopts_verdict runhelp_version(void);

/* The PROF_* variables, from the recorder's own table. */
enum runopts_verdict runhelp_env(void);

#endif
