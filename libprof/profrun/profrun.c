/* profrun.c - profrun - runs a program with libprof preloaded and shows what was recorded.
 *
 * Reading order of a run: runopts (command line), outpath (-o), target (the program), simfit
 * (--sim), preload (its environment), child (running it), runreport, runtable and runnothing
 * (afterwards). With --attach, attach.h.
 */
#include "attach.h"
#include "doctor.h"
#include "runopts.h"
#include "runreport.h"
#include "target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_doctor(const struct runopts *options)
{
    struct preload preload;
    int status = preload_init(&preload, options->sim);
    if (status == 0)
        status = doctor_run(&preload, options);
    preload_fini(&preload);
    return status;
}

static int run_attach(const struct runopts *options)
{
    struct preload preload;
    int status = preload_init(&preload, false);
    if (status == 0 && (options->rows || options->sort) && !runtable_accepts(options))
        status = STATUS_USAGE;
    if (status == 0)
        status = attach_run(&preload, options);
    preload_fini(&preload);
    return status;
}

/* Everything one run needs. */
struct run {
    struct runopts options;
    struct target target;
    struct preload preload;
    struct runreport report;
    char *output; /* -o made absolute, or NULL */
};

/* Checks in the order in which a person corrects: the program, the file, the installation. */
static int run_init(struct run *run)
{
    int status = target_init(&run->target, run->options.program[0]);
    if (status == 0)
        status = preload_init(&run->preload, run->options.sim);
    if (status == 0 && run->options.sim && run->target.kind == TARGET_ORDINARY)
        status = simfit_check(run->target.path);
    const bool table_options = run->options.rows || run->options.sort;
    if (status == 0 && table_options && !runtable_accepts(&run->options))
        status = STATUS_USAGE;
    if (status == 0 && run->options.output)
        status = outpath_prepare(run->options.output, run->options.force, &run->output);
    if (status == 0 && run->target.kind != TARGET_ORDINARY) {
        message("%s; running it without recording", run->target.reason);
        message("%s", run->target.remedy);
    }
    return status;
}

static void run_fini(struct run *run)
{
    runreport_fini(&run->report);
    preload_fini(&run->preload);
    target_fini(&run->target);
    free(run->output);
}

/* The program's environment. Also a static or privileged program gets it: what it starts can be
 * recorded. In a foreign one the loader would only complain. */
static bool run_set_environment(const struct run *run)
{
    unsetenv("PROF_LIBRARY");
    if (run->target.kind != TARGET_FOREIGN && !preload_set_library(&run->preload))
        return false;
    /* The simulated libraries come after libprof, as the real ones do: it stands before some of
     * their functions. */
    if (run->options.sim && !preload_set_sim(&run->preload, run->options.sim_layout))
        return false;
    if (run->output && setenv("PROF_OUTPUT", run->output, 1) != 0)
        return false;
    if (run->report.session_path && setenv("PROF_SESSION_FILE", run->report.session_path, 1) != 0)
        return false;
    return setenv("PROF_TABLE", "0", 1) == 0; /* profrun prints it, or nobody shall */
}

static int run_print_failure(const struct run *run, int error)
{
    if (error == ENOENT) {
        message("%s: its interpreter does not exist", run->target.path);
        return STATUS_NOT_FOUND;
    }
    message("cannot execute %s: %s", run->target.path, strerror(error));
    return error == EAGAIN || error == ENOMEM ? STATUS_INTERNAL : STATUS_NOT_EXECUTABLE;
}

/* Returns only on failure, with errno set. */
static void run_exec(void *context)
{
    const struct run *run = context;
    if (run_set_environment(run))
        target_execute(&run->target, run->options.program);
}

/* With nothing to say afterwards there is no need to stay: job managers then deal with the program
 * itself. */
static int run_replace(struct run *run)
{
    run_exec(run);
    return run_print_failure(run, errno);
}

static void run_print_signal(int status)
{
    if (WIFSIGNALED(status)) {
        const int number = WTERMSIG(status);
        message("the program was killed by signal %d (%s)%s", number, strsignal(number),
                WCOREDUMP(status) ? ", core dumped" : "");
    }
}

/* Returns a status only when the program could not be started. */
static int run_and_report(struct run *run)
{
    if (!runreport_init(&run->report))
        return STATUS_INTERNAL;
    struct child child;
    const int error = child_start(&child, run_exec, run);
    if (error)
        return run_print_failure(run, error);
    const int status = child_wait(&child);
    run_print_signal(status);
    runreport_show(&run->report, &run->options, status, run->target.kind == TARGET_ORDINARY);
    run_fini(run);
    child_imitate(status);
}

int main(int argc, char **argv)
{
    struct run run = {0};
    switch (runopts_parse(argc, argv, &run.options)) {
    case RUNOPTS_DONE:
        return 0;
    case RUNOPTS_WRONG:
        return STATUS_USAGE;
    case RUNOPTS_RUN:
        break;
    }
    if (run.options.doctor)
        return run_doctor(&run.options);
    if (run.options.attach)
        return run_attach(&run.options);
    int status = run_init(&run);
    if (status == 0)
        status = run.options.quiet ? run_replace(&run) : run_and_report(&run);
    run_fini(&run);
    return status;
}
