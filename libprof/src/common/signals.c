#include "signals.h"

#include "atomic.h"
#include "clock.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <time.h>

static uint32_t signals_disabled;

void signals_disable(void)
{
    store_relaxed(&signals_disabled, 1u);
}

/* SIGSYS stays: a sandbox may have the program's handler answer a system call of ours, and ends a
 * process in which it is blocked. */
void signals_block(struct signals_saved *saved)
{
    sigset_t all;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved->cancel_state);
    saved->blocked = !load_relaxed(&signals_disabled);
    if (!saved->blocked)
        return;
    sigfillset(&all);
    sigdelset(&all, SIGSYS);
    pthread_sigmask(SIG_SETMASK, &all, &saved->mask);
    sigpending(&saved->pending);
}

/* Discards `number` if it is pending and arrived since `saved`. */
static void signals_discard(const struct signals_saved *saved, const sigset_t *pending, int number)
{
    sigset_t one;
    if (sigismember(pending, number) != 1 || sigismember(&saved->pending, number) == 1)
        return;
    sigemptyset(&one);
    sigaddset(&one, number);
    sigtimedwait(&one, NULL, &(struct timespec){0});
}

void signals_restore(const struct signals_saved *saved)
{
    if (saved->blocked) {
        sigset_t pending;
        sigpending(&pending);
        signals_discard(saved, &pending, SIGXFSZ);
        signals_discard(saved, &pending, SIGPIPE);
        pthread_sigmask(SIG_SETMASK, &saved->mask, NULL);
    }
    pthread_setcancelstate(saved->cancel_state, NULL);
}

bool signals_lock_within(struct signals_saved *saved, uint32_t *lock, int attempts)
{
    signals_block(saved);
    for (int attempt = 0; exchange_acquire(lock, 1u); attempt++) {
        if (attempt == attempts) {
            signals_restore(saved);
            return false;
        }
        clock_wait(attempt);
    }
    return true;
}

void signals_lock(struct signals_saved *saved, uint32_t *lock)
{
    (void)signals_lock_within(saved, lock, -1);
}

void signals_unlock(const struct signals_saved *saved, uint32_t *lock)
{
    store_release(lock, 0u);
    signals_restore(saved);
}

/* ---- a stack for work on the program's threads ---- */

#define BIG_STACK_BYTES (1u << 20) /* as the writer's: collectors call CUPTI on it */
/* On both sides. A stray store hits it, and valgrind takes a step of less than 2,000,000 bytes for
 * growth of the stack that the thread had. */
#define BIG_STACK_GUARD_BYTES (2u << 20)
#define BIG_STACK_MAP_BYTES (BIG_STACK_BYTES + 2 * BIG_STACK_GUARD_BYTES)

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BIG_STACK_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BIG_STACK_SANITIZED /* they know of no other stack */
#endif

/* With frame pointer and unwind information, so that what runs there can be unwound to the
 * program's frames. */
#if defined(__x86_64__) && !defined(BIG_STACK_SANITIZED)
#define BIG_STACK_SWITCHES 1
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden big_stack_switch\n"
        ".globl big_stack_switch\n"
        ".type big_stack_switch, @function\n"
        "big_stack_switch:\n"
        ".cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "    movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsp\n"
        "    call *%rax\n"
        "    movq %rbp, %rsp\n"
        "    popq %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size big_stack_switch, . - big_stack_switch\n");
#elif defined(__aarch64__) && !defined(BIG_STACK_SANITIZED)
#define BIG_STACK_SWITCHES 1
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden big_stack_switch\n"
        ".globl big_stack_switch\n"
        ".type big_stack_switch, %function\n"
        "big_stack_switch:\n"
        ".cfi_startproc\n"
        "    hint #34\n"
        "    stp x29, x30, [sp, #-16]!\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset x29, -16\n"
        ".cfi_offset x30, -8\n"
        "    mov x29, sp\n"
        ".cfi_def_cfa_register x29\n"
        "    mov x9, x0\n"
        "    mov x0, x1\n"
        "    mov sp, x2\n"
        "    blr x9\n"
        "    mov sp, x29\n"
        "    ldp x29, x30, [sp], #16\n"
        ".cfi_def_cfa sp, 0\n"
        ".cfi_restore x29\n"
        ".cfi_restore x30\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size big_stack_switch, . - big_stack_switch\n");
#endif

#ifdef BIG_STACK_SWITCHES

/* `top` is aligned to 16 bytes. */
void big_stack_switch(void (*work)(void *argument), void *argument, void *top);

static char *big_stack_map(void)
{
    char *map = mmap(NULL, BIG_STACK_MAP_BYTES, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    if (mprotect(map + BIG_STACK_GUARD_BYTES, BIG_STACK_BYTES, PROT_READ | PROT_WRITE) == 0)
        return map;
    munmap(map, BIG_STACK_MAP_BYTES);
    return NULL;
}

void big_stack_run(void (*work)(void *argument), void *argument)
{
    char *map = big_stack_map();
    if (!map) {
        work(argument);
        return;
    }
    struct signals_saved saved;
    signals_block(&saved);
    big_stack_switch(work, argument, map + BIG_STACK_GUARD_BYTES + BIG_STACK_BYTES);
    signals_restore(&saved);
    munmap(map, BIG_STACK_MAP_BYTES);
}

#else

void big_stack_run(void (*work)(void *argument), void *argument)
{
    work(argument);
}

#endif
