/* attach_stub_aarch64.c - the code that runs in the process: see attach_stub.h. */
#include "attach_arch.h"
#include "attach_stub.h"

/* Hidden: their addresses would come from the global offset table, where binutils 2.40 gives all of
 * them one entry. */
#define HIDDEN extern const char __attribute__((visibility("hidden")))
HIDDEN attach_stub_begin[], attach_stub_end[], attach_stub_theirs[];
HIDDEN attach_stub_malloc[], attach_stub_calloc[], attach_stub_realloc[], attach_stub_free[];

_Static_assert(ATTACH_MAGIC == 0x70726f66 && ATTACH_NOT_LOADED == 1 && ATTACH_TEXT_BYTES == 4352 &&
                   ATTACH_HEAP_AT == -65536 && ATTACH_ALLOCATIONS == 4 && ATTACH_CALLOC == 1,
               "as below");
_Static_assert(offsetof(struct attach_frame, general) == 312 &&
                   offsetof(struct attach_frame, pc) == 568 &&
                   offsetof(struct attach_frame, state) == 576 &&
                   sizeof(struct attach_frame) == 1136,
               "as below");

/* Registers between the parts:
 *
 *     borrowed thread   x9 area, x10 whether it holds, x11 bytes of the area, x12 address of its
 *                       signal mask, x13 whether it returns by itself
 *     bare thread       x19 area, x20 and x21 for attach_stub_divert, x22 turn, x23 result,
 *                       x24 and x25 within attach_stub_divert, x26 bytes to protect
 *
 * Functions that others call begin with a landing pad (bti c). What another thread waits for is
 * stored by stlr and loaded by ldar. */
__asm__(
    ".pushsection .rodata\n"
    ".balign 8\n"
    "attach_stub_begin:\n"
    /* The borrowed thread, with a struct attach_frame at its stack pointer that has all that it
     * goes on with. */
    /* rt_sigprocmask(SIG_SETMASK, &all, mask, 8): the new threads begin with all signals blocked */
    "    mov x0, #2\n"
    "    adr x1, attach_stub_signals\n"
    "    mov x2, x12\n"
    "    mov x3, #8\n"
    "    mov x8, #135\n"
    "    svc #0\n"
    /* mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
     * 0) */
    "    mov x0, #0\n"
    "    mov x1, x11\n"
    "    mov x2, #3\n"
    "    mov x3, #0x4022\n"
    "    mov x4, #-1\n"
    "    mov x5, #0\n"
    "    mov x8, #222\n"
    "    svc #0\n"
    "    cmn x0, #4095\n"
    "    b.cs 2f\n"
    "    mov x9, x0\n"
    "    ldr x1, [x9]\n"
    "    mov w2, #0x6f66\n"
    "    movk w2, #0x7072, lsl #16\n"
    "    cmp x1, x2\n"
    "    b.ne 1f\n"
    /* clone(CLONE_VM | FS | FILES | SIGHAND | THREAD | SYSVSEM | SETTLS | PARENT_SETTID |
     * CHILD_CLEARTID) */
    "    ldr x10, [x9, #48]\n" /* holds: without it, the area may be gone after the call */
    "    mov w0, #0x0f00\n"
    "    movk w0, #0x3d, lsl #16\n"
    "    ldp x1, x2, [x9, #8]\n"
    "    ldp x4, x3, [x9, #24]\n"
    "    mov x8, #220\n"
    "    svc #0\n"
    "    cbz x0, attach_stub_bare\n"
    "    tbnz x0, #63, 1f\n"
    "    cbz x10, 2f\n"
    /* futex(&done, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, &patience) */
    "0:  add x0, x9, #288\n"
    "    ldar w1, [x0]\n"
    "    cbnz w1, 5f\n"
    "    mov x1, #128\n"
    "    mov x2, #0\n"
    "    adr x3, attach_stub_patience\n"
    "    mov x8, #98\n"
    "    svc #0\n"
    "    cmn x0, #110\n" /* ETIMEDOUT */
    "    b.ne 0b\n"
    "5:  add x0, x9, #48\n" /* holds: the area may be unmapped from here on */
    "    stlr xzr, [x0]\n"
    "    b 2f\n"
    /* munmap(area, bytes) */
    "1:  mov x0, x9\n"
    "    mov x1, x11\n"
    "    mov x8, #215\n"
    "    svc #0\n"
    "2:  cbz x13, 3f\n"
    /* rt_sigprocmask(SIG_SETMASK, mask, NULL, 8) */
    "    mov x0, #2\n"
    "    mov x1, x12\n"
    "    mov x2, #0\n"
    "    mov x3, #8\n"
    "    mov x8, #135\n"
    "    svc #0\n"
    /* Registers, flags, stack and program counter as they were, but x17. */
    "    ldr x0, [sp, #576]\n"
    "    msr nzcv, x0\n"
    "    ldr x17, [sp, #568]\n"
    "    ldp x0, x1, [sp, #312]\n"
    "    ldp x2, x3, [sp, #328]\n"
    "    ldp x4, x5, [sp, #344]\n"
    "    ldp x8, x9, [sp, #376]\n"
    "    ldp x10, x11, [sp, #392]\n"
    "    ldp x12, x13, [sp, #408]\n"
    "    add sp, sp, #1136\n"
    "    ret x17\n"
    /* rt_sigreturn(): everything as it was */
    "3:  mov x8, #139\n"
    "    svc #0\n"

    /* The bare thread. It has the borrowed thread's floating-point state. */
    "attach_stub_bare:\n"
    "    msr fpcr, xzr\n"
    "    msr fpsr, xzr\n"
    "    mov x29, #0\n"
    "    mov x30, #0\n"
    "    mov x19, x9\n"
    "    mov w20, #1\n"
    "    add x21, x19, #208\n" /* ours */
    "    bl attach_stub_divert\n"
    "    tbnz w0, #31, 1f\n"
    "    add x0, x19, #64\n"
    "    add x1, x19, #328\n"
    "    adr x2, attach_stub_first\n"
    "    mov x3, x19\n"
    "    ldr x16, [x19, #80]\n"
    "    blr x16\n" /* pthread_create(&first, &attributes, attach_stub_first, area) */
    "    neg w23, w0\n"
    "    mov w20, #-1\n"
    "    add x21, x19, #240\n" /* theirs */
    "    bl attach_stub_divert\n"
    "    mov w0, w23\n"
    /* futex(&done, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1) */
    "1:  mov w23, w0\n"
    "    add x0, x19, #288\n"
    "    mov w1, #1\n"
    "    stlr w1, [x0]\n"
    "    mov x1, #129\n"
    "    mov x2, #1\n"
    "    mov x8, #98\n"
    "    svc #0\n"
    "    tbnz w23, #31, 4f\n"
    "3:  mov x0, #0\n"
    "    mov x8, #93\n"
    "    svc #0\n" /* exit(0), of this thread */
    "    brk #0\n"
    "4:  neg w23, w23\n"
    "    add x23, x23, #1\n"
    "    str x23, [x19, #56]\n"
    "    add x0, x19, #136\n"
    "    mov x1, #0\n"
    "    mov x8, #101\n"
    "    svc #0\n" /* nanosleep(&pause, NULL) */
    "    bl attach_stub_await_borrowed\n"
    "    mov x0, x19\n"
    "    ldr x1, [x19, #40]\n"
    "    mov x8, #215\n"
    "    svc #0\n" /* munmap(area): its own stack, which it does not use any more */
    "    b 3b\n"

    /* Until the borrowed thread does not look at the area any more; x19 is the area. */
    "attach_stub_await_borrowed:\n"
    "1:  add x0, x19, #48\n"
    "    ldar x1, [x0]\n"
    "    cbz x1, 2f\n"
    "    add x0, x19, #152\n"
    "    mov x1, #0\n"
    "    mov x8, #101\n"
    "    svc #0\n" /* nanosleep(&blink, NULL) */
    "    b 1b\n"
    "2:  ret\n"

    /* Adds w20 to the count of threads that need our functions; sets the loader's pointers to
     * x21's when that makes it 1, or 0. Returns 0, or a negative error. */
    "attach_stub_divert:\n"
    "    mov x24, x30\n"
    "    mov x8, #172\n"
    "    svc #0\n" /* getpid() */
    "    mov w25, w0\n"
    "    ldr x22, [x19, #168]\n"
    "1:  ldaxr w1, [x22]\n"
    "    cmp w1, w25\n"
    "    b.eq 2f\n"
    "    stxr w2, w25, [x22]\n" /* from nobody, or a parent's thread of before the fork */
    "    cbnz w2, 1b\n"
    "    b 3f\n"
    "2:  clrex\n"
    "    mov x8, #124\n"
    "    svc #0\n" /* sched_yield() */
    "    b 1b\n"
    "3:  ldr w1, [x22, #4]\n"
    "    cmp w1, w25\n"
    "    b.eq 4f\n"
    "    str w25, [x22, #4]\n"
    "    str wzr, [x22, #8]\n"
    "4:  ldr w1, [x22, #8]\n"
    "    add w1, w1, w20\n"
    "    str w1, [x22, #8]\n"
    "    mov w0, #0\n"
    "    add w2, w20, #1\n" /* the new count is 1 on the way up, 0 on the way down */
    "    lsr w2, w2, #1\n"
    "    cmp w1, w2\n"
    "    b.ne 7f\n"
    "    bl attach_stub_page_bytes\n"
    "    mov w2, #3\n"
    "    bl attach_stub_protect\n"
    "    tbnz w0, #31, 6f\n"
    "    add x3, x19, #176\n"
    "    mov w4, #4\n"
    "5:  ldr x1, [x3], #8\n"
    "    ldr x2, [x21], #8\n"
    "    stlr x2, [x1]\n"
    "    sub w4, w4, #1\n"
    "    cbnz w4, 5b\n"
    "    mov w2, #1\n"
    "    bl attach_stub_protect\n"
    "    mov w0, #0\n"
    "    b 7f\n"
    "6:  ldr w1, [x22, #8]\n"
    "    sub w1, w1, w20\n"
    "    str w1, [x22, #8]\n"
    "7:  stlr wzr, [x22]\n"
    "    ret x24\n"

    /* Sets x26 to page_bytes where the page is read-only, else to 0. futex(page, FUTEX_WAKE_OP |
     * FUTEX_PRIVATE_FLAG, 0, 0, page, FUTEX_OP_ADD 0) fails with EFAULT there, and changes
     * nothing elsewhere. */
    "attach_stub_page_bytes:\n"
    "    ldp x4, x26, [x19, #272]\n"
    "    cbz x26, 1f\n"
    "    mov x0, x4\n"
    "    mov x1, #133\n"
    "    mov x2, #0\n"
    "    mov x3, #0\n"
    "    mov x5, #0x10000000\n"
    "    mov x8, #98\n"
    "    svc #0\n"
    "    cmn x0, #14\n"
    "    csel x26, x26, xzr, eq\n"
    "1:  ret\n"

    /* mprotect(page, x26, w2) */
    "attach_stub_protect:\n"
    "    mov x0, #0\n"
    "    cbz x26, 1f\n"
    "    ldr x0, [x19, #272]\n"
    "    mov x1, x26\n"
    "    mov x8, #226\n"
    "    svc #0\n"
    "1:  ret\n"

    /* What the loader calls meanwhile. A thread without a vector of thread-local storage is a bare
     * one. */
    "attach_stub_malloc:\n"
    "    hint #34\n"
    "    mrs x9, tpidr_el0\n"
    "    ldr x10, [x9]\n"
    "    cbz x10, 1f\n"
    "    ldr x16, attach_stub_theirs\n"
    "    br x16\n"
    "1:  mov x1, x0\n"
    "2:  sub x9, x9, #0x10, lsl #12\n" /* struct attach_heap */
    "    ldp x0, x10, [x9]\n"
    "    add x1, x0, x1\n"
    "    add x1, x1, #31\n"
    "    and x1, x1, #-16\n"
    "    add x10, x10, #1\n"
    "    stp x1, x10, [x9]\n"
    "    ret\n"
    "attach_stub_calloc:\n"
    "    hint #34\n"
    "    mrs x9, tpidr_el0\n"
    "    ldr x10, [x9]\n"
    "    cbz x10, 1f\n"
    "    ldr x16, attach_stub_theirs + 8\n"
    "    br x16\n"
    "1:  mul x1, x0, x1\n" /* the heap is zero */
    "    b 2b\n"
    "attach_stub_realloc:\n"
    "    hint #34\n"
    "    mrs x9, tpidr_el0\n"
    "    ldr x10, [x9]\n"
    "    cbz x10, 1f\n"
    "    ldr x16, attach_stub_theirs + 16\n"
    "    br x16\n"
    "1:  cbz x0, 2b\n"
    "    sub x9, x9, #0x10, lsl #12\n"
    "    ldr x10, [x9]\n"
    "    add x10, x10, x1\n" /* it is the only one there, and stays where it is */
    "    str x10, [x9]\n"
    "    ret\n"
    "attach_stub_free:\n"
    "    hint #34\n"
    "    mrs x9, tpidr_el0\n"
    "    ldr x10, [x9]\n"
    "    cbz x10, 1f\n"
    "    ldr x16, attach_stub_theirs + 24\n"
    "    br x16\n"
    "1:  ret\n"

    /* The first thread: attach_stub_first(area). Its dtv, the vector by which the loader finds
     * thread-local storage, is freed when it ends. */
    "attach_stub_first:\n"
    "    hint #34\n"
    "    stp x29, x30, [sp, #-48]!\n"
    "    mov x29, sp\n"
    "    stp x19, x20, [sp, #16]\n"
    "    str x21, [sp, #32]\n"
    "    mov x19, x0\n"
    "    mrs x9, tpidr_el0\n"
    "    ldr x20, [x9]\n"
    "    sub x20, x20, #16\n"
    "    ldr x1, [x19, #296]\n"
    "    cmp x20, x1\n"
    "    b.ne 2f\n"
    "    ldr x1, [x19, #32]\n"
    "    sub x1, x1, #0x10, lsl #12\n"
    "    ldr x1, [x1, #8]\n"
    "    cmp x1, #1\n"
    "    b.ne 2f\n"
    "    ldr x21, [x20]\n"
    "    add x21, x21, #2\n"
    "    mov x0, x21\n"
    "    mov x1, #16\n"
    "    ldr x16, [x19, #248]\n"
    "    blr x16\n" /* calloc(length + 2, 16) */
    "    cbz x0, 2f\n"
    "    mov x1, x0\n"
    "3:  ldp x2, x3, [x20], #16\n"
    "    stp x2, x3, [x1], #16\n"
    "    sub x21, x21, #1\n"
    "    cbnz x21, 3b\n"
    "    add x0, x0, #16\n"
    "    mrs x9, tpidr_el0\n"
    "    str x0, [x9]\n"
    "    add x0, x19, #72\n"
    "    mov x1, #0\n"
    "    adr x2, attach_stub_second\n"
    "    mov x3, x19\n"
    "    ldr x16, [x19, #80]\n"
    "    blr x16\n" /* pthread_create(&second, NULL, attach_stub_second, area) */
    "    cbz w0, 1f\n"
    "    add w0, w0, #1\n" /* the area stays: nobody joins this thread */
    "    str x0, [x19, #56]\n"
    "1:  mov x0, #0\n"
    "    ldp x19, x20, [sp, #16]\n"
    "    ldr x21, [sp, #32]\n"
    "    ldp x29, x30, [sp], #48\n"
    "    ret\n"
    /* It must not end as libc would have it: the allocator would be given what is not its own. */
    "2:  mov x0, #13\n" /* ENOMEM */
    "    str x0, [x19, #56]\n"
    "    mov x0, #0\n"
    "    mov x8, #93\n"
    "    svc #0\n"
    "    brk #0\n"

    /* The second one, which becomes libprof's: attach_stub_second(area). */
    "attach_stub_second:\n"
    "    hint #34\n"
    "    stp x29, x30, [sp, #-32]!\n"
    "    mov x29, sp\n"
    "    str x19, [sp, #16]\n"
    "    mov x19, x0\n"
    "    ldr x0, [x19, #64]\n"
    "    mov x1, #0\n"
    "    ldr x16, [x19, #88]\n"
    "    blr x16\n"            /* pthread_join(first, NULL) */
    "    ldr x0, [x19, #72]\n" /* which the first one has stored */
    "    ldr x16, [x19, #96]\n"
    "    blr x16\n"            /* pthread_detach(second) */
    "0:  add x0, x19, #4096\n" /* the bare thread may still use its stack */
    "    add x0, x0, #392 + 12\n"
    "    ldar w1, [x0]\n"
    "    cbz w1, 4f\n"
    "    add x0, x19, #152\n"
    "    mov x1, #0\n"
    "    mov x8, #101\n"
    "    svc #0\n" /* nanosleep(&blink, NULL) */
    "    b 0b\n"
    "4:  bl attach_stub_await_borrowed\n"
    "    ldr x1, [x19]\n"
    "    mov w2, #0x6f66\n"
    "    movk w2, #0x7072, lsl #16\n"
    "    cmp x1, x2\n"
    "    b.ne 9f\n" /* profrun has given up */
    "    add x0, x19, #392\n"
    "    ldr x1, [x19, #128]\n"
    "    ldr x16, [x19, #104]\n"
    "    blr x16\n" /* dlopen(path, flags) */
    "    cbz x0, 5f\n"
    "    add x1, x19, #312\n"
    "    ldr x16, [x19, #112]\n"
    "    blr x16\n" /* dlsym(library, "libprof_attach") */
    "    cbz x0, 5f\n"
    "    mov x16, x0\n"
    "    add x0, x19, #4096\n"
    "    add x0, x0, #392\n"
    "    ldr x19, [sp, #16]\n"
    "    ldp x29, x30, [sp], #32\n"
    "    br x16\n" /* libprof_attach(&request): it returns to the C library */
    "5:  ldr x16, [x19, #120]\n"
    "    cbz x16, 7f\n"
    "    blr x16\n" /* dlerror() */
    "    cbz x0, 7f\n"
    "    add x1, x19, #4096\n"
    "    add x1, x1, #392 + 56\n"
    "    mov w3, #4351\n" /* the last byte stays zero */
    "6:  ldrb w2, [x0], #1\n"
    "    strb w2, [x1], #1\n"
    "    cbz w2, 7f\n"
    "    sub w3, w3, #1\n"
    "    cbnz w3, 6b\n"
    "7:  mov w1, #1\n"
    "    add x0, x19, #4096\n"
    "    add x0, x0, #392 + 4\n"
    "    stlr w1, [x0]\n"
    "    add x0, x19, #136\n"
    "    mov x1, #0\n"
    "    mov x8, #101\n"
    "    svc #0\n" /* nanosleep(&pause, NULL) */
    "9:  mov x0, x19\n"
    "    ldr x1, [x19, #40]\n"
    "    mov x8, #215\n"
    "    svc #0\n" /* munmap(area) */
    "    mov x0, #0\n"
    "    ldr x19, [sp, #16]\n"
    "    ldp x29, x30, [sp], #32\n"
    "    ret\n"

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
