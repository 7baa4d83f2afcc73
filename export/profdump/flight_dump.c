#include "flight_dump.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether it begins like PyTorch's pickles or JSON objects. Same rule as in _flight.py. */
static bool is_dump(const char *path)
{
    char head[4096];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = file < 0 ? -1 : read(file, head, sizeof head);
    if (file >= 0)
        close(file);
    return size > 0 && (head[0] == '\x80' || head[0] == '{') &&
           (memmem(head, (size_t)size, "pg_config", 9) ||
            memmem(head, (size_t)size, "collective_seq_id", 17));
}

static bool is_regular(const char *path, bool *is_directory)
{
    struct stat status;
    bool there = stat(path, &status) == 0;
    *is_directory = there && S_ISDIR(status.st_mode);
    return there && S_ISREG(status.st_mode);
}

static bool has_dump(const char *directory)
{
    bool found = false, is_directory;
    DIR *entries = opendir(directory);
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry && !found;
         entry = readdir(entries)) {
        char path[PATH_MAX];
        int size = snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        found = size > 0 && (size_t)size < sizeof path && is_regular(path, &is_directory) &&
                is_dump(path);
    }
    if (entries)
        closedir(entries);
    return found;
}

bool flight_dump_is_among(char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        bool is_directory;
        bool regular = is_regular(words[i], &is_directory);
        if (is_directory ? has_dump(words[i]) : regular && is_dump(words[i]))
            return true;
    }
    return false;
}
