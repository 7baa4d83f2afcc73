#include "runreport.h"

#include "runopts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A job of many processes need not fill the screen with names. */
enum { RUNREPORT_NAMES_MAX = 8 };

static const char *runreport_directory(void)
{
    static const char *const variables[] = {"XDG_RUNTIME_DIR", "TMPDIR"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *directory = getenv(variables[i]);
        if (directory && *directory == '/' && access(directory, W_OK | X_OK) == 0)
            return directory;
    }
    return "/tmp";
}

bool runreport_init(struct runreport *report)
{
    *report = (struct runreport){0};
    if (asprintf(&report->session_path, "%s/profrun.XXXXXX", runreport_directory()) < 0) {
        report->session_path = NULL;
        return false;
    }
    const int file = mkostemp(report->session_path, O_CLOEXEC); /* mode 0600 */
    if (file < 0) {
        message("cannot make %s: %s", report->session_path, strerror(errno));
        free(report->session_path);
        report->session_path = NULL;
        return false;
    }
    close(file);
    return true;
}

void runreport_fini(struct runreport *report)
{
    if (report->session_path) {
        unlink(report->session_path);
        free(report->session_path);
        report->session_path = NULL;
    }
}

/* The recordings that still exist, NULL-terminated. */
struct runreport_files {
    char **paths;
    size_t count;
    enum runnothing why; /* if there are none */
    size_t unstarted;    /* Python processes that did not import startup/sitecustomize.py */
    char flag;           /* of the last of these */
};

/* A name may be given to a later file: session_file.c. */
static bool runreport_knows(const struct runreport_files *files, const char *path)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->paths[i], path) == 0)
            return true;
    return false;
}

static bool runreport_add(struct runreport_files *files, const char *path)
{
    char **grown = realloc(files->paths, (files->count + 2) * sizeof *grown);
    if (!grown)
        return false;
    files->paths = grown;
    files->paths[files->count] = strdup(path);
    if (!files->paths[files->count])
        return false;
    files->paths[++files->count] = NULL;
    return true;
}

/* See report_unstarted_python(). */
static void runreport_read_python(struct runreport_files *files, const char *line)
{
    static const char prefix[] = "# python -";
    if (strncmp(line, prefix, sizeof prefix - 1) != 0)
        return;
    files->flag = line[sizeof prefix - 1];
    files->unstarted++;
}

static void runreport_read(struct runreport_files *files, const char *session_path)
{
    FILE *session = fopen(session_path, "re");
    char *line = NULL;
    size_t size = 0;
    bool going = session != NULL;
    while (going && getline(&line, &size, session) > 0) {
        line[strcspn(line, "\n")] = '\0';
        files->why = runnothing_read(line, files->why);
        runreport_read_python(files, line);
        going =
            access(line, F_OK) != 0 || runreport_knows(files, line) || runreport_add(files, line);
    }
    free(line);
    if (session)
        fclose(session);
}

static void runreport_free(struct runreport_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
}

/* `path` as a person standing here would type it: relative below the current directory. */
static const char *runreport_shown(const char *path)
{
    char *here = get_current_dir_name();
    const size_t length = here ? strlen(here) : 0;
    const bool below = length > 1 && strncmp(path, here, length) == 0 && path[length] == '/' &&
                       path[length + 1] != '-';
    free(here);
    return below ? path + length + 1 : path;
}

static void runreport_format_size(char *text, size_t size, const char *path)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    struct stat facts;
    double amount = stat(path, &facts) == 0 ? (double)facts.st_size : 0.0;
    size_t unit = 0;
    while (amount >= 1024.0 && unit + 1 < sizeof units / sizeof *units) {
        amount /= 1024.0;
        unit++;
    }
    snprintf(text, size, "%.*f %s", unit == 0 ? 0 : 1, amount, units[unit]);
}

bool runreport_has(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0 && strcmp(value, "off") != 0;
}

static void runreport_print_one(const char *path)
{
    char size[32];
    runreport_format_size(size, sizeof size, path);
    const char *shown = runreport_shown(path);
    char *quoted = message_quote(shown);
    const char *typed = quoted ? quoted : shown;
    message("wrote %s (%s)", shown, size);
    message("'profdump %s' shows the table, --chrome out.json writes the timeline", typed);
    if (runreport_has("PROF_SAMPLE"))
        message("'profdump stacks --cpu %s' shows the samples", typed);
    free(quoted);
}

static void runreport_print_many(const struct runreport_files *files)
{
    message("wrote %zu files, one per process; profdump reads them together", files->count);
    for (size_t i = 0; i < files->count && i < RUNREPORT_NAMES_MAX; i++) {
        char size[32];
        runreport_format_size(size, sizeof size, files->paths[i]);
        message("  %s (%s)", runreport_shown(files->paths[i]), size);
    }
    if (files->count > RUNREPORT_NAMES_MAX)
        message("  and %zu more", files->count - RUNREPORT_NAMES_MAX);
}

static void runreport_print_python(const struct runreport_files *files)
{
    message("%zu Python process%s ran with -I, -E or -S (last: -%c)", files->unstarted,
            files->unstarted == 1 ? "" : "es", files->flag);
    message("--torch and --python-calls recorded nothing there");
}

void runreport_show(const struct runreport *report, const struct runopts *options, int status,
                    bool expected)
{
    struct runreport_files files = {0};
    runreport_read(&files, report->session_path);
    if (files.count > 0 && WIFEXITED(status) && WEXITSTATUS(status) != 0)
        message("the program exited with status %d", WEXITSTATUS(status));
    if (files.count > 0 && options->table)
        runtable_print(files.paths, files.count, options);
    if (files.count == 1)
        runreport_print_one(files.paths[0]);
    else if (files.count > 1)
        runreport_print_many(&files);
    else if (expected)
        runnothing_print(options, files.why, status);
    if (files.unstarted)
        runreport_print_python(&files);
    runreport_free(&files);
}
