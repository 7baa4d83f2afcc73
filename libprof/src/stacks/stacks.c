/* stacks.c - the table of stacks. The record of a stack that points into a library that was closed
 * is forgotten, so that the same addresses get a new number when they mean something else.
 */
#include "stacks.h"

#include "arch.h"
#include "atomic.h"
#include "clock.h"
#include "cost.h"
#include "glibc_only.h"
#include "intern.h"
#include "loaded.h"
#include "log.h"
#include "meta.h"
#include "own_thread.h"
#include "signals.h"
#include "thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define STACKS_FORK_WAITS 100 /* of a millisecond each */

uint32_t stacks_mode;

static uint32_t stacks_choice; /* PROF_STACKS where it can be had; constant */

/* Records are the file's, of struct prof_rec_stack_frames; a stack's number is its id. */
static struct intern_table stacks_table = {
    .slots = {1u << 10, 1u << 14, 1u << 19},
    .numbers_max = (1u << 18) - 1,
};

static struct {
    struct stacks_thread *threads; /* threads push by CAS when they begin; never shrinks */
    uint32_t depth;                /* frames kept; constant */
    uint32_t tables; /* libunwind may be called; cleared in a child that inherits its locks */
    uint32_t frames; /* frame pointers may be followed; constant */
    uint32_t paused; /* forks in progress: stacks_before_fork() -> walking threads */
    bool looks;      /* for modules that come and go: stacks are recorded, or samples; constant */
    bool walked;     /* during the latest fork: another thread was in libunwind all the time */
    uint32_t unsettled; /* a stack was added whose modules could not be looked for */
} stacks;

/* What a walk found. */
struct stacks_found {
    uint32_t count;
    uint32_t method; /* enum prof_stack_method */
    uint32_t flags;  /* PROF_STACK_CUT */
    uint32_t hash;
    uint64_t addresses[STACKWALK_FRAMES_MAX + 1];
};

/* ---- walking ---- */

/* An address in the stack that is in use. */
static uintptr_t stacks_here(void)
{
    return (uintptr_t)__builtin_frame_address(0);
}

/* For functions that are not ours and take what they need. */
static bool stacks_has_room(const struct stacks_thread *self)
{
    uintptr_t here = stacks_here();
    return stackwalk_is_own(&self->own, here) && here - self->own.low >= STACKWALK_ROOM_BYTES;
}

/* Not on a stack whose end is unknown or near, nor while this thread's libunwind was interrupted in
 * the middle, nor across a fork: the child would inherit its locks. The pause counts where it is
 * looked at second; the first look spares the forking thread the sight of those who turn back. */
static bool stacks_tables_begin(struct stacks_thread *self)
{
    if (!load_relaxed(&stacks.tables) || load_relaxed(&stacks.paused) || !stacks_has_room(self) ||
        exchange_seq_cst(&self->walking, 1u))
        return false;
    if (!load_seq_cst(&stacks.paused))
        return true;
    store_release(&self->walking, 0u);
    return false;
}

static void stacks_walk(struct stacks_thread *self, struct stacks_origin origin,
                        struct stacks_found *found)
{
    unsigned limit = stacks.depth + 1;
    found->count = 0;
    if (stacks_tables_begin(self)) {
        found->method = PROF_STACK_UNWIND_TABLES;
        found->count = stackwalk_tables(origin, found->addresses, limit);
        store_release(&self->walking, 0u);
    }
    if (found->count == 0 && stacks.frames) {
        found->method = PROF_STACK_FRAME_POINTERS;
        found->count = stackwalk_frames(&self->own, stacks_here(), origin, found->addresses, limit);
    }
    found->flags = found->count > stacks.depth ? PROF_STACK_CUT : 0;
    if (found->flags)
        found->count = stacks.depth;
}

static uint32_t stacks_hash(const struct stacks_found *found)
{
    uint64_t hash = found->count;
    for (uint32_t i = 0; i < found->count; i++) {
        hash = (hash ^ found->addresses[i]) * NAMES_MIX_1;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* ---- the table ---- */

static const uint64_t *stacks_addresses(const struct prof_rec_stack_frames *record)
{
    return (const uint64_t *)(const void *)(record + 1);
}

static const struct prof_rec_stack_frames *stacks_record(uint32_t id)
{
    return intern_record(&stacks_table, id);
}

static bool stacks_equal(const void *known, const void *content)
{
    const struct prof_rec_stack_frames *record = known;
    const struct stacks_found *found = content;
    return record && record->frames == found->count && record->flags == found->flags &&
           record->method == found->method &&
           memcmp(stacks_addresses(record), found->addresses,
                  found->count * sizeof found->addresses[0]) == 0;
}

static void stacks_forget(uint64_t start, uint64_t end)
{
    for (uint32_t id = 1, count = intern_count(&stacks_table); id <= count; id++) {
        const struct prof_rec_stack_frames *record = stacks_record(id);
        for (uint32_t i = 0; record && i < record->frames; i++) {
            if (stacks_addresses(record)[i] - start >= end - start)
                continue;
            intern_set(&stacks_table, id, NULL);
            break;
        }
    }
}

/* Modules come before the stack that points into them, unless another thread is looking or this
 * stack has no room for it: then the writer thread emits them a moment later. */
static void stacks_emit_modules(const struct stacks_found *found)
{
    bool looked = stacks_has_room(&thread_self.slot->stacks) && modules_scan(stacks_forget);
    for (uint32_t i = 0; i < found->count; i++)
        modules_emit(found->addresses[i]);
    if (!looked)
        store_release(&stacks.unsettled, 1u);
}

static const void *stacks_create(uint32_t id, const void *content)
{
    const struct stacks_found *found = content;
    stacks_emit_modules(found);
    struct prof_rec_stack_frames head = {
        .id = id,
        .frames = found->count,
        .method = found->method,
        .flags = found->flags,
        .ticks = clock_read(),
    };
    return meta_try_append(PROF_REC_STACK_FRAMES, &head, sizeof head,
                           (const char *)found->addresses,
                           found->count * sizeof found->addresses[0]);
}

static uint32_t stacks_intern(struct stacks_thread *self, const struct stacks_found *found)
{
    const struct prof_rec_stack_frames **recent = &self->recent[found->hash % STACKS_RECENT];
    const struct prof_rec_stack_frames *known = load_relaxed(recent);
    if (stacks_equal(known, found) && stacks_record(known->id) == known)
        return known->id;
    uint32_t id = intern(&stacks_table, found->hash, found, stacks_equal, stacks_create);
    if (id)
        store_relaxed(recent, stacks_record(id));
    else
        loss_add(PROF_LOSS_NAMES, 1);
    return id;
}

/* libunwind looks whether memory can be read by write(2), and modules are found by open(2):
 * cancellation points, which pushes are not. */
uint32_t stacks_capture(struct stacks_origin origin)
{
    struct thread_slot *slot = thread_self.slot;
    struct stacks_found found;
    int saved_errno = errno, cancel_state;
    if (!slot)
        return 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    stacks_walk(&slot->stacks, origin, &found);
    uint32_t id = 0;
    if (found.count) {
        found.hash = stacks_hash(&found);
        id = stacks_intern(&slot->stacks, &found);
    }
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved_errno;
    return id;
}

uint32_t stacks_add(const uint64_t *addresses, uint32_t count, bool cut)
{
    struct thread_slot *slot = thread_self.slot;
    struct stacks_found found = {
        .count = count, .method = PROF_STACK_UNWIND_TABLES, .flags = cut ? PROF_STACK_CUT : 0};
    if (!slot)
        return 0;
    if (!slot->stacks.own.high)
        slot->stacks.own = stackwalk_own_bounds();
    memcpy(found.addresses, addresses, count * sizeof *addresses);
    found.hash = stacks_hash(&found);
    return stacks_intern(&slot->stacks, &found);
}

void stacks_write(struct stacks_origin origin)
{
    struct cost_sampler *sampler = thread_self.slot ? &thread_self.slot->stacks.cost : NULL;
    uint64_t began = sampler ? cost_begin(sampler) : 0;
    uint32_t id = stacks_capture(origin);
    if (began)
        cost_end(sampler, PROF_COST_STACKS, began);
    uint64_t *record = thread_reserve(PROF_REC_STACK, 2);
    if (!record)
        return;
    record[1] = id;
    thread_commit(record, PROF_REC_STACK, 2, thread_ticks(record));
}

/* ---- fork ---- */

static bool stacks_others_walk(void)
{
    const struct stacks_thread *self = thread_self.slot ? &thread_self.slot->stacks : NULL;
    for (const struct stacks_thread *each = load_acquire(&stacks.threads); each; each = each->next)
        if (each != self && load_acquire(&each->walking))
            return true;
    return false;
}

/* The forking thread waits until no other is in libunwind or in the loader on our behalf. Seeing
 * none once is enough: a thread that begins now finds the pause and turns back. */
static void stacks_before_fork(void)
{
    int saved_errno = errno;
    fetch_add_seq_cst(&stacks.paused, 1u);
    stacks.walked = stacks_others_walk();
    for (int i = 0; i < STACKS_FORK_WAITS && stacks.walked; i++) {
        clock_pause(1000);
        stacks.walked = stacks_others_walk();
    }
    modules_suspend();
    errno = saved_errno;
}

static void stacks_after_fork(void)
{
    modules_resume(false);
    fetch_add_seq_cst(&stacks.paused, (uint32_t)-1);
}

/* A lock that another thread held is held forever here. */
static void stacks_fork_child(void)
{
    modules_resume(true);
    store_release(&stacks.paused, 0u);
    if (!intern_count(&stacks_table) || recorder_leaving())
        return;
    modules_forget_emitted();
    intern_clear(&stacks_table);
    stacks.threads = NULL;
    if (stacks.walked)
        store_relaxed(&stacks.tables, 0u);
    store_release(&stacks.paused, 0u);
}

/* ---- life ---- */

static void stacks_set_recorded(bool on)
{
    store_release(&stacks_mode, on ? stacks_choice : (uint32_t)CONFIG_STACKS_OFF);
}

GUEST_PATH void stacks_init(void)
{
    const struct config *config = config_get();
    bool wanted = config->stacks != CONFIG_STACKS_OFF || config->sample_hz;
    if (!wanted || !modules_init())
        return;
    glibc_only_atfork(stacks_before_fork, stacks_after_fork, stacks_fork_child);
    stacks.looks = true;
    if (config->stacks == CONFIG_STACKS_OFF)
        return;
    stacks.depth = (uint32_t)config->stack_depth;
    stacks.frames = config->stack_method != CONFIG_STACK_METHOD_TABLES;
    /* libunwind takes locks when a thread has ended already, as ThreadSanitizer sees it, which
     * crashes */
    stacks.tables = config->stack_method != CONFIG_STACK_METHOD_FRAMES && !own_thread_sanitized() &&
                    stackwalk_open_tables();
    stacks_choice = (uint32_t)config->stacks;
    store_release(&stacks_mode, stacks_choice);
    recorder_throttleable(PROF_THROTTLE_STACKS, stacks_set_recorded);
}

bool stacks_chosen(void)
{
    return stacks_choice != CONFIG_STACKS_OFF;
}

bool stacks_at_ranges_chosen(void)
{
    return stacks_choice == CONFIG_STACKS_RANGE;
}

static void stacks_list(struct stacks_thread *self)
{
    if (self->listed)
        return;
    self->listed = true;
    self->next = load_acquire(&stacks.threads);
    while (!cas_acq_rel(&stacks.threads, &self->next, self))
        ;
}

static void stacks_thread_prepare(void *argument)
{
    struct stacks_thread *self = argument;
    self->own = stackwalk_own_bounds();
    if (stacks_tables_begin(self)) {
        stackwalk_warm_tables();
        store_release(&self->walking, 0u);
    }
}

void stacks_thread_begin(struct stacks_thread *self)
{
    stacks_list(self);
    big_stack_run(stacks_thread_prepare, self);
}

static void stacks_file_created(void)
{
    if (stacks_chosen() && !stacks.tables && !stacks.frames)
        log_line(LOG_ERROR,
                 "PROF_STACK_METHOD=tables needs libunwind.so.8 and x86-64: call stacks are not "
                 "recorded");
}

/* Modules that could not be looked for when a stack was added. */
static void stacks_apply_mode(void)
{
    for (uint32_t id = 1, count = intern_count(&stacks_table); id <= count; id++) {
        const struct prof_rec_stack_frames *record = stacks_record(id);
        for (uint32_t i = 0; record && i < record->frames; i++)
            modules_emit(stacks_addresses(record)[i]);
    }
}

static void stacks_tick(void)
{
    if (!stacks.looks || !modules_scan(stacks_forget))
        return;
    if (exchange_acquire(&stacks.unsettled, 0u))
        stacks_apply_mode();
}

const struct collector stacks_collector = {
    .name = "stacks",
    .file_created = stacks_file_created,
    .tick = stacks_tick,
    .finish = stacks_tick,
};

/* ---- who called ---- */

/* The walk by tables is libunwind's unw_backtrace(), which remembers per thread how each function
 * keeps its frame. The walk by frame pointers:
 *
 *     frame -> | caller's frame | return address |      higher addresses ->
 *                     '----------> | its caller's | return address | ...
 *
 * Code without frame pointers leaves anything in that register, so an address is followed only
 * upwards and only where memory is known to be readable: up to the end of the thread's own stack,
 * or, on a stack that we know nothing about, page by page as far as the kernel says so.
 */

#define STACKWALK_LIBUNWIND "libunwind.so.8"
#define STACKWALK_OUR_FRAMES 16u /* between unw_backtrace() and who called us, at most */
#define STACKWALK_PAGE 4096u     /* the smallest there is */
#define STACKWALK_PROBES_MAX 64u /* 256 KiB of an unknown stack */

static int (*stackwalk_unw_backtrace)(void **addresses, int limit);

/* There below valgrind, which would say that the signal mask is not initialised. */
extern void _vgnU_freeres(void) __attribute__((weak));

static bool stackwalk_probe_by_copy(uintptr_t at)
{
    char byte;
    struct iovec to = {&byte, 1}, from = {(void *)at, 1};
    return process_vm_readv((pid_t)syscall(SYS_getpid), &to, 1, &from, 1, 0) == 1;
}

/* The kernel copies the new signal mask before it finds out that there is no such way to change the
 * mask. */
static bool stackwalk_probe(uintptr_t at)
{
    if (_vgnU_freeres)
        return stackwalk_probe_by_copy(at);
    return syscall(SYS_rt_sigprocmask, -1, at, NULL, 8) != 0 && errno != EFAULT;
}

/* ---- tables ---- */

/* Where it has to guess, libunwind first writes a byte of the address to a pipe, to see whether
 * memory is there. It keeps the pipe's descriptors for the life of the process. A program that
 * closes or replaces descriptors which it did not open then has its own read and written there:
 * bash, after `exec 3>file`, lost bytes of its pipes, or waited forever. So libunwind gets no pipe:
 * its write asks the kernel instead, and its read, which makes room, has nothing to do. */
static int stackwalk_no_pipe(int descriptors[2], int flags)
{
    (void)flags;
    descriptors[0] = descriptors[1] = -1;
    return 0;
}

/* errno is set also where nothing is wrong: libunwind repeats the call while it is EINTR. */
static ssize_t stackwalk_no_read(int fd, void *buffer, size_t size)
{
    if (size != 1)
        return read(fd, buffer, size);
    errno = 0;
    return 1;
}

static ssize_t stackwalk_probing_write(int fd, const void *address, size_t size)
{
    if (size != 1)
        return write(fd, address, size);
    bool readable = stackwalk_probe((uintptr_t)address);
    errno = readable ? 0 : EFAULT;
    return readable ? 1 : -1;
}

/* Some versions write so, and the sanitizers do not see it. */
static long stackwalk_probing_call(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_write)
        return stackwalk_probing_write((int)a, (const void *)b, (size_t)c);
    return syscall(number, a, b, c, d, e, f);
}

/* As long as libunwind has not been called, or it has its pipe already. */
static void stackwalk_replace_pipe(void *library)
{
    gotpatch_replace(library, "pipe2", (void *)(uintptr_t)stackwalk_no_pipe);
    gotpatch_replace(library, "read", (void *)(uintptr_t)stackwalk_no_read);
    gotpatch_replace(library, "write", (void *)(uintptr_t)stackwalk_probing_write);
    gotpatch_replace(library, "syscall", (void *)(uintptr_t)stackwalk_probing_call);
}

bool stackwalk_open_tables(void)
{
    if (!ARCH_LIBUNWIND || stackwalk_unw_backtrace)
        return ARCH_LIBUNWIND;
    void *library = dlopen(STACKWALK_LIBUNWIND, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *function = library ? dlsym(library, "unw_backtrace") : NULL;
    if (function)
        stackwalk_replace_pipe(library);
    *(void **)(void *)&stackwalk_unw_backtrace = function;
    return function != NULL;
}

void stackwalk_warm_tables(void)
{
    void *addresses[4];
    stackwalk_unw_backtrace(addresses, 4);
}

unsigned stackwalk_tables(struct stacks_origin origin, uint64_t *addresses, unsigned limit)
{
    void *found[STACKWALK_OUR_FRAMES + STACKWALK_FRAMES_MAX + 1];
    uint64_t caller = origin.address & ARCH_CODE_ADDRESS_MASK;
    int count = stackwalk_unw_backtrace(found, (int)(STACKWALK_OUR_FRAMES + limit));
    int first = 0;
    while (first < count && (uint64_t)(uintptr_t)found[first] != caller)
        first++;
    unsigned kept = 0;
    for (int i = first; i < count && kept < limit && found[i]; i++)
        addresses[kept++] = (uint64_t)(uintptr_t)found[i];
    return kept;
}

/* ---- frame pointers ---- */

struct stackwalk_bounds stackwalk_own_bounds(void)
{
    struct stackwalk_bounds own = {0, 0};
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return own;
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0)
        own = (struct stackwalk_bounds){(uintptr_t)low, (uintptr_t)low + bytes};
    pthread_attr_destroy(&attributes);
    return own;
}

/* Memory that can be read, as far as it was looked at. */
struct stackwalk_readable {
    uintptr_t low, high;
    unsigned probes;
};

static uintptr_t stackwalk_page_end(uintptr_t at)
{
    return (at | (STACKWALK_PAGE - 1)) + 1;
}

static struct stackwalk_readable stackwalk_begin(const struct stackwalk_bounds *own, uintptr_t from)
{
    bool known = stackwalk_is_own(own, from);
    return (struct stackwalk_readable){from, known ? own->high : stackwalk_page_end(from), 0};
}

/* A handler on an alternate stack was called from the thread's own. */
static void stackwalk_change_stack(struct stackwalk_readable *readable, uintptr_t at)
{
    if (readable->probes++ < STACKWALK_PROBES_MAX && stackwalk_probe(at))
        *readable = (struct stackwalk_readable){at, stackwalk_page_end(at), readable->probes};
}

/* One page more. Never over an end of the thread's own stack: what is behind it is others'. */
static bool stackwalk_extend(struct stackwalk_readable *readable,
                             const struct stackwalk_bounds *own)
{
    bool inside = stackwalk_is_own(own, readable->high - 1);
    if (inside != stackwalk_is_own(own, readable->high) ||
        readable->probes++ >= STACKWALK_PROBES_MAX || !stackwalk_probe(readable->high))
        return false;
    readable->high += STACKWALK_PAGE;
    return true;
}

static bool stackwalk_can_read(struct stackwalk_readable *readable,
                               const struct stackwalk_bounds *own, uintptr_t at)
{
    if (!stackwalk_is_own(own, readable->low) && stackwalk_is_own(own, at))
        stackwalk_change_stack(readable, at);
    if (at < readable->low || at > UINTPTR_MAX - STACKWALK_PAGE)
        return false;
    while (at + 2 * sizeof(void *) > readable->high)
        if (!stackwalk_extend(readable, own))
            return false;
    return true;
}

/* A stack frame of other code: not a variable that a sanitizer tracks. */
__attribute__((noinline, no_sanitize("address"), no_sanitize("thread"))) static void
stackwalk_load(uintptr_t at, uintptr_t pair[2])
{
    const volatile uintptr_t *words = (const volatile uintptr_t *)at;
    pair[0] = words[0];
    pair[1] = words[1];
}

unsigned stackwalk_frames(const struct stackwalk_bounds *own, uintptr_t from,
                          struct stacks_origin origin, uint64_t *addresses, unsigned limit)
{
    struct stackwalk_readable readable = stackwalk_begin(own, from);
    uintptr_t pair[2] = {origin.frame, origin.address};
    unsigned count = 0;
    while (count < limit && (pair[1] & ARCH_CODE_ADDRESS_MASK) >= STACKWALK_PAGE) {
        uintptr_t at = pair[0];
        addresses[count++] = pair[1] & ARCH_CODE_ADDRESS_MASK;
        bool upwards = at > from || (!stackwalk_is_own(own, from) && stackwalk_is_own(own, at));
        if (!upwards || at % sizeof(void *) || !stackwalk_can_read(&readable, own, at))
            break;
        stackwalk_load(at, pair);
        from = at;
    }
    return count;
}
