#include "thread_names.h"

#include "meta.h"
#include "own_files.h"
#include "thread.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#define THREAD_NAME_BYTES 16 /* the kernel's TASK_COMM_LEN */

/* Set before the thread had a log, or in the parent of a forked child. */
static __thread char thread_early_name[THREAD_EARLY_NAME_BYTES];

static const char *(*thread_namer)(uint32_t tid); /* thread_set_namer(), before recording begins */

void thread_emit_name(uint32_t thread, uint32_t tid, const char *name, bool internal)
{
    size_t size = strlen(name);
    if (size > PROF_NAME_BYTES_MAX)
        size = PROF_NAME_BYTES_MAX;
    struct prof_rec_thread_info head = {
        .thread = thread, .tid = tid, .bytes = (uint32_t)size, .flags = internal ? 1u : 0u};
    meta_append(PROF_REC_THREAD_INFO, &head, sizeof head, name, size);
}

void thread_emit_own_name(const struct thread_log *self)
{
    char name[THREAD_NAME_BYTES] = "";
    const char *given = thread_namer ? thread_namer(self->slot->tid) : NULL;
    store_relaxed(&self->slot->given, given);
    if (given) {
        store_relaxed(&self->slot->named, true);
        thread_emit_name(self->slot->thread, self->slot->tid, given, self->internal);
        return;
    }
    prctl(PR_GET_NAME, name);
    thread_emit_name(self->slot->thread, self->slot->tid, name, self->internal);
}

/* Named by the program already, or else as the kernel calls it until it is. */
void thread_emit_first_name(struct thread_slot *slot, bool internal)
{
    bool named = *thread_early_name != '\0';
    store_relaxed(&slot->given, (const char *)NULL);
    store_relaxed(&slot->named, named);
    if (named)
        thread_emit_name(slot->thread, slot->tid, thread_early_name, internal);
    else
        thread_emit_own_name(&thread_self);
}

void thread_name_self(const char *name)
{
    struct thread_log *self = &thread_self;
    if (!thread_process_is_ours())
        return;
    snprintf(thread_early_name, sizeof thread_early_name, "%s", name);
    if (!self->attached)
        return;
    store_relaxed(&self->slot->named, true);
    thread_emit_name(self->slot->thread, self->slot->tid, name, self->internal);
}

/* A thread that ends meanwhile leaves a name for an index that is never used again. */
static bool thread_name_slot(struct thread_slot *slot, uint32_t tid, const char *name)
{
    if (!slot || load_acquire(&slot->tid) != tid)
        return false;
    store_relaxed(&slot->named, true);
    if (exchange_acquire(&slot->given, name) != name)
        thread_emit_name(slot->thread, tid, name, slot->internal);
    return true;
}

bool thread_name_tid(uint32_t tid, const char *name)
{
    uint32_t used = meta_has_file() ? thread_slots_used() : 0;
    for (uint32_t index = 0; index < used; index++)
        if (thread_name_slot(thread_slot_at(index), tid, name))
            return true;
    return false;
}

void thread_set_namer(const char *(*namer)(uint32_t tid))
{
    thread_namer = namer;
}

static bool thread_read_name(uint32_t tid, char name[THREAD_NAME_BYTES + 1])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%u/comm", tid);
    if (!own_files_read(path, name, THREAD_NAME_BYTES + 1))
        return false;
    name[strcspn(name, "\n")] = '\0';
    return true;
}

void thread_emit_names(void)
{
    uint32_t used = thread_slots_used();
    for (uint32_t index = 0; index < used; index++) {
        const struct thread_slot *slot = thread_slot_at(index);
        uint32_t tid = slot ? load_acquire(&slot->tid) : 0;
        char name[THREAD_NAME_BYTES + 1];
        if (tid && !load_relaxed(&slot->named) && thread_read_name(tid, name))
            thread_emit_name(slot->thread, tid, name, slot->internal);
    }
}
