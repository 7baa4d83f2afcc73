/* arrow_attrs.c - see arrow_attrs.h. */
#include "arrow_attrs.h"

#include <stdlib.h>

enum word { WORD_NONE, WORD_SHAPES, WORD_SEQUENCE, WORD_STASHED, WORD_STACK, WORD_FLOPS };

static const struct {
    const char *key;
    uint8_t word;
} words[] = {
    {"Input Dims", WORD_SHAPES}, {"sizes", WORD_SHAPES},        {"Sequence number", WORD_SEQUENCE},
    {"seq", WORD_SEQUENCE},      {"stashed_seq", WORD_STASHED}, {"Call stack", WORD_STACK},
    {"flops", WORD_FLOPS},
};

static uint8_t word_of(struct text name)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].key) == name.size && memcmp(words[i].key, name.bytes, name.size) == 0)
            return words[i].word;
    return WORD_NONE;
}

static void find_firsts(struct arrow_view *view)
{
    const struct timeline *timeline = view->timeline;
    uint32_t attr = 0;
    for (uint32_t i = 0; i <= timeline->slices.count; i++) {
        while (attr < timeline->attrs.count && timeline->attrs.at[attr].slice < i)
            attr++;
        view->first_attr[i] = attr;
    }
}

static void take_word(struct arrow_view *view, uint32_t name, uint8_t word)
{
    view->attr_words[name] = word;
    view->given.shapes |= word == WORD_SHAPES;
    view->given.sequence |= word == WORD_SEQUENCE || word == WORD_STASHED;
    view->given.stack |= word == WORD_STACK;
    view->given.flops |= word == WORD_FLOPS;
}

bool arrow_attrs_init(struct arrow_view *view)
{
    const struct timeline *timeline = view->timeline;
    if (!timeline->attrs.count && !timeline->async_attrs.count && !timeline->mark_attrs.count)
        return true;
    view->first_attr = calloc(timeline->slices.count + (size_t)1, sizeof *view->first_attr);
    view->attr_words = calloc(timeline->names.count + (size_t)1, sizeof *view->attr_words);
    view->quoted = calloc(1, sizeof *view->quoted);
    if (!view->first_attr || !view->attr_words || !view->quoted ||
        !quoted_names_init(view->quoted, timeline))
        return false;
    find_firsts(view);
    for (uint32_t i = 0; i < timeline->names.count; i++)
        take_word(view, i, word_of(timeline->names.at[i]));
    return true;
}

void arrow_attrs_fini(struct arrow_view *view)
{
    if (view->quoted)
        quoted_names_fini(view->quoted);
    free(view->quoted);
    free(view->first_attr);
    free(view->attr_words);
}

struct tl_attrs arrow_attrs_of_slice(const struct arrow_view *view, uint32_t slice)
{
    if (!view->first_attr)
        return (struct tl_attrs){NULL, 0};
    uint32_t first = view->first_attr[slice], end = view->first_attr[slice + 1];
    return (struct tl_attrs){first < end ? &view->timeline->attrs.at[first] : NULL, end - first};
}

static bool is_whole(const struct tl_attr *attr)
{
    return (attr->type == PROF_ATTR_INT || attr->type == PROF_ATTR_UINT) &&
           attr->value <= INT64_MAX;
}

static bool is_text(const struct arrow_view *view, const struct tl_attr *attr)
{
    return attr->type == PROF_ATTR_STRING && attr->value < view->timeline->names.count;
}

/* Whether the attribute is what its word says. */
static bool fits(const struct arrow_view *view, const struct tl_attr *attr, uint8_t word)
{
    if (word == WORD_SEQUENCE || word == WORD_STASHED)
        return is_whole(attr);
    return word == WORD_FLOPS ? tl_attr_number(attr) >= 0 : is_text(view, attr);
}

struct arrow_attrs_own arrow_attrs_own(const struct arrow_view *view, struct tl_attrs attrs)
{
    struct arrow_attrs_own own = {0};
    bool stashed = false;
    for (uint32_t i = 0; i < attrs.count; i++) {
        const struct tl_attr *attr = &attrs.at[i];
        uint8_t word = view->attr_words[attr->key];
        if (word == WORD_NONE || !fits(view, attr, word))
            continue;
        stashed |= word == WORD_STASHED;
        if (word == WORD_SHAPES)
            own.shapes = attr;
        else if (word == WORD_STACK)
            own.stack = attr;
        else if (word == WORD_FLOPS)
            own.flops = attr;
        else if (word == WORD_STASHED || !stashed)
            own.sequence = attr;
    }
    return own;
}

/* ---- JSON ---- */

static void put_name(const struct arrow_view *view, struct text_out *out, uint64_t name)
{
    struct quoted_name quoted =
        quoted_names_get(view->quoted, name < TL_NONE ? (uint32_t)name : TL_NONE);
    text_out_bytes(out, quoted.json, quoted.size);
}

static void put_value(const struct arrow_view *view, struct text_out *out,
                      const struct tl_attr *attr)
{
    char number[JSON_DOUBLE_BYTES], *end;
    if (attr->type == PROF_ATTR_STRING) {
        put_name(view, out, attr->value);
        return;
    }
    if (attr->type == PROF_ATTR_INT)
        end = json_put_int(number, (int64_t)attr->value);
    else if (attr->type == PROF_ATTR_UINT || attr->type == PROF_ATTR_HEX)
        end = json_put_uint(number, attr->value);
    else
        end = json_put_double(number, tl_attr_number(attr));
    text_out_bytes(out, number, (size_t)(end - number));
}

static bool is_own(const struct arrow_attrs_own *own, const struct tl_attr *attr)
{
    return attr == own->shapes || attr == own->sequence || attr == own->stack || attr == own->flops;
}

bool arrow_attrs_json(const struct arrow_view *view, struct tl_attrs attrs, struct text_out *out)
{
    if (!attrs.count)
        return false;
    struct arrow_attrs_own own = arrow_attrs_own(view, attrs);
    bool any = false;
    for (uint32_t i = 0; i < attrs.count; i++) {
        if (is_own(&own, &attrs.at[i]) || tl_attr_is_given_again(attrs, i))
            continue;
        text_out_bytes(out, any ? "," : "{", 1);
        any = true;
        put_name(view, out, attrs.at[i].key);
        text_out_bytes(out, ":", 1);
        put_value(view, out, &attrs.at[i]);
    }
    if (any)
        text_out_bytes(out, "}", 1);
    return any;
}
