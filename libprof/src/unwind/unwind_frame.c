/* unwind_frame.c - the frame pointer of a function that needs it, where /proc has shown the stack
 * pointer alone.
 *
 * The function's first instructions show how far below its frame pointer the stack pointer is:
 *
 *     push %rbp; mov %rsp,%rbp; [push ...]; sub $SIZE,%rsp
 *
 * That may be wrong, as for a function with arrays of variable length. So it counts only if the
 * return address found there belongs to a call of this very function.
 */
#include "unwind_inside.h"

#if defined(__x86_64__)

#include <string.h>

#define UNWIND_PROLOGUE_BYTES 96u
#define UNWIND_FRAME_CFA_OFFSET 16 /* the frame pointer is below the return address */

/* ---- the first instructions ---- */

/* The number that `sub $SIZE,%rsp` has after `mov %rsp,%rbp`, as far as the thread has come; 0:
 * there is none. */
static uint64_t unwind_frame_size(const uint8_t *code, size_t bytes)
{
    static const uint8_t moves[] = {0x48, 0x89, 0xe5}, subtracts[] = {0x48, 0x83, 0xec},
                         subtracts_long[] = {0x48, 0x81, 0xec};
    const uint8_t *at = memmem(code, bytes, moves, sizeof moves), *end = code + bytes;
    for (; at && end - at >= 7; at++) {
        int32_t size;
        if (memcmp(at, subtracts, sizeof subtracts) == 0)
            return (uint64_t)(int8_t)at[3];
        if (memcmp(at, subtracts_long, sizeof subtracts_long) == 0) {
            memcpy(&size, at + 3, sizeof size);
            return (uint64_t)size;
        }
    }
    return 0;
}

static uint64_t unwind_frame_read_size(uint64_t function, uint64_t pc)
{
    uint8_t code[UNWIND_PROLOGUE_BYTES] = {0};
    size_t bytes = pc - function < sizeof code ? pc - function : sizeof code;
    return unwind_copy(code, function, bytes) ? unwind_frame_size(code, bytes) : 0;
}

/* ---- the call ---- */

static uint64_t unwind_relative(const uint8_t *bytes, uint64_t next)
{
    int32_t offset;
    memcpy(&offset, bytes, sizeof offset);
    return next + (uint64_t)(int64_t)offset;
}

/* Whether code at `target` is the function, or jumps to it through a table, as the entries of a PLT
 * do. */
static bool unwind_leads_to(uint64_t target, uint64_t function)
{
    uint8_t code[16];
    uint64_t found = 0;
    if (target == function)
        return true;
    if (!unwind_copy(code, target, sizeof code))
        return false;
    for (unsigned at = 0; at <= 5; at++) /* after endbr64, and bnd */
        if (code[at] == 0xff && code[at + 1] == 0x25)
            return unwind_copy(&found, unwind_relative(code + at + 2, target + at + 6),
                               sizeof found) &&
                   found == function;
    return false;
}

/* Whether the instruction before `address` calls the function, or what only a register or a
 * variable knows. */
static bool unwind_is_call(uint64_t address, uint64_t function)
{
    uint8_t code[7]; /* that end there */
    uint64_t found = 0;
    if (!unwind_copy(code, address - sizeof code, sizeof code))
        return false;
    if (code[2] == 0xe8)
        return unwind_leads_to(unwind_relative(code + 3, address), function);
    if (code[1] == 0xff && code[2] == 0x15)
        return unwind_copy(&found, unwind_relative(code + 3, address), sizeof found) &&
               found == function;
    for (unsigned at = 0; at <= 5; at++) /* call *%REGISTER, call *OFFSET(%REGISTER) */
        if (code[at] == 0xff && (code[at + 1] & 0x38) == 0x10)
            return true;
    return false;
}

/* ---- the frame ---- */

static bool unwind_is_frame(uint64_t frame, uint64_t function)
{
    uint64_t words[2]; /* the caller's frame pointer, the return address */
    return frame % 16 == 0 && unwind_copy(words, frame, sizeof words) && unwind_is_code(words[1]) &&
           unwind_is_call(words[1], function);
}

/* Registers that the function has pushed below its frame pointer: rbx, r12 to r15. */
static uint64_t unwind_frame_pushed_bytes(const struct unwind_rules *rules)
{
    static const uint8_t pushed[] = {3, 12, 13, 14, 15};
    uint64_t bytes = 0;
    for (size_t i = 0; i < sizeof pushed; i++)
        bytes += rules->of[pushed[i]].kind == UNWIND_SAVED ? 8 : 0;
    return bytes;
}

bool unwind_find_frame(const struct unwind_rules *rules, uint64_t pc,
                       struct unwind_registers *registers)
{
    const uint64_t both = UNWIND_BIT(UNWIND_FP) | UNWIND_BIT(UNWIND_SP);
    if (rules->cfa_computed || rules->cfa_register != UNWIND_FP ||
        rules->cfa_offset != UNWIND_FRAME_CFA_OFFSET ||
        (registers->known & both) != UNWIND_BIT(UNWIND_SP))
        return false;
    uint64_t frame = registers->value[UNWIND_SP] + unwind_frame_read_size(rules->function, pc) +
                     unwind_frame_pushed_bytes(rules);
    if (!unwind_is_frame(frame, rules->function))
        return false;
    unwind_set_register(registers, UNWIND_FP, frame, true);
    return true;
}

#else

/* A function that has a frame has stored its frame pointer where its stack pointer is. */
bool unwind_find_frame(const struct unwind_rules *rules, uint64_t pc,
                       struct unwind_registers *registers)
{
    (void)rules;
    (void)pc;
    (void)registers;
    return false;
}

#endif
