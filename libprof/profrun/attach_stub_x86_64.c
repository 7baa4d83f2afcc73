/* attach_stub_x86_64.c - the code that runs in the process: see attach_stub.h. */
#include "attach_arch.h"
#include "attach_stub.h"

extern const char attach_stub_begin[], attach_stub_end[], attach_stub_theirs[];
extern const char attach_stub_malloc[], attach_stub_calloc[], attach_stub_realloc[],
    attach_stub_free[];

_Static_assert(ATTACH_MAGIC == 0x70726f66 && ATTACH_NOT_LOADED == 1 && ATTACH_TEXT_BYTES == 4352 &&
                   ATTACH_HEAP_AT == 65536 && ATTACH_ALLOCATIONS == 4 && ATTACH_CALLOC == 1,
               "as below");
_Static_assert(offsetof(struct attach_area, float_state) == 304, "as below");

_Static_assert(offsetof(struct attach_frame, resume) == 0 &&
                   sizeof(struct attach_frame) + ATTACH_RED_ZONE_BYTES - 8 == 136,
               "as below");

__asm__(
    ".pushsection .rodata\n"
    ".balign 8\n"
    "attach_stub_begin:\n"
    /* The borrowed thread enters at +2. Where it was in a system call, the kernel either makes that
     * again, which it does two bytes before, or delivers a signal and lets it fail with EINTR,
     * which leads here. */
    "    jmp 8f\n"
    "    pushfq\n"
    "    jmp 9f\n"
    "8:  pushfq\n"
    "    subq $2, 8(%rsp)\n" /* resume */
    "9:  pushq %rax\n"
    "    pushq %rbx\n"
    "    pushq %rcx\n"
    "    pushq %rdx\n"
    "    pushq %rsi\n"
    "    pushq %rdi\n"
    "    pushq %rbp\n"
    "    pushq %r8\n"
    "    pushq %r9\n"
    "    pushq %r10\n"
    "    pushq %r11\n"
    "    pushq $0\n" /* the signal mask */
    /* rt_sigprocmask(SIG_SETMASK, &all, old, 8): the new threads begin with all signals blocked */
    "    movl $2, %edi\n"
    "    leaq attach_stub_signals(%rip), %rsi\n"
    "    movq %rsp, %rdx\n"
    "    movl $8, %r10d\n"
    "    movl $14, %eax\n"
    "    syscall\n"
    /* mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
     * 0) */
    "    xorl %edi, %edi\n"
    "    movq 112(%rsp), %rsi\n" /* area_bytes */
    "    movl $3, %edx\n"
    "    movl $0x4022, %r10d\n"
    "    movq $-1, %r8\n"
    "    xorl %r9d, %r9d\n"
    "    movl $9, %eax\n"
    "    syscall\n"
    "    cmpq $-4096, %rax\n"
    "    ja 2f\n"
    "    movq %rax, %rbx\n"
    "    cmpq $0x70726f66, (%rbx)\n"
    "    jne 1f\n"
    /* As pthread_create() does for its caller: libc may leave out locks as long as this word is
     * zero. */
    "    movl $1, %fs:24\n"
    /* clone(CLONE_VM | FS | FILES | SIGHAND | THREAD | SYSVSEM | SETTLS | PARENT_SETTID |
     * CHILD_CLEARTID) */
    "    movl $0x3d0f00, %edi\n"
    "    movq 8(%rbx), %rsi\n"
    "    movq 16(%rbx), %rdx\n"
    "    movq 24(%rbx), %r10\n"
    "    movq 32(%rbx), %r8\n"
    "    movl $56, %eax\n"
    "    pushq 48(%rbx)\n" /* holds: without it, the area may be gone after the call */
    "    syscall\n"
    "    testq %rax, %rax\n"
    "    je attach_stub_bare\n"
    "    popq %rcx\n"
    "    js 1f\n"
    "    testq %rcx, %rcx\n"
    "    je 2f\n"
    /* futex(&done, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, &patience) */
    "0:  cmpl $0, 288(%rbx)\n"
    "    jne 5f\n"
    "    leaq 288(%rbx), %rdi\n"
    "    movl $128, %esi\n"
    "    xorl %edx, %edx\n"
    "    leaq attach_stub_patience(%rip), %r10\n"
    "    movl $202, %eax\n"
    "    syscall\n"
    "    cmpl $-110, %eax\n" /* ETIMEDOUT */
    "    jne 0b\n"
    "5:  movq $0, 48(%rbx)\n" /* holds: the area may be unmapped from here on */
    "    jmp 2f\n"
    /* munmap(area, bytes) */
    "1:  movq %rbx, %rdi\n"
    "    movq 112(%rsp), %rsi\n"
    "    movl $11, %eax\n"
    "    syscall\n"
    /* rt_sigprocmask(SIG_SETMASK, old, NULL, 8) */
    "2:  movl $2, %edi\n"
    "    movq %rsp, %rsi\n"
    "    xorl %edx, %edx\n"
    "    movl $8, %r10d\n"
    "    movl $14, %eax\n"
    "    syscall\n"
    "    popq %r11\n"
    /* Registers, flags, stack and program counter as they were. */
    "    popq %r11\n"
    "    popq %r10\n"
    "    popq %r9\n"
    "    popq %r8\n"
    "    popq %rbp\n"
    "    popq %rdi\n"
    "    popq %rsi\n"
    "    popq %rdx\n"
    "    popq %rcx\n"
    "    popq %rbx\n"
    "    popq %rax\n"
    "    popfq\n"
    "    retq $136\n"

    /* The bare thread; rbx is the area. It has the borrowed thread's flags and floating-point
     * state. */
    "attach_stub_bare:\n"
    "    cld\n"
    "    fninit\n"
    "    ldmxcsr 304(%rbx)\n"
    "    movl $1, %r12d\n"
    "    leaq 208(%rbx), %r13\n" /* ours */
    "    call attach_stub_divert\n"
    "    testl %eax, %eax\n"
    "    js 1f\n"
    "    leaq 64(%rbx), %rdi\n"
    "    leaq 328(%rbx), %rsi\n"
    "    leaq attach_stub_first(%rip), %rdx\n"
    "    movq %rbx, %rcx\n"
    "    callq *80(%rbx)\n" /* pthread_create(&first, &attributes, attach_stub_first, area) */
    "    movl %eax, %r15d\n"
    "    negl %r15d\n"
    "    movl $-1, %r12d\n"
    "    leaq 240(%rbx), %r13\n" /* theirs */
    "    call attach_stub_divert\n"
    "    movl %r15d, %eax\n"
    /* futex(&done, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1) */
    "1:  movl %eax, %r15d\n"
    "    leaq 288(%rbx), %rdi\n"
    "    movl $1, (%rdi)\n"
    "    movl $129, %esi\n"
    "    movl $1, %edx\n"
    "    movl $202, %eax\n"
    "    syscall\n"
    "    testl %r15d, %r15d\n"
    "    js 4f\n"
    "3:  xorl %edi, %edi\n"
    "    movl $60, %eax\n"
    "    syscall\n" /* exit(0), of this thread */
    "    hlt\n"
    "4:  negl %r15d\n"
    "    incq %r15\n"
    "    movq %r15, 56(%rbx)\n"
    "    leaq 136(%rbx), %rdi\n"
    "    xorl %esi, %esi\n"
    "    movl $35, %eax\n"
    "    syscall\n" /* nanosleep(&pause, NULL) */
    "    call attach_stub_await_borrowed\n"
    "    movq %rbx, %rdi\n"
    "    movq 40(%rbx), %rsi\n"
    "    movl $11, %eax\n"
    "    syscall\n" /* munmap(area): its own stack, which it does not use any more */
    "    jmp 3b\n"

    /* Until the borrowed thread does not look at the area any more. */
    "attach_stub_await_borrowed:\n"
    "1:  cmpq $0, 48(%rbx)\n"
    "    je 2f\n"
    "    leaq 152(%rbx), %rdi\n"
    "    xorl %esi, %esi\n"
    "    movl $35, %eax\n"
    "    syscall\n" /* nanosleep(&blink, NULL) */
    "    jmp 1b\n"
    "2:  retq\n"

    /* Adds r12d to the count of threads that need our functions; sets the loader's pointers to
     * r13's when that makes it 1, or 0. Returns 0, or a negative error. */
    "attach_stub_divert:\n"
    "    movl $39, %eax\n"
    "    syscall\n" /* getpid() */
    "    movl %eax, %edx\n"
    "    movq 168(%rbx), %r14\n"
    "1:  movl (%r14), %eax\n"
    "    cmpl %edx, %eax\n"
    "    je 2f\n"
    "    lock cmpxchgl %edx, (%r14)\n" /* from nobody, or a parent's thread of before the fork */
    "    je 3f\n"
    "    jmp 1b\n"
    "2:  movl $24, %eax\n"
    "    syscall\n" /* sched_yield() */
    "    jmp 1b\n"
    "3:  cmpl %edx, 4(%r14)\n"
    "    je 4f\n"
    "    movl %edx, 4(%r14)\n"
    "    movl $0, 8(%r14)\n"
    "4:  addl %r12d, 8(%r14)\n"
    "    xorl %eax, %eax\n"
    "    leal 1(%r12), %ecx\n" /* the new count is 1 on the way up, 0 on the way down */
    "    shrl $1, %ecx\n"
    "    cmpl %ecx, 8(%r14)\n"
    "    jne 7f\n"
    "    call attach_stub_page_bytes\n"
    "    movl $3, %edx\n"
    "    call attach_stub_protect\n"
    "    testl %eax, %eax\n"
    "    js 6f\n"
    "    xorl %ecx, %ecx\n"
    "5:  movq 176(%rbx,%rcx,8), %rdx\n"
    "    movq (%r13,%rcx,8), %rax\n"
    "    movq %rax, (%rdx)\n"
    "    incl %ecx\n"
    "    cmpl $4, %ecx\n"
    "    jne 5b\n"
    "    movl $1, %edx\n"
    "    call attach_stub_protect\n"
    "    xorl %eax, %eax\n"
    "    jmp 7f\n"
    "6:  subl %r12d, 8(%r14)\n"
    "7:  movl $0, (%r14)\n"
    "    retq\n"

    /* Sets r8 to page_bytes where the page is read-only, else to 0. futex(page, FUTEX_WAKE_OP |
     * FUTEX_PRIVATE_FLAG, 0, 0, page, FUTEX_OP_ADD 0) fails with EFAULT there, and changes
     * nothing elsewhere. */
    "attach_stub_page_bytes:\n"
    "    cmpq $0, 280(%rbx)\n"
    "    je 1f\n"
    "    movq 272(%rbx), %rdi\n"
    "    movl $133, %esi\n"
    "    xorl %edx, %edx\n"
    "    xorl %r10d, %r10d\n"
    "    movq %rdi, %r8\n"
    "    movl $0x10000000, %r9d\n"
    "    movl $202, %eax\n"
    "    syscall\n"
    "    cmpl $-14, %eax\n"
    "1:  movl $0, %r8d\n"
    "    jne 2f\n"
    "    movq 280(%rbx), %r8\n"
    "2:  retq\n"

    /* mprotect(page, r8, edx) */
    "attach_stub_protect:\n"
    "    xorl %eax, %eax\n"
    "    movq 272(%rbx), %rdi\n"
    "    movq %r8, %rsi\n"
    "    testq %rsi, %rsi\n"
    "    je 1f\n"
    "    movl $10, %eax\n"
    "    syscall\n"
    "1:  retq\n"

    /* What the loader calls meanwhile. A thread without a vector of thread-local storage is a bare
     * one. */
    "attach_stub_malloc:\n"
    "    cmpq $0, %fs:8\n"
    "    je 1f\n"
    "    jmpq *attach_stub_theirs(%rip)\n"
    "1:  movq %rdi, %rsi\n"
    "2:  movq %fs:65536, %rax\n" /* struct attach_heap */
    "    leaq 31(%rax,%rsi), %rsi\n"
    "    andq $-16, %rsi\n"
    "    movq %rsi, %fs:65536\n"
    "    incq %fs:65544\n"
    "    retq\n"
    "attach_stub_calloc:\n"
    "    cmpq $0, %fs:8\n"
    "    je 1f\n"
    "    jmpq *attach_stub_theirs+8(%rip)\n"
    "1:  imulq %rdi, %rsi\n" /* the heap is zero */
    "    jmp 2b\n"
    "attach_stub_realloc:\n"
    "    cmpq $0, %fs:8\n"
    "    je 1f\n"
    "    jmpq *attach_stub_theirs+16(%rip)\n"
    "1:  testq %rdi, %rdi\n"
    "    je 2b\n"
    "    addq %rsi, %fs:65536\n" /* it is the only one there, and stays where it is */
    "    movq %rdi, %rax\n"
    "attach_stub_free:\n"
    "    cmpq $0, %fs:8\n"
    "    je 1f\n"
    "    jmpq *attach_stub_theirs+24(%rip)\n"
    "1:  retq\n"

    /* The first thread: attach_stub_first(area). Its dtv, the vector by which the loader finds
     * thread-local storage, is freed when it ends. */
    "attach_stub_first:\n"
    "    pushq %rbx\n"
    "    pushq %r12\n"
    "    pushq %r13\n"
    "    movq %rdi, %rbx\n"
    "    movq %fs:8, %r12\n"
    "    subq $16, %r12\n"
    "    cmpq 296(%rbx), %r12\n"
    "    jne 2f\n"
    "    movq 32(%rbx), %rax\n"
    "    cmpq $1, 65544(%rax)\n"
    "    jne 2f\n"
    "    movq (%r12), %r13\n"
    "    addq $2, %r13\n"
    "    movq %r13, %rdi\n"
    "    movl $16, %esi\n"
    "    callq *248(%rbx)\n" /* calloc(length + 2, 16) */
    "    testq %rax, %rax\n"
    "    je 2f\n"
    "    leaq (%r13,%r13), %rcx\n"
    "    movq %r12, %rsi\n"
    "    movq %rax, %rdi\n"
    "    rep movsq\n"
    "    addq $16, %rax\n"
    "    movq %rax, %fs:8\n"
    "    leaq 72(%rbx), %rdi\n"
    "    xorl %esi, %esi\n"
    "    leaq attach_stub_second(%rip), %rdx\n"
    "    movq %rbx, %rcx\n"
    "    callq *80(%rbx)\n" /* pthread_create(&second, NULL, attach_stub_second, area) */
    "    testl %eax, %eax\n"
    "    je 1f\n"
    "    incl %eax\n" /* the area stays: nobody joins this thread */
    "    movq %rax, 56(%rbx)\n"
    "1:  xorl %eax, %eax\n"
    "    popq %r13\n"
    "    popq %r12\n"
    "    popq %rbx\n"
    "    retq\n"
    /* It must not end as libc would have it: the allocator would be given what is not its own. */
    "2:  movq $13, 56(%rbx)\n" /* ENOMEM */
    "    xorl %edi, %edi\n"
    "    movl $60, %eax\n"
    "    syscall\n"
    "    hlt\n"

    /* The second one, which becomes libprof's: attach_stub_second(area). */
    "attach_stub_second:\n"
    "    pushq %rbx\n"
    "    movq %rdi, %rbx\n"
    "    movq 64(%rbx), %rdi\n"
    "    xorl %esi, %esi\n"
    "    callq *88(%rbx)\n" /* pthread_join(first, NULL) */
    "    movq %fs:16, %rdi\n"
    "    callq *96(%rbx)\n"          /* pthread_detach(pthread_self()) */
    "0:  cmpl $0, 4488 + 12(%rbx)\n" /* the bare thread may still use its stack */
    "    je 4f\n"
    "    leaq 152(%rbx), %rdi\n"
    "    xorl %esi, %esi\n"
    "    movl $35, %eax\n"
    "    syscall\n" /* nanosleep(&blink, NULL) */
    "    jmp 0b\n"
    "4:  call attach_stub_await_borrowed\n"
    "    cmpq $0x70726f66, (%rbx)\n" /* profrun has given up */
    "    jne 9f\n"
    "    leaq 392(%rbx), %rdi\n"
    "    movq 128(%rbx), %rsi\n"
    "    callq *104(%rbx)\n" /* dlopen(path, flags) */
    "    testq %rax, %rax\n"
    "    je 5f\n"
    "    movq %rax, %rdi\n"
    "    leaq 312(%rbx), %rsi\n"
    "    callq *112(%rbx)\n" /* dlsym(library, "libprof_attach") */
    "    testq %rax, %rax\n"
    "    je 5f\n"
    "    leaq 4488(%rbx), %rdi\n"
    "    popq %rbx\n"
    "    jmpq *%rax\n" /* libprof_attach(&request): it returns to the C library */
    "5:  cmpq $0, 120(%rbx)\n"
    "    je 7f\n"
    "    callq *120(%rbx)\n" /* dlerror() */
    "    testq %rax, %rax\n"
    "    je 7f\n"
    "    xorl %ecx, %ecx\n"
    "6:  movb (%rax,%rcx), %dl\n"
    "    movb %dl, 4488 + 56(%rbx,%rcx)\n"
    "    incl %ecx\n"
    "    cmpl $4351, %ecx\n" /* the last byte stays zero */
    "    je 7f\n"
    "    testb %dl, %dl\n"
    "    jne 6b\n"
    "7:  movl $1, 4488 + 4(%rbx)\n"
    "    leaq 136(%rbx), %rdi\n"
    "    xorl %esi, %esi\n"
    "    movl $35, %eax\n"
    "    syscall\n" /* nanosleep(&pause, NULL) */
    "9:  movq %rbx, %rdi\n"
    "    movq 40(%rbx), %rsi\n"
    "    movl $11, %eax\n"
    "    syscall\n" /* munmap(area) */
    "    popq %rbx\n"
    "    xorl %eax, %eax\n"
    "    retq\n"

    "    .balign 8\n"
    "attach_stub_signals:\n" /* all of them */
    "    .quad -1\n"
    "attach_stub_patience:\n" /* 5 s, as a timespec */
    "    .quad 5, 0\n"
    "attach_stub_theirs:\n"
    "    .quad 0, 0, 0, 0\n"
    "attach_stub_end:\n"
    ".popsection\n");

struct attach_code attach_stub_code(void)
{
    const char *const begin = attach_stub_begin;
    return (struct attach_code){.bytes = begin,
                                .size = (size_t)(attach_stub_end - begin),
                                .theirs = (size_t)(attach_stub_theirs - begin),
                                .ours = {[ATTACH_MALLOC] = (size_t)(attach_stub_malloc - begin),
                                         [ATTACH_CALLOC] = (size_t)(attach_stub_calloc - begin),
                                         [ATTACH_REALLOC] = (size_t)(attach_stub_realloc - begin),
                                         [ATTACH_FREE] = (size_t)(attach_stub_free - begin)}};
}
