/* pytorch_list.c - see pytorch_list.h. */
#include "pytorch_list.h"

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

static struct text trim(struct text text)
{
    while (text.size && is_space(text.bytes[0]))
        text.bytes++, text.size--;
    while (text.size && is_space(text.bytes[text.size - 1]))
        text.size--;
    return text;
}

bool pytorch_list_begin(struct pytorch_list *list, struct text text)
{
    text = trim(text);
    if (text.size < 2 || text.bytes[0] != '[' || text.bytes[text.size - 1] != ']')
        return false;
    *list = (struct pytorch_list){text.bytes + 1, text.bytes + text.size - 1};
    return true;
}

/* From behind a quote to behind the one that closes. */
static const char *behind_string(const char *p, const char *end)
{
    while (p < end && *p != '"')
        p += *p == '\\' ? 2 : 1;
    return p < end ? p + 1 : end;
}

bool pytorch_list_next(struct pytorch_list *list, struct text *item)
{
    const char *p = list->at;
    int depth = 0;
    while (p < list->end && (*p != ',' || depth)) {
        if (*p == '"') {
            p = behind_string(p + 1, list->end);
            continue;
        }
        depth += (*p | 0x20) == '{' ? 1 : (*p | 0x20) == '}' ? -1 : 0;
        p++;
    }
    *item = trim((struct text){list->at, (size_t)(p - list->at)});
    list->at = p < list->end ? p + 1 : p;
    return item->size > 0;
}

uint32_t pytorch_list_count(struct text text)
{
    struct pytorch_list list;
    struct text item;
    uint32_t count = 0;
    if (pytorch_list_begin(&list, text))
        while (pytorch_list_next(&list, &item))
            count++;
    return count;
}

bool pytorch_list_item(struct text text, uint32_t index, struct text *item)
{
    struct pytorch_list list;
    if (!pytorch_list_begin(&list, text))
        return false;
    for (uint32_t i = 0; pytorch_list_next(&list, item); i++)
        if (i == index)
            return true;
    return false;
}

/* All of the text is one whole number. */
static bool read_whole(struct text text, int64_t *number)
{
    bool negative = text.size && text.bytes[0] == '-';
    bool good = text.size > negative;
    *number = 0;
    for (size_t i = negative; i < text.size && good; i++) {
        int digit = text.bytes[i] - '0';
        good = digit >= 0 && digit <= 9 && !__builtin_mul_overflow(*number, 10, number) &&
               !__builtin_add_overflow(*number, digit, number);
    }
    *number = negative ? -*number : *number;
    return good;
}

bool pytorch_list_shape(struct text text, struct pytorch_shape *shape)
{
    struct pytorch_list list;
    struct text item;
    shape->count = 0;
    if (!pytorch_list_begin(&list, text))
        return false;
    while (pytorch_list_next(&list, &item)) {
        if (shape->count == PYTORCH_SHAPE_MAX || !read_whole(item, &shape->at[shape->count]))
            return false;
        shape->count++;
    }
    return true;
}

static bool is_between(char byte)
{
    return is_space(byte) || byte == ',' || byte == '[' || byte == ']';
}

bool pytorch_list_product(struct text text, int64_t *product)
{
    const char *p = text.bytes, *end = p + text.size;
    int64_t number;
    for (*product = 1; p < end;) {
        const char *begin = p;
        while (p < end && !is_between(*p))
            p++;
        if (p > begin && (!read_whole((struct text){begin, (size_t)(p - begin)}, &number) ||
                          __builtin_mul_overflow(*product, number, product)))
            return false;
        p += p < end;
    }
    return true;
}

bool pytorch_list_string(struct text item, struct text *body)
{
    bool quoted = item.size >= 2 && item.bytes[0] == '"' && item.bytes[item.size - 1] == '"';
    if (quoted)
        *body = (struct text){item.bytes + 1, item.size - 2};
    return quoted;
}

bool pytorch_list_numbers(struct text text, struct pytorch_shape *numbers)
{
    const char *p = text.bytes, *end = p + text.size;
    char plain[256];
    size_t size = 1;
    plain[0] = '[';
    for (; p < end && size < sizeof plain - 1; p++)
        if (*p != '[' && *p != ']')
            plain[size++] = *p;
    plain[size++] = ']';
    return p == end && pytorch_list_shape((struct text){plain, size}, numbers) && numbers->count;
}
