/* annotate.c - the functions of prof.h that write records of several words. */
#define PROF_IMPLEMENTATION
#include "annotate.h"

#include "atomic.h"
#include "config.h"
#include "recorder.h"
#include "requests.h"
#include "thread.h"
#include "triggers.h"

#include "prof/prof.h"

#include <stddef.h>
#include <string.h>

uint32_t annotate_name(const char *name)
{
    struct thread_log *self = &thread_self;
    if (!thread_ready(self))
        return 0;
    if (!name) {
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
        return 0;
    }
    uint32_t id = names_lookup(&self->slot->names, name);
    return id ? id : names_resolve(&self->slot->names, name);
}

static bool annotate_two(enum prof_record_type type, uint64_t first)
{
    uint64_t ticks;
    uint64_t *record = thread_reserve_now(type, 2, &ticks);
    if (!record)
        return false;
    record[1] = first;
    thread_commit(record, type, 2, ticks);
    return true;
}

static bool annotate_three(enum prof_record_type type, uint64_t first, uint64_t second)
{
    uint64_t ticks;
    uint64_t *record = thread_reserve_now(type, 3, &ticks);
    if (!record)
        return false;
    record[1] = first;
    record[2] = second;
    thread_commit(record, type, 3, ticks);
    return true;
}

static uint64_t annotate_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint64_t prof_range_begin(const char *name)
{
    uint32_t name_id = annotate_name(name);
    if (!name_id)
        return 0;
    uint64_t id = thread_next_range_id(&thread_self);
    if (!annotate_three(PROF_REC_RANGE_BEGIN, name_id, id))
        return 0;
    emitter_forward(begin, id, name);
    stacks_at_range(stacks_origin_here());
    return id;
}

void prof_range_end(uint64_t id)
{
    if (id && annotate_two(PROF_REC_RANGE_END, id))
        emitter_forward(end, id);
}

/* The cost of timing steps falls on the step that begins. */
static void annotate_step(uint64_t number)
{
    struct thread_log *self = &thread_self;
    if (!thread_ready(self) || !annotate_two(PROF_REC_STEP, number))
        return;
    store_relaxed(&self->slot->steps, true);
    timing_pop(self, RANGE_STACK_STEPS);
    timing_pushed(timing_push(self, RANGE_STACK_STEPS));
}

/* Recording goes on or off before the step's own record: it belongs to the step that begins. */
static void count_step(bool is_numbered, uint64_t number)
{
    if (!load_relaxed(&thread_page.step_gate))
        return;
    uint64_t count = fetch_add_relaxed(&thread_page.steps, 1u);
    triggers_step(count);
    trace_request_step(count);
    if (recorder_on())
        annotate_step(is_numbered ? number : count);
}

void prof_step(void)
{
    count_step(false, 0);
}

void prof_step_at(uint64_t number)
{
    count_step(true, number);
}

void annotate_counter(uint32_t name, double value)
{
    annotate_three(PROF_REC_COUNTER, name, annotate_double_bits(value));
}

void prof_counter(const char *name, double value)
{
    uint32_t name_id = annotate_name(name);
    if (name_id)
        annotate_counter(name_id, value);
}

static void annotate_attr(const char *key, enum prof_attr_type type, uint64_t value)
{
    uint32_t key_id = annotate_name(key);
    if (key_id)
        annotate_three(PROF_REC_ATTR, key_id | (uint64_t)type << 32, value);
}

void prof_attr_int(const char *key, int64_t value)
{
    annotate_attr(key, PROF_ATTR_INT, (uint64_t)value);
}

/* The name with its first attribute: one call, so that a tool that gets forwarded ranges, and gets
 * their text only when they open, sees the attribute too. */
void prof_range_push_int(const char *name, const char *key, int64_t value)
{
    struct thread_log *self = &thread_self;
    if (!thread_ready(self))
        return;
    if (!name)
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
    const char *given = name ? name : "(null)";
    emitter_forward(push_int, given, key ? key : "", value);
    uint64_t token = timing_push(self, RANGE_STACK_PROF);
    thread_event(self, PROF_KIND_PUSH, names_resolve(&self->slot->names, given));
    timing_pushed(token);
    prof_attr_int(key, value);
}

/* ---- a range with its attributes, one reading of the clock ---- */

static __attribute__((noinline)) uint32_t annotate_site_slow(struct thread_log *self,
                                                             struct prof_site *site, bool is_value)
{
    uint32_t id = names_kept(&site->id);
    if (id == 0 && site->name) {
        size_t bytes = strlen(site->name);
        id = is_value ? attrs_text(&self->slot->names, site->name, bytes)
                      : names_resolve_n(&self->slot->names, site->name, bytes);
        store_relaxed(&site->id, names_keep(id));
    }
    return id;
}

/* The id of a site's name, kept in the site; 0: lost (counted). */
static inline uint32_t annotate_site(struct thread_log *self, struct prof_site *site, bool is_value)
{
    uint64_t place = names_place(load_relaxed(&site->id));
    return __builtin_expect(place < UINT32_MAX, 1) ? (uint32_t)place + 1
                                                   : annotate_site_slow(self, site, is_value);
}

/* Two words after the header of an ATTR record; false: it cannot be recorded. */
static inline bool annotate_fill(struct thread_log *self, const struct prof_attr *attr,
                                 uint64_t *words)
{
    enum prof_attr_type type = attr->text ? PROF_ATTR_STRING : PROF_ATTR_INT;
    uint32_t key = annotate_site(self, attr->key, false);
    words[0] = key | (uint64_t)type << 32;
    words[1] = attr->text ? annotate_site(self, attr->text, true) : (uint64_t)attr->number;
    return key && (words[1] || !attr->text);
}

/* Each record is whole before the next one has its header, as if they came one by one. */
static void annotate_put(struct thread_log *self, uint64_t *record, uint64_t ticks,
                         const struct prof_attr *attrs, size_t count)
{
    enum { WORDS = PROF_REC_ATTR_SHORT_BYTES / 8 };
    for (size_t i = 0; i < count; i++, record += WORDS) {
        uint64_t words[WORDS - 1];
        if (!annotate_fill(self, &attrs[i], words))
            continue; /* its words stay zero */
        store_release(record, PROF_WORD_EXT(PROF_KIND_HOLE, PROF_REC_ATTR, WORDS, 0));
        memcpy(record + 1, words, sizeof words);
        store_release(record, PROF_WORD_EXT(PROF_KIND_EXT, PROF_REC_ATTR, WORDS, ticks));
    }
    store_relaxed(&self->writing, false);
}

static void annotate_push_slow(const char *name, const struct prof_attr *attrs, size_t count)
{
    struct thread_log *self = &thread_self;
    if (!thread_ready(self) || !thread_ensure_room(self))
        return;
    if (!name)
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
    const char *given = name ? name : "(null)";
    if (count && !attrs->text)
        emitter_forward(push_int, given, attrs->key->name, attrs->number);
    else
        emitter_forward(push, given);
    uint64_t token = timing_push(self, RANGE_STACK_PROF);
    thread_event(self, PROF_KIND_PUSH, names_resolve(&self->slot->names, given));
    timing_pushed(token);
    stacks_at_range(stacks_origin_here());
    for (size_t i = 0; i < count; i++) {
        uint64_t words[2];
        if (annotate_fill(self, &attrs[i], words))
            annotate_three(PROF_REC_ATTR, words[0], words[1]);
    }
}

void prof_range_push_attrs(const char *name, const struct prof_attr *attrs, size_t count)
{
    enum { WORDS = PROF_REC_ATTR_SHORT_BYTES / 8, AT_ONCE = 8 };
    struct thread_log *self = &thread_self;
    bool is_fast = load_relaxed(&thread_gate) == self->fast_epoch && name && count <= AT_ONCE;
    uint32_t id = is_fast ? names_lookup(&self->slot->names, name) : 0;
    uint64_t ticks;
    uint64_t *record = id - 1 < PROF_NAME_ID_MAX
                           ? thread_reserve_group(self, 1 + WORDS * (unsigned)count, &ticks)
                           : NULL;
    if (!record) {
        annotate_push_slow(name, attrs, count);
        return;
    }
    store_release(record, PROF_WORD_EVENT(PROF_KIND_PUSH, id, ticks));
    annotate_put(self, record + 1, ticks, attrs, count);
}

void prof_attr_double(const char *key, double value)
{
    annotate_attr(key, PROF_ATTR_DOUBLE, annotate_double_bits(value));
}

void prof_attr_string(const char *key, const char *value)
{
    uint32_t value_id = annotate_name(value);
    if (value_id)
        annotate_attr(key, PROF_ATTR_STRING, value_id);
}

void prof_thread_name(const char *name)
{
    if (name)
        thread_name_self(name);
    else
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
}

/* ---- attributes ---- */

/* Texts of attributes that may fill the name table: an eighth of it. Some are different each time
 * (PyTorch's input_op_ids), and names of ranges must not be lost for them. */
#define ATTRS_TEXTS_MAX (1u << 18)

static uint32_t attrs_texts; /* incremented by a thread that writes a text unknown to it */

uint64_t attrs_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint32_t attrs_text(struct name_cache *names, const char *text, size_t bytes)
{
    uint32_t id = bytes <= PROF_NAME_BYTES_MAX ? names_lookup_n(names, text, bytes) : 0;
    if (id)
        return id;
    if (load_relaxed(&attrs_texts) >= ATTRS_TEXTS_MAX) {
        loss_add(PROF_LOSS_NAMES, 1);
        return 0;
    }
    fetch_add_relaxed(&attrs_texts, 1u);
    return names_resolve_n(names, text, bytes);
}

static void attrs_put(uint64_t target, uint32_t key, enum prof_attr_type type, uint64_t bits)
{
    unsigned bytes = target ? sizeof(struct prof_rec_attr) : PROF_REC_ATTR_SHORT_BYTES;
    uint64_t ticks, *record = thread_reserve_now(PROF_REC_ATTR, bytes / 8, &ticks);
    if (!record)
        return;
    record[1] = key | (uint64_t)type << 32;
    record[2] = bits;
    if (target)
        record[3] = target;
    thread_commit(record, PROF_REC_ATTR, bytes / 8, ticks);
}

void attrs_write(uint64_t target, const char *key, const struct attr_value *value)
{
    struct name_cache *names = &thread_self.slot->names;
    if (!thread_ready(&thread_self))
        return;
    uint32_t key_id = names_lookup(names, key); /* most keys are constants */
    if (!key_id)
        key_id = names_resolve(names, key);
    uint64_t bits = value->bits;
    if (value->type == PROF_ATTR_STRING)
        bits = attrs_text(names, value->text, value->bytes);
    if (key_id && (bits || value->type != PROF_ATTR_STRING))
        attrs_put(target, key_id, value->type, bits);
}

/* ---- forwarding to another tool ---- */

static const struct emitter *emitter_in_use GUEST_DATA; /* entry writes, before recording begins */

void emitter_use(const struct emitter *emitter)
{
    emitter_in_use = emitter;
}

const struct emitter *emitter_active(void)
{
    return config_get()->emit_nvtx ? emitter_in_use : NULL;
}
