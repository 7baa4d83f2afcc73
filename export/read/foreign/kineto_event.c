/* kineto_event.c - see kineto_event.h. */
#include "kineto_event.h"

#include <stddef.h>
#include <string.h>

/* Of microseconds: as nanoseconds still within JSON_NUMBER_MAX. */
#define WHOLE_MAX UINT64_C(2300000000000000)

/* Microseconds with up to three decimals, as nearly all times are, to nanoseconds; anything else
 * takes the long way. */
static inline const char *read_time(struct json_cursor *cursor, const char *p, int64_t *ns,
                                    bool *known)
{
    const char *begin = p;
    uint64_t value = 0;
    unsigned decimals = 0;
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

static const char *read_id(struct kineto_id *id, struct json_cursor *cursor, const char *p)
{
    bool known = true;
    const char *begin = p;
    uint64_t value = 0;
    id->text.bytes = NULL;
    for (; (unsigned char)(*p - '0') < 10 && p - begin < 18; p++)
        value = value * 10 + (unsigned char)(*p - '0');
    id->number = (int64_t)value;
    if (p == begin || (*p != ',' && *p != '}' && *p != ' ' && *p != '\n')) {
        p = json_scaled(cursor, begin, 0, &id->number, &known);
        if (p && !known && *begin == '"')
            known = json_string_body(cursor, begin + 1, &id->text) != NULL;
    }
    id->present = known;
    return p;
}

static inline const char *read_text(struct json_string *text, struct json_cursor *cursor,
                                    const char *p)
{
    return *p == '"' ? json_string_body(cursor, p + 1, text) : json_skip(cursor, p);
}

static const char *read_raw(struct json_string *text, struct json_cursor *cursor, const char *p)
{
    const char *after = json_skip(cursor, p);
    *text = (struct json_string){p, after ? (uint32_t)(after - p) : 0, false};
    return after;
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
        return IS(key, "id") ? read_raw(&event->id, cursor, p) : json_skip(cursor, p);
    case 3:
        if (IS(key, "pid"))
            return read_id(&event->pid, cursor, p);
        if (IS(key, "tid"))
            return read_id(&event->tid, cursor, p);
        if (IS(key, "cat"))
            return read_category(event, cursor, p);
        if (IS(key, "dur"))
            return read_when(event, KINETO_EVENT_DURATION, &event->duration_ns, cursor, p);
        return IS(key, "id2") ? read_raw(&event->id, cursor, p) : json_skip(cursor, p);
    case 4:
        if (IS(key, "name")) {
            event->flags |= KINETO_EVENT_NAME;
            return read_text(&event->name, cursor, p);
        }
        return IS(key, "args") ? kineto_args_read(&event->args, keys, cursor, p)
                               : json_skip(cursor, p);
    case 5:
        return IS(key, "scope") ? read_raw(&event->scope, cursor, p) : json_skip(cursor, p);
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
