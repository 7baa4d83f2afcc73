#include "nvtx_torch.h"

#include <stdint.h>
#include <string.h>

struct nvtx_torch_rule {
    const char *text; /* in the name */
    const char *key;
    bool integer;
};

static const struct nvtx_torch_rule nvtx_torch_rules[NVTX_TORCH_PARTS_MAX] = {
    {"seq", "seq", true},      {"stashed seq", "stashed_seq", true},    {"op_id", "op_id", true},
    {"sizes", "sizes", false}, {"input_op_ids", "input_op_ids", false},
};

/* What is left to read. */
struct nvtx_torch_text {
    const char *at, *end;
};

static bool nvtx_torch_skip(struct nvtx_torch_text *text, const char *expected)
{
    size_t bytes = strlen(expected);
    if ((size_t)(text->end - text->at) < bytes || memcmp(text->at, expected, bytes) != 0)
        return false;
    text->at += bytes;
    return true;
}

static bool nvtx_torch_integer(struct nvtx_torch_text *text, struct nvtx_value *value)
{
    bool negative = nvtx_torch_skip(text, "-");
    const char *from = text->at;
    uint64_t number = 0;
    while (text->at < text->end && *text->at >= '0' && *text->at <= '9' && number < INT64_MAX / 10)
        number = number * 10 + (uint64_t)(*text->at++ - '0');
    *value = (struct nvtx_value){.type = PROF_ATTR_INT, .bits = negative ? -number : number};
    return text->at > from;
}

/* From '[' to the ']' that belongs to it. */
static bool nvtx_torch_list(struct nvtx_torch_text *text, struct nvtx_value *value)
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
    *value = (struct nvtx_value){
        .type = PROF_ATTR_STRING, .text = from, .bytes = (size_t)(text->at - from)};
    return true;
}

/* ", key = value" or ", key=value" */
static bool nvtx_torch_part(struct nvtx_torch_text *text, struct nvtx_torch_part *part)
{
    const struct nvtx_torch_text begin = *text;
    for (int i = 0; i < NVTX_TORCH_PARTS_MAX; i++) {
        const struct nvtx_torch_rule *rule = &nvtx_torch_rules[i];
        *text = begin;
        if (!nvtx_torch_skip(text, ", ") || !nvtx_torch_skip(text, rule->text) ||
            !(nvtx_torch_skip(text, " = ") || nvtx_torch_skip(text, "=")))
            continue;
        part->key = rule->key;
        return rule->integer ? nvtx_torch_integer(text, &part->value)
                             : nvtx_torch_list(text, &part->value);
    }
    return false;
}

static bool nvtx_torch_parts(struct nvtx_torch_text text, struct nvtx_torch *torch)
{
    torch->count = 0;
    while (text.at < text.end) {
        if (torch->count == NVTX_TORCH_PARTS_MAX ||
            !nvtx_torch_part(&text, &torch->parts[torch->count]))
            return false;
        torch->count++;
    }
    return torch->count > 0;
}

bool nvtx_torch_parse(const char *name, size_t bytes, struct nvtx_torch *torch)
{
    const char *end = name + bytes;
    for (const char *at = name; (at = memchr(at, ',', (size_t)(end - at))) != NULL; at++) {
        if (at > name && nvtx_torch_parts((struct nvtx_torch_text){at, end}, torch)) {
            torch->base_bytes = (size_t)(at - name);
            return true;
        }
    }
    return false;
}
