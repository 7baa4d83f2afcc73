/* op_text.c - elements are found by brackets and quotes alone; what they are is looked at later. */
#include "op_text.h"

#include <stdlib.h>
#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

static struct text trim(struct text text)
{
    if (text.size == 0)
        return text;
    const char *end = text.bytes + text.size;
    const char *at = skip_space(text.bytes, end);
    while (end > at && is_space(end[-1]))
        end--;
    return (struct text){at, (size_t)(end - at)};
}

static bool opens(char c)
{
    return c == '[' || c == '(';
}

static bool closes(char c)
{
    return c == ']' || c == ')';
}

struct op_list op_list_open(struct text text)
{
    struct op_list list = {0};
    struct text whole = trim(text);
    list.failed = whole.size == 0 || !opens(whole.bytes[0]);
    list.at = list.failed ? NULL : whole.bytes + 1;
    list.end = list.failed ? NULL : whole.bytes + whole.size;
    return list;
}

/* Behind the closing quote; NULL: there is none. `at` is behind the opening one. */
static const char *skip_string(const char *at, const char *end)
{
    for (; at < end; at++) {
        if (*at == '\\' && at + 1 < end)
            at++;
        else if (*at == '"')
            return at + 1;
    }
    return NULL;
}

/* Behind the bracket that closes; NULL: there is none. `at` is at the opening one. */
static const char *skip_list(const char *at, const char *end)
{
    size_t depth = 0;
    while (at < end) {
        char c = *at++;
        depth += opens(c);
        if (c == '"' && !(at = skip_string(at, end)))
            return NULL;
        if (closes(c) && --depth == 0)
            return at;
    }
    return NULL;
}

static const char *skip_word(const char *at, const char *end)
{
    while (at < end && *at != ',' && *at != '"' && !opens(*at) && !closes(*at))
        at++;
    return at;
}

static const char *skip_element(const char *at, const char *end, struct text *element)
{
    const char *behind;
    if (*at == '"') {
        behind = skip_string(at + 1, end);
        *element = (struct text){at + 1, behind ? (size_t)(behind - at) - 2 : 0};
        return behind;
    }
    behind = opens(*at) ? skip_list(at, end) : skip_word(at, end);
    if (behind)
        *element = trim((struct text){at, (size_t)(behind - at)});
    return element->size ? behind : NULL;
}

static bool fail(struct op_list *list)
{
    list->failed = true;
    return false;
}

bool op_list_next(struct op_list *list, struct text *element)
{
    if (list->failed || list->ended)
        return false;
    list->at = skip_space(list->at, list->end);
    if (list->at == list->end)
        return fail(list);
    if (closes(*list->at)) {
        list->ended = true;
        list->at++;
        return false;
    }
    *element = (struct text){0};
    list->at = skip_element(list->at, list->end, element);
    if (!list->at)
        return fail(list);
    list->at = skip_space(list->at, list->end);
    if (list->at < list->end && *list->at == ',')
        list->at++;
    else if (list->at == list->end || !closes(*list->at))
        return fail(list);
    return true;
}

bool op_list_is_whole(const struct op_list *list)
{
    return list->ended && !list->failed && skip_space(list->at, list->end) == list->end;
}

bool op_text_is_list(struct text element)
{
    return element.size && opens(element.bytes[0]);
}

/* Most numbers are a few digits. False: look at it in another way. */
static bool plain_integer(struct text text, int64_t *number)
{
    bool minus = text.size && text.bytes[0] == '-';
    int64_t value = 0;
    if (text.size <= minus || text.size > 15)
        return false;
    for (size_t i = minus; i < text.size; i++) {
        if (text.bytes[i] < '0' || text.bytes[i] > '9')
            return false;
        value = value * 10 + (text.bytes[i] - '0');
    }
    *number = minus ? -value : value;
    return true;
}

/* strtod() would take "nan" and "0x10". */
static bool is_decimal(struct text text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!memchr("+-.eE0123456789", text.bytes[i], 15))
            return false;
    return text.size > 0;
}

bool op_text_integer(struct text text, int64_t *number)
{
    const double limit = 9007199254740992.0;
    char buffer[32], *end;
    text = trim(text);
    if (plain_integer(text, number))
        return true;
    if (text.size >= sizeof buffer || !is_decimal(text))
        return false;
    memcpy(buffer, text.bytes, text.size);
    buffer[text.size] = '\0';
    double value = strtod(buffer, &end);
    if (end != buffer + text.size || !(value >= -limit && value <= limit) ||
        value != (double)(int64_t)value)
        return false;
    *number = (int64_t)value;
    return true;
}

static bool is_word(struct text text, const char *word)
{
    size_t size = strlen(word);
    if (text.size != size)
        return false;
    for (size_t i = 0; i < size; i++)
        if ((text.bytes[i] | 0x20) != word[i])
            return false;
    return true;
}

bool op_text_truth(struct text text, bool *truth)
{
    int64_t number;
    text = trim(text);
    if (op_text_integer(text, &number)) {
        *truth = number != 0;
        return number == 0 || number == 1;
    }
    *truth = is_word(text, "true");
    return *truth || is_word(text, "false");
}

typedef bool element_reader(struct text text, void *to, int index);

static bool read_integer(struct text text, void *to, int index)
{
    return op_text_integer(text, (int64_t *)to + index);
}

static bool read_truth(struct text text, void *to, int index)
{
    return op_text_truth(text, (bool *)to + index);
}

static int read_list(struct text text, element_reader *read, void *to, int most)
{
    struct text element = trim(text);
    int count = 0;
    if (!op_text_is_list(element))
        return most > 0 && read(element, to, 0) ? 1 : -1;
    struct op_list list = op_list_open(element);
    while (op_list_next(&list, &element))
        if (count == most || !read(element, to, count++))
            return -1;
    return op_list_is_whole(&list) ? count : -1;
}

int op_text_integers(struct text text, int64_t *numbers, int most)
{
    return read_list(text, read_integer, numbers, most);
}

int op_text_truths(struct text text, bool *truths, int most)
{
    return read_list(text, read_truth, truths, most);
}
