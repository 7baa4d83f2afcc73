/* outpath.c - the -o pattern: see runopts.h. */
#include "export_endings.h"
#include "output.h"
#include "runopts.h"

#include "prof/format.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Length of the % sequence at `text`, 0 when the library knows none such. */
static size_t outpath_sequence(const char *text)
{
    if (text[1] != '\0' && strchr("phrRne%", text[1]))
        return 2;
    if (strncmp(text, "%q{", 3) == 0) {
        const char *end = strchr(text, '}');
        return end && end > text + 3 ? (size_t)(end + 1 - text) : 0;
    }
    return 0;
}

static bool outpath_is_valid(const char *pattern)
{
    for (const char *at = strchr(pattern, '%'); at; at = strchr(at, '%')) {
        const size_t length = outpath_sequence(at);
        if (length == 0) {
            message("-o %s: unknown '%.2s'; use %%p %%h %%r %%R %%e %%n %%q{NAME} %%%%", pattern,
                    at);
            return false;
        }
        at += length;
    }
    return true;
}

/* Replaces %% by % in place; false when any other sequence is left, so that the name is open. */
static bool outpath_is_fixed(char *text)
{
    char *out = text;
    while (*text != '\0') {
        if (*text == '%' && text[1] != '%')
            return false;
        text += *text == '%';
        *out++ = *text++;
    }
    *out = '\0';
    return true;
}

/* `directory`, its percent signs doubled, and `pattern` after it. */
static char *outpath_join(const char *directory, const char *pattern)
{
    char *joined = malloc(2 * strlen(directory) + strlen(pattern) + 2);
    if (!joined)
        return NULL;
    char *out = joined;
    for (; *directory != '\0'; directory++) {
        *out++ = *directory;
        if (*directory == '%')
            *out++ = '%';
    }
    *out++ = '/';
    strcpy(out, pattern);
    return joined;
}

static char *outpath_absolute(const char *pattern)
{
    if (*pattern == '/')
        return strdup(pattern);
    char *directory = get_current_dir_name();
    char *joined = directory ? outpath_join(directory, pattern) : NULL;
    free(directory);
    return joined;
}

static bool outpath_directory_works(const char *absolute)
{
    char *directory = strdup(absolute);
    if (!directory)
        return true;
    bool works = true;
    *strrchr(directory, '/') = '\0';
    if (outpath_is_fixed(directory)) {
        const char *name = *directory == '\0' ? "/" : directory;
        works = access(name, W_OK | X_OK) == 0;
        if (!works)
            message("cannot write to %s: %s", name, strerror(errno));
    }
    free(directory);
    return works;
}

/* A process still writes into it, as far as can be seen from here. */
static bool outpath_is_in_use(const char *file, uint32_t *pid)
{
    struct prof_file_header header;
    const int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool whole = fd >= 0 && read(fd, &header, sizeof header) == (ssize_t)sizeof header;
    if (fd >= 0)
        close(fd);
    if (!whole || header.state == PROF_STATE_CLOSED)
        return false;
    *pid = header.pid;
    return kill((pid_t)header.pid, 0) == 0 || errno == EPERM;
}

static bool outpath_may_replace(const char *file)
{
    struct stat facts;
    if (lstat(file, &facts) != 0)
        return true;
    if (!S_ISREG(facts.st_mode))
        message("%s exists and is not a regular file", file);
    else if (!output_may_replace(file))
        message("%s exists and is not a recording; name another file", file);
    else
        return true;
    return false;
}

/* As FILE.old: the one before that is replaced. */
static bool outpath_keep_old(const char *file)
{
    uint32_t pid;
    char *old = NULL;
    if (outpath_is_in_use(file, &pid)) {
        message("process %u is recording into %s; name another file, or replace it with --force",
                pid, file);
        return false;
    }
    if (asprintf(&old, "%s.old", file) < 0)
        return false;
    bool kept = outpath_may_replace(old);
    if (kept && rename(file, old) != 0) {
        message("cannot rename %s to %s: %s", file, old, strerror(errno));
        kept = false;
    } else if (kept) {
        message("the previous recording is kept as %s", old);
    }
    free(old);
    return kept;
}

static bool outpath_make_room(const char *file, bool force)
{
    struct stat facts;
    if (lstat(file, &facts) != 0)
        return true;
    if (!outpath_may_replace(file))
        return false;
    if (!force && facts.st_size > 0)
        return outpath_keep_old(file);
    if (unlink(file) != 0) {
        message("cannot remove %s: %s", file, strerror(errno));
        return false;
    }
    return true;
}

static bool outpath_is_usable(const char *absolute, bool force)
{
    if (!outpath_directory_works(absolute))
        return false;
    char *file = strdup(absolute);
    const bool usable = !file || !outpath_is_fixed(file) || outpath_make_room(file, force);
    free(file);
    return usable;
}

/* The length of `name` without `ending`; 0: it has another one, or nothing else. */
static size_t outpath_before(const char *name, size_t length, const char *ending, size_t end)
{
    return length > end && strncmp(name + length - end, ending, end) == 0 ? length - end : 0;
}

/* Whether the name is one of what profdump makes of a recording. */
static bool outpath_is_converted(const char *pattern)
{
    static const char *const packings[] = {EXPORT_PACKINGS};
    size_t length = strlen(pattern);
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        const size_t rest = outpath_before(pattern, length, packings[i], strlen(packings[i]));
        length = rest ? rest : length;
    }
    for (const char *ending = EXPORT_ENDINGS; *ending; ending += strspn(ending, " ")) {
        const size_t end = strcspn(ending, " ");
        if (outpath_before(pattern, length, ending, end) ||
            outpath_before(pattern, strlen(pattern), ending, end))
            return true;
        ending += end;
    }
    return false;
}

static bool outpath_is_recording(const char *pattern)
{
    if (!outpath_is_converted(pattern))
        return true;
    message("-o takes a recording's name, such as run.prof; 'profdump -o %s run.prof' converts it",
            pattern);
    return false;
}

int outpath_prepare(const char *pattern, bool force, char **absolute)
{
    if (*pattern == '\0' || pattern[strlen(pattern) - 1] == '/') {
        message("-o needs a file name, not '%s'", pattern);
        return STATUS_USAGE;
    }
    if (!outpath_is_valid(pattern) || !outpath_is_recording(pattern))
        return STATUS_USAGE;
    char *path = outpath_absolute(pattern);
    if (!path) {
        message("-o %s: %s", pattern, strerror(errno));
        return STATUS_INTERNAL;
    }
    if (!outpath_is_usable(path, force)) {
        free(path);
        return STATUS_USAGE;
    }
    *absolute = path;
    return 0;
}
