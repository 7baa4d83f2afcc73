#include "attach_stub.h"

#if defined(__x86_64__)

extern const char attach_stub_begin[], attach_stub_end[];

/* Offsets in struct attach_area, below. */
#define AT(member, offset) \
    _Static_assert(offsetof(struct attach_area, member) == (offset), #member " is used below")
AT(magic, 0);
AT(stack, 8);
AT(thread_id, 16);
AT(thread_gone, 24);
AT(thread_block, 32);
AT(bytes, 40);
AT(created, 56);
AT(pthread, 64);
AT(tls_init, 72);
AT(create, 80);
AT(detach, 88);
AT(dlopen, 96);
AT(dlsym, 104);
AT(dlerror, 112);
AT(dlopen_flags, 120);
AT(pause, 128);
AT(float_state, 144);
AT(entry_name, 152);
AT(path, 168);
AT(request, 168 + ATTACH_PATH_BYTES);
AT(request.state, 4264 + 4);
AT(request.text, 4264 + 56);
_Static_assert(ATTACH_MAGIC == 0x70726f66 && ATTACH_NOT_LOADED == 1 && ATTACH_TEXT_BYTES == 4352,
               "as below");

_Static_assert(offsetof(struct attach_frame, resume) == 0 &&
                   sizeof(struct attach_frame) + ATTACH_RED_ZONE_BYTES - 8 == 136,
               "as below");

__asm__(
    ".pushsection .rodata\n"
    ".balign 8\n"
    "attach_stub_begin:\n"
    /* The borrowed thread enters at +2. Where it was in a system call, the kernel either makes that again, which it does
     * two bytes before, or delivers a signal and lets it fail with EINTR, which leads here. */
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
    "    pushq %r8\n"
    "    pushq %r9\n"
    "    pushq %r10\n"
    "    pushq %r11\n"
    "    pushq $0\n"
    /* rt_sigprocmask(SIG_SETMASK, &all, old, 8): the new threads begin with all signals blocked */
    "    movl $2, %edi\n"
    "    leaq attach_stub_signals(%rip), %rsi\n"
    "    movq %rsp, %rdx\n"
    "    movl $8, %r10d\n"
    "    movl $14, %eax\n"
    "    syscall\n"
    /* mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) */
    "    xorl %edi, %edi\n"
    "    movq 104(%rsp), %rsi\n" /* area_bytes */
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
    /* clone(CLONE_VM | FS | FILES | SIGHAND | THREAD | SYSVSEM | SETTLS | PARENT_SETTID | CHILD_CLEARTID) */
    "    movl $0x3d0f00, %edi\n"
    "    movq 8(%rbx), %rsi\n"
    "    movq 16(%rbx), %rdx\n"
    "    movq 24(%rbx), %r10\n"
    "    movq 32(%rbx), %r8\n"
    "    movl $56, %eax\n"
    "    syscall\n"
    "    testq %rax, %rax\n"
    "    je attach_stub_bare\n"
    "    jns 2f\n"
    /* munmap(area, bytes) */
    "1:  movq %rbx, %rdi\n"
    "    movq 104(%rsp), %rsi\n"
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
    "    popq %rdi\n"
    "    popq %rsi\n"
    "    popq %rdx\n"
    "    popq %rcx\n"
    "    popq %rbx\n"
    "    popq %rax\n"
    "    popfq\n"
    "    retq $136\n"

    /* The bare thread; rbx is the area. It has the borrowed thread's flags and floating-point state. */
    "attach_stub_bare:\n"
    "    cld\n"
    "    fninit\n"
    "    ldmxcsr 144(%rbx)\n"
    "    xorl %ebp, %ebp\n"
    "    movq 32(%rbx), %rdi\n"
    "    movl $1, %esi\n"
    "    callq *72(%rbx)\n" /* _dl_allocate_tls_init(block, true) */
    "    leaq 64(%rbx), %rdi\n"
    "    xorl %esi, %esi\n"
    "    leaq attach_stub_main(%rip), %rdx\n"
    "    movq %rbx, %rcx\n"
    "    callq *80(%rbx)\n" /* pthread_create(&pthread, NULL, main, area) */
    "    movl %eax, %eax\n"
    "    testl %eax, %eax\n"
    "    jne 4f\n"
    "3:  xorl %edi, %edi\n"
    "    movl $60, %eax\n"
    "    syscall\n" /* exit(0), of this thread */
    "    hlt\n"
    "4:  incq %rax\n"
    "    movq %rax, 56(%rbx)\n"
    "    leaq 128(%rbx), %rdi\n"
    "    xorl %esi, %esi\n"
    "    movl $35, %eax\n"
    "    syscall\n" /* nanosleep(&pause, NULL) */
    "    movq %rbx, %rdi\n"
    "    movq 40(%rbx), %rsi\n"
    "    movl $11, %eax\n"
    "    syscall\n" /* munmap(area): its own stack, which it does not use any more */
    "    jmp 3b\n"

    /* The thread that becomes libprof's. */
    "attach_stub_main:\n"
    "    pushq %rbx\n"
    "    movq %rdi, %rbx\n"
    "    movq %fs:16, %rdi\n"
    "    callq *88(%rbx)\n" /* pthread_detach(pthread_self()) */
    "    leaq 168(%rbx), %rdi\n"
    "    movq 120(%rbx), %rsi\n"
    "    callq *96(%rbx)\n" /* dlopen(path, flags) */
    "    testq %rax, %rax\n"
    "    je 5f\n"
    "    movq %rax, %rdi\n"
    "    leaq 152(%rbx), %rsi\n"
    "    callq *104(%rbx)\n" /* dlsym(library, "libprof_attach") */
    "    testq %rax, %rax\n"
    "    je 5f\n"
    "    leaq 4264(%rbx), %rdi\n"
    "    popq %rbx\n"
    "    jmpq *%rax\n" /* libprof_attach(&request): it returns to the C library */
    "5:  cmpq $0, 112(%rbx)\n"
    "    je 7f\n"
    "    callq *112(%rbx)\n" /* dlerror() */
    "    testq %rax, %rax\n"
    "    je 7f\n"
    "    xorl %ecx, %ecx\n"
    "6:  movb (%rax,%rcx), %dl\n"
    "    movb %dl, 4264 + 56(%rbx,%rcx)\n"
    "    incl %ecx\n"
    "    cmpl $4351, %ecx\n" /* the last byte stays zero */
    "    je 7f\n"
    "    testb %dl, %dl\n"
    "    jne 6b\n"
    "7:  movl $1, 4264 + 4(%rbx)\n"
    "    leaq 128(%rbx), %rdi\n"
    "    xorl %esi, %esi\n"
    "    movl $35, %eax\n"
    "    syscall\n" /* nanosleep(&pause, NULL) */
    "    movq %rbx, %rdi\n"
    "    movq 40(%rbx), %rsi\n"
    "    movl $11, %eax\n"
    "    syscall\n" /* munmap(area); the bare thread has ended long ago */
    "    popq %rbx\n"
    "    xorl %eax, %eax\n"
    "    retq\n"

    "    .balign 8\n"
    "attach_stub_signals:\n" /* all of them */
    "    .quad -1\n"
    "attach_stub_end:\n"
    ".popsection\n");

const void *attach_stub_code(size_t *bytes)
{
    *bytes = (size_t)(attach_stub_end - attach_stub_begin);
    return attach_stub_begin;
}

#else

const void *attach_stub_code(size_t *bytes)
{
    *bytes = 0;
    return "";
}

#endif
