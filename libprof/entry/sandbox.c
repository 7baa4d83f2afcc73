/* sandbox.c - interposes prctl() and syscall(), to end the recording when the program enters a
 * sandbox, and to send no more signals when it takes libprof's (own_signal.h).
 *
 * A seccomp filter can kill a process for any system call that it does not list. libprof cannot
 * know which of its calls the filter allows, and a filter may apply to all threads. Therefore the
 * recording ends when the program installs a filter, or has the time-stamp counter raise SIGSEGV
 * (PR_SET_TSC). The file is complete and names the reason, and no thread of libprof is left that
 * could outlive a main thread killed by the filter.
 *
 * A program that makes the system call directly, not through libc, is not detected. If it records
 * nothing it is safe, since libprof then makes no system calls; otherwise it is killed when it
 * exits at the latest.
 */
#include "entry.h"

#include "config.h"
#include "control_thread.h"
#include "own_files.h"
#include "own_signal.h"
#include "own_thread.h"
#include "session.h"
#include "signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef unsigned long sandbox_word;

static int (*sandbox_real_prctl)(int, ...) GUEST_DATA;

/* Read by the code below; NULL: not looked for yet. */
void *sandbox_real_syscall GUEST_DATA __attribute__((visibility("hidden")));

GUEST_PATH void sandbox_resolve(void)
{
    *(void **)&sandbox_real_prctl = dlsym(RTLD_NEXT, "prctl");
    sandbox_real_syscall = dlsym(RTLD_NEXT, "syscall");
}

static void sandbox_enter(void)
{
    int saved_errno = errno, cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE,
                           &cancel_state); /* prctl() is not a cancellation point */
    if (session_enter_sandbox()) {
        control_thread_leave();
        own_files_end((unsigned)config_get()->exit_ms);
        own_thread_await_end((unsigned)config_get()->exit_ms);
        signals_disable();
    }
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved_errno;
}

/* Programs ask whether there are filters by giving none. */
static bool sandbox_is_requested(sandbox_word mode, sandbox_word program)
{
    return mode == SECCOMP_MODE_STRICT || (mode == SECCOMP_MODE_FILTER && program);
}

static bool sandbox_is_requested_by_prctl(int option, sandbox_word argument, sandbox_word program)
{
    if (option == PR_SET_SECCOMP)
        return sandbox_is_requested(argument, program);
    return option == PR_SET_TSC && argument == PR_TSC_SIGSEGV;
}

static int sandbox_call_prctl(int option, const sandbox_word *arguments)
{
    if (!sandbox_real_prctl)
        sandbox_resolve(); /* called by a constructor that runs before ours */
    if (sandbox_real_prctl)
        return sandbox_real_prctl(option, arguments[0], arguments[1], arguments[2], arguments[3]);
    errno = ENOSYS;
    return -1;
}

INTERPOSED int prctl(int option, ...)
{
    sandbox_word arguments[4];
    va_list list;
    va_start(list, option);
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        arguments[i] = va_arg(list, sandbox_word);
    va_end(list);
    if (sandbox_is_requested_by_prctl(option, arguments[0], arguments[1]))
        sandbox_enter();
    if (!single_thread_is_affected_by(option))
        return sandbox_call_prctl(option, arguments);
    struct single_thread ended = single_thread_begin();
    int result = sandbox_call_prctl(option, arguments);
    single_thread_end(ended);
    return result;
}

/* ---- syscall() ---- */

/* Many programs make frequent calls by it, and some of these return twice, or on another stack. So
 * it passes them on in two instructions, without a frame of its own; the rest is for the calls that
 * may concern us. */
#if defined(__x86_64__)
#define SANDBOX_HAS_SYSCALL 1
__asm__(".pushsection .text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        "    endbr64\n"
        "    cmpq $13, %rdi\n" /* SYS_rt_sigaction */
        "    je 1f\n"
        "    cmpq $157, %rdi\n" /* SYS_prctl */
        "    je 1f\n"
        "    cmpq $317, %rdi\n" /* SYS_seccomp */
        "    je 1f\n"
        "    movq sandbox_real_syscall(%rip), %rax\n"
        "    testq %rax, %rax\n"
        "    je 1f\n"
        "    jmp *%rax\n"
        "1:  pushq %rdi\n"
        "    pushq %rsi\n"
        "    pushq %rdx\n"
        "    pushq %rcx\n"
        "    pushq %r8\n"
        "    pushq %r9\n"
        "    subq $8, %rsp\n"
        "    call sandbox_look\n"
        "    addq $8, %rsp\n"
        "    popq %r9\n"
        "    popq %r8\n"
        "    popq %rcx\n"
        "    popq %rdx\n"
        "    popq %rsi\n"
        "    popq %rdi\n"
        "    jmp *%rax\n"
        ".size syscall, . - syscall\n"
        ".popsection\n");
_Static_assert(SYS_rt_sigaction == 13 && SYS_prctl == 157 && SYS_seccomp == 317, "as above");
#elif defined(__aarch64__)
#define SANDBOX_HAS_SYSCALL 1
__asm__(".pushsection .text\n"
        ".globl syscall\n"
        ".type syscall, %function\n"
        "syscall:\n"
        "    hint #34\n"     /* bti c */
        "    cmp x0, #134\n" /* SYS_rt_sigaction */
        "    b.eq 1f\n"
        "    cmp x0, #167\n" /* SYS_prctl */
        "    b.eq 1f\n"
        "    cmp x0, #277\n" /* SYS_seccomp */
        "    b.eq 1f\n"
        "    adrp x16, sandbox_real_syscall\n"
        "    ldr x16, [x16, #:lo12:sandbox_real_syscall]\n"
        "    cbz x16, 1f\n"
        "    br x16\n"
        "1:  stp x29, x30, [sp, #-80]!\n"
        "    mov x29, sp\n"
        "    stp x0, x1, [sp, #16]\n"
        "    stp x2, x3, [sp, #32]\n"
        "    stp x4, x5, [sp, #48]\n"
        "    str x6, [sp, #64]\n"
        "    bl sandbox_look\n"
        "    mov x16, x0\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x2, x3, [sp, #32]\n"
        "    ldp x4, x5, [sp, #48]\n"
        "    ldr x6, [sp, #64]\n"
        "    ldp x29, x30, [sp], #80\n"
        "    br x16\n"
        ".size syscall, . - syscall\n"
        ".popsection\n");
_Static_assert(SYS_rt_sigaction == 134 && SYS_prctl == 167 && SYS_seccomp == 277, "as above");
#endif

#ifdef SANDBOX_HAS_SYSCALL
static bool sandbox_is_requested_by_seccomp(sandbox_word operation, sandbox_word flags,
                                            sandbox_word program)
{
    return operation == SECCOMP_SET_MODE_FILTER ? program != 0
                                                : operation == SECCOMP_SET_MODE_STRICT && !flags;
}

/* Called by the code above; returns where it goes on. */
__attribute__((visibility("hidden"), used)) void *
sandbox_look(long number, sandbox_word first, sandbox_word second, sandbox_word third)
{
    if (number == SYS_rt_sigaction && first == OWN_SIGNAL_NUMBER && second)
        own_signal_yield((const void *)second);
    if (number == SYS_seccomp
            ? sandbox_is_requested_by_seccomp(first, second, third)
            : number == SYS_prctl && sandbox_is_requested_by_prctl((int)first, second, third))
        sandbox_enter();
    if (!sandbox_real_syscall)
        sandbox_resolve();
    return sandbox_real_syscall;
}
#endif
