/* attach_registers.c KIND - looks for ever at registers of one kind, which nothing else changes meanwhile, until standard input
 * ends: a program for profrun --attach.
 *
 *     general    those for integers, and the flags, in a loop
 *     vector     those for vectors, and how they round, in a loop
 *     scalable   vectors of any size, predicates and the first-fault register (SVE), in a loop
 *     sleep      those for integers and vectors across nanosleep(2), the flags, too
 *
 * Ends with 77 where the processor has no such registers: on others than aarch64, there are none here. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__aarch64__)

enum { WORDS = 2048, VECTORS_BYTES = 512, SCALABLE = 1 << 22 /* HWCAP_SVE */ };

static const uint64_t flags = UINT64_C(0x90000000); /* negative, overflow */
static const uint64_t rounds_up = 1 << 22;
static const struct timespec nap = {0, 20000000};

/* What is in the registers before and after. */
static uint64_t before[WORDS], after[WORDS];

/* Repeat an instruction, with each of the numbers as \\n. */
#define EACH(numbers, instruction) ".irp n, " numbers "\n" instruction "\n.endr\n"
#define GENERAL \
    "2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30"
#define ALSO "0, 1, 8, 16, 17"
#define PREDICATES "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
#define VECTORS PREDICATES ", 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31"
#define SET "mov x\\n, #\\n"
#define ADD "add x18, x18, x\\n"
#define LOAD "ldr q\\n, [%[before], #16 * \\n]"
#define STORE "str q\\n, [%[after], #16 * \\n]"
enum { SUM = 357, SUM_ALSO = 42 };

/* What the compiler keeps nothing in: x18 has a sum, x19 counts. */
#define GENERAL_USED                                                                           \
    "x2", "x3", "x4", "x5", "x6", "x7", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x18", \
        "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "cc"
#define VECTORS_USED                                                                               \
    "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", \
        "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", \
        "v28", "v29", "v30", "v31", "memory"

/* In each round, all of them are there, and the flags. */
static bool keeps_general(void)
{
    uint64_t sum, count;
    __asm__ volatile(EACH(GENERAL, SET) EACH(ALSO, SET) "mov x18, #0\n"
                                                        "mov x19, #0x90000000\n"
                                                        "msr nzcv, x19\n"
                                                        "mov x19, #0x80000\n"
                                                        "1:\n" EACH(GENERAL, ADD)
                                                            EACH(ALSO, ADD) "b.pl 2f\n"
                                                                            "b.vc 2f\n"
                                                                            "b.cs 2f\n"
                                                                            "sub x19, x19, #1\n"
                                                                            "cbnz x19, 1b\n"
                                                                            "2: str x18, %[sum]\n"
                                                                            "str x19, %[count]\n"
                     : [sum] "=m"(sum), [count] "=m"(count)
                     :
                     : GENERAL_USED, "x0", "x1", "x8", "x16", "x17");
    return sum == UINT64_C(0x80000) * (SUM + SUM_ALSO) && count == 0;
}

static bool keeps_vectors(void)
{
    uint64_t usual, control;
    __asm__ volatile(
        "mrs %[usual], fpcr\n"
        "msr fpcr, %[rounds_up]\n" EACH(VECTORS, LOAD) "mov x19, #0x200000\n"
                                                       "1: sub x19, x19, #1\n"
                                                       "cbnz x19, 1b\n" EACH(
                                                           VECTORS, STORE) "mrs %[control], fpcr\n"
                                                                           "msr fpcr, %[usual]\n"
        : [usual] "=&r"(usual), [control] "=&r"(control)
        : [before] "r"(before), [after] "r"(after), [rounds_up] "r"(rounds_up)
        : VECTORS_USED, "x19");
    return control == rounds_up && memcmp(before, after, VECTORS_BYTES) == 0;
}

static bool keeps_across_sleep(void)
{
    register const struct timespec *asked __asm__("x0") = &nap;
    register long left __asm__("x1") = 0, call __asm__("x8") = SYS_nanosleep;
    uint64_t sum, now;
    __asm__ volatile(EACH(VECTORS, LOAD)
                         EACH(GENERAL, SET) "mov x19, #0x90000000\n"
                                            "msr nzcv, x19\n"
                                            "svc #0\n"
                                            "mrs x19, nzcv\n"
                                            "mov x18, #0\n" EACH(VECTORS, STORE)
                                                EACH(GENERAL, ADD) "str x18, %[sum]\n"
                                                                   "str x19, %[now]\n"
                     : "+r"(asked), "+r"(call), [sum] "=m"(sum), [now] "=m"(now)
                     : "r"(left), [before] "r"(before), [after] "r"(after)
                     : GENERAL_USED, VECTORS_USED);
    return !asked && sum == SUM && now == flags && memcmp(before, after, VECTORS_BYTES) == 0;
}

#define STORE_SCALABLE                                               \
    EACH(VECTORS, "str z\\n, [%[to], #\\n, mul vl]")                 \
    "addvl x19, %[to], #16\n addvl x19, x19, #16\n" EACH(PREDICATES, \
                                                         "str p\\n, [x19, #\\n, mul vl]")
#define STORE_FAULTS "rdffr p0.b\n str p0, [x19, #16, mul vl]\n"

static bool keeps_scalable(void)
{
    uint64_t *to = before;
    __asm__ volatile(".arch_extension sve\n"
                     "setffr\n"
                     "mov x19, #1\n" EACH(VECTORS, "index z\\n\\().b, #\\n - 16, #1")
                         EACH(PREDICATES, "whilelo p\\n\\().b, xzr, x19\n add x19, x19, #1")
                             STORE_SCALABLE STORE_FAULTS
                     "ldr p0, [x19]\n"
                     "mov x19, #0x200000\n"
                     "1: sub x19, x19, #1\n"
                     "cbnz x19, 1b\n"
                     "mov %[to], %[after]\n" STORE_SCALABLE STORE_FAULTS
                     : [to] "+r"(to)
                     : [after] "r"(after)
                     : VECTORS_USED, "x19", "cc");
    return memcmp(before, after, sizeof before) == 0;
}

int main(int argc, char **argv)
{
    const char *kind = argc == 2 ? argv[1] : "";
    bool (*const keeps)(void) = strcmp(kind, "general") == 0    ? keeps_general
                                : strcmp(kind, "vector") == 0   ? keeps_vectors
                                : strcmp(kind, "scalable") == 0 ? keeps_scalable
                                                                : keeps_across_sleep;
    char byte;
    if (keeps == keeps_scalable && !(getauxval(AT_HWCAP) & SCALABLE))
        return 77;
    for (unsigned i = 0; i < WORDS; i++)
        before[i] = after[i] = i * UINT64_C(0x9e3779b97f4a7c15);
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    puts("begun");
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) != 0)
        if (!keeps()) {
            puts("FAILED: a register has changed");
            return 1;
        }
    puts("ended");
    return 7;
}

#else

int main(void)
{
    return 77;
}

#endif
