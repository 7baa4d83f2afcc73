/* nccl_other.c - whether NCCL would load another profiler plugin if libprof left its variable
 * alone.
 *
 * A variable that is set has priority over NCCL's configuration files and over the search for
 * libnccl-profiler.so: setting it would replace a plugin that the user, or the image's maker, has
 * chosen.
 */
#include "nccl_plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NCCL_SETTING "NCCL_PROFILER_PLUGIN="

/* ---- configuration files: lines NAME=VALUE ---- */

/* Matches the setting at the start of lines. `at`: characters of it that the line has so far, -1
 * none. */
static bool nccl_has_setting(const char *text, ssize_t bytes, int *at)
{
    for (ssize_t i = 0; i < bytes; i++) {
        if (text[i] == '\n')
            *at = 0;
        else if (*at >= 0 && text[i] == NCCL_SETTING[*at])
            ++*at;
        else
            *at = -1;
        if (*at == (int)strlen(NCCL_SETTING))
            return true;
    }
    return false;
}

/* Not by libc's open(), before which a library may stand that records: it would be the first event
 * of every process. */
static bool nccl_file_has_setting(const char *path)
{
    char text[1024];
    ssize_t bytes;
    int at = 0, fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool found = false;
    while (fd >= 0 && !found && (bytes = read(fd, text, sizeof text)) > 0)
        found = nccl_has_setting(text, bytes, &at);
    if (fd >= 0)
        syscall(SYS_close, fd);
    return found;
}

static bool nccl_is_configured(void)
{
    char path[PATH_MAX];
    const char *user = getenv("NCCL_CONF_FILE"), *home = getenv("HOME");
    if (user && *user)
        snprintf(path, sizeof path, "%s", user);
    else
        snprintf(path, sizeof path, "%s/.nccl.conf", home ? home : "");
    return nccl_file_has_setting(path) || nccl_file_has_setting("/etc/nccl.conf");
}

/* ---- the plugin that NCCL searches for ---- */

static bool nccl_is_in_path(const char *directories)
{
    char path[PATH_MAX];
    while (directories && *directories) {
        size_t bytes = strcspn(directories, ":;");
        int length =
            snprintf(path, sizeof path, "%.*s/libnccl-profiler.so", (int)bytes, directories);
        if (bytes && length < (int)sizeof path && access(path, F_OK) == 0)
            return true;
        directories += bytes + (directories[bytes] != '\0');
    }
    return false;
}

bool nccl_other_plugin(void)
{
    int saved_errno = errno;
    bool other = nccl_is_in_path(getenv("LD_LIBRARY_PATH")) || nccl_is_configured();
    errno = saved_errno;
    return other;
}
