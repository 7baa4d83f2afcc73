/* etrecord_json.c - see etrecord_json.h. A value's place is a stack of keys; a loop instead of a
 * recursion, so that no input can exhaust the stack. */
#include "etrecord_json.h"

#include "trace_error.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64u

struct parser {
    const char *at, *end, *begin;
    const char *path;
    const struct etrecord_sink *sink;
    struct read_error *error;
    struct text keys[ETRECORD_KEYS_MAX];
    uint32_t key_count;
    char open[DEPTH_MAX]; /* '{' or '[' */
    uint32_t depth;
};

static bool fail(struct parser *parser, const char *what)
{
    trace_error_at(parser->error, parser->path, (uint64_t)(parser->at - parser->begin), "%s", what);
    return false;
}

static void skip_space(struct parser *parser)
{
    while (parser->at < parser->end && strchr(" \t\r\n", *parser->at) && *parser->at)
        parser->at++;
}

/* Escapes stay as they are: keys are numbers and identifiers. */
static bool read_string(struct parser *parser, struct text *text)
{
    const char *from = ++parser->at;
    for (; parser->at < parser->end && *parser->at != '"'; parser->at++)
        if (*parser->at == '\\' && parser->at + 1 < parser->end)
            parser->at++;
    if (parser->at >= parser->end)
        return fail(parser, "a string without an end");
    *text = (struct text){from, (size_t)(parser->at - from)};
    parser->at++;
    return true;
}

static bool is_in_number(char letter)
{
    return (letter >= '0' && letter <= '9') || strchr("+-.eE", letter) != NULL;
}

/* What is no integer is no handle. */
static bool read_number(struct parser *parser)
{
    char digits[32];
    size_t size = 0;
    while (parser->at < parser->end && *parser->at && is_in_number(*parser->at)) {
        if (size + 1 < sizeof digits)
            digits[size++] = *parser->at;
        parser->at++;
    }
    digits[size] = '\0';
    char *behind;
    long long value = strtoll(digits, &behind, 10);
    if (size == 0)
        return fail(parser, "no JSON");
    if (*behind)
        return true;
    return parser->sink->handle(parser->sink->user, parser->keys, parser->key_count, value) ||
           fail(parser, "out of memory");
}

static bool read_word(struct parser *parser)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t size = strlen(words[i]);
        if ((size_t)(parser->end - parser->at) >= size && memcmp(parser->at, words[i], size) == 0) {
            parser->at += size;
            return true;
        }
    }
    return read_number(parser);
}

static bool is_in_object(const struct parser *parser)
{
    return parser->depth && parser->open[parser->depth - 1] == '{';
}

/* In front of a value of an object: its key takes the place of the one before it. */
static bool read_key(struct parser *parser)
{
    struct text key;
    if (*parser->at != '"' || !read_string(parser, &key))
        return fail(parser, "no key where one should be");
    skip_space(parser);
    if (parser->at >= parser->end || *parser->at != ':')
        return fail(parser, "a key without a value");
    parser->at++;
    skip_space(parser);
    parser->keys[parser->key_count - 1] = key;
    return parser->at < parser->end || fail(parser, "a key without a value");
}

static bool open_value(struct parser *parser)
{
    if (parser->depth == DEPTH_MAX ||
        (*parser->at == '{' && parser->key_count == ETRECORD_KEYS_MAX))
        return fail(parser, "nested too deep");
    parser->key_count += *parser->at == '{';
    parser->open[parser->depth++] = *parser->at++;
    return true;
}

static bool close_value(struct parser *parser)
{
    if (parser->depth == 0 || parser->open[parser->depth - 1] + 2 != *parser->at)
        return fail(parser, "a bracket that closes nothing");
    parser->key_count -= *parser->at == '}';
    parser->depth--;
    parser->at++;
    return true;
}

static bool read_scalar(struct parser *parser)
{
    struct text text;
    if (*parser->at != '"')
        return read_word(parser);
    return read_string(parser, &text) &&
           (parser->sink->word(parser->sink->user, parser->keys, parser->key_count, text) ||
            fail(parser, "out of memory"));
}

static bool step(struct parser *parser)
{
    if (*parser->at == '}' || *parser->at == ']')
        return close_value(parser);
    if (*parser->at == ',') {
        parser->at++;
        return true;
    }
    if (is_in_object(parser) && !read_key(parser))
        return false;
    return *parser->at == '{' || *parser->at == '[' ? open_value(parser) : read_scalar(parser);
}

bool etrecord_json(struct text json, struct text first, const char *path,
                   const struct etrecord_sink *sink, struct read_error *error)
{
    struct parser parser = {.at = json.bytes,
                            .begin = json.bytes,
                            .end = json.bytes + json.size,
                            .path = path,
                            .sink = sink,
                            .error = error};
    if (first.bytes)
        parser.keys[parser.key_count++] = first;
    for (skip_space(&parser); parser.at < parser.end; skip_space(&parser))
        if (!step(&parser))
            return false;
    return parser.depth == 0 || fail(&parser, "ends too early");
}
