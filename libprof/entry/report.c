/* report.c - what the recorded process prints at exit: the key averages, printed by profdump in a
 * child process, and the path of the trace.
 */
#define _GNU_SOURCE
#include "entry.h"

#include "config.h"
#include "log.h"
#include "memory.h"
#include "meta.h"
#include "own_files.h"
#include "own_thread.h"
#include "recorder.h"
#include "session.h"
#include "signals.h"

#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* profdump needs up to eight times the file's size in memory; the program's cgroup may have no more
 * left. */
#define REPORT_BYTES_MAX (64ll << 20)

#define REPORT_DESCRIPTORS_MAX 1023u /* higher ones are not looked at */

/* ---- the table ---- */

struct report_command {
    const char *program;
    char *const *arguments;
    char **environment;
};

/* Below the build folder or an installation prefix, also in a folder of an architecture, and in a
 * wheel. */
static bool report_find_profdump(char *path, size_t path_bytes)
{
    static const char *const places[] = {"../bin/profdump", "../../bin/profdump", "profdump"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (reader_beside(places[i], path, path_bytes) && access(path, X_OK) == 0)
            return true;
    return false;
}

/* In a child: its signal handlers are a copy, but would run on the program's memory. */
static void report_drop_handlers(void)
{
    struct sigaction handler;
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        if (sigaction(number, NULL, &handler) == 0 && handler.sa_handler != SIG_IGN)
            signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static int report_execute(void *argument)
{
    const struct report_command *command = argument;
    if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        execve(command->program, command->arguments, command->environment);
    return 127;
}

/* A process that has executed a program raises SIGCHLD when it ends, whatever it was made with: so
 * the program's child executes none, but has a child that does. */
static int report_supervise(void *argument)
{
    int status = 0;
    report_drop_handlers();
    pid_t child = own_child_run(report_execute, argument);
    if (child > 0 && !own_child_await(child, REPORT_MS, &status)) {
        kill(child, SIGKILL);
        own_child_await(child, REPORT_MS, &status);
    }
    return child > 0 && status == 0 ? 0 : 1;
}

static void report_run(struct report_command *command)
{
    struct signals_saved saved;
    signals_block(&saved);
    pid_t child = own_child_run(report_supervise, command);
    if (child > 0)
        own_child_await(child, REPORT_MS, NULL);
    signals_restore(&saved);
}

static bool report_is_small_enough(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_size <= REPORT_BYTES_MAX;
}

#define REPORT_VARIABLES 4096u

/* The process's own without preloaded libraries: profdump must not be recorded. */
static char **report_environment(void)
{
    static char **variables;
    size_t count = 0;
    if (!MEMORY_ONCE(&variables, REPORT_VARIABLES))
        return NULL;
    for (char **own = environ; own && *own && count + 1 < REPORT_VARIABLES; own++)
        if (strncmp(*own, "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0)
            variables[count++] = *own;
    variables[count] = NULL;
    return variables;
}

static bool report_can_have_child(void)
{
    return !own_thread_sanitized() && !own_child_would_be_first() &&
           !own_files_closing_matters(REPORT_DESCRIPTORS_MAX);
}

static void report_print_table(const char *path)
{
    char program[PATH_MAX], rows[32];
    if (!report_is_small_enough(path) || !report_can_have_child() ||
        !report_find_profdump(program, sizeof program))
        return;
    snprintf(rows, sizeof rows, "--rows=%u", (unsigned)config_get()->table_rows);
    char *const arguments[] = {program, rows, (char *)(uintptr_t) "--", (char *)(uintptr_t)path,
                               NULL};
    struct report_command command = {program, arguments, report_environment()};
    report_run(&command);
}

static void report_print_path(const char *path)
{
    char line[3 * PATH_MAX + 128];
    int length = snprintf(
        line, sizeof line,
        "libprof: wrote %s; 'profdump %s' prints the table, 'profdump --chrome out.json %s' writes "
        "the timeline\n",
        path, path, path);
    if (length > 0 && (size_t)length < sizeof line)
        log_write(line, (size_t)length);
}

void report_at_exit(void)
{
    const char *path = session_path();
    if (!*path || !config_get()->table)
        return;
    report_print_table(path);
    report_print_path(path);
}

/* ---- why no GPU was recorded, or nothing at all ---- */

struct report_cuda {
    bool runtime, driver; /* is loaded */
};

static int report_see_library(struct dl_phdr_info *info, size_t size, void *user)
{
    struct report_cuda *cuda = user;
    (void)size;
    cuda->runtime |= info->dlpi_name && strstr(info->dlpi_name, "/libcudart.so");
    cuda->driver |= info->dlpi_name && strstr(info->dlpi_name, "/libcuda.so");
    return 0;
}

static struct report_cuda report_find_cuda(void)
{
    struct report_cuda cuda = {false, false};
    dl_iterate_phdr(report_see_library, &cuda);
    return cuda;
}

void report_state_gpu(void)
{
    struct session_status status;
    session_describe(&status);
    if (status.gpu_mode != PROF_GPU_NONE || *status.gpu_reason)
        return;
    const struct report_cuda cuda = report_find_cuda();
    recorder_set_gpu_mode(PROF_GPU_NONE,
                          !config_get()->cuda ? "PROF_CUDA=0 turns it off"
                          : cuda.driver
                              ? "the program loaded the CUDA driver, but did not initialise it"
                          : cuda.runtime ? "the CUDA runtime found no driver (libcuda.so.1)"
                                         : "the program loaded no CUDA library");
}

static const char *report_find_reason(void)
{
    struct session_status status;
    session_describe(&status);
    if (!status.windows)
        return "# off";
    if (loss_get(PROF_LOSS_IO))
        return "# failed";
    if (status.gpu_mode == PROF_GPU_UNAVAILABLE || status.gpu_mode == PROF_GPU_EVENTS)
        return "# refused";
    if (status.gpu_mode != PROF_GPU_NONE)
        return "# idle";
    const struct report_cuda cuda = report_find_cuda();
    return cuda.runtime || cuda.driver ? "# cold" : NULL;
}

void report_no_trace(void)
{
    bool is_wanted = *config_get()->session_file && !*session_path();
    const char *why = is_wanted ? report_find_reason() : NULL;
    if (why)
        session_announce(why);
}

/* ---- Python that did not start libprof's part ---- */

/* The flags are variables of the interpreter. */
static bool report_python_has(const char *flag)
{
    const int *value = dlsym(RTLD_DEFAULT, flag);
    return value && *value;
}

void report_unstarted_python(void)
{
    if (!*config_get()->session_file || !secure_getenv("LIBPROF_STARTUP"))
        return;
    if (report_python_has("Py_IsolatedFlag"))
        session_announce("# python -I");
    else if (report_python_has("Py_IgnoreEnvironmentFlag"))
        session_announce("# python -E");
    else if (report_python_has("Py_NoSiteFlag"))
        session_announce("# python -S");
}
