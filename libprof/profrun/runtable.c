#include "runreport.h"

#include "runopts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Before the paths: profdump --rows N --sort COLUMN -- */
enum { RUNTABLE_OPTIONS_MAX = 6 };

static bool runtable_find_profdump(char path[PATH_MAX])
{
    static const char name[] = "profdump";
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof name);
    if (length <= 0)
        return false;
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, name);
    return access(path, X_OK) == 0;
}

static const char **runtable_add_options(const char **next, const struct runopts *options)
{
    *next++ = "profdump";
    if (options->rows) {
        *next++ = "--rows";
        *next++ = options->rows;
    }
    if (options->sort) {
        *next++ = "--sort";
        *next++ = options->sort;
    }
    return next;
}

/* Runs profdump with its stdout on `out`. Returns its exit status, 127 when it could not be run. */
static int runtable_run(const char *profdump, const char **argv, int out)
{
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(out, STDOUT_FILENO);
        execv(profdump, (char *const *)(void *)argv);
        _exit(127);
    }
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

int runtable_profdump(const char **argv, int out)
{
    char profdump[PATH_MAX];
    return runtable_find_profdump(profdump) ? runtable_run(profdump, argv, out) : 127;
}

bool runtable_accepts(const struct runopts *options)
{
    char profdump[PATH_MAX];
    const char *argv[RUNTABLE_OPTIONS_MAX + 2] = {NULL};
    if (!runtable_find_profdump(profdump))
        return true; /* runtable_print() will say so */
    *runtable_add_options(argv, options) = "--version";
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const int status = runtable_run(profdump, argv, nowhere);
    close(nowhere);
    return status != STATUS_USAGE;
}

void runtable_print(char *const *paths, size_t count, const struct runopts *options)
{
    char profdump[PATH_MAX];
    if (!runtable_find_profdump(profdump)) {
        message("no table: profdump is not in profrun's directory");
        return;
    }
    const char **argv = calloc(count + RUNTABLE_OPTIONS_MAX + 1, sizeof *argv);
    if (!argv)
        return;
    const char **next = runtable_add_options(argv, options);
    *next++ = "--";
    memcpy(next, paths, count * sizeof *next);
    if (runtable_run(profdump, argv, STDERR_FILENO) == 127)
        message("cannot run %s", profdump);
    free(argv);
}
