/* raw_seccomp.h - seccomp(2) without libc: a program that installs a filter by libc ends its recording. */
#ifndef RAW_SECCOMP_H
#define RAW_SECCOMP_H

#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long raw_seccomp(long operation, long flags, void *program)
{
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"((long)SYS_seccomp), "D"(operation), "S"(flags), "d"(program)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = SYS_seccomp;
    register long x0 __asm__("x0") = operation;
    register long x1 __asm__("x1") = flags;
    register void *x2 __asm__("x2") = program;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
#else
    return syscall(SYS_seccomp, operation, flags, program);
#endif
}

#endif
