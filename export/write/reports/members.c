/* members.c - see members.h. */
#define _GNU_SOURCE
#include "members.h"

#include "member_texts.h"

#include <errno.h>
#include <string.h>

#define ENVELOPE "envelope" /* members/envelope.txt: what all commands have */

/* ---- lines ---- */

/* One line of a file; texts are not terminated. */
struct member {
    struct text path; /* with its dots */
    struct text type, unit, meaning;
    bool is_optional, may_be_null;
};

static struct text text_until(const char *at, const char *end)
{
    return (struct text){at, (size_t)(end - at)};
}

static struct text next_word(const char **at, const char *end)
{
    const char *begin = *at + strspn(*at, " ");
    const char *stop = begin;
    while (stop < end && *stop != ' ')
        stop++;
    *at = stop;
    return text_until(begin < end ? begin : end, stop < end ? stop : end);
}

/* Reads the line at `*at` that is neither empty nor a comment; false: none is left, or there is no
 * such file. */
static bool next_member(const char **at, struct member *member)
{
    if (!*at)
        return false;
    while (**at == '#' || **at == '\n')
        *at = strchrnul(*at, '\n') + (*strchrnul(*at, '\n') == '\n');
    if (!**at)
        return false;
    const char *line = *at, *end = strchrnul(line, '\n');
    *member = (struct member){.is_optional = *line == '-'};
    line += member->is_optional;
    member->path = next_word(&line, end);
    struct text type = next_word(&line, end);
    const char *comma = memchr(type.bytes, ',', type.size);
    if (comma) {
        member->unit = text_until(comma + 1, type.bytes + type.size);
        type.size = (size_t)(comma - type.bytes);
    }
    member->may_be_null = type.size && type.bytes[type.size - 1] == '?';
    type.size -= member->may_be_null;
    member->type = type;
    line += strspn(line, " ");
    member->meaning = text_until(line < end ? line : end, end);
    *at = *end ? end + 1 : end;
    return true;
}

static const char *lines_of(struct text name)
{
    for (const struct member_text *text = member_texts; text->name; text++)
        if (text_is(name, text->name))
            return text->lines;
    return NULL;
}

static struct text text_of(const char *string)
{
    return (struct text){string, strlen(string)};
}

/* Objects whose members are the lines of a file that begin with a path and a dot. */
struct scope {
    const char *lines;
    struct text path; /* empty: the whole */
};

/* The member's name, if it is one of the scope's, else empty. */
static struct text name_in(const struct scope *scope, const struct member *member)
{
    const char *end = member->path.bytes + member->path.size, *name = member->path.bytes;
    if (scope->path.size) {
        if (member->path.size <= scope->path.size || name[scope->path.size] != '.' ||
            memcmp(name, scope->path.bytes, scope->path.size) != 0)
            return (struct text){0};
        name += scope->path.size + 1;
    }
    return memchr(name, '.', (size_t)(end - name)) ? (struct text){0} : text_until(name, end);
}

/* What follows `before` in the type; empty: it does not begin so. */
static struct text type_after(const struct member *member, const char *before)
{
    size_t size = strlen(before);
    if (member->type.size <= size || memcmp(member->type.bytes, before, size) != 0)
        return (struct text){0};
    return (struct text){member->type.bytes + size, member->type.size - size};
}

/* ---- units ---- */

/* Names that have been written: several lists have members of the same name. */
struct written {
    struct text names[256];
    unsigned count;
};

static bool is_new(struct written *written, struct text name)
{
    for (unsigned i = 0; i < written->count; i++)
        if (text_equals(written->names[i], name))
            return false;
    if (written->count < sizeof written->names / sizeof *written->names)
        written->names[written->count++] = name;
    return true;
}

static void add_units(struct json_out *out, const char *lines, struct written *written)
{
    struct member member;
    while (next_member(&lines, &member)) {
        struct text file = type_after(&member, "file:");
        const char *dot = memrchr(member.path.bytes, '.', member.path.size);
        struct text name =
            text_until(dot ? dot + 1 : member.path.bytes, member.path.bytes + member.path.size);
        if (!file.size)
            file = type_after(&member, "from:");
        if (file.size && lines_of(file))
            add_units(out, lines_of(file), written);
        if (!member.unit.size || !is_new(written, name))
            continue;
        json_text(out, name), json_colon(out);
        json_text(out, member.unit);
    }
}

void members_write_units(struct json_out *out, const char *command)
{
    const char *lines = lines_of(text_of(command));
    struct written written = {.count = 0};
    json_key(out, "units"), json_object_begin(out);
    if (lines)
        add_units(out, lines, &written);
    json_object_end(out);
}

/* ---- schemas ---- */

static void write_object(struct json_out *out, const struct scope *scope, bool may_be_null);

static void write_word(struct json_out *out, struct text type, bool may_be_null)
{
    if (text_is(type, "any"))
        return;
    json_key(out, "type");
    if (!may_be_null) {
        json_text(out, type);
        return;
    }
    json_array_begin(out);
    json_text(out, type), json_constant(out, "null");
    json_array_end(out);
}

/* An array or an object of values that have a word for a type. */
static void write_values(struct json_out *out, const char *whole, bool may_be_null, struct text of,
                         bool values_may_be_null)
{
    write_word(out, text_of(whole), may_be_null);
    if (*whole == 'a')
        json_key(out, "items");
    else
        json_key(out, "additionalProperties");
    json_object_begin(out);
    write_word(out, of, values_may_be_null);
    json_object_end(out);
}

/* The members of an open object that describe a type. `lines`: those of the member's file. */
static void write_type(struct json_out *out, const char *lines, const struct member *member)
{
    struct text values = type_after(member, "map:"), items = type_after(member, "array:"),
                items_or_null = type_after(member, "array?:"), file = type_after(member, "file:");
    struct scope within = {lines, member->path};
    if (values.size) {
        write_values(out, "object", false, values, member->may_be_null);
    } else if (items.size || items_or_null.size) {
        write_values(out, "array", items_or_null.size, items.size ? items : items_or_null,
                     member->may_be_null);
    } else if (file.size) {
        within = (struct scope){lines_of(file), {0}};
        write_object(out, &within, false);
    } else if (text_is(member->type, "array")) {
        write_word(out, member->type, member->may_be_null);
        json_key(out, "items"), json_object_begin(out);
        write_object(out, &within, false);
        json_object_end(out);
    } else if (text_is(member->type, "object")) {
        write_object(out, &within, member->may_be_null);
    } else {
        write_word(out, member->type, member->may_be_null);
    }
}

/* Sets the member to the one that it is like, and the lines to those of that one's file. */
static void resolve(const char **lines, struct member *member)
{
    struct text path = type_after(member, "as:"), file = type_after(member, "from:");
    struct member other;
    if (file.size) {
        path = member->path;
        *lines = lines_of(file);
    }
    for (const char *at = *lines; path.size && next_member(&at, &other);)
        if (text_equals(other.path, path)) {
            *member = other;
            return;
        }
}

static void write_member(struct json_out *out, const struct scope *scope, struct member member)
{
    const char *lines = scope->lines;
    json_object_begin(out);
    if (member.meaning.size)
        json_key(out, "description"), json_text(out, member.meaning);
    if (member.unit.size)
        json_key(out, "x-unit"), json_text(out, member.unit);
    resolve(&lines, &member);
    write_type(out, lines, &member);
    json_object_end(out);
}

static void write_properties(struct json_out *out, const struct scope *scope)
{
    const char *lines = scope->lines;
    struct member member;
    while (next_member(&lines, &member)) {
        struct text name = name_in(scope, &member);
        if (!name.size || text_is(name, "*"))
            continue;
        json_newline(out), json_text(out, name), json_colon(out);
        write_member(out, scope, member);
    }
}

static void write_required(struct json_out *out, const struct scope *scope)
{
    const char *lines = scope->lines;
    struct member member;
    while (next_member(&lines, &member)) {
        struct text name = name_in(scope, &member);
        if (name.size && !member.is_optional && !text_is(name, "*"))
            json_text(out, name);
    }
}

/* Whether members may have any other name. */
static bool is_open(const struct scope *scope)
{
    const char *lines = scope->lines;
    struct member member;
    while (next_member(&lines, &member))
        if (text_is(name_in(scope, &member), "*"))
            return true;
    return false;
}

static void write_object(struct json_out *out, const struct scope *scope, bool may_be_null)
{
    write_word(out, text_of("object"), may_be_null);
    json_key(out, "properties"), json_object_begin(out);
    write_properties(out, scope);
    json_object_end(out);
    json_key(out, "required"), json_array_begin(out);
    write_required(out, scope);
    json_array_end(out);
    json_key(out, "additionalProperties"), json_bool(out, is_open(scope));
}

const char *members_command(unsigned index)
{
    const struct member_text *text = member_texts;
    for (; text->name; text++)
        if (strcmp(text->name, ENVELOPE) != 0 && index-- == 0)
            break;
    return text->name;
}

/* A command's members are between the envelope's. */
static void write_whole(struct json_out *out, const char *command, const char *lines)
{
    const struct scope own = {lines, {0}}, common = {lines_of(text_of(ENVELOPE)), {0}};
    json_object_begin(out);
    json_key(out, "$schema");
    json_constant(out, "https://json-schema.org/draft/2020-12/schema");
    json_key(out, "title"), json_string(out, command);
    json_key(out, "type"), json_constant(out, "object");
    json_key(out, "properties"), json_object_begin(out);
    write_properties(out, &common);
    write_properties(out, &own);
    json_object_end(out);
    json_key(out, "required"), json_array_begin(out);
    write_required(out, &common);
    write_required(out, &own);
    json_array_end(out);
    json_key(out, "additionalProperties"), json_bool(out, is_open(&own));
    json_object_end(out);
    out->comma = false, json_newline(out);
}

bool members_write_schema(const char *command, FILE *stream)
{
    const char *lines = lines_of(text_of(command));
    struct json_out out;
    if (!lines || strcmp(command, ENVELOPE) == 0) {
        errno = ENOENT;
        return false;
    }
    if (json_out_init(&out, -1, stream))
        write_whole(&out, command, lines);
    errno = json_out_fini(&out);
    return errno == 0;
}
