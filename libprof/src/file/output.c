#include "output.h"

#include "environment.h"
#include "prof/format.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct output_text {
    char *at;
    size_t size, capacity;
    bool overflow;
};

static void output_put(struct output_text *text, char c)
{
    if (text->size + 1 >= text->capacity)
        text->overflow = true;
    else
        text->at[text->size++] = c;
}

static void output_put_value(struct output_text *text, const char *value)
{
    for (; value && *value; value++)
        output_put(text, *value == '/' ? '_' : *value);
}

static void output_put_number(struct output_text *text, uint32_t number)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", number);
    output_put_value(text, digits);
}

/* `escape` points behind "%q{". Returns the character behind '}', or NULL when there is none. */
static const char *output_put_variable(struct output_text *text, const char *escape)
{
    char name[128];
    const char *end = strchr(escape, '}');
    if (!end || (size_t)(end - escape) >= sizeof name)
        return NULL;
    memcpy(name, escape, (size_t)(end - escape));
    name[end - escape] = '\0';
    output_put_value(text, environment_get(name));
    return end + 1;
}

/* `escape` points behind '%'. Returns where to go on. */
static const char *output_put_escape(struct output_text *text, const char *escape,
                                     const struct output_facts *facts)
{
    if (escape[0] == 'q' && escape[1] == '{') {
        const char *rest = output_put_variable(text, escape + 2);
        if (rest)
            return rest;
    }
    switch (*escape) {
    case 'p':
        output_put_number(text, facts->pid);
        break;
    case 'h':
        output_put_value(text, facts->host);
        break;
    case 'r':
        output_put_number(text, facts->rank < 0 ? 0 : (uint32_t)facts->rank);
        break;
    case 'R':
        if (facts->rank >= 0) {
            output_put_value(text, "-rank");
            output_put_number(text, (uint32_t)facts->rank);
        }
        break;
    case 'n':
        output_put_number(text, facts->number);
        break;
    case 'e':
        output_put_value(text, facts->program);
        break;
    case '%':
        output_put(text, '%');
        break;
    default:
        output_put(text, '%');
        return escape;
    }
    return escape + 1;
}

bool output_expand(const char *pattern, const struct output_facts *facts, char *path,
                   size_t path_bytes)
{
    struct output_text text = {.at = path, .capacity = path_bytes};
    while (*pattern) {
        if (*pattern == '%')
            pattern = output_put_escape(&text, pattern + 1, facts);
        else
            output_put(&text, *pattern++);
    }
    path[text.size] = '\0';
    return !text.overflow && text.size > 0;
}

static bool output_has(const char *pattern, char escape)
{
    for (; *pattern; pattern++)
        if (*pattern == '%' && *++pattern == escape)
            return true;
        else if (!*pattern)
            return false;
    return false;
}

bool output_has_number(const char *pattern)
{
    return output_has(pattern, 'n');
}

bool output_beside(const char *path, uint32_t pid, unsigned attempt, char *other,
                   size_t other_bytes)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const char *extension = dot && dot != base ? dot : base + strlen(base);
    char counter[16] = "";
    if (attempt > 1)
        snprintf(counter, sizeof counter, "-%u", attempt);
    int size = snprintf(other, other_bytes, "%.*s-%u%s%s", (int)(extension - path), path, pid,
                        counter, extension);
    return size > 0 && (size_t)size < other_bytes;
}

bool output_may_replace(const char *path)
{
    char head[PROF_FILE_MAGIC_BYTES];
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool regular = fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
    ssize_t size = regular ? read(fd, head, sizeof head) : -1;
    if (fd >= 0)
        close(fd);
    return size == 0 || (size == sizeof head && memcmp(head, PROF_FILE_MAGIC, sizeof head) == 0);
}
