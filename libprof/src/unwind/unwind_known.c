/* unwind_known.c - what code does to registers, remembered by address: a copied stack of functions
 * that were met before needs no system call.
 *
 * The table has no chains: an address takes the place of another with the same hash. Only the rules
 * of most code are kept; the others are read again each time.
 */
#include "unwind_inside.h"

#include "memory.h"

#include <string.h>

#define UNWIND_KNOWN 16384u /* a power of two */

/* The common case: the CFA is a register plus an offset, and registers are saved near it. */
struct unwind_known {
    uint64_t pc; /* 0: none */
    int32_t cfa_offset;
    uint8_t cfa_register;
    bool signal, outermost;
    int16_t saved[UNWIND_REGISTERS]; /* offset from the CFA in words; UNWIND_NOT_SAVED */
};
#define UNWIND_NOT_SAVED INT16_MIN

static struct unwind_known *unwind_known; /* memory_once() */

void unwind_forget(void)
{
    if (unwind_known)
        memset(unwind_known, 0, UNWIND_KNOWN * sizeof *unwind_known);
    else
        MEMORY_ONCE(&unwind_known, UNWIND_KNOWN);
}

static struct unwind_known *unwind_known_at(uint64_t pc)
{
    return &unwind_known[(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (UNWIND_KNOWN - 1)];
}

static bool unwind_is_simple(const struct unwind_rule *rule)
{
    return rule->kind == UNWIND_SAME || (rule->kind == UNWIND_SAVED && rule->offset % 8 == 0 &&
                                         rule->offset > -32768 * 8 && rule->offset < 32767 * 8);
}

void unwind_remember(uint64_t pc, const struct unwind_rules *rules, bool signal)
{
    struct unwind_known known = {.pc = pc, .signal = signal};
    known.outermost = rules->of[UNWIND_RA].kind == UNWIND_UNDEFINED;
    if (!unwind_known || rules->cfa_computed || rules->cfa_register >= UNWIND_REGISTERS ||
        rules->cfa_offset > INT32_MAX || rules->cfa_offset < INT32_MIN)
        return;
    known.cfa_register = (uint8_t)rules->cfa_register;
    known.cfa_offset = (int32_t)rules->cfa_offset;
    for (unsigned i = 0; i < UNWIND_REGISTERS; i++) {
        const struct unwind_rule *rule = &rules->of[i];
        if (!unwind_is_simple(rule) && !(i == UNWIND_RA && known.outermost))
            return;
        known.saved[i] =
            rule->kind == UNWIND_SAVED ? (int16_t)(rule->offset / 8) : UNWIND_NOT_SAVED;
    }
    *unwind_known_at(pc) = known;
}

enum unwind_step unwind_step_known(uint64_t pc, struct unwind_registers *registers, bool *inside)
{
    const struct unwind_known *known = unwind_known ? unwind_known_at(pc) : NULL;
    if (!known || known->pc != pc)
        return UNWIND_STEP_UNKNOWN;
    if (known->outermost)
        return UNWIND_STEP_END;
    if (!(registers->known >> known->cfa_register & 1))
        return UNWIND_STEP_LOST;
    uint64_t cfa = registers->value[known->cfa_register] + (uint64_t)(int64_t)known->cfa_offset;
    for (unsigned i = 0; i < UNWIND_REGISTERS; i++) {
        if (known->saved[i] == UNWIND_NOT_SAVED)
            continue;
        uint64_t value = 0;
        bool read = unwind_read_word(&value, cfa + (uint64_t)(known->saved[i] * 8L));
        unwind_set_register(registers, i, value, read);
    }
    if (known->saved[UNWIND_SP] == UNWIND_NOT_SAVED)
        unwind_set_register(registers, UNWIND_SP, cfa, true);
    *inside = known->signal;
    return unwind_step_on(registers);
}
