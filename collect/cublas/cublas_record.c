#include "cublas_record.h"

#include "atomic.h"
#include "config.h"
#include "thread.h"

#include <errno.h>
#include <string.h>

/* Three forms of the same attributes, each as short as it can be: most calls have one product whose
 * sizes fit 32 bits. All ones: unknown. */
enum cublas_form { CUBLAS_FORM_ONE = 1, CUBLAS_FORM_BATCH, CUBLAS_FORM_WIDE, CUBLAS_FORMS_END };

struct cublas_attrs_one {
    uint64_t header;
    uint32_t set, type, op, m, n, k;
    uint64_t flops, bytes;
};
PROF_STATIC_ASSERT(sizeof(struct cublas_attrs_one) == 48, "no padding");

struct cublas_attrs_batch {
    struct cublas_attrs_one one;
    uint64_t batch;
};
PROF_STATIC_ASSERT(sizeof(struct cublas_attrs_batch) == 56, "no padding");

struct cublas_attrs_wide {
    uint64_t header;
    uint32_t set, type, op, reserved0;
    uint64_t m, n, k, batch, flops, bytes;
};
PROF_STATIC_ASSERT(sizeof(struct cublas_attrs_wide) == 72, "no padding");

struct cublas_field {
    const char *key;
    enum prof_attr_type type;
    uint16_t offset;
    uint8_t bytes;
};

#define CUBLAS_FIELD(form, member, type)                                                         \
    {                                                                                            \
#member, PROF_ATTR_##type, offsetof(form, member), (uint8_t)sizeof((form *)NULL)->member \
    }
#define CUBLAS_SIZE_FIELDS(form) \
    CUBLAS_FIELD(form, m, INT), CUBLAS_FIELD(form, n, INT), CUBLAS_FIELD(form, k, INT)
#define CUBLAS_OTHER_FIELDS(form)                                   \
    CUBLAS_FIELD(form, flops, INT), CUBLAS_FIELD(form, bytes, INT), \
        CUBLAS_FIELD(form, type, STRING), CUBLAS_FIELD(form, op, STRING)
#define CUBLAS_BATCH_FIELD(form)                         \
    {                                                    \
        "batch", PROF_ATTR_INT, offsetof(form, batch), 8 \
    }

static const struct cublas_field cublas_fields[CUBLAS_FORMS_END][8] = {
    [CUBLAS_FORM_ONE] = {CUBLAS_SIZE_FIELDS(struct cublas_attrs_one),
                         CUBLAS_OTHER_FIELDS(struct cublas_attrs_one)},
    [CUBLAS_FORM_BATCH] = {CUBLAS_SIZE_FIELDS(struct cublas_attrs_one),
                           CUBLAS_BATCH_FIELD(struct cublas_attrs_batch),
                           CUBLAS_OTHER_FIELDS(struct cublas_attrs_one)},
    [CUBLAS_FORM_WIDE] = {CUBLAS_SIZE_FIELDS(struct cublas_attrs_wide),
                          CUBLAS_BATCH_FIELD(struct cublas_attrs_wide),
                          CUBLAS_OTHER_FIELDS(struct cublas_attrs_wide)},
};

/* ---- what the values mean, said once in a file ---- */

/* The thread that emits releases -> threads that write attributes acquire. */
static bool cublas_forms_emitted GUEST_DATA;

static bool cublas_emit_form(enum cublas_form form)
{
    struct {
        struct prof_rec_attr_set head;
        struct prof_attr_field field[8];
    } set = {.head.id = form};
    for (const struct cublas_field *field = cublas_fields[form]; set.head.fields < 8 && field->key;
         field++)
        set.field[set.head.fields++] = (struct prof_attr_field){
            .key = names_intern(field->key, strlen(field->key)),
            .type = (uint8_t)field->type,
            .bytes = field->bytes,
            .offset = field->offset,
        };
    for (uint32_t i = 0; i < set.head.fields; i++)
        if (!set.field[i].key)
            return false;
    return meta_append(PROF_REC_ATTR_SET, &set, sizeof set, NULL, 0) != NULL;
}

/* Two threads may say the same. */
static bool cublas_emit_forms(void)
{
    if (load_acquire(&cublas_forms_emitted))
        return true;
    for (enum cublas_form form = CUBLAS_FORM_ONE; form < CUBLAS_FORMS_END; form++)
        if (!cublas_emit_form(form))
            return false;
    store_release(&cublas_forms_emitted, true);
    return true;
}

/* A forked child's file: names keep their numbers there, what they are used for must be said
 * again. */
GUEST_PATH static void cublas_fork_child(void)
{
    if (load_relaxed(&cublas_forms_emitted))
        store_relaxed(&cublas_forms_emitted, false);
}

const struct collector cublas_collector = {.name = "cublas", .fork_child = cublas_fork_child};

/* ---- the range ---- */

static uint32_t cublas_name(const char *name, uint64_t *name_id)
{
    uint32_t id = names_kept(name_id);
    if (id)
        return id;
    id = names_intern(name, strlen(name));
    store_relaxed(name_id, names_keep(id));
    return id;
}

bool cublas_record_begin(struct cublas_range *range, const char *name, uint64_t *name_id)
{
    struct thread_log *self = &thread_self;
    if (!recorder_on() || self->in_library || !config_get()->cublas)
        return false;
    int saved_errno = errno;
    bool ready = thread_ready(self);
    uint32_t id = ready ? cublas_name(name, name_id) : 0;
    if (id) {
        thread_event(self, PROF_KIND_PUSH, id);
        range->epoch = thread_gate_epoch(self->epoch);
        self->in_library = true;
    }
    errno = saved_errno;
    return id != 0;
}

/* Recording that was switched off meanwhile has ended the range. */
void cublas_record_end(const struct cublas_range *range)
{
    struct thread_log *self = &thread_self;
    int saved_errno = errno;
    self->in_library = false;
    if (thread_ready(self) && thread_gate_epoch(self->epoch) == range->epoch)
        thread_event(self, PROF_KIND_POP, 0);
    errno = saved_errno;
}

/* ---- its attributes ---- */

static uint32_t cublas_text(const char *text)
{
    struct name_cache *names = &thread_self.slot->names;
    uint32_t id = text ? names_lookup(names, text) : 0;
    if (!id && text)
        id = names_resolve(names, text);
    return id ? id : UINT32_MAX;
}

static bool cublas_fits(uint64_t value)
{
    return value < UINT32_MAX || value == CUBLAS_UNKNOWN;
}

static void cublas_put(enum prof_record_type type, const void *record, size_t bytes)
{
    unsigned words = (unsigned)(bytes / sizeof(uint64_t));
    uint64_t ticks;
    uint64_t *to = thread_reserve_now(type, words, &ticks);
    if (!to)
        return;
    memcpy(to + 1, (const uint64_t *)record + 1, bytes - sizeof *to);
    thread_commit(to, type, words, ticks);
}

static void cublas_put_narrow(const struct cublas_work *work)
{
    bool many = work->batch != 1;
    struct cublas_attrs_batch attrs = {
        .one = {.set = many ? CUBLAS_FORM_BATCH : CUBLAS_FORM_ONE,
                .type = cublas_text(work->type),
                .op = cublas_text(work->op),
                .m = (uint32_t)work->m,
                .n = (uint32_t)work->n,
                .k = (uint32_t)work->k,
                .flops = work->flops,
                .bytes = work->bytes},
        .batch = work->batch,
    };
    cublas_put(PROF_REC_ATTRS, &attrs, many ? sizeof attrs : sizeof attrs.one);
}

static void cublas_put_wide(const struct cublas_work *work)
{
    struct cublas_attrs_wide attrs = {
        .set = CUBLAS_FORM_WIDE,
        .type = cublas_text(work->type),
        .op = cublas_text(work->op),
        .m = work->m,
        .n = work->n,
        .k = work->k,
        .batch = work->batch == 1 ? CUBLAS_UNKNOWN : work->batch,
        .flops = work->flops,
        .bytes = work->bytes,
    };
    cublas_put(PROF_REC_ATTRS, &attrs, sizeof attrs);
}

/* The thread is ready: its range was just opened. */
void cublas_record_work(const struct cublas_work *work)
{
    int saved_errno = errno;
    if (thread_ready(&thread_self) && cublas_emit_forms()) {
        if (cublas_fits(work->m) && cublas_fits(work->n) && cublas_fits(work->k))
            cublas_put_narrow(work);
        else
            cublas_put_wide(work);
    }
    errno = saved_errno;
}
