#include "demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* See demangle.h.
 *
 * GNU's runtime also offers its demangler with the text delivered segment by segment. That one is
 * preferred: it allocates nothing and can be left in the middle, when a hostile name turns out to
 * be gigabytes long.
 */

#define _GNU_SOURCE

/* Names longer than this are not given to a demangler that cannot be stopped. */
#define UNSTOPPABLE_BYTES_MAX 2048

typedef char *whole_function(const char *mangled, char *buffer, size_t *size, int *status);
typedef int segments_function(const char *mangled, void (*take)(const char *, size_t, void *),
                              void *user);

/* Set once, by look_for_it(). */
static whole_function *whole;
static segments_function *segments;

static void find_in(void *library)
{
    /* ISO C has no cast from an object's address to a function's. */
    void *found = dlsym(library, "__gcclibcxx_demangle_callback");
    memcpy(&segments, &found, sizeof segments);
    found = dlsym(library, "__cxa_demangle");
    memcpy(&whole, &found, sizeof whole);
}

static void look_for_it(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    find_in(RTLD_DEFAULT);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !segments && !whole; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        if (library)
            find_in(library);
    }
}

bool demangle_available(void)
{
    static pthread_once_t looked_for = PTHREAD_ONCE_INIT;
    pthread_once(&looked_for, look_for_it);
    return segments || whole;
}

/* A text that grows segment by segment. */
struct growing {
    char *text;
    size_t size, capacity;
    jmp_buf give_up;
};

static void append_segment(const char *text, size_t size, void *user)
{
    struct growing *to = user;
    if (size > DEMANGLE_BYTES_MAX - to->size)
        longjmp(to->give_up, 1);
    if (to->size + size >= to->capacity) {
        size_t capacity = (to->size + size + 1) * 2;
        char *grown = realloc(to->text, capacity);
        if (!grown)
            longjmp(to->give_up, 1);
        to->text = grown;
        to->capacity = capacity;
    }
    memcpy(to->text + to->size, text, size);
    to->size += size;
    to->text[to->size] = 0;
}

/* Apart from the function that owns `to`: setjmp leaves changed locals of its own function
 * undefined. */
static bool collect_segments(const char *mangled, struct growing *to)
{
    return setjmp(to->give_up) == 0 && segments(mangled, append_segment, to) == 0;
}

static char *demangle_segments(const char *mangled)
{
    struct growing to = {.text = NULL};
    if (collect_segments(mangled, &to))
        return to.text;
    free(to.text);
    return NULL;
}

static char *demangle_whole(const char *mangled, size_t size)
{
    int status = 0;
    if (size > UNSTOPPABLE_BYTES_MAX)
        return NULL;
    char *text = whole(mangled, NULL, NULL, &status);
    if (text && (status != 0 || strlen(text) > DEMANGLE_BYTES_MAX)) {
        free(text);
        return NULL;
    }
    return text;
}

char *demangle_name(const char *name, size_t size, size_t *size_out)
{
    if (size < 3 || name[0] != '_' || name[1] != 'Z' || memchr(name, 0, size) ||
        !demangle_available())
        return NULL;
    char *mangled = strndup(name, size);
    if (!mangled)
        return NULL;
    char *text = segments ? demangle_segments(mangled) : demangle_whole(mangled, size);
    free(mangled);
    if (text)
        *size_out = strlen(text);
    return text;
}

struct text demangle_short_name(struct text name)
{
    size_t end = 0, begin = 0;
    while (end < name.size && name.bytes[end] != '<' && name.bytes[end] != '(')
        end++;
    for (size_t i = 0; i < end; i++)
        if (name.bytes[i] == ' ' || name.bytes[i] == ':')
            begin = i + 1;
    return begin < end ? (struct text){name.bytes + begin, end - begin} : name;
}
