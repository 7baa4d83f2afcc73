/* range.c - the hot functions of prof.h: push and pop. */
#define PROF_IMPLEMENTATION
#include "prof/prof.h"

#include "annotate.h"
#include "thread.h"

/* What is not hot is a call in tail position, so that the hot path saves no registers. */
#define RANGE_SLOW __attribute__((noinline))

static void range_record_push(struct thread_log *self, uint32_t name)
{
    uint64_t token = timing_push(self, RANGE_STACK_PROF);
    thread_event(self, PROF_KIND_PUSH, name);
    timing_pushed(token);
}

static RANGE_SLOW void range_site_slow(struct prof_site *site)
{
    struct thread_log *self = &thread_self;
    if (!thread_ready(self) || !thread_ensure_room(self))
        return;
    uint32_t name = names_kept(&site->id);
    if (name == 0 && site->name) {
        name = names_resolve(&self->slot->names, site->name);
        store_relaxed(&site->id, names_keep(name));
    }
    emitter_forward(push, names_text_of(name));
    range_record_push(self, name);
    stacks_at_range(stacks_origin_here());
}

void prof_range_push_site(struct prof_site *site)
{
    uint64_t place = names_place(load_relaxed(&site->id));
    if (__builtin_expect(place >= PROF_NAME_ID_MAX ||
                             !thread_event_fast(PROF_KIND_PUSH, (uint32_t)place + 1),
                         0))
        range_site_slow(site);
}

static RANGE_SLOW void range_named_slow(unsigned kind, const char *name)
{
    struct thread_log *self = &thread_self;
    if (!thread_ready(self) || !thread_ensure_room(self))
        return;
    if (!name) {
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
        name = "(null)";
    }
    if (kind == PROF_KIND_MARK)
        emitter_forward(mark, name);
    else
        emitter_forward(push, name);
    uint32_t id = names_resolve(&self->slot->names, name);
    if (kind == PROF_KIND_MARK) {
        thread_event(self, kind, id);
        return;
    }
    range_record_push(self, id);
    stacks_at_range(stacks_origin_here());
}

static inline void range_named(unsigned kind, const char *name)
{
    struct thread_log *self = &thread_self;
    uint32_t id =
        __builtin_expect(name && self->slot, 1) ? names_lookup(&self->slot->names, name) : 0;
    if (__builtin_expect(id - 1 >= PROF_NAME_ID_MAX || !thread_event_fast(kind, id), 0))
        range_named_slow(kind, name);
}

void prof_range_push(const char *name)
{
    range_named(PROF_KIND_PUSH, name);
}

void prof_mark(const char *name)
{
    range_named(PROF_KIND_MARK, name);
}

static RANGE_SLOW void range_sized_slow(const char *name, size_t size)
{
    struct thread_log *self = &thread_self;
    if (!thread_ready(self) || !thread_ensure_room(self))
        return;
    uint32_t id = names_resolve_n(&self->slot->names, name, size);
    emitter_forward(push, names_text_of(id));
    range_record_push(self, id);
    stacks_at_range(stacks_origin_here());
}

void prof_range_push_n(const char *name, size_t size)
{
    struct thread_log *self = &thread_self;
    if (!name) {
        prof_range_push(NULL);
        return;
    }
    uint32_t id = self->slot && size <= PROF_NAME_BYTES_MAX
                      ? names_lookup_n(&self->slot->names, name, size)
                      : 0;
    if (__builtin_expect(id - 1 >= PROF_NAME_ID_MAX || !thread_event_fast(PROF_KIND_PUSH, id), 0))
        range_sized_slow(name, size);
}

static RANGE_SLOW void range_pop_slow(void)
{
    struct thread_log *self = &thread_self;
    if (!thread_ready(self))
        return;
    thread_event(self, PROF_KIND_POP, 0);
    emitter_forward(pop);
    timing_pop(self, RANGE_STACK_PROF);
}

void prof_range_pop(void)
{
    if (__builtin_expect(!thread_event_fast(PROF_KIND_POP, 0), 0))
        range_pop_slow();
}
