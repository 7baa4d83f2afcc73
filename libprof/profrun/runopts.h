/* runopts.h - profrun's command line, and what it answers. */
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

/* ---- messages to the user: always on stderr, always one line each; in runhelp.c, too ---- */

/* Exit statuses of profrun's own; otherwise it ends as the program did. */
enum profrun_status {
    STATUS_USAGE = 2,            /* the command line is wrong */
    STATUS_ENDED = 123,          /* a signal ended the process that profrun was attached to */
    STATUS_INTERNAL = 125,       /* the system refused what profrun itself needed */
    STATUS_NOT_EXECUTABLE = 126, /* as env(1) and nohup(1) */
    STATUS_NOT_FOUND = 127,
};

/* Writes "profrun: <text>\n". Control characters become '?': names come from outside and must not
 * drive the terminal. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns `text` quoted for a shell where it needs to be, in a new string (the caller frees), or
 * NULL. */
char *message_quote(const char *text);

/* ---- outpath.c: the -o pattern ---- */

/* It is checked before hours of running depend on it.
 *
 * The library replaces the % signs in each process, since only there the process id and the
 * program's name are known. profrun makes the pattern absolute (the program may change its
 * directory before its first event), refuses what cannot work or would overwrite another file, and
 * keeps a previous recording of that name as FILE.old.
 */

/* Returns 0 and the absolute pattern in *absolute (the caller frees), or the status to exit with,
 * having said why. A recording that the pattern names is renamed to FILE.old; with `force`, the
 * recording is removed. */
int outpath_prepare(const char *pattern, bool force, char **absolute);

#endif
