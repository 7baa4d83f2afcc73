#include "itt_calls.h"

#include "itt_handles.h"

#include "annotate.h"
#include "arch.h"
#include "registry.h"

#include <string.h>

/* One per domain and name. Static parts' handles of it keep its address as their index. */
struct itt_count {
    struct itt_counter handle; /* that we give out */
    uint32_t domain;
    struct interned_text *name;
    uint64_t value; /* of a double; threads that count, cas_acq_rel */
};

/* ---- finding one ---- */

static void itt_count_fill(void *memory, const struct interned_text *text)
{
    struct itt_count *count = memory;
    count->handle.name = text->text;
    count->handle.type = ITT_TYPE_U64;
    count->handle.index = (long)(intptr_t)count;
    count->domain = text->domain & (LABEL_DOMAINS_MAX - 1);
    count->name = texts_intern(0, text->text, text->bytes);
}

static struct itt_count *itt_count_of(uint32_t domain, const char *name)
{
    if (!name) {
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
        return NULL;
    }
    struct interned_text *text = itt_space_text(ITT_SPACE_COUNTERS, domain, name, strlen(name));
    return text ? itt_space_handle(text, sizeof(struct itt_count), itt_count_fill) : NULL;
}

static uint32_t itt_counter_domain(const char *name)
{
    return name ? registry_number(registry_domain(name, strlen(name))) : 0;
}

/* A counter's type is that of its first handle; later ones with another type would share it. */
static struct itt_counter *itt_counter_typed(struct itt_count *count, int type)
{
    if (!count)
        return NULL;
    store_relaxed(&count->handle.type, type);
    return &count->handle;
}

struct itt_counter *itt_counter_create(const char *name, const char *domain)
{
    return itt_counter_create_typed(name, domain, ITT_TYPE_U64);
}

struct itt_counter *itt_counter_create_typed(const char *name, const char *domain, int type)
{
    return itt_counter_typed(itt_count_of(itt_counter_domain(domain), name), type);
}

struct itt_counter *itt_counter_create_v3(const struct itt_domain *domain, const char *name,
                                          int type)
{
    return itt_counter_typed(itt_count_of(itt_domain_number(domain), name), type);
}

static struct itt_count *itt_counter_count(struct itt_counter *counter)
{
    if (!counter)
        return NULL;
    struct itt_count *count = (struct itt_count *)(intptr_t)load_acquire(&counter->index);
    if (count)
        return count;
    count = itt_count_of(itt_counter_domain(counter->domain), counter->name);
    store_release(&counter->index, (long)(intptr_t)count);
    return count;
}

/* ---- counting ---- */

static void itt_count_record(const struct itt_count *count, double value)
{
    if (!count->name || !thread_ready(&thread_self))
        return;
    annotate_counter(itt_record_id(count->domain, count->name), value);
}

static double itt_count_value(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Not inlined, so that it stays between the calls around it. */
__attribute__((noinline)) static uint64_t itt_count_sum(uint64_t bits, uint64_t delta, bool down)
{
    double by = (double)delta;
    return attrs_double_bits(itt_count_value(bits) + (down ? -by : by));
}

static void itt_count_add(struct itt_count *count, uint64_t delta, bool down)
{
    struct arch_float saved;
    if (!count)
        return;
    uint64_t bits = load_relaxed(&count->value), sum;
    arch_float_hold(&saved);
    do
        sum = itt_count_sum(bits, delta, down);
    while (!cas_acq_rel(&count->value, &bits, sum));
    arch_float_restore(&saved);
    itt_count_record(count, itt_count_value(sum));
}

void itt_counter_set_value(struct itt_counter *counter, const void *data)
{
    struct attr_value value;
    struct itt_count *count = data ? itt_counter_count(counter) : NULL;
    if (!count || !itt_number_read(load_relaxed(&counter->type), data, &value)) {
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
        return;
    }
    struct arch_float saved;
    arch_float_hold(&saved);
    uint64_t bits = attrs_double_bits(itt_number_double(&value));
    arch_float_restore(&saved);
    store_relaxed(&count->value, bits);
    itt_count_record(count, itt_count_value(bits));
}

void itt_counter_inc(struct itt_counter *counter)
{
    itt_count_add(itt_counter_count(counter), 1, false);
}

void itt_counter_dec(struct itt_counter *counter)
{
    itt_count_add(itt_counter_count(counter), 1, true);
}

void itt_counter_inc_delta(struct itt_counter *counter, uint64_t delta)
{
    itt_count_add(itt_counter_count(counter), delta, false);
}

void itt_counter_dec_delta(struct itt_counter *counter, uint64_t delta)
{
    itt_count_add(itt_counter_count(counter), delta, true);
}

static void itt_counter_add_v3(const struct itt_domain *domain, const struct itt_string *name,
                               uint64_t delta, bool down)
{
    itt_count_add(itt_count_of(itt_domain_number(domain), name ? name->text : NULL), delta, down);
}

void itt_counter_inc_v3(const struct itt_domain *domain, struct itt_string *name)
{
    itt_counter_add_v3(domain, name, 1, false);
}

void itt_counter_dec_v3(const struct itt_domain *domain, struct itt_string *name)
{
    itt_counter_add_v3(domain, name, 1, true);
}

void itt_counter_inc_delta_v3(const struct itt_domain *domain, struct itt_string *name,
                              uint64_t delta)
{
    itt_counter_add_v3(domain, name, delta, false);
}

void itt_counter_dec_delta_v3(const struct itt_domain *domain, struct itt_string *name,
                              uint64_t delta)
{
    itt_counter_add_v3(domain, name, delta, true);
}
