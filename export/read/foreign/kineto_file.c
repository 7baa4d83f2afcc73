/* kineto_file.c - see kineto_file.h. */
#include "kineto_file.h"

#include "kineto_window.h"
#include "trace_reader.h"

#include <inttypes.h>
#include <string.h>

#define KEY_MAX 4096u

struct walk {
    struct kineto_window window;
    const struct kineto_visitor *visitor;
    struct kineto_walked *walked;
    struct read_error *error;
    bool partial;
    struct kineto_keys keys;
    struct kineto_event event;
    char key[KEY_MAX];
};

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

static size_t skip_mark(struct text head)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    return head.size >= 3 && memcmp(head.bytes, byte_order_mark, 3) == 0 ? 3 : 0;
}

bool kineto_file_recognise(struct text head)
{
    char seen[2] = {0};
    unsigned count = 0;
    for (size_t i = skip_mark(head); i < head.size && count < 2; i++)
        if (!is_space(head.bytes[i]))
            seen[count++] = head.bytes[i];
    return (seen[0] == '{' && (seen[1] == '"' || seen[1] == '}')) ||
           (seen[0] == '[' && (seen[1] == '{' || seen[1] == ']'));
}

static void *complain(struct walk *walk, const char *at, const char *what)
{
    trace_error_at(walk->error, source_path(walk->window.source),
                   kineto_window_offset(&walk->window, at), "%s", what);
    return NULL;
}

/* The next byte that is not white space; NULL at the end of the file or if reading failed: see
 * `*failed`. */
static const char *next_byte(struct walk *walk, const char *p, bool *failed)
{
    *failed = false;
    for (;;) {
        p = json_space(p);
        if (p < walk->window.end)
            return p;
        p = walk->window.end;
        enum kineto_more more = kineto_window_more(&walk->window, &p, walk->error);
        *failed = more == KINETO_FAILED;
        if (more != KINETO_MORE)
            return NULL;
    }
}

/* The same where the file must not end. */
static const char *wanted_byte(struct walk *walk, const char *p)
{
    bool failed;
    p = next_byte(walk, p, &failed);
    if (!p && !failed)
        complain(walk, walk->window.end, "the file is truncated");
    return p;
}

/* How far a value has been looked at that is passed on in segments. */
struct passing {
    uint64_t depth;
    bool in_string;
    bool done;
};

/* Looks on from `p` within what is there. Returns the place up to which the value was seen. */
static const char *pass(const struct walk *walk, struct passing *passing, const char *p)
{
    const char *end = walk->window.end;
    while (p < end && !passing->done) {
        const char *found = passing->in_string ? json_find_quote(p) : json_find_structure(p);
        if (found >= end)
            return end;
        if (*found == '\\') {
            if (found + 1 >= end)
                return found;
            p = found + 2;
            continue;
        }
        if (*found == '"')
            passing->in_string = !passing->in_string;
        else
            passing->depth += (*found | 0x20) == '{' ? 1 : UINT64_MAX;
        passing->done = !passing->in_string && passing->depth == 0;
        p = found + 1;
    }
    return p;
}

static void append_segment(const struct walk *walk, struct text key, struct text segment,
                           bool first, bool last)
{
    if (walk->visitor->member)
        walk->visitor->member(walk->visitor->user, key, segment, first, last);
}

/* A string, an object or an array of any size; `p` is at its first byte. Its parts are passed on as
 * they come. Returns the place after it, or NULL. */
static const char *pass_value(struct walk *walk, struct text key, const char *p, bool tell)
{
    struct passing passing = {.depth = *p != '"', .in_string = *p == '"'};
    const char *begin = p;
    for (bool first = true;; first = false) {
        const char *seen = pass(walk, &passing, first ? p + 1 : p);
        if (tell)
            append_segment(walk, key, (struct text){begin, (size_t)(seen - begin)}, first,
                           passing.done);
        if (passing.done)
            return seen;
        p = seen;
        enum kineto_more more = kineto_window_more(&walk->window, &p, walk->error);
        begin = p;
        if (more == KINETO_END)
            return complain(walk, walk->window.end, "the file ends within a value");
        if (more != KINETO_MORE)
            return NULL;
    }
}

/* A number or word: they are short. */
static const char *pass_scalar(struct walk *walk, struct text key, const char *p)
{
    for (;;) {
        struct json_cursor cursor = {.end = walk->window.end};
        const char *after = json_skip(&cursor, p);
        if (after) {
            append_segment(walk, key, (struct text){p, (size_t)(after - p)}, true, true);
            return after;
        }
        if (!json_is_cut(&cursor))
            return complain(walk, cursor.bad, "not JSON: a value was expected");
        enum kineto_more more = kineto_window_more(&walk->window, &p, walk->error);
        if (more == KINETO_MORE)
            continue;
        return more == KINETO_FAILED ? NULL : complain(walk, p, "the file ends within a value");
    }
}

static const char *pass_member(struct walk *walk, struct text key, const char *p)
{
    return *p == '"' || *p == '{' || *p == '[' ? pass_value(walk, key, p, true)
                                               : pass_scalar(walk, key, p);
}

/* What becomes of an event that is not all there. Returns the place to look at again or after it;
 * NULL: no further, and `*cut` says that this is because the file ends. */
static const char *more_of_event(struct walk *walk, const char *p, bool *again, bool *cut)
{
    enum kineto_more more = kineto_window_more(&walk->window, &p, walk->error);
    *again = more == KINETO_MORE;
    if (more == KINETO_MORE)
        return p;
    if (more == KINETO_TOO_LARGE) {
        walk->walked->large_events++;
        return pass_value(walk, (struct text){"", 0}, p, false);
    }
    *cut = more == KINETO_END && walk->partial;
    if (more == KINETO_END && !walk->partial)
        complain(walk, p, "the file ends within an event (--partial reads what is before it)");
    return NULL;
}

static const char *visit_event(struct walk *walk, struct json_cursor *cursor, const char *p)
{
    const struct kineto_visitor *visitor = walk->visitor;
    if (!visitor->take)
        return visitor->event(visitor->user, cursor, p);
    p = kineto_event_read(&walk->event, &walk->keys, cursor, p);
    if (p)
        visitor->take(visitor->user, &walk->event);
    return p;
}

static const char *walk_event(struct walk *walk, const char *p, bool *cut)
{
    *cut = false;
    for (;;) {
        struct json_cursor cursor = {.end = walk->window.end};
        bool again;
        const char *after = visit_event(walk, &cursor, p);
        if (after)
            return after;
        if (!json_is_cut(&cursor))
            return complain(walk, cursor.bad, "not JSON");
        p = more_of_event(walk, p, &again, cut);
        if (!again)
            return p;
    }
}

/* Events that were parsed ahead. */
static const char *walk_run(struct walk *walk, const struct kineto_run *run)
{
    const struct kineto_visitor *visitor = walk->visitor;
    for (const uint8_t *p = run->packed; p < run->packed_end;) {
        p = kineto_event_unpack(&walk->event, p);
        visitor->take(visitor->user, &walk->event);
    }
    return run->end;
}

static const char *walk_item(struct walk *walk, const char *p, bool *cut)
{
    *cut = false;
    if (p == walk->window.run.begin)
        return walk_run(walk, &walk->window.run);
    if (*p == '{')
        return walk_event(walk, p, cut);
    walk->walked->strange_items++;
    return *p == '"' || *p == '[' ? pass_value(walk, (struct text){"", 0}, p, false)
                                  : pass_scalar(walk, (struct text){"", 0}, p);
}

static const char *end_of_cut(struct walk *walk, bool within_event)
{
    walk->walked->cut_events += within_event;
    walk->walked->cut_arrays += !within_event;
    return walk->window.end;
}

/* Behind an item: at the next one, or after the array's end, which sets `*done`. */
static const char *behind_item(struct walk *walk, const char *p, bool *done)
{
    bool failed;
    *done = true;
    p = next_byte(walk, p, &failed);
    if (!p)
        return failed ? NULL : end_of_cut(walk, false);
    if (*p == ']')
        return p + 1;
    if (*p != ',')
        return complain(walk, p, "not JSON: a comma or the end of the events was expected");
    p = next_byte(walk, p + 1, &failed);
    if (!p)
        return failed ? NULL : end_of_cut(walk, false);
    *done = *p == ']';
    return p + *done;
}

/* From after its bracket to after its end. */
static const char *walk_items(struct walk *walk, const char *p)
{
    bool failed, done = false, cut = false;
    p = next_byte(walk, p, &failed);
    if (!p)
        return failed ? NULL : end_of_cut(walk, false);
    done = *p == ']';
    p += done;
    while (!done) {
        p = walk_item(walk, p, &cut);
        if (!p)
            return cut ? end_of_cut(walk, true) : NULL;
        if (*p == ',' && p[1] == '\n' && p[2] == '{' && p + 2 < walk->window.end)
            p += 2;
        else if (!(p = behind_item(walk, p, &done)))
            return NULL;
    }
    return p;
}

static const char *walk_events(struct walk *walk, const char *p)
{
    const struct kineto_visitor *visitor = walk->visitor;
    walk->walked->has_events = true;
    if (visitor->events)
        visitor->events(visitor->user, true);
    p = walk_items(walk, p);
    if (p && visitor->events)
        visitor->events(visitor->user, false);
    return p;
}

/* The key at `p`, kept in walk->key; the place after its colon. */
static const char *walk_key(struct walk *walk, const char *p, struct text *key)
{
    for (;;) {
        struct json_cursor cursor = {.end = walk->window.end};
        struct json_string string;
        const char *after = json_key_at(&cursor, p, &string);
        if (after && string.size <= KEY_MAX) {
            memcpy(walk->key, string.bytes, string.size);
            *key = (struct text){walk->key, string.size};
            return wanted_byte(walk, after);
        }
        if (after || p + KEY_MAX + 2 < cursor.bad)
            return complain(walk, p, "a key of more than 4096 bytes");
        if (!json_is_cut(&cursor))
            return complain(walk, cursor.bad, "not JSON: a member was expected");
        enum kineto_more more = kineto_window_more(&walk->window, &p, walk->error);
        if (more != KINETO_MORE)
            return more == KINETO_FAILED ? NULL : complain(walk, p, "the file ends within a key");
    }
}

/* An array of events that was cut has nothing after it. */
static bool was_cut(const struct walk *walk)
{
    return walk->walked->cut_arrays || walk->walked->cut_events;
}

/* From after the brace to after its end. */
static const char *walk_members(struct walk *walk, const char *p)
{
    struct text key;
    p = wanted_byte(walk, p);
    if (p && *p == '}')
        return p + 1;
    while (p) {
        p = walk_key(walk, p, &key);
        if (p)
            p = text_is(key, "traceEvents") && *p == '[' ? walk_events(walk, p + 1)
                                                         : pass_member(walk, key, p);
        if (!p || was_cut(walk))
            return p;
        bool failed;
        p = next_byte(walk, p, &failed);
        if (!p)
            return failed || !walk->walked->has_events
                       ? (failed ? NULL : complain(walk, walk->window.end, "the object has no end"))
                       : end_of_cut(walk, false);
        if (*p == '}')
            return p + 1;
        if (*p != ',')
            return complain(walk, p, "not JSON: a comma or the end of the object was expected");
        p = wanted_byte(walk, p + 1);
    }
    return NULL;
}

/* Nothing may follow but white space, and the zeros that some tools fill up with. */
static bool ends_here(struct walk *walk, const char *p)
{
    bool failed;
    p = next_byte(walk, p, &failed);
    if (p && *p != 0)
        complain(walk, p, "not JSON: something follows the end");
    return p ? *p == 0 : !failed;
}

static bool walk_file(struct walk *walk)
{
    const char *p = walk->window.begin;
    struct text head;
    if (!source_peek(walk->window.source, &head, walk->error))
        return false;
    size_t mark = skip_mark(head);
    if (mark && kineto_window_more(&walk->window, &p, walk->error) != KINETO_MORE)
        return false;
    p = wanted_byte(walk, p + mark);
    if (!p)
        return false;
    walk->walked->is_array = *p == '[';
    if (*p != '[' && *p != '{')
        return complain(walk, p, "not JSON: an array or object was expected") != NULL;
    p = *p == '[' ? walk_events(walk, p + 1) : walk_members(walk, p + 1);
    if (!p || (!was_cut(walk) && !ends_here(walk, p)))
        return false;
    if (!walk->walked->has_events)
        return complain(walk, p, "JSON, but not a trace: it has no \"traceEvents\"") != NULL;
    return true;
}

bool kineto_file_walk(struct source *source, bool partial, const struct kineto_visitor *visitor,
                      struct kineto_walked *walked, struct read_error *error)
{
    struct walk walk = {.visitor = visitor, .walked = walked, .error = error, .partial = partial};
    *walked = (struct kineto_walked){0};
    kineto_keys_init(&walk.keys);
    bool done = kineto_window_init(&walk.window, source, visitor->take, error) && walk_file(&walk);
    walked->bytes = walk.window.blocks ? kineto_window_offset(&walk.window, walk.window.end) : 0;
    kineto_window_fini(&walk.window);
    return done;
}
