/* attach_tracee.h - a thread of the process that is stopped by ptrace(2), and whether it may be
 * borrowed where it is. */
#ifndef PROFRUN_ATTACH_TRACEE_H
#define PROFRUN_ATTACH_TRACEE_H

#include "attach_process.h"
#include "attach_stub.h"

#if defined(__x86_64__)

#include <sys/ptrace.h>
#include <sys/user.h>

/* Of a thread's block (tcbhead_t, struct pthread), the same in glibc 2.4 to 2.43. */
enum {
    ATTACH_BLOCK_SELF = 0x10,
    ATTACH_BLOCK_MULTIPLE_THREADS = 0x18,
    ATTACH_BLOCK_GUARDS = 0x28, /* stack_guard, pointer_guard */
    ATTACH_BLOCK_FEATURES = 0x48,
    ATTACH_BLOCK_THREAD = 0x2d0,
};

struct attach_tracee {
    struct attach_process *process;
    const struct attach_functions *functions;
    size_t code_bytes; /* of our code in the gap */
    pid_t thread;
    int signal; /* that it is about to get; 0: none */
    struct user_regs_struct registers;
};

/* Whether the gap with our code, or another range, has the address. */
bool attach_tracee_is_within(uint64_t address, uint64_t begin, uint64_t bytes);

/* ptrace(2), for those requests that let it run. */
bool attach_tracee_send(const struct attach_tracee *tracee, enum __ptrace_request request,
                        long data);

/* Waits for a stop of the thread, for 5 s. False: it does not stop, or has ended; errno says
 * which. */
bool attach_tracee_await(const struct attach_tracee *tracee, int *status);

bool attach_tracee_get_registers(const struct attach_tracee *tracee,
                                 struct user_regs_struct *registers);
bool attach_tracee_set_registers(const struct attach_tracee *tracee,
                                 const struct user_regs_struct *registers);

/* Stops the thread. Signals that come first are delivered. False: it does not stop, or the reason
 * says why. */
bool attach_tracee_stop(struct attach_tracee *tracee);

/* Ends tracing it, wherever it is. It must not be left behind: it would stand still later, for as
 * long as we run. */
void attach_tracee_let_go(struct attach_tracee *tracee);

/* Whether the stopped thread may be sent elsewhere from where it is, and come back, and nothing
 * shows that. May let it run for some milliseconds, and stores its registers. */
bool attach_tracee_is_good_place(struct attach_tracee *tracee);

/* Whether libc believes that the process has one thread. */
bool attach_tracee_is_alone(const struct attach_tracee *tracee);

#endif

#endif
