/* kineto_event.c - see kineto_event.h. */
#include "kineto_event.h"

#include <stddef.h>
#include <string.h>

/* ---- args ---- */

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

/* Keys are short: a call of memcmp() would take longer than the comparison. */
static inline bool same_key(const char *a, const char *b, size_t size)
{
    if (size > 2 * sizeof(uint64_t))
        return memcmp(a, b, size) == 0;
    if (size >= sizeof(uint64_t))
        return text_eight_at(a) == text_eight_at(b) &&
               text_eight_at(a + size - 8) == text_eight_at(b + size - 8);
    for (size_t i = 0; i < size; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* A slot, or -1: not wanted. */
static inline int find_key(const struct kineto_keys *keys, const struct json_string *key)
{
    if (key->size == 0)
        return -1;
    unsigned slot = slot_of(key->bytes, key->size);
    for (; keys->slots[slot].size; slot = (slot + 1) & (KINETO_KEY_SLOTS - 1))
        if (keys->slots[slot].size == key->size &&
            same_key(keys->slots[slot].text, key->bytes, key->size))
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

/* Reads an object; `p` is at its brace. Another value is skipped. */
static const char *read_args(struct kineto_args *args, const struct kineto_keys *keys,
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

/* ---- events ---- */

/* Of microseconds: as nanoseconds still within JSON_NUMBER_MAX. */
#define WHOLE_MAX UINT64_C(2300000000000000)

/* Microseconds with up to three decimals, as nearly all times are, to nanoseconds; anything else
 * takes the long way. */
static inline const char *read_time(struct json_cursor *cursor, const char *p, int64_t *ns,
                                    bool *known)
{
    const char *begin = p;
    uint64_t value = 0, more;
    unsigned decimals = 0;
    if (json_eight_digits(p, &value)) {
        p += 8;
        if (json_eight_digits(p, &more)) {
            value = value * 100000000 + more;
            p += 8;
        }
    }
    for (; (unsigned char)(*p - '0') < 10 && p - begin < 16; p++)
        value = value * 10 + (unsigned char)(*p - '0');
    *known = p > begin && value <= WHOLE_MAX;
    if (*known && *p == '.')
        for (p++; (unsigned char)(*p - '0') < 10 && decimals < 3; p++, decimals++)
            value = value * 10 + (unsigned char)(*p - '0');
    if (*known && (*p == ',' || *p == '}' || *p == ' ' || *p == '\n')) {
        static const uint32_t thousandths[] = {1000, 100, 10, 1};
        *ns = (int64_t)(value * thousandths[decimals]);
        return p;
    }
    return json_nearest(cursor, begin, 3, ns, known);
}

static inline bool is(const struct json_string *text, const char *literal, size_t size)
{
    return text->size == size && memcmp(text->bytes, literal, size) == 0;
}
#define IS(text, literal) is(text, literal, sizeof(literal) - 1)

static bool ends(const struct json_string *text, const char *literal)
{
    size_t size = strlen(literal);
    return text->size > size && memcmp(text->bytes + text->size - size, literal, size) == 0;
}

static enum kineto_category category_2021(const struct json_string *text)
{
    if (IS(text, "Operator"))
        return KINETO_OPERATOR;
    if (IS(text, "Runtime"))
        return KINETO_RUNTIME_CALL;
    if (IS(text, "Kernel"))
        return KINETO_KERNEL;
    if (IS(text, "Memcpy"))
        return KINETO_MEMCPY;
    if (IS(text, "Memset"))
        return KINETO_MEMSET;
    return IS(text, "Trace") ? KINETO_TRACE : KINETO_OTHER;
}

static enum kineto_category category_of(const struct json_string *text)
{
    if (IS(text, "cpu_op"))
        return KINETO_OPERATOR;
    if (IS(text, "cuda_runtime"))
        return KINETO_RUNTIME_CALL;
    if (IS(text, "kernel"))
        return KINETO_KERNEL;
    if (IS(text, "python_function"))
        return KINETO_PYTHON;
    if (IS(text, "user_annotation"))
        return KINETO_ANNOTATION;
    if (IS(text, "gpu_memcpy"))
        return KINETO_MEMCPY;
    if (IS(text, "gpu_memset"))
        return KINETO_MEMSET;
    if (IS(text, "gpu_graph"))
        return KINETO_GRAPH_RUN;
    if (IS(text, "gpu_user_annotation"))
        return KINETO_GPU_ANNOTATION;
    if (IS(text, "cuda_sync"))
        return KINETO_SYNC;
    if (IS(text, "overhead"))
        return KINETO_OVERHEAD;
    if (IS(text, "cuda_profiler_range") || IS(text, "gpu_pm_counter") ||
        IS(text, "unified_memory") || IS(text, "mtia_ccp_events") || IS(text, "mtia_counters") ||
        IS(text, "mtia_insight"))
        return KINETO_DEVICE_COUNTERS;
    /* other makers' devices: xpu_runtime, privateuse1_driver ... */
    if (ends(text, "_runtime"))
        return KINETO_RUNTIME_CALL;
    return ends(text, "_driver") ? KINETO_DRIVER_CALL : category_2021(text);
}

/* Some writers have whole numbers as "7.0" and "7e3". */
static bool read_whole(struct text text, uint64_t *number)
{
    int64_t value, thousandths;
    bool whole = true; /* "007" is a text */
    for (size_t i = 0; i < text.size; i++)
        whole &= text.bytes[i] >= '0' && text.bytes[i] <= '9';
    if (whole || *text.bytes == '-' || !json_text_scaled(text, 0, &value) ||
        !json_text_scaled(text, 3, &thousandths) || thousandths == JSON_NUMBER_MAX ||
        value * 1000 != thousandths)
        return false;
    *number = (uint64_t)value;
    return true;
}

struct kineto_id kineto_id_of(struct text text)
{
    struct kineto_id id = {.present = true};
    bool fits = text.size > 0 && (text.size == 1 || *text.bytes != '0');
    for (size_t i = 0; i < text.size && fits; i++) {
        unsigned digit = (unsigned char)(text.bytes[i] - '0');
        fits = digit < 10 && !__builtin_mul_overflow(id.number, 10, &id.number) &&
               !__builtin_add_overflow(id.number, digit, &id.number);
    }
    if (fits || read_whole(text, &id.number))
        return id;
    id.number = 0;
    id.text = (struct json_string){text.bytes, (uint32_t)text.size, false};
    return id;
}

static const char *read_id_slow(struct kineto_id *id, struct json_cursor *cursor, const char *p)
{
    const char *after = json_skip(cursor, p);
    bool quoted = *p == '"';
    *id = (struct kineto_id){0};
    if (!after || (!quoted && *p != '-' && (unsigned char)(*p - '0') > 9))
        return after;
    *id = kineto_id_of((struct text){p + quoted, (size_t)(after - p) - 2 * quoted});
    if (id->text.bytes && quoted)
        json_string_body(cursor, p + 1, &id->text);
    return after;
}

/* A short number, as nearly all are, with quotes or without. */
static inline const char *read_id(struct kineto_id *id, struct json_cursor *cursor, const char *p)
{
    const char *begin = p, *first = p + (*p == '"');
    uint64_t value = 0;
    for (p = first; (unsigned char)(*p - '0') < 10 && p - first < 18; p++)
        value = value * 10 + (unsigned char)(*p - '0');
    bool quoted = first > begin, ends = quoted ? *p == '"' && p < cursor->end && *first != '0'
                                               : *p == ',' || *p == '}' || *p == ' ' || *p == '\n';
    if (p == first || !ends)
        return read_id_slow(id, cursor, begin);
    p += quoted;
    id->text.bytes = NULL;
    id->number = value;
    id->present = true;
    return p;
}

static inline const char *read_text(struct json_string *text, struct json_cursor *cursor,
                                    const char *p)
{
    return *p == '"' ? json_string_body(cursor, p + 1, text) : json_skip(cursor, p);
}

static inline const char *read_phase(struct kineto_event *event, struct json_cursor *cursor,
                                     const char *p)
{
    struct json_string text = {0};
    p = read_text(&text, cursor, p);
    if (p && text.size)
        event->phase = text.bytes[0];
    event->is_flow = event->phase == 's' || event->phase == 't' || event->phase == 'f';
    return p;
}

static inline const char *read_category(struct kineto_event *event, struct json_cursor *cursor,
                                        const char *p)
{
    event->category_text.size = 0;
    p = read_text(&event->category_text, cursor, p);
    if (!p)
        return NULL;
    event->category = category_of(&event->category_text);
    event->flags |= KINETO_EVENT_CATEGORY;
    return p;
}

static inline const char *read_when(struct kineto_event *event, unsigned flag, int64_t *ns,
                                    struct json_cursor *cursor, const char *p)
{
    bool known;
    p = read_time(cursor, p, ns, &known);
    event->flags |= known ? flag : KINETO_EVENT_BAD_TIME;
    return p;
}

static inline const char *read_member(struct kineto_event *event, const struct kineto_keys *keys,
                                      const struct json_string *key, struct json_cursor *cursor,
                                      const char *p)
{
    switch (key->size) {
    case 2:
        if (IS(key, "ph"))
            return read_phase(event, cursor, p);
        if (IS(key, "ts"))
            return read_when(event, KINETO_EVENT_TIME, &event->time_ns, cursor, p);
        return IS(key, "id") ? read_raw(cursor, p, &event->id) : json_skip(cursor, p);
    case 3:
        if (IS(key, "pid"))
            return read_id(&event->pid, cursor, p);
        if (IS(key, "tid"))
            return read_id(&event->tid, cursor, p);
        if (IS(key, "cat"))
            return read_category(event, cursor, p);
        if (IS(key, "dur"))
            return read_when(event, KINETO_EVENT_DURATION, &event->duration_ns, cursor, p);
        return IS(key, "id2") ? read_raw(cursor, p, &event->id) : json_skip(cursor, p);
    case 4:
        if (IS(key, "name")) {
            event->flags |= KINETO_EVENT_NAME;
            return read_text(&event->name, cursor, p);
        }
        return IS(key, "args") ? read_args(&event->args, keys, cursor, p) : json_skip(cursor, p);
    case 5:
        return IS(key, "scope") ? read_raw(cursor, p, &event->scope) : json_skip(cursor, p);
    default:
        return json_skip(cursor, p);
    }
}

static void forget(struct kineto_event *event)
{
    static const struct json_string none = {"", 0, false};
    event->time_ns = event->duration_ns = 0;
    event->flags = 0;
    event->phase = 0;
    event->is_flow = false;
    event->category = KINETO_OTHER;
    event->name = event->category_text = event->id = event->scope = none;
    event->pid.present = event->tid.present = false;
    event->pid.text.bytes = event->tid.text.bytes = NULL;
    event->pid.number = event->tid.number = 0;
    event->args.seen = 0;
    event->args.whole = none;
}

const char *kineto_event_read(struct kineto_event *event, const struct kineto_keys *keys,
                              struct json_cursor *cursor, const char *p)
{
    struct json_string key;
    bool more = true;
    forget(event);
    p = json_space(p + 1);
    if (p < cursor->end && *p == '}')
        return p + 1;
    while (more) {
        p = json_key_at(cursor, p, &key);
        if (p)
            p = read_member(event, keys, &key, cursor, p);
        if (!p)
            return NULL;
        p = json_next(cursor, p, '}', &more);
        if (!p)
            return NULL;
    }
    return p;
}

#define PACKED_HEAD offsetof(struct kineto_event, args.at)
#define PACKED_ARG sizeof(((struct kineto_args *)0)->at[0])

size_t kineto_event_pack(const struct kineto_event *event, uint8_t *to)
{
    uint8_t *p = to + PACKED_HEAD;
    memcpy(to, event, PACKED_HEAD);
    for (uint64_t seen = event->args.seen; seen; seen &= seen - 1, p += PACKED_ARG)
        memcpy(p, &event->args.at[__builtin_ctzll(seen)], PACKED_ARG);
    return (size_t)(p - to);
}

const uint8_t *kineto_event_unpack(struct kineto_event *event, const uint8_t *from)
{
    const uint8_t *p = from + PACKED_HEAD;
    memcpy(event, from, PACKED_HEAD);
    for (uint64_t seen = event->args.seen; seen; seen &= seen - 1, p += PACKED_ARG)
        memcpy(&event->args.at[__builtin_ctzll(seen)], p, PACKED_ARG);
    return p;
}
