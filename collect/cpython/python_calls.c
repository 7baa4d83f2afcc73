/* python_calls.c - see python_calls.h, and prof/python.h for what a program calls. */
#define PROF_IMPLEMENTATION
#include "python_calls.h"

#include "config.h"
#include "python_names.h"
#include "thread.h"

#include "prof/python.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Calls whose names are remembered, to compare when they end. What is deeper is counted. */
#define PYTHON_DEPTH_MAX 4096u

/* In the thread's slot, which keeps it for the next thread. */
struct python_stack {
    uint32_t depth;
    uint32_t name[PYTHON_DEPTH_MAX];
};

/* Calls passed over within an import before the stack is looked at again: what ended unseen, as a
 * greenlet that never goes on, then stops hiding calls. */
#define PYTHON_PASSED_MAX 4096u

/* Arguments of prof_python_calls(); 0 is off. */
enum {
    PYTHON_THIS_THREAD = 1,
    PYTHON_ALL_THREADS = 2,
    PYTHON_IMPORTS = PROF_PYTHON_IMPORTS,
    PYTHON_BUILTINS = PROF_PYTHON_BUILTINS
};

/* In `python_stack`, beside a name's id and PYTHON_NAMES_OBJECT: the call is of a function written
 * in C. */
#define PYTHON_BUILTIN_MARK 0x08000000u
_Static_assert(PROF_NAME_ID_MAX < PYTHON_BUILTIN_MARK &&
                   PYTHON_BUILTIN_MARK < (PYTHON_NAMES_OBJECT & -PYTHON_NAMES_OBJECT),
               "marks and ids share no bit");

enum python_hook { PYTHON_HOOK_NONE, PYTHON_HOOK_PROFILE, PYTHON_HOOK_MONITOR };

/* The thread's own. */
struct python_thread {
    uint32_t gate;    /* of the recording in which the log's stack is right; 0: it is not */
    uint32_t era;     /* python_all.era when it was */
    uint32_t imports; /* open calls of the import system: what is in them is passed over */
    uint32_t passed;  /* calls since the stack was looked at */
    enum python_hook hook;
    bool lost;                             /* something was, because there was no space */
    const struct prof_chunk_header *chunk; /* in which the stack was right last */
    struct python_stack *stack;
    const struct thread_slot *slot; /* whose stack it is */
    const void *greenlet;           /* the same */
};

static __thread struct python_thread python_self;

/* Code extra is the interpreter's: one alone is recorded, the first that asks. */
static void *python_interpreter; /* guarded by its GIL */

/* Calls of all threads, guarded by the GIL too. */
static struct {
    bool wanted;
    bool imports;  /* calls within imports are recorded, of whatever thread */
    bool builtins; /* those of functions written in C */
    uint32_t era;  /* counts the ends of that, and changes of the last two */
} python_all;

/* ---- the stack as it is ---- */

static bool python_hides(const struct python_api *api, PyObject *code)
{
    return !python_all.imports && python_names_is_import(api, code);
}

struct python_depths {
    uint32_t whole;
    uint32_t shown;   /* outside of imports */
    uint32_t imports; /* of the others, those of the import system */
};

static struct python_depths python_depths(const struct python_api *api)
{
    struct python_depths depths = {0};
    uint32_t inside = 0; /* frames up to the outermost one of the import system */
    PyObject *frame = api->PyEval_GetFrame();
    if (frame)
        api->Py_IncRef(frame);
    while (frame) {
        PyObject *code = api->PyFrame_GetCode(frame), *back = api->PyFrame_GetBack(frame);
        depths.whole++;
        if (python_hides(api, code)) {
            depths.imports++;
            inside = depths.whole;
        }
        api->Py_DecRef(code);
        api->Py_DecRef(frame);
        frame = back;
    }
    depths.shown = depths.whole - inside;
    return depths;
}

/* Names of the calls `first` to `end` - 1, counted from the outermost of `depth`. */
static void python_scan_frames(const struct python_api *api, uint32_t depth, uint32_t first,
                               uint32_t end, uint32_t *names)
{
    PyObject *frame = api->PyEval_GetFrame();
    if (frame)
        api->Py_IncRef(frame);
    while (frame && depth-- > first) {
        if (depth < end) {
            PyObject *code = api->PyFrame_GetCode(frame);
            names[depth - first] = python_names_resolve(api, code, frame);
            api->Py_DecRef(code);
        }
        PyObject *back = api->PyFrame_GetBack(frame);
        api->Py_DecRef(frame);
        frame = back;
    }
    if (frame)
        api->Py_DecRef(frame);
}

/* ---- stating it ---- */

/* The calls that are open, outermost first. */
static bool python_write_frames(const uint32_t *names, uint32_t count)
{
    unsigned words = (unsigned)sizeof(struct prof_rec_frames) / 8 + (count + 1) / 2;
    uint64_t *record = thread_reserve(PROF_REC_FRAMES, words);
    if (!record)
        return false;
    struct prof_rec_frames *frames = (struct prof_rec_frames *)(void *)record;
    frames->count = count;
    __builtin_memcpy(frames + 1, names, count * sizeof *names);
    thread_commit(record, PROF_REC_FRAMES, words, thread_ticks(record));
    return true;
}

static void python_remember(struct python_stack *stack, uint32_t name)
{
    if (stack->depth < PYTHON_DEPTH_MAX)
        stack->name[stack->depth] = name;
    stack->depth++;
}

static struct python_stack *python_stack_of(struct thread_slot *slot)
{
    if (!slot->frames) {
        void *memory = mmap(NULL, sizeof(struct python_stack), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        slot->frames = memory == MAP_FAILED ? NULL : memory;
    }
    return slot->frames;
}

/* One block of the stack: the outermost as a FRAMES record, the others as calls. */
static bool python_emit_frames_block(const uint32_t *names, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        python_remember(python_self.stack, names[i]);
    if (first == 0)
        return python_write_frames(names, count);
    bool written = true;
    for (uint32_t i = 0; i < count && written; i++)
        written = thread_event(&thread_self, PROF_KIND_FRAME_PUSH, names[i]);
    return written;
}

static bool python_emit_frames_all(const struct python_api *api)
{
    struct python_depths depths = python_depths(api);
    uint32_t names[PROF_FRAMES_MAX] = {0}, shown = depths.shown;
    bool written = true;
    python_self.stack->depth = 0;
    python_self.imports = depths.imports;
    python_self.passed = 0;
    for (uint32_t first = 0; (first < shown || first == 0) && written; first += PROF_FRAMES_MAX) {
        uint32_t end = shown - first < PROF_FRAMES_MAX ? shown : first + PROF_FRAMES_MAX;
        python_scan_frames(api, depths.whole, first, end, names);
        written = python_emit_frames_block(names, first, end - first);
    }
    return written;
}

/* Where space ran out, the stack is not walked before there is some. */
static bool python_has_space(void)
{
    unsigned words = 4 + PROF_FRAMES_MAX / 2;
    return !python_self.lost || thread_slow(&thread_self, words, false);
}

static const struct prof_chunk_header *python_chunk(void)
{
    return thread_chunk_of(load_relaxed(&thread_self.cursor));
}

/* The stack as it is now, into the log. */
static void python_emit_frames(const struct python_api *api)
{
    struct thread_log *self = &thread_self;
    struct python_thread *mine = &python_self;
    mine->gate = 0;
    mine->era = python_all.era;
    if (!thread_ready(self) || !python_has_space())
        return;
    mine->slot = self->slot;
    python_greenlets_find(api);
    mine->greenlet = python_greenlets_current(api);
    mine->stack = python_stack_of(self->slot);
    if (!mine->stack)
        return;
    mine->lost = !python_emit_frames_all(api);
    if (!mine->lost)
        mine->gate = self->epoch;
    mine->chunk = python_chunk();
}

/* ---- calls ---- */

static bool python_is_wanted(const struct python_thread *mine)
{
    return python_all.wanted || mine->hook != PYTHON_HOOK_NONE;
}

static inline bool python_is_same_greenlet(const struct python_api *api,
                                           const struct python_thread *mine)
{
    return !python_greenlets_getter || mine->greenlet == python_greenlets_current(api);
}

/* Whether the log's stack is right. */
static inline bool python_is_right(const struct python_api *api, const struct python_thread *mine)
{
    return mine->gate && load_relaxed(&thread_gate) == mine->gate && mine->era == python_all.era &&
           mine->slot == thread_self.slot && mine->chunk == python_chunk() &&
           python_is_same_greenlet(api, mine);
}

/* The gate says more than the epoch: that alone makes no stack wrong. A new chunk does where those
 * before it will be recycled. */
static bool python_is_right_after_all(const struct python_api *api, struct python_thread *mine)
{
    struct thread_log *self = &thread_self;
    uint32_t gate = load_relaxed(&thread_gate);
    if (!mine->gate || mine->era != python_all.era || !gate ||
        thread_gate_epoch(gate) != thread_gate_epoch(mine->gate) || mine->slot != self->slot ||
        !thread_ready(self) || !python_is_same_greenlet(api, mine) ||
        (config_get()->full == CONFIG_FULL_RING && mine->chunk != python_chunk()))
        return false;
    mine->gate = self->epoch;
    mine->chunk = python_chunk();
    return true;
}

static void python_record(struct python_thread *mine, unsigned kind, uint32_t name)
{
    if (thread_event(&thread_self, kind, name))
        return;
    mine->gate = 0;
    mine->lost = true;
}

static bool python_gate_is_open(void)
{
    uint32_t gate = load_relaxed(&thread_gate);
    bool shut = (gate & THREAD_GATE_SHUT) || thread_self.shut;
    return gate && (!shut || thread_ready(&thread_self)); /* that counts it */
}

/* Within an import, a call or return (`step` is 1 or -1) counts only if it is the import
 * system's. */
static bool python_passes_over(const struct python_api *api, struct python_thread *mine,
                               PyObject *code, int step)
{
    if (!mine->imports || !python_is_right(api, mine))
        return false;
    if (++mine->passed > PYTHON_PASSED_MAX) {
        mine->gate = 0;
        return false;
    }
    if (python_hides(api, code))
        mine->imports += (uint32_t)step;
    return true;
}

/* The stack is right. */
static void python_enter_right(const struct python_api *api, struct python_thread *mine,
                               PyObject *code)
{
    if (python_hides(api, code)) {
        mine->imports++;
    } else if (!mine->imports) {
        uint32_t name = python_names_resolve(api, code, NULL);
        uint32_t mark = python_names_lookup(api, code) & PYTHON_NAMES_OBJECT;
        python_remember(mine->stack, name | mark);
        python_record(mine, PROF_KIND_FRAME_PUSH, name);
    }
}

static void python_enter_anew(const struct python_api *api, struct python_thread *mine,
                              PyObject *code)
{
    if (!python_gate_is_open())
        mine->gate = 0;
    else if (python_is_right_after_all(api, mine))
        python_enter_right(api, mine, code);
    else
        python_emit_frames(api); /* the function that begins is in it */
}

static __attribute__((noinline)) bool python_enter_slow(const struct python_api *api,
                                                        PyObject *code)
{
    struct python_thread *mine = &python_self;
    if (!python_is_wanted(mine))
        return false;
    int saved_errno = errno;
    if (!python_passes_over(api, mine, code, 1)) {
        python_greenlets_find(api);
        python_enter_anew(api, mine, code);
    }
    errno = saved_errno;
    return true;
}

bool python_calls_enter(PyObject *code)
{
    const struct python_api *api = python_api();
    struct python_thread *mine = &python_self;
    if (__builtin_expect(python_is_right(api, mine) && !mine->imports, 1)) {
        uint64_t place = names_place(python_names_word(api, code));
        uint32_t name = (uint32_t)place + 1;
        if (__builtin_expect(place < PROF_NAME_ID_MAX, 1) &&
            thread_store(&thread_self, PROF_KIND_FRAME_PUSH, name)) {
            python_remember(mine->stack, name);
            return true;
        }
    }
    return python_enter_slow(api, code);
}

/* Whether the innermost call is one of `code`. Nothing is known of those that are too deep. */
static bool python_is_innermost(const struct python_api *api, const struct python_stack *stack,
                                PyObject *code)
{
    uint32_t place = stack->depth - 1;
    if (stack->depth == 0)
        return false;
    return place >= PYTHON_DEPTH_MAX || stack->name[place] == python_names_lookup(api, code);
}

/* The same of a call of a module, which is known by the module's name. One that was seen to begin
 * is not looked up: its name is marked. */
static bool python_is_innermost_module(const struct python_api *api,
                                       const struct python_stack *stack, PyObject *code)
{
    if (stack->depth == 0 || !(python_names_lookup(api, code) & PYTHON_NAMES_OBJECT))
        return false;
    uint32_t name = stack->name[stack->depth - 1];
    return name & PYTHON_NAMES_OBJECT || name == python_names_resolve(api, code, NULL);
}

/* The stack is right, or has just been emitted. */
static void python_exit_right(const struct python_api *api, struct python_thread *mine,
                              PyObject *code)
{
    if (mine->imports) {
        mine->imports -= python_hides(api, code);
    } else {
        mine->stack->depth--;
        python_record(mine, PROF_KIND_FRAME_POP, 0);
    }
}

static void python_exit_anew(const struct python_api *api, struct python_thread *mine,
                             PyObject *code)
{
    bool on = python_gate_is_open();
    if (!on)
        mine->gate = 0;
    else if (!python_is_right_after_all(api, mine) ||
             (!mine->imports && !python_is_innermost(api, mine->stack, code) &&
              !python_is_innermost_module(api, mine->stack, code)))
        python_emit_frames(api); /* the function that ends is in it */
    if (on && mine->gate)
        python_exit_right(api, mine, code);
}

static __attribute__((noinline)) bool python_exit_slow(const struct python_api *api, PyObject *code)
{
    struct python_thread *mine = &python_self;
    if (!python_is_wanted(mine))
        return false;
    int saved_errno = errno;
    if (!python_passes_over(api, mine, code, -1))
        python_exit_anew(api, mine, code);
    errno = saved_errno;
    return true;
}

bool python_calls_exit(PyObject *code)
{
    const struct python_api *api = python_api();
    struct python_thread *mine = &python_self;
    if (__builtin_expect(python_is_right(api, mine) && !mine->imports &&
                             python_is_innermost(api, mine->stack, code),
                         1) &&
        thread_store(&thread_self, PROF_KIND_FRAME_POP, 0)) {
        mine->stack->depth--;
        return true;
    }
    return python_exit_slow(api, code);
}

/* ---- functions written in C ----
 *
 * They have no frame. So an emitted stack omits those that are open, and skips their ends.
 *
 * CPython may never report an end: 3.13 does not for a bound method called with *arguments. Then
 * the enclosing function's next call, or its end, closes the call. This is safe: only calls made by
 * Python functions are reported, and a Python function inside the call would be the innermost.
 */

static bool python_is_builtin_innermost(const struct python_stack *stack)
{
    uint32_t place = stack->depth - 1;
    return stack->depth && place < PYTHON_DEPTH_MAX && stack->name[place] & PYTHON_BUILTIN_MARK;
}

static bool python_is_right_or_mended(const struct python_api *api, struct python_thread *mine)
{
    return python_is_right(api, mine) || python_is_right_after_all(api, mine);
}

static void python_enter_builtin(const struct python_api *api, struct python_thread *mine,
                                 PyObject *callable, PyObject *self)
{
    if (!python_is_right_or_mended(api, mine) && python_gate_is_open())
        python_emit_frames(api);
    if (!python_is_right(api, mine) || mine->imports || mine->stack->depth >= PYTHON_DEPTH_MAX)
        return;
    while (python_is_builtin_innermost(mine->stack)) {
        mine->stack->depth--;
        python_record(mine, PROF_KIND_FRAME_POP, 0);
    }
    uint32_t name = python_builtins_resolve(api, callable, self);
    if (!name)
        return;
    python_remember(mine->stack, name | PYTHON_BUILTIN_MARK);
    python_record(mine, PROF_KIND_FRAME_PUSH, name);
}

static void python_exit_builtin(const struct python_api *api, struct python_thread *mine,
                                PyObject *callable, PyObject *self)
{
    if (!python_is_right_or_mended(api, mine) || mine->imports)
        return;
    struct python_stack *stack = mine->stack;
    if (!python_is_builtin_innermost(stack) ||
        stack->name[stack->depth - 1] !=
            (python_builtins_resolve(api, callable, self) | PYTHON_BUILTIN_MARK))
        return;
    stack->depth--;
    python_record(mine, PROF_KIND_FRAME_POP, 0);
}

void python_calls_enter_builtin(PyObject *callable, PyObject *self)
{
    struct python_thread *mine = &python_self;
    int saved_errno = errno;
    if (python_all.builtins && python_is_wanted(mine))
        python_enter_builtin(python_api(), mine, callable, self);
    errno = saved_errno;
}

void python_calls_exit_builtin(PyObject *callable, PyObject *self)
{
    struct python_thread *mine = &python_self;
    int saved_errno = errno;
    if (python_all.builtins && python_is_wanted(mine))
        python_exit_builtin(python_api(), mine, callable, self);
    errno = saved_errno;
}

/* ---- on and off ---- */

/* The next event looks again: a caller within a profile function of Python, such as a hook of
 * threading.setprofile(), returns unseen. */
void python_calls_begin(const struct python_api *api)
{
    python_self.lost = false;
    if (recorder_on())
        python_emit_frames(api);
    python_self.gate = 0;
}

void python_calls_end(void)
{
    python_self.gate = 0;
    if (python_self.slot && recorder_on())
        python_write_frames(NULL, 0);
}

static prof_status python_hook(const struct python_api *api)
{
    prof_status status = python_monitor_begin(api);
    python_self.hook = PYTHON_HOOK_MONITOR;
    if (status == PROF_UNSUPPORTED) {
        status = python_profile_begin(api);
        python_self.hook = PYTHON_HOOK_PROFILE;
    }
    if (status != PROF_OK)
        python_self.hook = PYTHON_HOOK_NONE;
    return status;
}

static void python_unhook(const struct python_api *api)
{
    if (python_self.hook == PYTHON_HOOK_MONITOR)
        python_monitor_end(api);
    else
        python_profile_end(api);
    python_self.hook = PYTHON_HOOK_NONE;
}

static prof_status python_begin(const struct python_api *api)
{
    if (python_is_wanted(&python_self))
        return PROF_OK;
    prof_status status = python_hook(api);
    if (status == PROF_OK)
        python_calls_begin(api);
    return status;
}

static void python_end(const struct python_api *api)
{
    if (python_self.hook == PYTHON_HOOK_NONE)
        return;
    python_unhook(api);
    python_calls_end();
}

static prof_status python_begin_all(const struct python_api *api)
{
    prof_status status = python_monitor_begin_all(api);
    bool is_first = !python_all.wanted;
    if (status == PROF_UNSUPPORTED) {
        status = python_profile_begin(api);
        if (status == PROF_OK && is_first)
            python_profile_begin_others(api);
    }
    if (status != PROF_OK)
        return status;
    python_all.wanted = true;
    python_calls_begin(api);
    return PROF_OK;
}

/* Other threads cannot be notified, and may not come here again: the reader ends what is open on
 * them. */
static void python_end_all(const struct python_api *api)
{
    if (!python_all.wanted)
        return;
    python_profile_check(api);
    struct prof_rec_frames_end end = {.ticks = clock_now()};
    python_all.wanted = false;
    python_all.era++;
    python_monitor_end_all(api);
    if (recorder_on())
        meta_append(PROF_REC_FRAMES_END, &end, sizeof end, NULL, 0);
}

/* From any thread; the stacks that threads have recorded are wrong then. */
static void python_set_extent(const struct python_api *api, bool imports, bool builtins)
{
    builtins = builtins && python_builtins_init(api);
    python_all.era += python_all.imports != imports || python_all.builtins != builtins;
    python_all.imports = imports;
    python_all.builtins = builtins;
    python_monitor_set_builtins(api, builtins);
}

static prof_status python_switch(const struct python_api *api, int how)
{
    if (how)
        python_set_extent(api, how & PYTHON_IMPORTS, how & PYTHON_BUILTINS);
    if (how & PYTHON_ALL_THREADS)
        return python_begin_all(api);
    if (how & PYTHON_THIS_THREAD)
        return python_begin(api);
    python_end_all(api);
    python_end(api);
    return PROF_OK;
}

static bool python_is_ours(const struct python_api *api)
{
    void *interpreter = api->PyInterpreterState_Get();
    if (!python_interpreter && python_names_init(api))
        python_interpreter = interpreter;
    return python_interpreter == interpreter;
}

static bool python_is_known(int how)
{
    int threads = how & ~(PYTHON_IMPORTS | PYTHON_BUILTINS);
    return how == 0 || threads == PYTHON_THIS_THREAD || threads == PYTHON_ALL_THREADS;
}

prof_status prof_python_calls(int on)
{
    int saved_errno = errno;
    const struct python_api *api = python_api();
    prof_status status = PROF_UNSUPPORTED;
    if (!python_is_known(on) || (api && !api->PyGILState_Check()))
        status = PROF_INVALID;
    else if (api && python_is_ours(api))
        status = python_switch(api, on);
    errno = saved_errno;
    return status;
}

GUEST_PATH static void python_fork_child(void)
{
    if (python_self.slot || python_self.gate) {
        python_self.gate = 0;
        python_self.slot = NULL;
    }
    python_monitor_fork_child(python_self.hook == PYTHON_HOOK_MONITOR);
}

const struct collector python_collector = {
    .name = "python",
    .fork_child = python_fork_child,
};

/* ---- which greenlet a thread runs ---- */

PyObject *(*python_greenlets_getter)(void);

/* PyGreenlet_GetCurrent_NUM of greenlet.h, in its table of functions: the same since greenlet
 * 0.4. */
#define PYTHON_GREENLETS_GET_CURRENT 4

static ssize_t python_greenlets_modules; /* so many were imported when it was looked for */

static void python_greenlets_use(const struct python_api *api, PyObject *module)
{
    PyObject *capsule = api->PyObject_GetAttrString(module, "_C_API");
    void **functions = capsule ? api->PyCapsule_GetPointer(capsule, "greenlet._C_API") : NULL;
    if (functions)
        *(void **)(&python_greenlets_getter) = functions[PYTHON_GREENLETS_GET_CURRENT];
    if (capsule)
        api->Py_DecRef(capsule);
}

void python_greenlets_find(const struct python_api *api)
{
    PyObject *type, *value, *trace, *modules = api->PySys_GetObject("modules");
    if (python_greenlets_getter || !modules)
        return;
    ssize_t count = api->PyObject_Size(modules);
    if (count == python_greenlets_modules)
        return;
    python_greenlets_modules = count;
    api->PyErr_Fetch(&type, &value, &trace);
    PyObject *module = api->PyObject_CallMethod(modules, "get", "s", "greenlet");
    if (module && module != api->none)
        python_greenlets_use(api, module);
    if (module)
        api->Py_DecRef(module);
    api->PyErr_Clear();
    api->PyErr_Restore(type, value, trace);
}
