/* nothing: exits with 3, with one system call and without libc. Built with -static -nostdlib. */
#include <sys/syscall.h>

void _start(void);

void _start(void)
{
#if defined(__x86_64__)
    __asm__ volatile("syscall" : : "a"((long)SYS_exit_group), "D"(3L) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = SYS_exit_group;
    register long x0 __asm__("x0") = 3;
    __asm__ volatile("svc 0" : : "r"(x8), "r"(x0) : "memory");
#endif
    for (;;)
        ;
}
