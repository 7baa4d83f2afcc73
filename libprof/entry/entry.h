/* entry.h - what enters libprof.so: calls of CUDA, NVTX and ITT, of libc's functions, and its
 * end. */
#ifndef PROF_ENTRY_H
#define PROF_ENTRY_H

#include "attach_request.h"
#include "itt.h"
#include "nvtx_attach.h"
#include "prof/bench.h"
#include "recorder.h"

#include <stdbool.h>
#include <stddef.h>

/* Named by CUDA_INJECTION64_PATH's contract. May be called more than once. */
__attribute__((visibility("default"))) int InitializeInjection(void);

/* Named by NVTX_INJECTION64_PATH's contract: for clients of version 3 (and late ones of version 2),
 * of version 2, and for extensions of NVTX. Called once per shared object that uses NVTX, from any
 * thread, also before our constructor. Return 1: attached, 0: the object's NVTX calls shall do
 * nothing. */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(nvtx_get_export_table get);
__attribute__((visibility("default"))) int InitializeInjectionNvtx(nvtx_get_export_table get);
__attribute__((visibility("default"))) int
InitializeInjectionNvtxExtension(const struct nvtx_extension *extension);

/* Called by `profrun --attach` on a thread of its own, once libprof.so is loaded: starts or resumes
 * recording as the request says. Answers in it, and releases its memory where it says so. */
__attribute__((visibility("default"))) void libprof_attach(struct attach_request *request);

/* Named by INTEL_LIBITTNOTIFY64's contract: once per shared object that uses ITT, from any thread,
 * with the object's lock on its calls held, also before our constructor. */
__attribute__((visibility("default"))) void __itt_api_init(struct itt_global *global,
                                                           int32_t groups);

/* ---- the functions of libc that libprof.so interposes ---- */

/* A source file for each reason:
 *
 *     exits.c          ways in which a process ends, or is replaced, without running exit handlers
 *     children.c       records the child processes of this process
 *     sandbox.c        a program gives up system calls (seccomp) or the processor's counter
 *                      (PR_SET_TSC)
 *     single_thread.c  calls that mean something else in a process with several threads
 *     locked_memory.c  mlockall() for a user whose limit is below the size of the address space
 */

/* The dynamic linker binds the program's calls to these. */
#define INTERPOSED __attribute__((visibility("default")))

/* Find libc's own functions. In the constructor: later, in a forked child, is too late. A
 * constructor that runs before ours may call one of ours first, which then finds them itself. */
void exits_resolve(void);
void children_resolve(void);
void sandbox_resolve(void);
void single_thread_resolve(void);
void locked_memory_resolve(void);

/* In the constructor: takes note of quick_exit(). */
void exits_init(void);

/* In the parent, when it has forked. */
void exits_fork_parent(void);

extern const struct collector children_collector;

/* The calling process shares this one's memory (vfork) and is about to become another program.
 * Takes no lock, allocates nothing, keeps errno. */
void children_note_exec(void);

/* Whether prctl() with this option changes the credentials of the calling thread alone. */
bool single_thread_is_affected_by(int option);

/* Ends the threads of ours if the process has no others but the calling one. Returns whether
 * single_thread_end() must be called, from the same thread: it starts them again. Keeps errno. */
struct single_thread {
    bool parked, controlled;
};
struct single_thread single_thread_begin(void);
void single_thread_end(struct single_thread ended);

/* ---- reader.c: the functions of prof.h that read the process's own recording ---- */

/* Of this library: its first byte, and the one after its last. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

/* The path of libprof.so's file. Valid for the process's life. */
const char *reader_own_path(void);

/* Whether `profrun --attach` loaded us: attach_request.h. */
bool reader_is_attached(void);

/* Puts the path of `name`, relative to libprof.so's directory, into `path`. False: it does not
 * fit. */
bool reader_beside(const char *name, char *path, size_t path_bytes);

/* The numbers of a benchmark: prof_trace_bench() of what this process recorded between two times of
 * CLOCK_REALTIME. */
prof_status reader_bench(const char *range, const struct prof_bench_options *options,
                         int64_t from_ns, int64_t to_ns, struct prof_bench_result *result);

/* ---- report.c: what the recorded process says of its recording when it ends ---- */

#define REPORT_MS 10000u /* profdump prints the table in so much time or not at all */

/* Prints on stderr the key averages and where the trace is, unless switched off; only where it is
 * if the file is large, or profdump is not found beside libprof.so or cannot be run. Nothing when
 * nothing was recorded. Allocates nothing: the caller may have interrupted anything. After
 * session_finish(). */
void report_at_exit(void);

/* States why no GPU was recorded, if nobody has: see PROF_INFO_GPU_REASON. Before
 * session_finish(). */
void report_state_gpu(void);

/* Appends to PROF_SESSION_FILE why there is no trace, for profrun: "# off", recording was never
 * switched on; "# failed", the file could not be made; "# refused", CUDA was initialised without
 * CUPTI; "# idle", CUDA was initialised, but did nothing that is recorded; "# cold", a CUDA library
 * is loaded, but CUDA was not initialised. Appends nothing if there is a trace or no CUDA library.
 * Call after session_finish(). */
void report_no_trace(void);

/* Appends to PROF_SESSION_FILE "# python -I", -E or -S if the process is a Python interpreter with
 * a flag that kept it from importing startup/sitecustomize.py of the Python package, although
 * LIBPROF_STARTUP requests it. */
void report_unstarted_python(void);

#endif
