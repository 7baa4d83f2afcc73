#include "torch_names.h"

#include <stdint.h>
#include <string.h>

struct torch_names_rule {
    const char *text; /* in the name */
    size_t bytes;
    const char *key;
    bool integer;
};

#define TORCH_NAMES_RULE(text, key, integer) \
    {                                        \
        text, sizeof(text) - 1, key, integer \
    }
static const struct torch_names_rule torch_names_rules[TORCH_NAMES_PARTS_MAX] = {
    TORCH_NAMES_RULE("seq", "seq", true),
    TORCH_NAMES_RULE("stashed seq", "stashed_seq", true),
    TORCH_NAMES_RULE("op_id", "op_id", true),
    TORCH_NAMES_RULE("sizes", "sizes", false),
    TORCH_NAMES_RULE("input_op_ids", "input_op_ids", false),
};

/* Places in a name where parts may begin. PyTorch's have one; each may be read to the name's end,
 * which must not become quadratic. */
#define TORCH_NAMES_TRIES 16u

/* What is left to read. */
struct torch_names_text {
    const char *at, *end;
};

static inline bool torch_names_skip_n(struct torch_names_text *text, const char *expected,
                                      size_t bytes)
{
    if ((size_t)(text->end - text->at) < bytes || memcmp(text->at, expected, bytes) != 0)
        return false;
    text->at += bytes;
    return true;
}
#define torch_names_skip(text, expected) torch_names_skip_n(text, expected, sizeof(expected) - 1)

static bool torch_names_integer(struct torch_names_text *text, struct torch_names_part *part)
{
    bool negative = torch_names_skip(text, "-");
    const char *from = text->at;
    uint64_t number = 0;
    while (text->at < text->end && *text->at >= '0' && *text->at <= '9' && number < INT64_MAX / 10)
        number = number * 10 + (uint64_t)(*text->at++ - '0');
    part->text = NULL;
    part->integer = negative ? -number : number;
    return text->at > from;
}

/* From '[' to the ']' that belongs to it. */
static bool torch_names_list(struct torch_names_text *text, struct torch_names_part *part)
{
    const char *from = text->at;
    int depth = 0;
    for (; text->at < text->end; text->at++) {
        depth += *text->at == '[';
        depth -= *text->at == ']';
        if (depth == 0)
            break;
    }
    if (text->at == text->end || text->at == from)
        return false;
    text->at++;
    part->text = from;
    part->bytes = (size_t)(text->at - from);
    return true;
}

/* ", key = " or ", key="; NULL: neither. */
static const struct torch_names_rule *torch_names_key(struct torch_names_text *text)
{
    if (!torch_names_skip(text, ", ") || text->at == text->end)
        return NULL;
    const struct torch_names_text begin = *text;
    for (int i = 0; i < TORCH_NAMES_PARTS_MAX; i++) {
        const struct torch_names_rule *rule = &torch_names_rules[i];
        if (*begin.at != *rule->text) /* saves most of the comparisons */
            continue;
        *text = begin;
        if (torch_names_skip_n(text, rule->text, rule->bytes) &&
            (torch_names_skip(text, " = ") || torch_names_skip(text, "=")))
            return rule;
    }
    return NULL;
}

static bool torch_names_part(struct torch_names_text *text, struct torch_names_part *part)
{
    const struct torch_names_rule *rule = torch_names_key(text);
    if (!rule)
        return false;
    part->key = rule->key;
    return rule->integer ? torch_names_integer(text, part) : torch_names_list(text, part);
}

static bool torch_names_parts(struct torch_names_text text, struct torch_names *torch)
{
    torch->count = 0;
    while (text.at < text.end) {
        if (torch->count == TORCH_NAMES_PARTS_MAX ||
            !torch_names_part(&text, &torch->parts[torch->count]))
            return false;
        torch->count++;
    }
    return torch->count > 0;
}

bool torch_names_parse(const char *name, size_t bytes, struct torch_names *torch)
{
    const char *end = name + bytes;
    unsigned tries = 0;
    for (const char *at = name; (at = memchr(at, ',', (size_t)(end - at))) != NULL; at++) {
        if (at == name)
            continue;
        torch->parts[0].key = NULL;
        if (torch_names_parts((struct torch_names_text){at, end}, torch)) {
            torch->base_bytes = (size_t)(at - name);
            return true;
        }
        if (torch->parts[0].key && ++tries == TORCH_NAMES_TRIES)
            return false;
    }
    return false;
}
