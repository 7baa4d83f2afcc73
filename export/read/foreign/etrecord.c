/* etrecord.c - finds the two maps of an ETRecord: members of a ZIP file, files of a directory, or a
 * JSON file by itself.
 *
 * Of a ZIP: at its end is the record "PK\5\6" with the place of the directory, whose entries
 * "PK\1\2" name the members and say where each has its header "PK\3\4" and its bytes.
 */
#include "etrecord.h"

#include "source.h"
#include "trace_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef PROF_HAVE_ZLIB
#include <zlib.h>
#endif

/* ---- JSON: its numbers and texts, by their keys ----
 *
 * A value's place is a stack of keys; a loop instead of a
 * recursion, so that no input can exhaust the stack. */

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

/* Values that are not integers are not handles. */
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

/* `first` is the outermost key; bytes NULL: none. Elements of arrays have the array's keys. False:
 * no JSON, nested too deep, or refused by the sink; `error` has the reason, with `path`. */
static bool read_json(struct text json, struct text first, const char *path,
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

/* ---- the file ---- */

#define FILE_BYTES_MAX (UINT64_C(4) << 30)
#define MEMBER_BYTES_MAX (UINT64_C(64) << 20)
#define END_BYTES 22u
#define ENTRY_BYTES 46u
#define HEADER_BYTES 30u
#define STORED 0u
#define DEFLATED 8u

static const char *const maps[] = {"debug_handle_map", "delegate_map"};
#define MAPS (sizeof maps / sizeof *maps)

struct zip {
    const uint8_t *bytes;
    size_t size;
    const char *path;
    const struct etrecord_sink *sink;
    struct read_error *error;
    unsigned found;
};

static uint32_t u16(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8;
}

static uint32_t u32(const uint8_t *at)
{
    return u16(at) | u16(at + 2) << 16;
}

static bool damaged(const struct zip *zip, size_t at, const char *what)
{
    trace_error_at(zip->error, zip->path, at, "%s: a damaged ZIP file", what);
    return false;
}

static bool inflate_member(const struct zip *zip, const uint8_t *bytes, size_t size, uint8_t *to,
                           size_t to_size)
{
#ifdef PROF_HAVE_ZLIB
    z_stream stream = {0};
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = to;
    stream.avail_out = (uInt)to_size;
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return damaged(zip, 0, "out of memory");
    int result = inflate(&stream, Z_FINISH);
    bool whole = result == Z_STREAM_END && stream.total_out == to_size;
    inflateEnd(&stream);
    return whole || damaged(zip, 0, "a member that cannot be unpacked");
#else
    (void)bytes, (void)size, (void)to, (void)to_size;
    trace_error(zip->error, zip->path,
                "its members are compressed: this program was built without zlib");
    return false;
#endif
}

static bool read_member(struct zip *zip, const uint8_t *bytes, size_t size, uint32_t method,
                        size_t full_size, const char *map)
{
    struct text first = {map, strlen(map)};
    if (method == STORED)
        return read_json((struct text){(const char *)bytes, size}, first, zip->path, zip->sink,
                         zip->error);
    if (method != DEFLATED || full_size > MEMBER_BYTES_MAX)
        return damaged(zip, 0, "a member packed in an unknown way, or too large");
    uint8_t *unpacked = malloc(full_size + 1);
    bool read = unpacked && inflate_member(zip, bytes, size, unpacked, full_size) &&
                read_json((struct text){(const char *)unpacked, full_size}, first, zip->path,
                          zip->sink, zip->error);
    if (!unpacked)
        trace_error(zip->error, zip->path, "out of memory");
    free(unpacked);
    return read;
}

/* Which map the entry of the directory is; MAPS: none. Members may lie in a folder. */
static size_t map_of(const uint8_t *name, size_t size)
{
    for (size_t i = 0; i < MAPS; i++) {
        size_t length = strlen(maps[i]);
        if (size >= length && memcmp(name + size - length, maps[i], length) == 0 &&
            (size == length || name[size - length - 1] == '/'))
            return i;
    }
    return MAPS;
}

static bool read_entry(struct zip *zip, const uint8_t *entry, size_t map)
{
    uint32_t method = u16(entry + 10), size = u32(entry + 20), full_size = u32(entry + 24);
    size_t header = u32(entry + 42);
    if (header > zip->size || zip->size - header < HEADER_BYTES ||
        memcmp(zip->bytes + header, "PK\3\4", 4) != 0)
        return damaged(zip, header, "a member without a header");
    size_t begin =
        header + HEADER_BYTES + u16(zip->bytes + header + 26) + u16(zip->bytes + header + 28);
    if (begin > zip->size || zip->size - begin < size)
        return damaged(zip, header, "a member that is cut");
    zip->found |= 1u << map;
    return read_member(zip, zip->bytes + begin, size, method, full_size, maps[map]);
}

/* Each map is read once: a directory that names a member a million times costs no more. */
static bool read_directory_of(struct zip *zip, size_t at, uint32_t entries)
{
    for (uint32_t i = 0; i < entries; i++) {
        if (at > zip->size || zip->size - at < ENTRY_BYTES ||
            memcmp(zip->bytes + at, "PK\1\2", 4) != 0)
            return damaged(zip, at, "the directory is cut");
        const uint8_t *entry = zip->bytes + at;
        size_t name = u16(entry + 28), behind = u16(entry + 30) + u16(entry + 32);
        if (zip->size - at - ENTRY_BYTES < name)
            return damaged(zip, at, "the directory is cut");
        size_t map = map_of(entry + ENTRY_BYTES, name);
        if (map < MAPS && !(zip->found & 1u << map) && !read_entry(zip, entry, map))
            return false;
        at += ENTRY_BYTES + name + behind;
    }
    return true;
}

static bool read_zip(struct zip *zip)
{
    size_t last = zip->size < END_BYTES ? 0 : zip->size - END_BYTES;
    size_t least = last > 65536 ? last - 65536 : 0;
    for (size_t at = last + 1; at > least && zip->size >= END_BYTES; at--)
        if (memcmp(zip->bytes + at - 1, "PK\5\6", 4) == 0)
            return read_directory_of(zip, u32(zip->bytes + at - 1 + 16),
                                     u16(zip->bytes + at - 1 + 10));
    return damaged(zip, last, "it has no directory");
}

static bool read_bytes(struct zip *zip, struct text first)
{
    bool is_zip = zip->size >= 4 && memcmp(zip->bytes, "PK", 2) == 0;
    if (is_zip)
        return read_zip(zip);
    return read_json((struct text){(const char *)zip->bytes, zip->size}, first, zip->path,
                     zip->sink, zip->error);
}

static bool read_file(const char *path, const char *map, const struct etrecord_sink *sink,
                      struct read_error *error)
{
    struct zip zip = {.path = path, .sink = sink, .error = error};
    struct source *source = source_open(path, error);
    uint8_t *bytes = source ? source_read_all(source, FILE_BYTES_MAX, &zip.size, error) : NULL;
    zip.bytes = bytes;
    bool read = bytes && read_bytes(&zip, (struct text){map, map ? strlen(map) : 0});
    free(bytes);
    source_close(source);
    return read;
}

/* A directory need not have both. */
static bool read_directory(const char *path, const struct etrecord_sink *sink,
                           struct read_error *error)
{
    static const char *const endings[] = {"", ".json"};
    bool any = false;
    for (size_t i = 0; i < MAPS; i++)
        for (size_t j = 0; j < sizeof endings / sizeof *endings; j++) {
            char name[4096];
            struct stat status;
            snprintf(name, sizeof name, "%s/%s%s", path, maps[i], endings[j]);
            if (stat(name, &status) != 0)
                continue;
            any = true;
            if (!read_file(name, maps[i], sink, error))
                return false;
        }
    if (!any)
        trace_error(error, path, "neither debug_handle_map nor delegate_map is in this directory");
    return any;
}

bool etrecord_read(const char *path, const struct etrecord_sink *sink, struct read_error *error)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return read_directory(path, sink, error);
    return read_file(path, NULL, sink, error);
}
