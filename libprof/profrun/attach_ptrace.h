/* attach_ptrace.h - starts a thread in another process, by ptrace(2): attach_stub.h says how. */
#ifndef PROFRUN_ATTACH_PTRACE_H
#define PROFRUN_ATTACH_PTRACE_H

#include "attach_process.h"
#include "attach_stub.h"

/* Prepared by the caller: path and request, everything else is filled in. `stopped_ns`: for how long a thread of the
 * process stood still. `address`: where the area is then. Returns 0, or the status to exit with; process->reason says
 * why. In each case the process runs on, as if nobody had stopped it. */
int attach_ptrace_start(struct attach_process *process, struct attach_area *area, uint64_t *address,
                        uint64_t *stopped_ns);

#endif
