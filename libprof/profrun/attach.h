/* attach.h - profrun --attach: records a program that runs already.
 *
 * Reading order: attach_process (who it is, why not), attach_find (functions in it), attach_stub
 * (the code that runs in it), attach_threads (which thread may be stopped), attach_tracee (whether
 * it may be borrowed where it is), attach_arch (what differs by processor in all that),
 * attach_ptrace (how the code gets there), attach_python (the other way, for Python 3.14), attach
 * (the command).
 */
#ifndef PROFRUN_ATTACH_H
#define PROFRUN_ATTACH_H

#include "attach_process.h"
#include "attach_stub.h"
#include "runopts.h"
#include "target.h"

/* Attaches and, with --for, waits and prints the table. Returns the status to exit with. */
int attach_run(const struct preload *preload, const struct runopts *options);

/* attach_ptrace.c: makes a thread of the process start another one with ptrace(2): see
 * attach_stub.h.
 *
 * Prepared by the caller: path and request, everything else is filled in. `stopped_ns`: for how
 * long a thread of the process stood still. `address`: where the area is then. Returns 0, or the
 * status to exit with; process->reason says why. In each case the process runs on, as if nobody had
 * stopped it. */
int attach_ptrace_start(struct attach_process *process, struct attach_area *area, uint64_t *address,
                        uint64_t *stopped_ns);

enum attach_python_result {
    ATTACH_PYTHON_ANSWERED, /* the request has the answer */
    ATTACH_PYTHON_NOT,      /* nothing was done: no such Python, or it does not allow it */
    ATTACH_PYTHON_SILENT,   /* it was asked and has not answered; it will do nothing any more */
};

/* Has Python 3.14 or later load `library` by sys.remote_exec(), between two of its instructions. */
enum attach_python_result attach_python(const struct attach_process *process, const char *library,
                                        struct attach_request *request);

#endif
