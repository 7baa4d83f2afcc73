/* peak_file.c - see peak_file.h. */
#include "peak_file.h"

#include "array.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct peak_file *file;
    struct peak_section *section; /* that lines are of; NULL before the first */
    uint32_t line;
    char *error;
};

static bool fail(const struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(const struct reading *reading, const char *format, ...)
{
    int used = snprintf(reading->error, PEAK_FILE_ERROR_BYTES, "%.200s:%u: ", reading->file->path,
                        reading->line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reading->error + used, PEAK_FILE_ERROR_BYTES - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

/* Without blanks around it. */
static char *trim(char *text)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    for (size_t size = strlen(text); size && strchr(blanks, text[size - 1]); size--)
        text[size - 1] = '\0';
    return text;
}

/* ---- sections ---- */

static const struct peak_section *same_section(const struct peak_file *file, const char *words)
{
    for (uint32_t i = 0; i < file->count; i++)
        if (strcmp(file->at[i].words, words) == 0)
            return &file->at[i];
    return NULL;
}

static bool begin_section(struct reading *reading, char *name)
{
    struct peak_section section = {.line = reading->line};
    size_t size = strlen(name);
    if (name[size - 1] != ']')
        return fail(reading, "a section ends with ']'");
    name[size - 1] = '\0';
    name = trim(name + 1);
    device_name_normalize((struct text){name, strlen(name)}, section.words);
    if (!*section.words && strcmp(name, "*") != 0)
        return fail(reading, "'%.100s' is no name of a device; [*] is every device", name);
    const struct peak_section *same = same_section(reading->file, section.words);
    if (same)
        return fail(reading, "[%.100s] is the same device as [%.100s] of line %u", name, same->name,
                    same->line);
    snprintf(section.name, sizeof section.name, "%.127s", name);
    reading->section = ARRAY_ADD(reading->file);
    if (!reading->section)
        return fail(reading, "%s", strerror(ENOMEM));
    *reading->section = section;
    return true;
}

/* ---- figures ---- */

static bool read_number(const struct reading *reading, const char *key, const char *text,
                        double *number)
{
    char *end;
    *number = strtod(text, &end);
    if (end == text || *end || strpbrk(text, "xXpP"))
        return fail(reading, "%.60s: '%.100s' is not a decimal number", key, text);
    if (!isfinite(*number) || *number <= 0)
        return fail(reading, "%.60s: '%.100s' is not a positive number", key, text);
    return true;
}

static bool set_once(const struct reading *reading, const char *key, const char *text, bool *given,
                     double *figure)
{
    if (*given)
        return fail(reading, "%.60s was given before in [%.100s]", key, reading->section->name);
    *given = true;
    return read_number(reading, key, text, figure);
}

static bool set_rate(const struct reading *reading, const char *key, const char *text)
{
    struct peak_section *section = reading->section;
    enum op_type type = op_type_find((struct text){key, strlen(key)});
    if (type == OP_TYPE_UNKNOWN)
        return fail(reading,
                    "'%.60s' is neither a type (float16, bf16, tf32, int8 ...), bandwidth_gbs nor "
                    "memory_gb",
                    key);
    bool given = section->types & (1u << type);
    section->types |= 1u << type;
    return set_once(reading, key, text, &given, &section->figures.matrix[type]);
}

static bool read_figure(const struct reading *reading, char *line)
{
    struct peak_section *section = reading->section;
    char *equals = strchr(line, '=');
    if (!equals)
        return fail(reading, "'%.100s' is neither [a device] nor figure = number", line);
    if (!section)
        return fail(reading, "a figure before the first [device]");
    *equals = '\0';
    const char *key = trim(line), *text = trim(equals + 1);
    if (strcmp(key, "bandwidth_gbs") == 0)
        return set_once(reading, key, text, &section->has_bandwidth,
                        &section->figures.bandwidth_gbs);
    if (strcmp(key, "memory_gb") == 0)
        return set_once(reading, key, text, &section->has_memory, &section->figures.memory_gb);
    return set_rate(reading, key, text);
}

/* ---- file ---- */

static bool read_line(struct reading *reading, char *line, size_t size)
{
    reading->line++;
    if (strlen(line) != size)
        return fail(reading, "there is a zero byte in the line");
    line[strcspn(line, "#;")] = '\0';
    line = trim(line);
    if (!*line)
        return true;
    return *line == '[' ? begin_section(reading, line) : read_figure(reading, line);
}

static bool read_lines(struct reading *reading, FILE *stream)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t size = 0;
    bool good = true;
    errno = 0;
    while (good && (size = getline(&line, &room, stream)) >= 0)
        good = read_line(reading, line, (size_t)size);
    if (good && ferror(stream))
        good = fail(reading, "%s", strerror(errno));
    else if (good && reading->file->count == 0)
        good = fail(reading, "there is no [device] in this file");
    free(line);
    return good;
}

bool peak_file_read(struct peak_file *file, const char *path, char error[PEAK_FILE_ERROR_BYTES])
{
    struct reading reading = {.file = file, .error = error};
    FILE *stream = fopen(path, "re");
    int code = errno;
    *file = (struct peak_file){.path = strdup(path)};
    bool good = stream && file->path && read_lines(&reading, stream);
    if (!stream || !file->path)
        snprintf(error, PEAK_FILE_ERROR_BYTES, "%.400s: %s", path,
                 strerror(stream ? ENOMEM : code));
    if (stream)
        fclose(stream);
    if (!good)
        peak_file_fini(file);
    return good;
}

void peak_file_fini(struct peak_file *file)
{
    free(file->path);
    free(file->at);
    *file = (struct peak_file){0};
}

const struct peak_section *peak_file_find(const struct peak_file *file, const char *name)
{
    const struct peak_section *best = NULL;
    for (uint32_t i = 0; i < file->count; i++) {
        const struct peak_section *section = &file->at[i];
        bool is_for = !*section->words || device_name_begins(name, section->words);
        if (is_for && (!best || strlen(section->words) > strlen(best->words)))
            best = section;
    }
    return best;
}
