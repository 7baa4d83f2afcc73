#include "itt_calls.h"

#include "itt_handles.h"

#include "annotate.h"
#include "labels.h"
#include "thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What is not hot is a call in tail position, so that the hot path saves no registers. */
#define ITT_SLOW __attribute__((noinline))

/* ---- who is open on the thread ---- */

static inline void itt_task_opened(struct label_thread *thread, uint32_t domain, struct itt_id id)
{
    uint32_t at = thread->tasks_open++;
    if (at < LABEL_THREAD_TASKS)
        thread->tasks[at] = (struct label_task){{id.d1, id.d2, id.d3}, domain};
}

/* The innermost of the domain leaves. One that is not the innermost of all is rare: tasks of
 * different domains that cross. */
static ITT_SLOW void itt_task_closed_below(struct label_thread *thread, uint32_t domain)
{
    uint32_t at = thread->tasks_open;
    while (at > 0 && thread->tasks[at - 1].domain != domain)
        at--;
    if (at == 0)
        return;
    for (; at < thread->tasks_open; at++)
        thread->tasks[at - 1] = thread->tasks[at];
    thread->tasks_open--;
}

static inline void itt_task_closed(struct label_thread *thread, uint32_t domain)
{
    uint32_t open = thread->tasks_open;
    if (open > LABEL_THREAD_TASKS || (open > 0 && thread->tasks[open - 1].domain == domain))
        thread->tasks_open = open - 1;
    else if (open > 0)
        itt_task_closed_below(thread, domain);
}

static bool itt_id_is(const uint64_t *known, struct itt_id id)
{
    return known[0] == id.d1 && known[1] == id.d2 && known[2] == id.d3;
}

/* An attribute cannot reach a task around the innermost one. */
static bool itt_task_is_outer(const struct label_thread *thread, struct itt_id id)
{
    uint32_t open =
        thread->tasks_open < LABEL_THREAD_TASKS ? thread->tasks_open : LABEL_THREAD_TASKS;
    while (open > 0 && !itt_id_is(thread->tasks[open - 1].id, id))
        open--;
    return open > 0;
}

uint64_t itt_target(struct itt_id id)
{
    struct label_thread *thread = label_thread_get();
    uint32_t open = thread ? thread->tasks_open : 0;
    if (!(id.d1 | id.d2 | id.d3))
        return ATTRS_OF_RANGE;
    if (open > 0 && open <= LABEL_THREAD_TASKS && itt_id_is(thread->tasks[open - 1].id, id))
        return ATTRS_OF_RANGE;
    uint64_t range = itt_span_find(id);
    if (range)
        return range;
    if (thread && itt_id_is(thread->marker, id))
        return PROF_ATTR_OF_MARK;
    if (thread && itt_task_is_outer(thread, id))
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
    return UINT64_MAX;
}

/* ---- begin ---- */

static void itt_task_push(uint32_t domain, struct itt_id id, struct interned_text *text,
                          bool parted)
{
    uint64_t begun, token = timing_push(&thread_self, RANGE_STACK_NVTX(domain));
    itt_record(LABELLED_PUSH, domain, text, parted, &begun);
    timing_pushed(token);
    struct label_thread *thread = label_thread_get();
    if (thread)
        itt_task_opened(thread, domain, id);
}

static ITT_SLOW void itt_task_begin_slow(const struct itt_domain *domain, struct itt_id id,
                                         struct itt_string *name)
{
    bool parted;
    if (!thread_ready(&thread_self))
        return;
    struct interned_text *text = itt_string_text(name, &parted);
    itt_task_push(itt_domain_number(domain), id, text, parted);
}

/* Whether a string's label is this domain's and nothing else: NVTX may have used the string,
 * too. */
static inline bool itt_is_latest(const struct label *label, uint32_t domain)
{
    return label->domain == domain && !label->category && !label->flags;
}

void itt_task_begin(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
                    struct itt_string *name)
{
    (void)parent;
    if (!load_relaxed(&thread_gate))
        return;
    struct label_thread *thread = label_thread_self;
    const struct interned_text *text = itt_string_plain(name);
    if (__builtin_expect(thread && text, 1)) {
        uint32_t number = itt_domain_number(domain);
        const struct label *label = load_acquire(&text->latest);
        if (__builtin_expect(label && itt_is_latest(label, number), 1) &&
            labelled_push_fast(load_relaxed(&label->id))) {
            itt_task_opened(thread, number, id);
            return;
        }
    }
    itt_task_begin_slow(domain, id, name);
}

/* ---- functions ---- */

/* As itt_function_text() wrote it. */
static void *itt_function_address(const char *text)
{
    static const char digits[] = "0123456789abcdef";
    uintptr_t address = 0;
    for (text += 2; *text; text++)
        address = address << 4 | (uintptr_t)(strchr(digits, *text) - digits);
    return (void *)address;
}

/* dladdr() knows what is exported; anything else is an address. */
static void itt_function_fill(void *handle, const struct interned_text *address)
{
    Dl_info info;
    struct interned_text **text = handle;
    void *function = itt_function_address(address->text);
    const char *name =
        dladdr(function, &info) && info.dli_saddr == function ? info.dli_sname : NULL;
    *text = name ? texts_intern(0, name, strlen(name)) : NULL;
    if (!*text)
        *text = texts_intern(0, address->text, address->bytes);
}

static struct interned_text *itt_function_text(void *function)
{
    char address[32];
    int bytes = snprintf(address, sizeof address, "0x%" PRIxPTR, (uintptr_t)function);
    struct interned_text *key = itt_space_text(ITT_SPACE_FUNCTIONS, 0, address, (size_t)bytes);
    struct interned_text **text =
        key ? itt_space_handle(key, sizeof *text, itt_function_fill) : NULL;
    return text ? *text : NULL;
}

void itt_task_begin_fn(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
                       void *function)
{
    (void)parent;
    int saved_errno = errno;
    if (thread_ready(&thread_self))
        itt_task_push(itt_domain_number(domain), id, itt_function_text(function), false);
    errno = saved_errno;
}

/* ---- end ---- */

static ITT_SLOW void itt_task_end_slow(uint32_t domain)
{
    if (!thread_ready(&thread_self))
        return;
    thread_event(&thread_self, PROF_KIND_NVTX_POP, domain);
    timing_pop(&thread_self, RANGE_STACK_NVTX(domain));
}

void itt_task_end(const struct itt_domain *domain)
{
    struct label_thread *thread = label_thread_self;
    bool open = thread && thread->tasks_open > 0;
    if (!open && !load_relaxed(&thread_gate))
        return;
    uint32_t number = itt_domain_number(domain);
    if (open)
        itt_task_closed(thread, number);
    if (!__builtin_expect(thread_event_fast(PROF_KIND_NVTX_POP, number), 1))
        itt_task_end_slow(number);
}

/* ---- markers ---- */

void itt_marker(const struct itt_domain *domain, struct itt_id id, struct itt_string *name,
                int scope)
{
    (void)scope;
    uint64_t begun;
    if (!thread_ready(&thread_self))
        return;
    itt_record_string(LABELLED_MARK, itt_domain_number(domain), name, &begun);
    struct label_thread *thread = label_thread_get();
    if (thread) {
        thread->marker[0] = id.d1;
        thread->marker[1] = id.d2;
        thread->marker[2] = id.d3;
    }
}
