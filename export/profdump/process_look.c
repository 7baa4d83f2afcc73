#include "process_look.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static FILE *open_entry(unsigned pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/%s", pid, name);
    return fopen(path, "re");
}

/* ---- the process ---- */

/* An id may belong to another program by now. */
static enum process_state look_at_program(unsigned pid, const char *program, size_t program_bytes)
{
    char path[64], found[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%u/exe", pid);
    ssize_t size = readlink(path, found, sizeof found - 1);
    if (size < 0)
        return errno == ENOENT ? PROCESS_GONE : PROCESS_UNKNOWN;
    found[size] = '\0';
    const char *name = name_of(found);
    bool same = strlen(name) == program_bytes && memcmp(name, program, program_bytes) == 0;
    return same ? PROCESS_RUNNING : PROCESS_GONE;
}

enum process_state process_look(unsigned pid, const char *program, size_t program_bytes)
{
    char line[512];
    enum process_state state = look_at_program(pid, program, program_bytes);
    if (state != PROCESS_RUNNING)
        return state;
    FILE *stat = open_entry(pid, "stat");
    const char *letter = stat && fgets(line, sizeof line, stat) ? strrchr(line, ')') : NULL;
    if (stat)
        fclose(stat);
    if (!letter || letter[2] == 'Z')
        return PROCESS_GONE;
    return letter[2] == 'T' || letter[2] == 't' ? PROCESS_STOPPED : PROCESS_RUNNING;
}

bool process_owner(unsigned pid, uid_t *owner)
{
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%u", pid);
    if (stat(path, &status) != 0)
        return false;
    *owner = status.st_uid;
    return true;
}

bool process_is_hidden(unsigned pid)
{
    return kill((pid_t)pid, 0) != 0 && errno == EPERM;
}

/* ---- what it has mapped ---- */

bool process_maps(unsigned pid, const char *part)
{
    char line[PATH_MAX + 128];
    bool found = false;
    FILE *maps = open_entry(pid, "maps");
    while (maps && !found && fgets(line, sizeof line, maps))
        found = strstr(line, part) != NULL;
    if (maps)
        fclose(maps);
    return found;
}

FILE *process_open_mappings(unsigned pid)
{
    return open_entry(pid, "maps");
}

static bool parse_mapping(struct process_mapping *mapping)
{
    char access[5];
    int path_at = 0;
    if (sscanf(mapping->line, "%*x-%*x %4s %*x %*x:%*x %" SCNu64 " %n", access, &mapping->inode,
               &path_at) != 2 ||
        strcmp(access, "rw-s") != 0 || mapping->line[path_at] != '/')
        return false;
    mapping->line[strcspn(mapping->line, "\n")] = '\0';
    mapping->path = mapping->line + path_at;
    return true;
}

bool process_next_mapping(FILE *mappings, struct process_mapping *mapping)
{
    while (fgets(mapping->line, sizeof mapping->line, mappings))
        if (parse_mapping(mapping))
            return true;
    return false;
}

/* Compares inodes and names: the device in maps can differ from that of stat(2), as on overlay file
 * systems. */
bool process_writes(unsigned pid, const char *file, const struct stat *status)
{
    struct process_mapping mapping;
    bool found = false;
    FILE *mappings = process_open_mappings(pid);
    while (mappings && !found && process_next_mapping(mappings, &mapping))
        found =
            mapping.inode == status->st_ino && strcmp(name_of(mapping.path), name_of(file)) == 0;
    if (mappings)
        fclose(mappings);
    return found;
}

bool process_any_writes(const char *file, const struct stat *status)
{
    bool found = false;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry = processes ? readdir(processes) : NULL; entry && !found;
         entry = readdir(processes))
        if (isdigit((unsigned char)entry->d_name[0]))
            found = process_writes((unsigned)strtoul(entry->d_name, NULL, 10), file, status);
    if (processes)
        closedir(processes);
    return found;
}
