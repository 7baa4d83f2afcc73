#include "outpath.h"

#include "message.h"
#include "output.h"

#include <errno.h>
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

/* `directory`, its percent signs doubled, and `pattern` behind it. */
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

static bool outpath_remove_old(const char *file, bool force)
{
    struct stat facts;
    if (lstat(file, &facts) != 0)
        return true;
    if (!S_ISREG(facts.st_mode)) {
        message("%s exists and is not a regular file", file);
        return false;
    }
    if (!output_may_replace(file)) {
        message("%s exists and is not a recording; name another file", file);
        return false;
    }
    if (!force) {
        message("%s exists; replace it with --force, or keep both with %%p or %%n in the name",
                file);
        return false;
    }
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
    const bool usable = !file || !outpath_is_fixed(file) || outpath_remove_old(file, force);
    free(file);
    return usable;
}

int outpath_prepare(const char *pattern, bool force, char **absolute)
{
    if (*pattern == '\0' || pattern[strlen(pattern) - 1] == '/') {
        message("-o needs a file name, not '%s'", pattern);
        return STATUS_USAGE;
    }
    if (!outpath_is_valid(pattern))
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
