/* itt_static.h - a static part of ITT, as a program has one: a pointer per function, which begins as
 * nothing, and itt_bind(), which does what the first call of a real one does.
 *
 * ITT_COLLECTOR names the way: "init" (as real ones: __itt_api_init where there is one, else names),
 * "names" (as those of before 2010).
 */
#ifndef ITT_STATIC_H
#define ITT_STATIC_H

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned long long d1, d2, d3;
} itt_id;

typedef struct itt_domain {
    volatile int flags;
    const char *name;
    void *wide_name;
    int extra1;
    void *extra2;
    struct itt_domain *next;
} itt_domain;

typedef struct itt_string {
    const char *text;
    void *wide_text;
    int extra1;
    void *extra2;
    struct itt_string *next;
} itt_string;

typedef struct itt_counter {
    const char *name;
    void *wide_name;
    const char *domain;
    void *wide_domain;
    int type;
    long index;
    int extra1;
    void *extra2;
    struct itt_counter *next;
} itt_counter;

enum { ITT_CONTROL = 2, ITT_THREAD = 4, ITT_MARK = 8, ITT_SYNC = 16, ITT_COUNTERS = 256 };
enum { ITT_FRAME = 512, ITT_HEAP = 2048, ITT_STRUCTURE = 4096, ITT_ALL = -1 };

/* X(result, name, parameters, group) */
#define ITT_FUNCTIONS(X)                                                                         \
    X(itt_domain *, domain_create, (const char *), ITT_STRUCTURE)                                \
    X(itt_string *, string_handle_create, (const char *), ITT_STRUCTURE)                         \
    X(void, task_begin, (const itt_domain *, itt_id, itt_id, itt_string *), ITT_STRUCTURE)       \
    X(void, task_begin_fn, (const itt_domain *, itt_id, itt_id, void *), ITT_STRUCTURE)          \
    X(void, task_end, (const itt_domain *), ITT_STRUCTURE)                                       \
    X(void, task_begin_overlapped, (const itt_domain *, itt_id, itt_id, itt_string *),           \
      ITT_STRUCTURE)                                                                             \
    X(void, task_end_overlapped, (const itt_domain *, itt_id), ITT_STRUCTURE)                    \
    X(void, region_begin, (const itt_domain *, itt_id, itt_id, itt_string *), ITT_STRUCTURE)     \
    X(void, region_end, (const itt_domain *, itt_id), ITT_STRUCTURE)                             \
    X(void, frame_begin_v3, (const itt_domain *, itt_id *), ITT_STRUCTURE)                       \
    X(void, frame_end_v3, (const itt_domain *, itt_id *), ITT_STRUCTURE)                         \
    X(void, frame_submit_v3,                                                                     \
      (const itt_domain *, itt_id *, unsigned long long, unsigned long long), ITT_STRUCTURE)     \
    X(unsigned long long, get_timestamp, (void), ITT_STRUCTURE)                                  \
    X(itt_domain *, frame_create, (const char *), ITT_FRAME)                                     \
    X(void, frame_begin, (itt_domain *), ITT_FRAME)                                              \
    X(void, frame_end, (itt_domain *), ITT_FRAME)                                                \
    X(void, marker, (const itt_domain *, itt_id, itt_string *, int), ITT_STRUCTURE)              \
    X(void, metadata_add, (const itt_domain *, itt_id, itt_string *, int, size_t, const void *), \
      ITT_STRUCTURE)                                                                             \
    X(void, metadata_add_with_scope,                                                             \
      (const itt_domain *, int, itt_string *, int, size_t, const void *), ITT_STRUCTURE)         \
    X(void, metadata_str_add, (const itt_domain *, itt_id, itt_string *, const char *, size_t),  \
      ITT_STRUCTURE)                                                                             \
    X(void, metadata_str_add_with_scope,                                                         \
      (const itt_domain *, int, itt_string *, const char *, size_t), ITT_STRUCTURE)              \
    X(void, formatted_metadata_add, (const itt_domain *, itt_string *, ...), ITT_STRUCTURE)      \
    X(itt_counter *, counter_create, (const char *, const char *), ITT_COUNTERS)                 \
    X(itt_counter *, counter_create_typed, (const char *, const char *, int), ITT_COUNTERS)      \
    X(itt_counter *, counter_create_v3, (const itt_domain *, const char *, int), ITT_COUNTERS)   \
    X(void, counter_set_value, (itt_counter *, const void *), ITT_COUNTERS)                      \
    X(void, counter_inc, (itt_counter *), ITT_COUNTERS)                                          \
    X(void, counter_dec_delta, (itt_counter *, unsigned long long), ITT_COUNTERS)                \
    X(void, counter_inc_delta_v3, (const itt_domain *, itt_string *, unsigned long long),        \
      ITT_STRUCTURE)                                                                             \
    X(int, event_create, (const char *, int), ITT_MARK)                                          \
    X(int, event_start, (int), ITT_MARK)                                                         \
    X(int, event_end, (int), ITT_MARK)                                                           \
    X(int, mark_create, (const char *), ITT_MARK)                                                \
    X(int, mark, (int, const char *), ITT_MARK)                                                  \
    X(void, thread_set_name, (const char *), ITT_THREAD)                                         \
    X(void, pause, (void), ITT_CONTROL)                                                          \
    X(void, resume, (void), ITT_CONTROL)                                                         \
    X(void, detach, (void), ITT_CONTROL)                                                         \
    X(void *, heap_function_create, (const char *, const char *), ITT_HEAP)                      \
    X(void, heap_allocate_end, (void *, void **, size_t, int), ITT_HEAP)                         \
    X(void, heap_free_begin, (void *, void *), ITT_HEAP)                                         \
    X(void, sync_acquired, (void *), ITT_SYNC)                                                   \
    X(void, id_create, (const itt_domain *, itt_id), ITT_STRUCTURE)

#define ITT_POINTER(result, name, parameters, group) static result(*itt_##name) parameters;
ITT_FUNCTIONS(ITT_POINTER)

struct itt_entry {
    const char *name;
    void **pointer;
    void *stub, *absent;
    int group;
};

#define ITT_ENTRY(result, name, parameters, group) \
    {"__itt_" #name, (void **)(void *)&itt_##name, (void *)1, NULL, group},
static struct itt_entry itt_entries[] = {ITT_FUNCTIONS(ITT_ENTRY){NULL, NULL, NULL, NULL, 0}};

static struct {
    unsigned char magic[8];
    unsigned long version_major, version_minor, version_build;
    volatile long initialized, mutex_initialized, count;
    pthread_mutex_t mutex;
    void *library, *error_handler;
    const char **path;
    struct itt_entry *entries;
    void *next, *threads, *domains, *strings;
    int state;
    void *counters;
    unsigned events;
    void *histograms, *counter_metadata;
} itt_global = {.magic = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30},
                .version_major = 3,
                .version_build = 20250807,
                .mutex = PTHREAD_MUTEX_INITIALIZER,
                .entries = itt_entries};

/* Returns how many pointers are set: 0 without a collector. */
static inline int itt_bind_groups(int groups)
{
    const char *path = getenv("INTEL_LIBITTNOTIFY64"), *way = getenv("ITT_COLLECTOR");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    void *init = library ? dlsym(library, "__itt_api_init") : NULL;
    int set = 0;
    itt_global.library = library;
    pthread_mutex_lock(&itt_global.mutex);
    if (init && !(way && strcmp(way, "names") == 0))
        ((void (*)(void *, int))init)(&itt_global, groups);
    else
        for (struct itt_entry *entry = itt_entries; entry->name; entry++)
            *entry->pointer = library ? dlsym(library, entry->name) : NULL;
    itt_global.initialized = 1;
    pthread_mutex_unlock(&itt_global.mutex);
    for (struct itt_entry *entry = itt_entries; entry->name; entry++)
        set += *entry->pointer != NULL;
    return set;
}

static inline int itt_bind(void)
{
    return itt_bind_groups(ITT_ALL);
}

/* What a static part makes before it has looked for a collector. */
static inline itt_domain *itt_early_domain(const char *name)
{
    itt_domain *domain = calloc(1, sizeof *domain);
    domain->flags = 1;
    domain->name = strdup(name);
    return domain;
}

static inline itt_string *itt_early_string(const char *text)
{
    itt_string *string = calloc(1, sizeof *string);
    string->text = strdup(text);
    return string;
}

/* The real one leaves extra1 and extra2 of a counter as malloc gave them. */
static inline itt_counter *itt_early_counter(const char *name, const char *domain, int type)
{
    itt_counter *counter = malloc(sizeof *counter);
    memset(counter, 0xa5, sizeof *counter);
    counter->name = strdup(name);
    counter->domain = domain ? strdup(domain) : NULL;
    counter->type = type;
    counter->index = 0;
    counter->next = NULL;
    return counter;
}

static const itt_id itt_null;

static inline itt_id itt_id_make(unsigned long long number)
{
    return (itt_id){number, 7, 0};
}

/* As the header's macros call: nothing where there is nobody. */
#define ITT_CALL(name, ...) (itt_##name ? itt_##name(__VA_ARGS__) : (void)0)
#define ITT_GET(name, ...) (itt_##name ? itt_##name(__VA_ARGS__) : 0)

#endif
