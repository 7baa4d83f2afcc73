#include "hang_lines.h"

#include <stdlib.h>
#include <string.h>

const char *hang_lines_of_last(const char *text)
{
    for (const char *next; (next = strstr(text, "\nhang number=")); text = next + 1)
        continue;
    return text;
}

const char *hang_lines_next(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : NULL;
}

const char *hang_lines_find(const char *line, const char *word)
{
    size_t size = strlen(word);
    for (; line; line = hang_lines_next(line))
        if (strncmp(line, word, size) == 0 && line[size] == ' ')
            return line;
    return NULL;
}

/* Where a name or value ends: at a delimiter, or after its closing quote. */
static const char *end_of(const char *at, const char *delimiters)
{
    if (*at == '"') {
        at += 1 + strcspn(at + 1, "\"\n");
        return *at == '"' ? at + 1 : at;
    }
    return at + strcspn(at, delimiters);
}

bool hang_line_field(const char *line, const char *name, struct text *value)
{
    for (const char *at = line; *at && *at != '\n'; at += *at == ' ') {
        const char *end = end_of(at, "= \n");
        bool is_it = (size_t)(end - at) == strlen(name) && strncmp(at, name, strlen(name)) == 0;
        at = end;
        if (*at != '=')
            continue;
        end = end_of(++at, " \n");
        bool quoted = *at == '"' && end > at + 1 && end[-1] == '"';
        *value = (struct text){at + quoted, (uint32_t)(end - at) - 2 * quoted};
        if (is_it)
            return true;
        at = end;
    }
    return false;
}

uint64_t hang_line_number(const char *line, const char *name)
{
    struct text value;
    return hang_line_field(line, name, &value) ? strtoull(value.bytes, NULL, 0) : 0;
}
