/* attach_edge: sleeps at the very end of a coroutine's stack, below which is a guard, until its standard input ends. */
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void nap_at(char *stack_pointer)
{
    struct timespec nap = {.tv_nsec = 50000000};
#if defined(__x86_64__)
    long call = SYS_nanosleep;
    __asm__ volatile("movq %%rsp, %%rbx\n"
                     "movq %[at], %%rsp\n"
                     "syscall\n"
                     "movq %%rbx, %%rsp\n"
                     : "+a"(call)
                     : "D"(&nap), "S"(0L), [at] "r"(stack_pointer)
                     : "rbx", "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register const struct timespec *first __asm__("x0") = &nap;
    register long second __asm__("x1") = 0, call __asm__("x8") = SYS_nanosleep;
    __asm__ volatile("mov x19, sp\n"
                     "mov sp, %[at]\n"
                     "svc #0\n"
                     "mov sp, x19\n"
                     : "+r"(first)
                     : "r"(second), "r"(call), [at] "r"(stack_pointer)
                     : "x19", "memory");
#endif
}

int main(void)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    char *stack = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, 4096, PROT_NONE) != 0)
        return 1;
    puts("begun");
    fflush(stdout);
    while (poll(&input, 1, 0) == 0)
        nap_at(stack + 4096 + 64);
    puts("ended");
    return 0;
}
