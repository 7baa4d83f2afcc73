/* reader.c - the functions of prof.h that read the process's own recording: libprofdump.so does,
 * which is loaded from beside libprof.so when one of them is called for the first time. */
#define PROF_IMPLEMENTATION
#include "attach_request.h"
#include "entry.h"
#include "log.h"
#include "prof/arrow.h"
#include "prof/bench.h"
#include "prof/block.h"
#include "prof/prof.h"
#include "prof/trace.h"
#include "session.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define READER_NAME "libprofdump.so"
#define READER_SONAME READER_NAME "." READER_TEXT(PROF_VERSION_MAJOR)
#define READER_TEXT(number) READER_TEXT_OF(number)
#define READER_TEXT_OF(number) #number

#define READER_FUNCTIONS(X) X(open) X(table) X(export) X(arrow) X(bench) X(error) X(close)

#define READER_MEMBER(name) __typeof__(&prof_trace_##name) name;
static struct reader {
    READER_FUNCTIONS(READER_MEMBER)
} reader;

static bool reader_loaded;
static pthread_once_t reader_once = PTHREAD_ONCE_INIT;

/* ---- the library ---- */

static const char *reader_path GUEST_DATA;

GUEST_PATH static int reader_look(struct dl_phdr_info *object, size_t bytes, void *unused)
{
    (void)bytes, (void)unused;
    if (object->dlpi_addr == (uintptr_t)__ehdr_start)
        reader_path = object->dlpi_name;
    return reader_path != NULL;
}

/* As the loader has it: relative where LD_PRELOAD is. Not by dladdr(), which looks at each of our
 * symbols: a quarter of what loading us takes. */
GUEST_PATH static const char *reader_loaded_path(void)
{
    if (!reader_path)
        dl_iterate_phdr(reader_look, NULL);
    return reader_path ? reader_path : "";
}

GUEST_PATH bool reader_is_attached(void)
{
    return strstr(reader_loaded_path(), ATTACH_MARK) != NULL;
}

/* The path that profrun --attach loaded us by, without its mark. */
static const char *reader_unmarked_path(const char *path, const char *mark)
{
    static char unmarked[PATH_MAX];
    if (!*unmarked)
        snprintf(unmarked, sizeof unmarked, "%.*s/%s", (int)(mark - path), path,
                 mark + strlen(ATTACH_MARK));
    return unmarked;
}

/* The constructor calls it first, before the program can go to another directory. */
GUEST_PATH const char *reader_own_path(void)
{
    static char absolute[PATH_MAX];
    const char *path = reader_loaded_path(), *mark = strstr(path, ATTACH_MARK);
    if (mark)
        return reader_unmarked_path(path, mark);
    if (*path == '/' || !strchr(path, '/'))
        return path;
    if (!*absolute && getcwd(absolute, sizeof absolute)) {
        size_t used = strlen(absolute);
        int size = snprintf(absolute + used, sizeof absolute - used, "/%s", path);
        if (size < 0 || (size_t)size >= sizeof absolute - used)
            *absolute = '\0';
    }
    return *absolute ? absolute : path;
}

bool reader_beside(const char *name, char *path, size_t path_bytes)
{
    const char *own = reader_own_path(), *slash = strrchr(own, '/');
    int length =
        snprintf(path, path_bytes, "%.*s%s", slash ? (int)(slash - own) + 1 : 0, own, name);
    return length >= 0 && (size_t)length < path_bytes;
}

static bool reader_find_functions(void *library)
{
    bool found = true;
#define READER_FIND(name)                                         \
    *(void **)&reader.name = dlsym(library, "prof_trace_" #name); \
    found = found && reader.name;
    READER_FUNCTIONS(READER_FIND)
    return found;
}

static void reader_load(void)
{
    char path[PATH_MAX];
    void *library = NULL;
    if (reader_beside(READER_SONAME, path, sizeof path))
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen(READER_SONAME, RTLD_NOW | RTLD_LOCAL);
    reader_loaded = library && reader_find_functions(library);
    if (!reader_loaded)
        log_line(LOG_ERROR,
                 "tables and exports inside the program need " READER_NAME
                 " next to libprof.so: %s",
                 library ? "it has another version" : dlerror());
}

static bool reader_is_loaded(void)
{
    pthread_once(&reader_once, reader_load);
    return reader_loaded;
}

/* ---- requests ---- */

struct reader_request {
    const char *path; /* NULL: this process's recording */
    struct prof_trace_options options;
    prof_status (*run)(struct prof_trace *trace, const void *argument);
    const void *argument;
};

static prof_status reader_run_on(const char *path, const struct reader_request *request)
{
    struct prof_trace *trace = NULL;
    prof_status status = reader.open(&path, 1, &request->options, &trace);
    if (status == PROF_OK)
        status = request->run(trace, request->argument);
    if (status != PROF_OK && status != PROF_NOTHING && status != PROF_INCONCLUSIVE)
        log_line(LOG_ERROR, "%s", reader.error(trace));
    reader.close(trace);
    return status;
}

static prof_status reader_run(struct reader_request request)
{
    int saved_errno = errno;
    if (!request.path && prof_flush() == PROF_NOTHING)
        return PROF_NOTHING;
    const char *path = request.path ? request.path : session_path();
    request.options.size_bytes = sizeof request.options;
    prof_status status = reader_is_loaded() && *path ? reader_run_on(path, &request) : PROF_FAILED;
    errno = saved_errno;
    return status;
}

/* ---- a table ---- */

static prof_status reader_print(struct prof_trace *trace, const void *stream)
{
    return reader.table(trace, NULL, (FILE *)(uintptr_t)stream);
}

prof_status prof_table(FILE *stream)
{
    struct reader_request request = {.run = reader_print, .argument = stream};
    return stream ? reader_run(request) : PROF_INVALID;
}

/* ---- files ---- */

struct reader_file {
    const char *format, *path;
};

/* That the path is a recording is a mistake in the argument to libprofdump, but not to these
 * functions. */
static prof_status reader_write(struct prof_trace *trace, const void *argument)
{
    const struct reader_file *file = argument;
    prof_status status = reader.export(trace, file->format, file->path);
    return status == PROF_INVALID ? PROF_FAILED : status;
}

static prof_status reader_export(const char *format, const char *path)
{
    struct reader_file file = {format, path};
    struct reader_request request = {.run = reader_write, .argument = &file};
    return path && *path ? reader_run(request) : PROF_INVALID;
}

prof_status prof_export_chrome(const char *path)
{
    return reader_export("chrome", path);
}

prof_status prof_dump_etprof(const char *path)
{
    return reader_export("etprof", path);
}

/* ---- tables in memory ---- */

struct reader_arrow {
    enum prof_arrow_table table;
    struct ArrowArrayStream *stream;
};

static prof_status reader_stream(struct prof_trace *trace, const void *argument)
{
    const struct reader_arrow *arrow = argument;
    return reader.arrow(trace, arrow->table, arrow->stream);
}

static bool reader_has_table(enum prof_arrow_table table)
{
    return table == PROF_ARROW_EVENTS || table == PROF_ARROW_LAUNCHES ||
           table == PROF_ARROW_KERNELS || table == PROF_ARROW_COUNTERS;
}

/* `from_ns` 0 and `to_ns` 0: no bound on that side. */
static prof_status reader_fill(const char *path, const struct reader_arrow *arrow, int64_t from_ns,
                               int64_t to_ns)
{
    struct reader_request request = {
        .path = path,
        .options = {.from_ns = from_ns > 0 ? from_ns : 0, .to_ns = to_ns},
        .run = reader_stream,
        .argument = arrow};
    if (!arrow->stream || !reader_has_table(arrow->table) || (path && !*path))
        return PROF_INVALID;
    return reader_run(request);
}

prof_status prof_arrow(const char *path, enum prof_arrow_table table,
                       struct ArrowArrayStream *stream)
{
    return reader_fill(path, &(struct reader_arrow){table, stream}, 0, 0);
}

prof_status prof_arrow_window(const char *path, enum prof_arrow_table table, int64_t from_ns,
                              int64_t to_ns, struct ArrowArrayStream *stream)
{
    if (from_ns >= to_ns)
        return PROF_INVALID;
    int64_t end_ns = to_ns == INT64_MAX ? 0
                     : to_ns > 0        ? to_ns
                                        : 1; /* 1: before all that was recorded */
    return reader_fill(path, &(struct reader_arrow){table, stream}, from_ns, end_ns);
}

/* ---- the numbers of a benchmark ---- */

struct reader_benchmark {
    const char *range;
    const struct prof_bench_options *options;
    struct prof_bench_result *result;
};

static prof_status reader_measure(struct prof_trace *trace, const void *argument)
{
    const struct reader_benchmark *of = argument;
    return reader.bench(trace, of->range, of->options, of->result);
}

prof_status reader_bench(const char *range, const struct prof_bench_options *options,
                         int64_t from_ns, int64_t to_ns, struct prof_bench_result *result)
{
    struct reader_benchmark of = {range, options, result};
    struct reader_request request = {
        .options = {.from_ns = from_ns, .to_ns = to_ns}, .run = reader_measure, .argument = &of};
    return reader_run(request);
}
