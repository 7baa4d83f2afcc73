/* kineto_args.c - see kineto_args.h. */
#include "kineto_args.h"

#include <string.h>

enum kind { KIND_NUMBER, KIND_REAL, KIND_TEXT, KIND_RAW, KIND_THREE };

static const struct {
    const char *text;
    enum kind kind;
} all_keys[] = {
#define KINETO_ARG(symbol, key, kind) {key, KIND_##kind},
    KINETO_ARGS(KINETO_ARG)
#undef KINETO_ARG
};

_Static_assert(KINETO_ARG_COUNT <= 64, "bits of kineto_args.seen");

const char *kineto_key_name(enum kineto_arg arg)
{
    return all_keys[arg].text;
}

static inline unsigned slot_of(const char *text, size_t size)
{
    return ((unsigned)size * 7 + (unsigned char)text[0] * 3 + (unsigned char)text[size - 1]) &
           (KINETO_KEY_SLOTS - 1);
}

void kineto_keys_init(struct kineto_keys *keys)
{
    memset(keys, 0, sizeof *keys);
    for (unsigned i = 0; i < KINETO_ARG_COUNT; i++) {
        size_t size = strlen(all_keys[i].text);
        unsigned slot = slot_of(all_keys[i].text, size);
        while (keys->slots[slot].size)
            slot = (slot + 1) & (KINETO_KEY_SLOTS - 1);
        keys->slots[slot].text = all_keys[i].text;
        keys->slots[slot].size = (uint8_t)size;
        keys->slots[slot].arg = (uint8_t)i;
        keys->slots[slot].kind = (uint8_t)all_keys[i].kind;
    }
}

/* A slot, or -1: not wanted. */
static inline int find_key(const struct kineto_keys *keys, const struct json_string *key)
{
    if (key->size == 0)
        return -1;
    unsigned slot = slot_of(key->bytes, key->size);
    for (; keys->slots[slot].size; slot = (slot + 1) & (KINETO_KEY_SLOTS - 1))
        if (keys->slots[slot].size == key->size &&
            memcmp(keys->slots[slot].text, key->bytes, key->size) == 0)
            return (int)slot;
    return -1;
}

/* "0x7f", as AMD's streams are. */
static bool read_address(struct text text, int64_t *number)
{
    uint64_t value = 0;
    if (text.size < 3 || text.size > 18 || text.bytes[0] != '0' || (text.bytes[1] | 0x20) != 'x')
        return false;
    for (size_t i = 2; i < text.size; i++) {
        char byte = text.bytes[i], letter = (char)(byte | 0x20);
        if (byte >= '0' && byte <= '9')
            value = value * 16 + (unsigned)(byte - '0');
        else if (letter >= 'a' && letter <= 'f')
            value = value * 16 + (unsigned)(letter - 'a' + 10);
        else
            return false;
    }
    *number = value > (uint64_t)JSON_NUMBER_MAX ? JSON_NUMBER_MAX : (int64_t)value;
    return true;
}

static const char *read_slowly(struct json_cursor *cursor, const char *p, int64_t *number,
                               bool *known)
{
    const char *after = json_scaled(cursor, p, 0, number, known);
    if (after && !*known && *p == '"')
        *known = read_address((struct text){p + 1, (size_t)(after - p) - 2}, number);
    return after;
}

/* Whole and short, as nearly all are. */
static inline const char *read_number(struct json_cursor *cursor, const char *p, int64_t *number,
                                      bool *known)
{
    const char *begin = p;
    uint64_t value = 0;
    for (; (unsigned char)(*p - '0') < 10 && p - begin < 18; p++)
        value = value * 10 + (unsigned char)(*p - '0');
    *known = p > begin;
    *number = (int64_t)value;
    if (*known && (*p == ',' || *p == '}' || *p == ']' || *p == ' ' || *p == '\n'))
        return p;
    return read_slowly(cursor, begin, number, known);
}

static const char *read_real(struct json_cursor *cursor, const char *p, double *real)
{
    const char *after = json_skip(cursor, p);
    if (after)
        *real = json_text_double((struct text){p, (size_t)(after - p)});
    return after;
}

/* [x, y, z]; what is more is left out. */
static const char *read_three(struct json_cursor *cursor, const char *p, uint32_t *three)
{
    bool more = true, known;
    int64_t number;
    three[0] = three[1] = three[2] = 0;
    if (*p != '[')
        return json_skip(cursor, p);
    p = json_space(p + 1);
    if (*p == ']')
        return p + 1;
    for (unsigned i = 0; p && more; i++) {
        p = read_number(cursor, p, &number, &known);
        if (p && known && i < 3 && number > 0)
            three[i] = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
        if (p)
            p = json_next(cursor, p, ']', &more);
    }
    return p;
}

static const char *read_raw(struct json_cursor *cursor, const char *p, struct json_string *raw)
{
    const char *after = json_skip(cursor, p);
    *raw = (struct json_string){p, after ? (uint32_t)(after - p) : 0, false};
    return after;
}

static inline const char *read_value(struct kineto_args *args, unsigned arg, unsigned kind,
                                     struct json_cursor *cursor, const char *p)
{
    bool known = true;
    switch (kind) {
    case KIND_NUMBER:
        p = read_number(cursor, p, &args->at[arg].number, &known);
        break;
    case KIND_REAL:
        p = read_real(cursor, p, &args->at[arg].real);
        break;
    case KIND_THREE:
        p = read_three(cursor, p, args->at[arg].three);
        break;
    case KIND_RAW:
        p = read_raw(cursor, p, &args->at[arg].text);
        break;
    default:
        known = *p == '"';
        p = known ? json_string_body(cursor, p + 1, &args->at[arg].text) : json_skip(cursor, p);
    }
    args->seen |= (uint64_t)known << arg;
    return p;
}

static const char *read_members(struct kineto_args *args, const struct kineto_keys *keys,
                                struct json_cursor *cursor, const char *p)
{
    struct json_string key;
    bool more = true;
    while (more) {
        p = json_key_at(cursor, p, &key);
        if (!p)
            return NULL;
        int slot = find_key(keys, &key);
        p = slot < 0 ? json_skip(cursor, p)
                     : read_value(args, keys->slots[slot].arg, keys->slots[slot].kind, cursor, p);
        if (!p)
            return NULL;
        p = json_next(cursor, p, '}', &more);
        if (!p)
            return NULL;
    }
    return p;
}

const char *kineto_args_read(struct kineto_args *args, const struct kineto_keys *keys,
                             struct json_cursor *cursor, const char *p)
{
    const char *begin = p;
    if (p >= cursor->end || *p != '{')
        return json_skip(cursor, p);
    p = json_space(p + 1);
    if (p < cursor->end && *p == '}')
        return p + 1;
    p = read_members(args, keys, cursor, p);
    args->whole = (struct json_string){begin, p ? (uint32_t)(p - begin) : 0, false};
    return p;
}
