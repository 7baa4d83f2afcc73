/* entry.c - entry points for the loader and CUDA, and the life cycle of the library in the host
 * process.
 *
 *   load            entry_load: read the configuration, switch recording on if preloaded. No
 *                   thread (but where one is requested: control_thread.h, session.h), no file, no
 *                   CUDA: most processes that inherit LD_PRELOAD record nothing and must not notice
 *                   us.
 *   cuInit          InitializeInjection: collectors may touch CUPTI from here on.
 *   first NVTX call InitializeInjectionNvtx2, of each shared object that uses NVTX; perhaps before
 *                   our own constructor has run. First ITT call: __itt_api_init, as well.
 *   --attach        libprof_attach: profrun loads the library into a running process. The
 *                   constructor then leaves the configuration to the request, and recording starts
 *                   at once.
 *   first event     the file, the writer thread (session.c); of each thread: its log (thread.c).
 *   fork            the child forgets everything and begins a file of its own at its first event.
 *   exec, _exit ... exits.c: what is buffered reaches the file first.
 *   exit            entry_detach: an exit handler registered once CUPTI is loaded, so that the
 *                   collectors finish before CUPTI's own destructors. entry_exit: a destructor,
 *                   which runs last: close, print the table.
 *   kill -9         nothing runs, and nothing needs to: the file is readable at any moment.
 */
#include "entry.h"

#include "atomic.h"
#include "attach_request.h"
#include "clock.h"
#include "config.h"
#include "control_thread.h"
#include "cost.h"
#include "glibc_only.h"
#include "hang.h"
#include "loaded.h"
#include "own_thread.h"
#include "process.h"
#include "requests.h"
#include "sample.h"
#include "session.h"
#include "stacks.h"
#include "triggers.h"

#include "annotate.h"
#include "cublas_record.h"
#include "cupti.h"
#include "nccl_plugin.h"
#include "nvtx_attach.h"
#include "python_calls.h"
#include "registry.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* In the order in which they are called; independent of constructor order. */
static const struct collector *const entry_collectors[] = {
    &stacks_collector,
    &cupti_collector,
    &children_collector,
    &alloc_collector,
    &registry_collector,
    &itt_collector,
    &python_collector,
    &cublas_collector,
    &nccl_collector,
    &hang_collector,
    &sample_collector,
    &trace_request_collector,
    NULL,
};

/* Set-user-id program, one of another libc, or another copy of the library is at work. */
static bool entry_inert GUEST_DATA;
static bool entry_preloaded GUEST_DATA;
/* Stored by the first caller: the constructor, or NVTX or ITT before it. */
static uint32_t entry_loaded GUEST_DATA;
static uint32_t entry_resolved GUEST_DATA;

/* Which copy of the library a public symbol is resolved to: the first one in the process that the
 * loader made global, by LD_PRELOAD or by linking. One that NVTX or CUDA loads is not. */
enum entry_copy { ENTRY_COPY_NONE, ENTRY_COPY_OWN, ENTRY_COPY_OTHER };

GUEST_PATH static enum entry_copy entry_global_copy(void)
{
    const char *symbol = dlsym(RTLD_DEFAULT, "prof_version");
    if (!symbol)
        return ENTRY_COPY_NONE;
    return symbol >= __ehdr_start && symbol < _end ? ENTRY_COPY_OWN : ENTRY_COPY_OTHER;
}

/* The first copy is the one that works. */
GUEST_PATH static bool entry_is_second_copy(void)
{
    return entry_global_copy() == ENTRY_COPY_OTHER;
}

GUEST_PATH static bool entry_is_preloaded(const char *own_path)
{
    const char *preload = getenv("LD_PRELOAD");
    const char *name = strrchr(own_path, '/');
    return preload && strstr(preload, name ? name + 1 : own_path);
}

/* Variables that name libprof to CUDA, which reads them in cuInit, and to annotation interfaces,
 * which read them at the first call of each shared object, however late. Children inherit them.
 * Children of a preloaded program are to be recorded: they inherit LD_PRELOAD, too. Children of a
 * program that only links or loads libprof are not, so there the value is marked ("/./" before the
 * file's name): nobody injected libprof. */
struct entry_hook {
    const char *variable;
    bool installed; /* the variable names us: set by this process or by a parent */
};

static struct entry_hook entry_cuda = {.variable = "CUDA_INJECTION64_PATH"};
static struct entry_hook entry_nvtx = {.variable = "NVTX_INJECTION64_PATH"};
static struct entry_hook entry_itt = {.variable = sizeof(void *) == 8 ? "INTEL_LIBITTNOTIFY64"
                                                                      : "INTEL_LIBITTNOTIFY32"};
static struct entry_hook entry_nccl = {.variable = "NCCL_PROFILER_PLUGIN"};

/* NCCL cuts a longer value. */
#define ENTRY_NCCL_BYTES_MAX 240u

/* False: no room. */
static bool entry_hook_value(const char *own_path, char *value, size_t value_bytes)
{
    const char *name = strrchr(own_path, '/');
    int size = snprintf(value, value_bytes, "%.*s%s%s", (int)(name - own_path), own_path,
                        entry_preloaded ? "" : "/.", name);
    return size > 0 && (size_t)size < value_bytes;
}

static bool entry_hook_is_marked(const struct entry_hook *hook)
{
    const char *value = getenv(hook->variable);
    const char *name = value ? strrchr(value, '/') : NULL;
    return name && name - value >= 2 && strncmp(name - 2, "/.", 2) == 0;
}

/* Whether there is, or was, a second thread. glibc 2.32 knows without a system call. */
extern char __libc_single_threaded __attribute__((weak));

static bool entry_has_threads(void)
{
    return &__libc_single_threaded ? !__libc_single_threaded : process_threads() != 1;
}

/* What setenv() does, for a process in which other threads may read the environment now: setenv()
 * may move or free the list that they walk. They find the old list, which stays, or the new one. */
static bool entry_environment_add(const char *variable, const char *value)
{
    size_t count = 0, bytes = strlen(variable) + strlen(value) + 2;
    while (environ && environ[count])
        count++;
    char **list = malloc((count + 2) * sizeof *list), *entry = malloc(bytes);
    if (!list || !entry) {
        free(list);
        free(entry);
        return false;
    }
    snprintf(entry, bytes, "%s=%s", variable, value);
    if (count)
        memcpy(list, environ, count * sizeof *list);
    list[count] = entry;
    list[count + 1] = NULL;
    store_release(&environ, list);
    return true;
}

/* A value the user has set is kept. */
static void entry_hook_install(struct entry_hook *hook, bool wanted, const char *own_path)
{
    char value[4096];
    if (!wanted || *own_path != '/')
        return;
    if (getenv(hook->variable)) {
        hook->installed = entry_hook_is_marked(hook) && entry_global_copy() == ENTRY_COPY_OWN;
    } else if (entry_hook_value(own_path, value, sizeof value)) {
        hook->installed = entry_has_threads() ? entry_environment_add(hook->variable, value)
                                              : setenv(hook->variable, value, 0) == 0;
    }
}

/* For CUDA, which reads its variable only once: children need not inherit it. Beside other threads
 * it stays, marked: unsetenv() moves what they may be reading. */
static void entry_hook_forget(struct entry_hook *hook)
{
    if (hook->installed && !entry_preloaded && !entry_has_threads())
        unsetenv(hook->variable);
}

/* exit() in two threads at once: each runs handlers that the other has not taken. The next one
 * could be CUPTI's destructor, and who finds none left ends the process under the other. So the
 * next one is ours, and waits until the first has finished. */
static uint32_t entry_ending; /* handlers of ours at work; threads that end the process add */
static uint32_t entry_attaching
    GUEST_DATA;                 /* a thread serves a request: two profruns may come at once */
static uint32_t entry_attached; /* entry_detach() is registered and has not finished */

static bool entry_must_wait(void)
{
    return load_acquire(&entry_ending) || load_acquire(&entry_attached);
}

static void entry_wait_for_end(void)
{
    uint64_t end_ns = clock_monotonic_ns() + 2 * REPORT_MS * 1000000ull;
    if (!entry_must_wait())
        return;
    atexit(entry_wait_for_end); /* for the next but one */
    while (entry_must_wait() && clock_monotonic_ns() < end_ns)
        clock_pause(1000);
}

/* Returns the thread's cancel state: a cancelled thread may call exit(), and ends it. */
static int entry_end_begin(void)
{
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    fetch_add_seq_cst(&entry_ending, 1u);
    atexit(entry_wait_for_end);
    return cancel_state;
}

static void entry_end_done(int cancel_state)
{
    fetch_add_seq_cst(&entry_ending, (uint32_t)-1);
    pthread_setcancelstate(cancel_state, NULL);
}

static void entry_detach(void)
{
    int saved_errno = errno;
    if (process_is_own()) {
        int cancel_state = entry_end_begin();
        session_finish_collectors();
        entry_end_done(cancel_state);
    }
    store_release(&entry_attached, 0u);
    errno = saved_errno;
}

/* Handlers run in reverse order. */
static void entry_renew_exit(void)
{
    store_release(&entry_attached, 1u);
    atexit(entry_wait_for_end);
    atexit(entry_detach);
}

static void entry_finish(void)
{
    int cancel_state = entry_end_begin();
    report_state_gpu();
    session_finish();
    if (entry_preloaded)
        report_at_exit();
    entry_end_done(cancel_state);
}

GUEST_PATH static void entry_exit(void)
{
    int saved_errno = errno;
    if (!entry_inert && !session_is_in_sandbox()) {
        control_thread_end();
        starter_hold();
        if (!session_is_idle() && process_is_own())
            entry_finish();
        report_no_trace();
        report_unstarted_python();
    }
    errno = saved_errno;
}

GUEST_PATH static void entry_fork_child(void)
{
    if (load_relaxed(&entry_attaching))
        store_relaxed(&entry_attaching, 0u);
    session_fork_child();
    triggers_fork_child();
    trace_request_fork_child();
    control_thread_fork_child();
}

GUEST_PATH static bool entry_start_now(void)
{
    return !triggers_start() && (config_get()->start == CONFIG_START_NOW ||
                                 (config_get()->start == CONFIG_START_AUTO && entry_preloaded));
}

static bool entry_takes_nccl(void);

GUEST_PATH static void entry_resolve(const char *own_path)
{
    if (exchange_acquire(&entry_resolved, 1u))
        return;
    own_thread_remember_process();
    exits_resolve();
    children_resolve();
    sandbox_resolve();
    single_thread_resolve();
    locked_memory_resolve();
    if (entry_is_preloaded(own_path))
        loaded_init();
}

GUEST_PATH static void entry_begin(void)
{
    if (exchange_acquire(&entry_loaded, 1u))
        return;
    int saved_errno = errno;
    uint64_t began_ns = clock_monotonic_ns();
    const char *own_path = reader_own_path();
    entry_resolve(own_path);
    entry_inert = getauxval(AT_SECURE) || !glibc_only_is_present() || entry_is_second_copy();
    if (!entry_inert) {
        config_load();
        entry_preloaded = entry_is_preloaded(own_path);
        exits_init();
        stacks_init();
        glibc_only_atfork(NULL, exits_fork_parent, entry_fork_child);
        python_fork_init();
        registry_init();
        emitter_use(&nvtx_emitter);
        triggers_init();
        session_at_exit(entry_renew_exit);
        session_init(entry_collectors, entry_start_now());
        control_thread_init();
        entry_hook_install(&entry_cuda, config_get()->cuda, own_path);
        entry_hook_install(&entry_nvtx, config_get()->nvtx, own_path);
        entry_hook_install(&entry_itt, config_get()->itt, own_path);
        entry_hook_install(&entry_nccl,
                           config_get()->nccl && strlen(own_path) < ENTRY_NCCL_BYTES_MAX &&
                               (getenv(entry_nccl.variable) || !nccl_other_plugin()),
                           own_path);
        nccl_plugin_takes = entry_takes_nccl;
        starter_begin(); /* a thread: after what changes the environment */
    }
    cost_add_ns(PROF_COST_SPACE, 1, clock_monotonic_ns() - began_ns);
    errno = saved_errno;
}

__attribute__((constructor)) static void entry_load(void)
{
    if (reader_is_attached())
        entry_resolve(reader_own_path()); /* the rest is left to libprof_attach() */
    else
        entry_begin();
}

__attribute__((destructor)) static void entry_unload(void)
{
    entry_exit();
}

/* Injected by the user: the same as preloaded. */
static void entry_start_injected(void)
{
    if (entry_preloaded || config_get()->start != CONFIG_START_AUTO)
        return;
    entry_preloaded = true;
    if (entry_start_now())
        session_switch(true, PROF_CONTROL_STARTUP);
}

/* Whether to record the interface's calls. Starts recording if the user injected libprof through
 * it. */
static bool entry_takes(const struct entry_hook *hook, bool wanted)
{
    if (entry_inert || !wanted)
        return false;
    if (hook->installed || entry_preloaded)
        return true;
    if (entry_hook_is_marked(hook))
        return false;
    entry_start_injected();
    return true;
}

/* Called by libcuda inside cuInit, before any context exists. Returns 1: success. */
int InitializeInjection(void)
{
    int saved_errno = errno;
    if (entry_takes(&entry_cuda, config_get()->cuda)) {
        entry_hook_forget(&entry_cuda);
        session_cuda_init();
    }
    errno = saved_errno;
    return 1;
}

/* ---- profrun --attach ---- */

#define ENTRY_ATTACH_MS 5000u /* profrun reads the answer, and then says so */

/* A library that is already at work keeps its configuration; only a file that does not exist yet
 * gets its name. */
static void entry_configure(const struct attach_request *request)
{
    static char options[ATTACH_OPTIONS_BYTES];
    if (load_acquire(&entry_loaded))
        return;
    memcpy(options, request->options, sizeof options);
    config_use(options, request->options_bytes <= sizeof options ? request->options_bytes : 0);
    entry_begin();
}

/* The thread that made this one runs on a stack in there until it ends. */
static void entry_release(struct attach_request *request)
{
    uint64_t end_ns = clock_monotonic_ns() + ENTRY_ATTACH_MS * 1000000ull;
    while (!load_acquire(&request->acknowledged) && clock_monotonic_ns() < end_ns)
        clock_pause(1000);
    while (load_acquire(&request->thread))
        clock_pause(1000);
    munmap((void *)(uintptr_t)request->memory, request->memory_bytes);
}

/* The thread is ours, made by ptrace, or the interpreter's. */
void libprof_attach(struct attach_request *request)
{
    int saved_errno = errno;
    if (request->version != ATTACH_VERSION) {
        attach_request_refuse(request, "another version of libprof is in the process");
        return;
    }
    if (request->memory)
        own_thread_enter("prof-attach");
    while (exchange_acquire(&entry_attaching, 1u))
        clock_pause(1000);
    entry_configure(request);
    if (entry_inert)
        attach_request_refuse(
            request, getauxval(AT_SECURE)
                         ? "the program has gained privileges (setuid, setgid, capabilities)"
                         : "another copy of libprof is in the process");
    else
        attach_request_run(request);
    store_release(&entry_attaching, 0u);
    if (request->memory) {
        entry_release(request);
        own_thread_leave();
    }
    errno = saved_errno;
}

/* ---- NVTX and ITT ---- */

/* Where another copy of the library is at work, it gets the call. NULL: there is none. */
static void *entry_first_copy(const char *function)
{
    return entry_is_second_copy() ? dlsym(RTLD_DEFAULT, function) : NULL;
}

static bool entry_takes_nvtx(void)
{
    entry_begin();
    return entry_takes(&entry_nvtx, config_get()->nvtx);
}

static bool entry_takes_itt(void)
{
    entry_begin();
    return entry_takes(&entry_itt, config_get()->itt);
}

/* A linked library is found by STATIC_PLUGIN: setting that requests a recording. */
static bool entry_takes_nccl(void)
{
    return entry_takes(&entry_nccl, config_get()->nccl);
}

int InitializeInjectionNvtx2(nvtx_get_export_table get)
{
    int saved_errno = errno;
    bool takes = entry_takes_nvtx();
    void *other = takes ? NULL : entry_first_copy("InitializeInjectionNvtx2");
    int attached = other ? ((int (*)(nvtx_get_export_table))other)(get) : takes && nvtx_attach(get);
    errno = saved_errno;
    return attached;
}

int InitializeInjectionNvtx(nvtx_get_export_table get)
{
    return InitializeInjectionNvtx2(get);
}

int InitializeInjectionNvtxExtension(const struct nvtx_extension *extension)
{
    int saved_errno = errno;
    bool takes = entry_takes_nvtx();
    void *other = takes ? NULL : entry_first_copy("InitializeInjectionNvtxExtension");
    int attached = other ? ((int (*)(const struct nvtx_extension *))other)(extension)
                         : takes && nvtx_attach_extension(extension);
    errno = saved_errno;
    return attached;
}

void __itt_api_init(struct itt_global *global, int32_t groups)
{
    int saved_errno = errno;
    bool takes = entry_takes_itt();
    void *other = takes ? NULL : entry_first_copy("__itt_api_init");
    if (other)
        ((void (*)(struct itt_global *, int32_t))other)(global, groups);
    else
        itt_attach(global, groups, takes);
    errno = saved_errno;
}
