/* chrome_attrs.c - args of ranges, marks and begin/end ranges: domain, category, colour, and every
 * attribute with its type.
 *
 *     int       a number, whatever its size
 *     uint      a number up to 2^53; beyond, where browsers would round it, its digits as a string:
 *               such a number is an id or a hash
 *     hex       "0x7f12"
 *     double    a number; null if it is none
 *     string    a string
 *
 * PyTorch's NVTX ranges get the words that Kineto has for the same facts: "seq" (and "stashed_seq",
 * which a backward range of old versions has) becomes "Sequence number", "sizes" becomes "Input
 * Dims", as lists where it is text of that form.
 *
 * What was read from a Chrome trace has Kineto's words already, and its lists are text here.
 *
 * A program's attribute of such a range that is called as one of our own members is written as "domain (attribute)".
 */
#include "chrome.h"

#include <stdlib.h>

enum word {
    WORD_NONE,
    WORD_SEQ,
    WORD_STASHED,
    WORD_SIZES,
    WORD_SEQUENCE, /* from here on: members of ours */
    WORD_DIMS,
    WORD_EXTERNAL_ID,
    WORD_FWD_THREAD,
    WORD_DOMAIN, /* from here on: also where nothing came through NVTX */
    WORD_CATEGORY,
    WORD_CATEGORY_ID,
    WORD_COLOR,
    WORD_RANGE_ID,
    WORD_PIECE_OF,
    WORD_CONTINUED,
    WORD_UNCLOSED,
    WORD_COUNT
};

/* In the order of enum word; `own` is written in place of the word where that is a member of
 * ours. */
static const struct {
    const char *word, *own;
} words[WORD_COUNT] = {
    {"", ""},
    {"seq", ""},
    {"stashed_seq", ""},
    {"sizes", ""},
    {"Sequence number", "Sequence number (attribute)"},
    {"Input Dims", "Input Dims (attribute)"},
    {"External id", "External id (attribute)"},
    {"Fwd thread id", "Fwd thread id (attribute)"},
    {"domain", "domain (attribute)"},
    {"category", "category (attribute)"},
    {"category id", "category id (attribute)"},
    {"color", "color (attribute)"},
    {"range id", "range id (attribute)"},
    {"piece of", "piece of (attribute)"},
    {"continued", "continued (attribute)"},
    {"unclosed", "unclosed (attribute)"},
};

static uint8_t word_of(struct text name)
{
    for (unsigned i = 1; i < WORD_COUNT; i++)
        if (strlen(words[i].word) == name.size && memcmp(words[i].word, name.bytes, name.size) == 0)
            return (uint8_t)i;
    return WORD_NONE;
}

bool chrome_attrs_init(struct chrome *chrome)
{
    const struct timeline *timeline = chrome->timeline;
    chrome->attr_words = calloc((size_t)timeline->names.count + 1, 1);
    if (!chrome->attr_words)
        return false;
    for (uint32_t i = 0; i < timeline->names.count; i++)
        chrome->attr_words[i] = word_of(timeline->names.at[i]);
    return true;
}

void chrome_attrs_fini(struct chrome *chrome)
{
    free(chrome->attr_words);
    chrome->attr_words = NULL;
}

static void write_category(struct chrome *chrome, const struct tl_category *category)
{
    json_key(&chrome->out, "category");
    if (category->name == TL_NONE) {
        json_uint(&chrome->out, category->number);
        return;
    }
    quoted_names_write(&chrome->names, &chrome->out, category->name);
    json_key(&chrome->out, "category id"), json_uint(&chrome->out, category->number);
}

/* Also of the default domain: what has none came through prof.h. */
static void write_domain(struct chrome *chrome, const struct tl_domain *domain)
{
    json_key(&chrome->out, "domain");
    if (domain->name != TL_NONE)
        quoted_names_write(&chrome->names, &chrome->out, domain->name);
    else if (domain->number)
        json_uint(&chrome->out, domain->number);
    else
        json_constant(&chrome->out, "");
}

static void write_label(struct chrome *chrome, const struct tl_label *label)
{
    const struct timeline *timeline = chrome->timeline;
    char color[16];
    write_domain(chrome, &timeline->domains.at[label->domain]);
    if (label->category != TL_NONE)
        write_category(chrome, &timeline->categories.at[label->category]);
    if (label->flags & TL_LABEL_COLORED) {
        snprintf(color, sizeof color, "#%08X", label->color);
        json_key(&chrome->out, "color"), json_string(&chrome->out, color);
    }
}

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The largest integer below which every one is a double. */
#define EXACT_MAX (UINT64_C(1) << 53)

static void write_uint(struct json_out *out, uint64_t value)
{
    char digits[24];
    if (value <= EXACT_MAX) {
        json_uint(out, value);
        return;
    }
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    json_string(out, digits);
}

static void write_hex(struct json_out *out, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)value);
    json_string(out, digits);
}

static void write_value_slow(struct chrome *chrome, const struct tl_attr *attr)
{
    switch (attr->type) {
    case PROF_ATTR_UINT:
        write_uint(&chrome->out, attr->value);
        break;
    case PROF_ATTR_HEX:
        write_hex(&chrome->out, attr->value);
        break;
    case PROF_ATTR_DOUBLE:
        json_double(&chrome->out, as_double(attr->value));
        break;
    case PROF_ATTR_STRING:
        quoted_names_write(&chrome->names, &chrome->out, (uint32_t)attr->value);
        break;
    default:
        json_null(&chrome->out);
    }
}

static inline void write_value(struct chrome *chrome, const struct tl_attr *attr)
{
    if (attr->type == PROF_ATTR_INT)
        json_int(&chrome->out, (int64_t)attr->value);
    else
        write_value_slow(chrome, attr);
}

static bool has_word(const struct chrome *chrome, struct tl_attrs attrs, enum word word)
{
    for (uint32_t i = 0; i < attrs.count; i++)
        if (chrome->attr_words[attrs.at[i].key] == word)
            return true;
    return false;
}

#define LIST_DEPTH_MAX 16

/* An integer as JSON has it; returns what follows, NULL if it is none. */
static const char *skip_integer(const char *at, const char *end)
{
    at += at < end && *at == '-';
    const char *first = at;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    bool valid = at > first && at - first <= 18 && (*first != '0' || at - first == 1);
    return valid ? at : NULL;
}

/* Lists of integers and lists, "[[2, 3], []]": valid JSON as it is. */
static bool is_nested_list(struct text text)
{
    const char *at = text.bytes, *end = at + text.size;
    unsigned depth = 0;
    bool item = false; /* an item of the innermost list has just ended */
    if (text.size == 0 || *at != '[')
        return false;
    while (at && at < end) {
        char c = *at;
        if (c == '[' && !item && depth < LIST_DEPTH_MAX) {
            depth++, at++;
        } else if (c == ']' && depth && (item || at[-1] == '[')) {
            item = true, at++;
            if (--depth == 0)
                return at == end;
        } else if (c == ',' && item) {
            item = false, at++;
            while (at < end && *at == ' ')
                at++;
        } else if (!item) {
            at = skip_integer(at, end);
            item = true;
        } else {
            return false;
        }
    }
    return false;
}

static void write_dims(struct chrome *chrome, const struct tl_attr *attr)
{
    json_key(&chrome->out, "Input Dims");
    struct text text = chrome->timeline->names.at[attr->value];
    if (is_nested_list(text))
        json_quoted(&chrome->out, text.bytes, text.size);
    else
        write_value(chrome, attr);
}

static bool is_integer(const struct tl_attr *attr)
{
    return attr->type == PROF_ATTR_INT || attr->type == PROF_ATTR_UINT;
}

static inline void write_attr(struct chrome *chrome, const struct tl_attr *attr)
{
    quoted_names_write(&chrome->names, &chrome->out, attr->key);
    json_colon(&chrome->out);
    write_value(chrome, attr);
}

/* An attribute whose name is one of `words`: seldom, so it must not crowd the others' path. */
static __attribute__((noinline)) void write_special(struct chrome *chrome, struct tl_attrs attrs,
                                                    uint32_t index)
{
    const struct tl_attr *attr = &attrs.at[index];
    uint8_t word = chrome->attr_words[attr->key];
    bool number =
        word == WORD_STASHED || (word == WORD_SEQ && !has_word(chrome, attrs, WORD_STASHED));
    if (number && is_integer(attr)) {
        json_key(&chrome->out, "Sequence number");
        write_value(chrome, attr);
    } else if (word == WORD_SIZES && attr->type == PROF_ATTR_STRING) {
        write_dims(chrome, attr);
    } else if (word >= WORD_SEQUENCE) {
        json_string(&chrome->out, words[word].own), json_colon(&chrome->out);
        write_value(chrome, attr);
    } else {
        write_attr(chrome, attr);
    }
}

void chrome_attrs_write(struct chrome *chrome, uint32_t label, struct tl_attrs attrs)
{
    if (label != TL_NONE)
        write_label(chrome, &chrome->timeline->labels.at[label]);
    for (uint32_t i = 0; i < attrs.count; i++) {
        if (tl_attr_is_given_again(attrs, i))
            continue;
        uint8_t word = chrome->attr_words[attrs.at[i].key];
        if (word == WORD_DIMS && label == TL_NONE && attrs.at[i].type == PROF_ATTR_STRING)
            write_dims(chrome, &attrs.at[i]);
        else if (word == WORD_NONE || (label == TL_NONE && word < WORD_DOMAIN))
            write_attr(chrome, &attrs.at[i]);
        else
            write_special(chrome, attrs, i);
    }
}
