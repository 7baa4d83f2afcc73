/* live.c - see live.h. Nothing here touches the process: everything is read from its file and from
 * /proc. */
#include "live.h"

#include "inputs.h"
#include "options.h"
#include "process_look.h"
#include "timeline_restrict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* ---- which process writes a file ---- */

/* In a container the process has another id than the file says, and a hidden one may be it. */
static bool is_recorded(const char *path, const struct trace_file *file)
{
    struct stat status;
    unsigned pid = trace_file_pid(file);
    if (trace_file_is_closed(file) || stat(path, &status) != 0)
        return false;
    return process_writes(pid, path, &status) || process_is_hidden(pid) ||
           process_any_writes(path, &status);
}

/* ---- which file a process writes ---- */

static bool is_trace(const char *path)
{
    struct read_error ignored;
    struct trace_file *file = trace_file_open(path, true, &ignored);
    trace_file_close(file);
    return file != NULL;
}

/* As this process sees it; in a container it has another root. */
static bool see_trace(unsigned pid, const char *path, char seen[PATH_MAX])
{
    int size = snprintf(seen, PATH_MAX, "/proc/%u/root%s", pid, path);
    if (size >= PATH_MAX || !is_trace(seen))
        return false;
    if (is_trace(path))
        snprintf(seen, PATH_MAX, "%s", path);
    return true;
}

static bool find_mapped(unsigned pid, FILE *mappings, char trace[PATH_MAX])
{
    struct process_mapping mapping;
    while (process_next_mapping(mappings, &mapping))
        if (see_trace(pid, mapping.path, trace))
            return true;
    return false;
}

static bool find_of_process(unsigned pid, char trace[PATH_MAX])
{
    FILE *maps = process_open_mappings(pid);
    if (!maps && errno == ENOENT)
        complain("there is no process %u", pid);
    else if (!maps)
        complain("cannot inspect process %u: %s", pid, strerror(errno));
    if (!maps)
        return false;
    errno = 0;
    bool found = find_mapped(pid, maps, trace);
    if (!found && errno == EACCES)
        complain("cannot inspect process %u: it belongs to another user", pid);
    else if (!found)
        complain("process %u is not recording: start it with profrun or LD_PRELOAD", pid);
    fclose(maps);
    return found;
}

static bool is_process(const char *word, unsigned long *pid)
{
    return options_number(word, 1, INT_MAX, pid);
}

bool live_find(struct live *live, const struct profdump_options *options)
{
    unsigned long pid;
    *live = (struct live){0};
    if (options->input_count == 1 && is_process(options->inputs[0], &pid))
        return find_of_process((unsigned)pid, live->path);
    return inputs_find_one(options, live->path);
}

/* ---- how far it is ---- */

static int64_t now_since(uint64_t start_realtime_ns)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec - (int64_t)start_realtime_ns;
}

bool live_look(struct live *live, struct read_error *error)
{
    struct trace_file *file = trace_file_open(live->path, true, error);
    if (!file)
        return false;
    live->running = is_recorded(live->path, file);
    live->now_ns =
        live->running ? now_since(trace_file_start_realtime_ns(file)) : trace_file_last_ns(file);
    trace_file_close(file);
    return true;
}

struct timeline *live_load_whole(const struct live *live, int64_t from_ns, struct read_error *error)
{
    struct trace_file *file = trace_file_open(live->path, true, error);
    struct builder *builder = file ? builder_begin() : NULL;
    if (!file)
        return NULL;
    trace_file_skip_before(file, from_ns);
    struct timeline *timeline = timeline_from_files(builder, &file, 1, error);
    trace_file_close(file);
    return timeline;
}

struct timeline *live_load(const struct live *live, int64_t from_ns, int64_t to_ns,
                           struct read_error *error)
{
    struct timeline *timeline = live_load_whole(live, from_ns, error);
    if (timeline && !timeline_restrict(timeline, from_ns, to_ns)) {
        snprintf(error->message, sizeof error->message, "%.400s: %s", live->path, strerror(ENOMEM));
        timeline_destroy(timeline);
        return NULL;
    }
    return timeline;
}
