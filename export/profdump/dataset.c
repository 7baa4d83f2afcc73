/* dataset.c - see dataset.h.
 *
 * Python writes the ranks into a file without a name, so that whatever ends either program leaves
 * nothing behind. What it writes is described in python_shim/libprof/fleet/_trace.py.
 */
#include "dataset.h"

#include "profdump.h"
#include "spool.h"
#include "trace_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* sys.argv is "-c", the directory of profdump, the command and its words. An installed package has
 * priority over that of the build directory. The working directory, which Python searches first,
 * may be anybody's. */
static char start[] =
    "import os, sys\n"
    "sys.path[:1] = sys.path[:1] if sys.path[0] else []\n"
    "sys.path.append(os.path.join(sys.argv.pop(1), '..', 'share', 'libprof', 'python'))\n"
    "try:\n"
    "    from libprof.__main__ import own_command\n"
    "    if sys.argv[1] not in ('snapshot', 'origins', 'hang', 'mcp'):\n"
    "        import libprof.fleet._cli\n"
    "except ImportError as error:\n"
    "    whats = {'trace': 'a dataset', 'hang': 'a flight recorder dump'}\n"
    "    what = whats.get(sys.argv[1], repr(sys.argv[1]))\n"
    "    sys.exit(f\"profdump: {what} needs libprof's Python package, which is not on any package "
    "index: build it with './dev wheel', then pip install dist/libprof-*.whl ({error})\")\n"
    "sys.exit(own_command(sys.argv[1], sys.argv[2:]))\n";

static char python[] = "python3", option[] = "-c";
#define FIRST_WORD 4u /* behind these three and the directory */

/* ---- a command of the package ---- */

/* The directory of this program. */
static void find_own_directory(char path[PATH_MAX])
{
    ssize_t size = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

int dataset_become_python(int count, char **words)
{
    char **arguments = calloc((size_t)count + FIRST_WORD + 1, sizeof *arguments);
    char directory[PATH_MAX];
    if (!arguments) {
        complain("%s: %s", words[0], strerror(ENOMEM));
        return EXIT_FAILURE;
    }
    arguments[0] = python;
    arguments[1] = option;
    arguments[2] = start;
    find_own_directory(directory);
    arguments[3] = directory;
    char **to = arguments + FIRST_WORD;
    memcpy(to, words, (size_t)count * sizeof *words);
    for (int i = 1; i < count; i++) {
        struct read_error error;
        if (!spool_input(words[i], &error)) {
            complain("%s", error.message);
            free(arguments);
            return EXIT_FAILURE;
        }
        char *copy = spool_inherit(words[i]);
        to[i] = copy ? copy : words[i];
    }
    setenv("LIBPROF_BIN", directory, 0); /* the package asks this profdump, not another one */
    execvp(python, arguments);
    complain("%s: cannot run python3: %s", words[0], strerror(errno));
    free(arguments);
    return EXIT_FAILURE;
}

/* ---- reading ---- */

bool dataset_is(const char *path)
{
    char file[PATH_MAX];
    struct stat status;
    int size = snprintf(file, sizeof file, "%s/dataset.json", path);
    return size > 0 && (size_t)size < sizeof file && stat(file, &status) == 0;
}

/* 0, or what posix_spawn() returned. */
static int spawn(char **arguments, int out, int said, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure)
        return failure;
    failure = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    failure = failure ? failure : posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    failure = failure ? failure : posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
    failure = failure ? failure : posix_spawnp(child, python, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

/* The exit status of Python; -1: it did not run, or was killed, and `error` says so. */
static int run_python(const char *path, const struct dataset_choice *choice, int out, int said,
                      struct read_error *error)
{
    static char command[] = "trace", rank[] = "--rank", one_clock[] = "--one-clock", end[] = "--";
    char directory[PATH_MAX];
    char *arguments[FIRST_WORD + 2 * DATASET_LISTS_MAX + 5] = {python, option, start, directory,
                                                               command};
    size_t count = FIRST_WORD + 1;
    pid_t child;
    int status;
    for (unsigned i = 0; i < choice->count; i++) {
        arguments[count++] = rank;
        arguments[count++] = (char *)(uintptr_t)choice->ranks[i];
    }
    if (choice->one_clock)
        arguments[count++] = one_clock;
    arguments[count++] = end;
    arguments[count] = (char *)(uintptr_t)path;
    find_own_directory(directory);
    int failure = spawn(arguments, out, said, &child);
    if (failure) {
        trace_error(error, path, "a dataset needs python3, which cannot be run: %s",
                    strerror(failure));
        return -1;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) {
            trace_error(error, path, "%s", strerror(errno));
            return -1;
        }
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    trace_error(error, path, "python3 was ended by signal %d while it read the dataset",
                WTERMSIG(status));
    return -1;
}

/* NULL: there is nothing, or no memory. */
static char *read_said(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || status.st_size == 0)
        return NULL;
    char *said = malloc((size_t)status.st_size + 1);
    ssize_t size = said ? pread(descriptor, said, (size_t)status.st_size, 0) : -1;
    if (size > 0) {
        said[size] = '\0';
        return said;
    }
    free(said);
    return NULL;
}

/* The last sentence is what ended it; profdump's name is put before it again. */
static void repeat_last(char *said, const char *path, struct read_error *error)
{
    static const char name[] = "profdump: ";
    char *line = NULL, *rest = NULL;
    for (char *at = said ? strtok_r(said, "\n", &rest) : NULL; at; at = strtok_r(NULL, "\n", &rest))
        line = at;
    if (!line)
        trace_error(error, path, "python3 could not read the dataset");
    else
        snprintf(error->message, sizeof error->message, "%s",
                 strncmp(line, name, sizeof name - 1) == 0 ? line + sizeof name - 1 : line);
}

static bool map_text(int descriptor, const char *path, struct dataset_text *text,
                     struct read_error *error)
{
    struct stat status;
    void *bytes = MAP_FAILED;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0)
        bytes =
            mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    if (bytes == MAP_FAILED) {
        trace_error(error, path, "python3 wrote nothing that can be read");
        return false;
    }
    text->bytes = bytes;
    text->size = (size_t)status.st_size;
    return true;
}

static bool read_into(const char *path, const struct dataset_choice *choice, int out, int said,
                      struct dataset_text *text, struct read_error *error)
{
    int status = run_python(path, choice, out, said, error);
    if (status < 0)
        return false;
    text->said = read_said(said);
    if (status == 0)
        return map_text(out, path, text, error);
    repeat_last(text->said, path, error);
    return false;
}

bool dataset_read(const char *path, const struct dataset_choice *choice, struct dataset_text *text,
                  struct read_error *error)
{
    int out = spool_create(), said = spool_create();
    *text = (struct dataset_text){0};
    bool done = false;
    if (out < 0 || said < 0)
        trace_error(error, path, "no temporary file: %s", strerror(errno));
    else
        done = read_into(path, choice, out, said, text, error);
    if (out >= 0)
        close(out);
    if (said >= 0)
        close(said);
    if (!done)
        dataset_text_fini(text);
    return done;
}

void dataset_text_fini(struct dataset_text *text)
{
    if (text->bytes)
        munmap(text->bytes, text->size);
    free(text->said);
    *text = (struct dataset_text){0};
}

bool dataset_next(const struct dataset_text *text, size_t *at, const char **name,
                  struct text *trace)
{
    char *end = text->bytes + text->size;
    char *begin = *at < text->size ? text->bytes + *at : end;
    char *line = begin < end ? memchr(begin, '\n', (size_t)(end - begin)) : NULL;
    if (!line || *begin != '\f')
        return false;
    char *next = memchr(line, '\f', (size_t)(end - line));
    *line = '\0'; /* the mapping is private */
    *name = begin + 1;
    *trace = (struct text){line + 1, (size_t)((next ? next : end) - line - 1)};
    *at = (size_t)((next ? next : end) - text->bytes);
    return true;
}
