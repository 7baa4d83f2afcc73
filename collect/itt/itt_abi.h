/* itt_abi.h - the interface between ITT's static part and a collector.
 *
 * Whatever uses ITT has a *static part* linked into it: a pointer per function, a descriptor
 * (struct itt_global) and a list of pointers by name (struct itt_api). A pointer begins as a stub.
 * The first stub that is called reads INTEL_LIBITTNOTIFY64, loads the library named there and,
 * under the descriptor's lock, calls its __itt_api_init(descriptor, groups), which sets the
 * pointers it wants and puts `absent` into all others. Static parts of before 2010 know no
 * __itt_api_init: they look up each function by its name. Each shared object that uses ITT has a
 * static part of its own and does this itself.
 *
 * A program's macros call nothing where a pointer is NULL, the domain is NULL or its flags are 0.
 *
 * Domains, strings and counters that were made before the first other call are objects of the
 * static part, on the heap; what is requested later is made by the collector. Both have the layouts
 * below. In those of the static part `extra1` and `extra2` are 0, but not a counter's, whose
 * `index` is.
 *
 * Layouts and names are those of ITT 3.x; tests/e2e/test_itt_packages.sh runs programs that have
 * Intel's own static part.
 */
#ifndef PROF_ITT_ABI_H
#define PROF_ITT_ABI_H

#include "prof/format.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define ITT_MAGIC                                      \
    {                                                  \
        0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30 \
    }

enum itt_group {
    ITT_GROUP_LEGACY = 1 << 0,
    ITT_GROUP_CONTROL = 1 << 1,
    ITT_GROUP_THREAD = 1 << 2,
    ITT_GROUP_MARK = 1 << 3,
    ITT_GROUP_SYNC = 1 << 4,
    ITT_GROUP_COUNTER = 1 << 8,
    ITT_GROUP_FRAME = 1 << 9,
    ITT_GROUP_HEAP = 1 << 11,
    ITT_GROUP_STRUCTURE = 1 << 12,
    ITT_GROUP_ALL = -1,
};

/* An entry of the list; the last one has no name. */
struct itt_api {
    const char *name; /* "__itt_task_begin" */
    void **pointer;
    void *stub;
    void *absent;  /* what the pointer becomes where the collector has nothing: NULL, or the stub */
    int32_t group; /* enum itt_group, several */
};
PROF_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(struct itt_api) == 40, "layout");

/* As far as it is needed: the lists of the static part's objects and more follow. */
struct itt_global {
    uint8_t magic[8];
    unsigned long version_major, version_minor, version_build;
    long initialized, mutex_initialized, mutex_count;
    pthread_mutex_t mutex;
    void *library;
    void *error_handler;
    const char **library_path;
    struct itt_api *apis;
    struct itt_global *next;
};

struct itt_id {
    uint64_t d1, d2, d3; /* all 0: none */
};

struct itt_domain {
    int32_t flags; /* 0: switched off */
    const char *name;
    void *wide_name;
    int32_t extra1; /* the collector's */
    void *extra2;
    struct itt_domain *next;
};
PROF_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(struct itt_domain) == 48, "layout");

struct itt_string {
    const char *text;
    void *wide_text;
    int32_t extra1; /* the collector's */
    void *extra2;
    struct itt_string *next;
};
PROF_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(struct itt_string) == 40, "layout");

enum itt_type {
    ITT_TYPE_U64 = 1,
    ITT_TYPE_S64,
    ITT_TYPE_U32,
    ITT_TYPE_S32,
    ITT_TYPE_U16,
    ITT_TYPE_S16,
    ITT_TYPE_FLOAT,
    ITT_TYPE_DOUBLE,
};

struct itt_counter {
    const char *name;
    void *wide_name;
    const char *domain; /* may be NULL */
    void *wide_domain;
    int32_t type; /* enum itt_type */
    long index;   /* 0 when it is the static part's */
    int32_t extra1;
    void *extra2;
    struct itt_counter *next;
};
PROF_STATIC_ASSERT(sizeof(void *) != 8 || sizeof(struct itt_counter) == 72, "layout");

enum itt_scope {
    ITT_SCOPE_GLOBAL = 1,
    ITT_SCOPE_TRACK_GROUP,
    ITT_SCOPE_TRACK,
    ITT_SCOPE_TASK,
    ITT_SCOPE_MARKER,
};

/* What pause and resume apply to. */
#define ITT_COLLECTION_HOST 1u

/* A metadata string of this length is NUL-terminated. */
#define ITT_TERMINATED SIZE_MAX

#endif
