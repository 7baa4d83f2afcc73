/* cmd_baseline.c - profdump baseline: recordings kept under a name, for diff --baseline NAME. A
 * baseline is a directory of copies, which is put in place as a whole. */
#include "baseline.h"

#include "commands.h"
#include "inputs.h"
#include "options.h"
#include "units.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_BYTES_MAX 100u
#define COPY_BYTES (UINT32_C(1) << 20)

/* ---- names ---- */

static const char *find_directory(const struct profdump_options *options)
{
    const char *directory = options->baselines ? options->baselines : getenv("PROF_BASELINES");
    if (directory && *directory)
        return directory;
    complain("baseline: no directory; set --baselines DIR or PROF_BASELINES=DIR");
    return NULL;
}

static bool is_name(const char *name)
{
    size_t size = strlen(name);
    bool plain = size > 0 && size <= NAME_BYTES_MAX && *name != '.' && *name != '-';
    for (size_t i = 0; i < size && plain; i++)
        plain = name[i] != '/' && (unsigned char)name[i] >= ' ' && name[i] != 0x7f;
    return plain;
}

static bool name_agrees(const char *name)
{
    bool plain = is_name(name);
    if (!plain)
        complain("baseline '%s': a name has up to %u bytes, no slash and no control character, and "
                 "begins with neither a dot nor a dash",
                 name, NAME_BYTES_MAX);
    return plain;
}

/* False after having complained. */
static bool path_of(const char *directory, const char *name, char path[PATH_MAX])
{
    if (!name_agrees(name))
        return false;
    int size = snprintf(path, PATH_MAX, "%s/%s", directory, name);
    if (size > 0 && size < PATH_MAX)
        return true;
    complain("baseline %s: %s", name, strerror(ENAMETOOLONG));
    return false;
}

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int compare_names(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

/* Names with a leading dot are copies in progress. */
static int is_visible(const struct dirent *entry)
{
    return *entry->d_name != '.';
}

/* Names the baselines there are. */
static void complain_of_missing(const char *directory, const char *name)
{
    char known[COMPLAINT_COLUMNS] = "";
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, is_visible, compare_names);
    for (int i = 0; i < count; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    if (count < 0)
        complain("%s: %s", directory, strerror(errno));
    else if (*known)
        complain("there is no baseline '%s' in %s; known are: %s", name, directory, known);
    else
        complain("there is no baseline '%s' in %s: 'profdump baseline save %s run.prof' makes one",
                 name, directory, name);
}

int baseline_find(const struct profdump_options *options, const char *name, char path[PATH_MAX])
{
    const char *directory = find_directory(options);
    if (!directory || !path_of(directory, name, path))
        return EXIT_USAGE;
    if (is_directory(path))
        return EXIT_SUCCESS;
    complain_of_missing(directory, name);
    return EXIT_FAILURE;
}

/* ---- save ---- */

/* Copies in progress: a directory beside the baseline that gets its name at last. */
struct save {
    char temporary[PATH_MAX];
    unsigned count; /* copied */
    unsigned total;
};

static bool copy_bytes(int from, int to)
{
    char *bytes = malloc(COPY_BYTES);
    ssize_t got = -1;
    while (bytes && (got = read(from, bytes, COPY_BYTES)) > 0)
        for (ssize_t done = 0; done < got;) {
            ssize_t put = write(to, bytes + done, (size_t)(got - done));
            if (put < 0) {
                free(bytes);
                return false;
            }
            done += put;
        }
    free(bytes);
    return got == 0 && fsync(to) == 0;
}

/* "run.prof"; of several, "2-run.prof", with as many digits as the last one has. Only files that
 * end in .prof are read from directories, so the others get that ending, too. */
static bool name_copy(const struct save *save, const char *path, char copy[PATH_MAX])
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    size_t size = strlen(base);
    bool ends = size > 5 && strcmp(base + size - 5, ".prof") == 0;
    char number[16] = "", last[16];
    int digits = snprintf(last, sizeof last, "%u", save->total);
    if (save->total > 1)
        snprintf(number, sizeof number, "%0*u-", digits, save->count + 1);
    int written =
        snprintf(copy, PATH_MAX, "%s/%s%s%s", save->temporary, number, base, ends ? "" : ".prof");
    return written > 0 && written < PATH_MAX;
}

static bool copy_input(void *user, const char *path)
{
    struct save *save = user;
    char copy[PATH_MAX];
    errno = ENAMETOOLONG;
    int from = name_copy(save, path, copy) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    int to = from < 0 ? -1 : open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool copied = to >= 0 && copy_bytes(from, to);
    int error = errno;
    if (to >= 0 && close(to) != 0 && copied) {
        copied = false;
        error = errno;
    }
    if (from >= 0)
        close(from);
    if (!copied)
        complain("%s: %s", from < 0 ? path : copy, strerror(error));
    save->count++;
    return copied;
}

static bool count_input(void *user, const char *path)
{
    struct save *save = user;
    if (dataset_is(path))
        complain("baseline: %s is a dataset; baselines are recordings", path);
    else
        save->total++;
    return !dataset_is(path);
}

/* A directory of files. */
static void remove_directory(const char *path)
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, NULL);
    for (int i = 0; i < count; i++) {
        char file[PATH_MAX];
        if (snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name) < (int)sizeof file)
            unlink(file); /* fails for "." and ".." */
        free(entries[i]);
    }
    free(entries);
    rmdir(path);
}

/* Puts the copies in place; with `force`, in exchange for those that are there. */
static bool put_in_place(const struct save *save, const char *path, const char *name, bool force)
{
    if (rename(save->temporary, path) == 0)
        return true;
    if (errno != ENOTEMPTY && errno != EEXIST) {
        complain("%s: %s", path, strerror(errno));
    } else if (!force) {
        complain("there is a baseline '%s' already; --force replaces it", name);
    } else if (renameat2(AT_FDCWD, save->temporary, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
        remove_directory(save->temporary); /* now the old one */
        return true;
    } else {
        complain("%s: it cannot be replaced: %s", path, strerror(errno));
    }
    return false;
}

/* Reads the inputs, so that nothing is kept that diff cannot read. */
static bool inputs_are_readable(const struct profdump_options *options)
{
    struct timeline *timeline = inputs_load(options);
    timeline_destroy(timeline);
    return timeline != NULL;
}

static int save(const struct profdump_options *options, const char *name)
{
    struct profdump_options of = *options;
    struct save save = {.count = 0};
    char path[PATH_MAX];
    const char *directory = find_directory(options);
    of.inputs += 2;
    of.input_count -= 2;
    if (!directory || !path_of(directory, name, path))
        return EXIT_USAGE;
    struct stat status;
    bool exists = lstat(path, &status) == 0, is_baseline = exists && S_ISDIR(status.st_mode);
    if (is_baseline && !options->force)
        complain("there is a baseline '%s' already; --force replaces it", name);
    else if (exists && !is_baseline)
        complain("%s: %s", path, strerror(ENOTDIR));
    if (exists && (!is_baseline || !options->force))
        return EXIT_FAILURE;
    if (!inputs_each(&of, count_input, &save) || !inputs_are_readable(&of))
        return EXIT_FAILURE;
    if (mkdir(directory, 0777) != 0 && (errno != EEXIST || !is_directory(directory))) {
        complain("%s: %s", directory, strerror(errno == EEXIST ? ENOTDIR : errno));
        return EXIT_FAILURE;
    }
    int size = snprintf(save.temporary, sizeof save.temporary, "%s/.%s.%ld", directory, name,
                        (long)getpid());
    if (size >= PATH_MAX || mkdir(save.temporary, 0777) != 0) {
        complain("%s: %s", save.temporary, strerror(size >= PATH_MAX ? ENAMETOOLONG : errno));
        return EXIT_FAILURE;
    }
    if (inputs_each(&of, copy_input, &save) && put_in_place(&save, path, name, options->force)) {
        printf("saved baseline %s: %u recording%s in %s\n", name, save.count, plural(save.count),
               path);
        return finish_answer(options, true);
    }
    remove_directory(save.temporary);
    return EXIT_FAILURE;
}

/* ---- list ---- */

static int list(const struct profdump_options *options)
{
    struct dirent **entries = NULL;
    const char *directory = find_directory(options);
    if (!directory)
        return EXIT_USAGE;
    int count = scandir(directory, &entries, is_visible, compare_names);
    if (count < 0) {
        complain("%s: %s", directory, strerror(errno));
        return EXIT_FAILURE;
    }
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        if (snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name) < PATH_MAX &&
            is_directory(path) && is_name(entries[i]->d_name))
            puts(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return finish_answer(options, true);
}

static int run(const struct profdump_options *options)
{
    int count = options->input_count;
    char **words = options->inputs;
    if (count == 1 && strcmp(words[0], "list") == 0)
        return list(options);
    if (count >= 3 && strcmp(words[0], "save") == 0)
        return save(options, words[1]);
    complain("baseline: expected 'save NAME FILE...' or 'list'");
    return EXIT_USAGE;
}

static const struct option_entry force_options[] = {
    {FLAG("force", force, "replace a baseline of that name")},
    {FLAG("partial", partial, "read damaged files as far as possible")},
    {0},
};

const struct option_entry baseline_options[] = {
    {TEXT("baselines", "DIR", baselines, "set the directory of baselines (PROF_BASELINES)")},
    {0},
};

static const struct option_entry *const options_of_baseline[] = {force_options, baseline_options,
                                                                 help_options, NULL};

const struct command command_baseline = {
    .word = "baseline",
    .summary = "keep recordings under a name, to compare with",
    .usage = "save NAME [OPTION]... FILE|DIRECTORY...\nlist",
    .about = "Copies recordings into the directory of baselines, under a name; 'profdump diff "
             "--baseline NAME run.prof' compares with them. Several recordings are several runs. "
             "A new baseline appears when it is complete; do not replace one while it is compared. "
             "'list' prints the names.",
    .examples = "baseline save main --baselines /srv/baselines run1.prof run2.prof\n"
                "diff --baseline main --baselines /srv/baselines branch.prof",
    .question = QUESTION_CHANGE,
    .options = options_of_baseline,
    .run_words = run,
};
