/* preload.c - the environment that gets libprof.so (and the simulated CUDA) into the program. */
#include "runopts.h"
#include "target.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where libraries are, seen from the directory of programs. The first is where this build installs
 * them. */
static const char *const library_directories[] = {PROFRUN_LIBDIR, "lib", "lib64",
                                                  PROFRUN_MULTIARCH_LIBDIR};
static const char *const library_names[] = {"libprof.so", PROFRUN_SONAME};
static const char *const sim_directories[] = {"sim", "libprof/sim"};

/* The directory above the one profrun itself lies in, "" for the root; NULL when the system does
 * not say. */
static char *preload_prefix(void)
{
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return NULL;
    self[length] = '\0';
    for (int level = 0; level < 2; level++) {
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
    }
    return strdup(self);
}

/* `directory`/`name`, a relative directory taken from `prefix`; NULL when there is no such
 * thing. */
static char *preload_beside(const char *prefix, const char *directory, const char *name)
{
    char *path = NULL;
    const bool absolute = *directory == '/';
    if (asprintf(&path, "%s%s%s/%s", absolute ? "" : prefix, absolute ? "" : "/", directory, name) <
        0)
        return NULL;
    if (access(path, R_OK) != 0) {
        free(path);
        return NULL;
    }
    return path;
}

static char *preload_search(const char *const *names, size_t count)
{
    const size_t directories = sizeof library_directories / sizeof *library_directories;
    char *prefix = preload_prefix();
    char *found = NULL;
    for (size_t i = 0; prefix && !found && i < directories * count; i++)
        found = preload_beside(prefix, library_directories[i / count], names[i % count]);
    free(prefix);
    return found;
}

/* ld.so separates the entries of LD_PRELOAD by spaces and colons, those of LD_LIBRARY_PATH by
 * colons and semicolons. Neither has an escape character. */
#define PRELOAD_FILE_SEPARATORS " :\t\n"
#define PRELOAD_DIRECTORY_SEPARATORS ":;"

/* Does not resolve links: a link is how users preload a library whose own path contains a colon. */
static char *preload_absolute(const char *path)
{
    if (access(path, R_OK) != 0)
        return NULL;
    if (*path == '/')
        return strdup(path);
    char *here = get_current_dir_name();
    char *absolute = NULL;
    if (here && asprintf(&absolute, "%s/%s", here, path) < 0)
        absolute = NULL;
    free(here);
    return absolute;
}

static int preload_find_library(struct preload *preload)
{
    const char *wanted = getenv("PROF_LIBRARY");
    if (wanted && *wanted != '\0') {
        preload->library = preload_absolute(wanted);
        if (!preload->library) {
            message("PROF_LIBRARY=%s: %s", wanted, strerror(errno));
            return STATUS_USAGE;
        }
        return 0;
    }
    preload->library = preload_search(library_names, sizeof library_names / sizeof *library_names);
    if (!preload->library) {
        message("cannot find the libprof.so of this profrun; set PROF_LIBRARY=/path/to/libprof.so");
        return STATUS_INTERNAL;
    }
    return 0;
}

/* The loader's own message says that a library "cannot be preloaded", without why, or why wrongly
 * ("wrong ELF class"). */
static void preload_explain_others(void)
{
    const char *list = getenv("LD_PRELOAD"), *machine, *own;
    char *copy = list ? strdup(list) : NULL, *rest = copy, *entry;
    while ((entry = strsep(&rest, PRELOAD_FILE_SEPARATORS)))
        if (strchr(entry, '/') && elfkind_library_differs(entry, &machine, &own))
            message("LD_PRELOAD names %s, a library for %s: programs for %s run without it, and "
                    "their loader prints that it \"cannot be preloaded\"",
                    entry, machine, own);
    free(copy);
}

static int preload_check_library(const struct preload *preload)
{
    const char *machine, *own;
    if (elfkind_library_differs(preload->library, &machine, &own)) {
        message("cannot preload %s: it is a library for %s, and this profrun is for %s; set "
                "PROF_LIBRARY to a libprof.so for %s",
                preload->library, machine, own, own);
        return STATUS_USAGE;
    }
    if (preload->library[strcspn(preload->library, PRELOAD_DIRECTORY_SEPARATORS)] == '\0')
        return 0;
    char *quoted = message_quote(preload->library);
    message(
        "cannot preload %s: paths in LD_PRELOAD and LD_LIBRARY_PATH cannot contain a colon or a "
        "semicolon; set PROF_LIBRARY to a link without one",
        quoted ? quoted : preload->library);
    free(quoted);
    return STATUS_USAGE;
}

static int preload_find_sim(struct preload *preload)
{
    preload->sim =
        preload_search(sim_directories, sizeof sim_directories / sizeof *sim_directories);
    if (!preload->sim) {
        message("the simulated CUDA is not installed (this build left it out: PROF_BUILD_SIM)");
        return STATUS_USAGE;
    }
    if (preload->sim[strcspn(preload->sim, PRELOAD_DIRECTORY_SEPARATORS)] != '\0') {
        message("cannot use %s: paths in LD_LIBRARY_PATH cannot contain a colon or a semicolon",
                preload->sim);
        return STATUS_USAGE;
    }
    return 0;
}

int preload_init(struct preload *preload, bool want_sim)
{
    *preload = (struct preload){0};
    int status = preload_find_library(preload);
    if (status == 0)
        status = preload_check_library(preload);
    if (status == 0 && want_sim)
        status = preload_find_sim(preload);
    if (status == 0)
        preload_explain_others();
    return status;
}

void preload_fini(struct preload *preload)
{
    free(preload->sim);
    free(preload->library);
    *preload = (struct preload){0};
}

/* Whether `list`, separated by any of `separators`, holds `entry`. */
static bool preload_holds(const char *list, const char *separators, const char *entry)
{
    while (*list != '\0') {
        const size_t length = strcspn(list, separators);
        if (length == strlen(entry) && strncmp(list, entry, length) == 0)
            return true;
        list += length;
        list += strspn(list, separators);
    }
    return false;
}

enum preload_place { PRELOAD_FIRST, PRELOAD_LAST };

/* Adds `entry` to a list variable, once. */
static bool preload_add(const char *variable, const char *separators, const char *entry,
                        enum preload_place place)
{
    const char *old = getenv(variable);
    if (!old || *old == '\0')
        return setenv(variable, entry, 1) == 0;
    if (preload_holds(old, separators, entry))
        return true;
    char *list = NULL;
    const bool first = place == PRELOAD_FIRST;
    if (asprintf(&list, "%s:%s", first ? entry : old, first ? old : entry) < 0)
        return false;
    const bool ok = setenv(variable, list, 1) == 0;
    free(list);
    return ok;
}

/* Adds a library to LD_PRELOAD by its path. If the path contains a space, adds its name, and its
 * directory to LD_LIBRARY_PATH. It goes last, since AddressSanitizer, for one, must be preloaded
 * first. */
static bool preload_add_library(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash || path[strcspn(path, PRELOAD_FILE_SEPARATORS)] == '\0')
        return preload_add("LD_PRELOAD", " :", path, PRELOAD_LAST);
    char *directory = strndup(path, (size_t)(slash - path));
    const bool ok =
        directory &&
        preload_add("LD_LIBRARY_PATH", PRELOAD_DIRECTORY_SEPARATORS, directory, PRELOAD_LAST) &&
        preload_add("LD_PRELOAD", " :", slash + 1, PRELOAD_LAST);
    free(directory);
    return ok;
}

bool preload_set_library(const struct preload *preload)
{
    /* 0: keep values that the user has set */
    return preload_add_library(preload->library) &&
           /* or a program with AddressSanitizer ends at once: it wants to be the first library.
            * First in the list, since what the user says there later counts */
           preload_add("ASAN_OPTIONS", ":", "verify_asan_link_order=0", PRELOAD_FIRST) &&
           setenv("CUDA_INJECTION64_PATH", preload->library, 0) == 0 &&
           setenv("NVTX_INJECTION64_PATH", preload->library, 0) == 0 &&
           setenv("INTEL_LIBITTNOTIFY64", preload->library, 0) == 0;
}

/* Programs that know by themselves where CUDA is (DT_RPATH, as PyTorch's libraries do) never look
 * at LD_LIBRARY_PATH: what is loaded already under the name serves them. cuBLAS is not among these:
 * the simulated one has a few of its functions only. */
static bool preload_add_sim(const struct preload *preload)
{
    char *pattern = NULL;
    glob_t found = {0};
    if (asprintf(&pattern, "%s/lib{cuda,cudart,cupti}.so.*", preload->sim) < 0)
        return false;
    const int status = glob(pattern, GLOB_BRACE, NULL, &found);
    bool ok = status == 0 || status == GLOB_NOMATCH;
    for (size_t i = 0; ok && i < found.gl_pathc; i++)
        ok = preload_add_library(found.gl_pathv[i]);
    globfree(&found);
    free(pattern);
    return ok;
}

bool preload_set_sim(const struct preload *preload, const char *layout)
{
    return preload_add("LD_LIBRARY_PATH", PRELOAD_DIRECTORY_SEPARATORS, preload->sim,
                       PRELOAD_FIRST) &&
           preload_add_sim(preload) && (!layout || setenv("SIM_CUPTI_LAYOUT", layout, 1) == 0);
}
