/* thread_names.c - names of threads: given by the program, or by the kernel. A log states the name
 * of its thread (thread.h); what another thread says, and a name longer than that, is in META. */
#include "meta.h"
#include "own_files.h"
#include "signals.h"
#include "thread.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#define THREAD_NAMES_KERNEL_BYTES 16 /* its TASK_COMM_LEN */

/* Set before the thread had a log, or in the parent of a forked child. */
static __thread char thread_early_name[THREAD_NAME_BYTES];

/* thread_set_namer(), before recording begins. */
static GUEST_DATA const char *(*thread_namer)(uint32_t tid);

/* For what the thread's log cannot say. */
static void thread_emit_name(uint32_t thread, uint32_t tid, const char *name, bool internal)
{
    size_t size = strnlen(name, PROF_NAME_BYTES_MAX);
    struct prof_rec_thread_info head = {.thread = thread,
                                        .tid = tid,
                                        .bytes = (uint32_t)size,
                                        .flags = internal ? PROF_THREAD_INTERNAL : 0u};
    meta_append(PROF_REC_THREAD_INFO, &head, sizeof head, name, size);
}

/* Returns whether it is another one. What is too long for the log is in META. */
static bool thread_set_name(struct thread_log *self, const char *name)
{
    struct thread_slot *slot = self->slot;
    size_t size = strnlen(name, sizeof slot->name);
    bool same = size < sizeof slot->name && memcmp(slot->name, name, size + 1) == 0;
    if (size == sizeof slot->name) {
        thread_emit_name(slot->thread, slot->tid, name, self->internal);
        size--;
    }
    memcpy(slot->name, name, size);
    memset(slot->name + size, 0, sizeof slot->name - size);
    return !same;
}

bool thread_read_own_name(struct thread_log *self)
{
    char name[THREAD_NAMES_KERNEL_BYTES] = "";
    const char *given = thread_namer ? thread_namer(self->slot->tid) : NULL;
    store_relaxed(&self->slot->given, given);
    if (given)
        store_relaxed(&self->slot->named, true);
    else
        prctl(PR_GET_NAME, name);
    return thread_set_name(self, given ? given : name);
}

/* Named by the program already, or else as the kernel calls it until it is. */
void thread_read_first_name(struct thread_log *self)
{
    bool named = *thread_early_name != '\0';
    store_relaxed(&self->slot->given, (const char *)NULL);
    store_relaxed(&self->slot->named, named);
    if (named)
        thread_set_name(self, thread_early_name);
    else
        thread_read_own_name(self);
}

/* A handler that moves the log on would state half of a name. */
void thread_name_self(const char *name)
{
    struct thread_log *self = &thread_self;
    struct signals_saved saved;
    if (!thread_process_is_ours())
        return;
    signals_block(&saved);
    size_t size = strnlen(name, sizeof thread_early_name - 1);
    memcpy(thread_early_name, name, size);
    thread_early_name[size] = '\0';
    if (self->attached) {
        store_relaxed(&self->slot->named, true);
        if (thread_set_name(self, name))
            thread_state_owner(self);
    }
    signals_restore(&saved);
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

GUEST_PATH void thread_set_namer(const char *(*namer)(uint32_t tid))
{
    thread_namer = namer;
}

static bool thread_read_name(uint32_t tid, char name[THREAD_NAMES_KERNEL_BYTES + 1])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%u/comm", tid);
    if (!own_files_read(path, name, THREAD_NAMES_KERNEL_BYTES + 1))
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
        char name[THREAD_NAMES_KERNEL_BYTES + 1];
        if (tid && !load_relaxed(&slot->named) && thread_read_name(tid, name))
            thread_emit_name(slot->thread, tid, name, slot->internal);
    }
}
