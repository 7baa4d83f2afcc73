/* unwind_inside.h - what the files of this folder share: how a function's caller is found. All of
 * it is under the lock. */
#ifndef PROF_UNWIND_INSIDE_H
#define PROF_UNWIND_INSIDE_H

#include "unwind.h"

/* A piece of .eh_frame that was copied; reading past its end yields zeros and clears `good`. */
struct unwind_bytes {
    const uint8_t *at, *end;
    uint64_t address; /* of `at` in memory */
    bool good;
};

enum unwind_rule_kind {
    UNWIND_SAME,
    UNWIND_UNDEFINED,
    UNWIND_SAVED,
    UNWIND_VALUE,
    UNWIND_REGISTER,
    UNWIND_COMPUTED
};

/* Where the caller's value of a register is. */
struct unwind_rule {
    enum unwind_rule_kind kind;
    bool is_value;  /* UNWIND_COMPUTED: not the address of it */
    int64_t offset; /* from the CFA; UNWIND_REGISTER: its number */
    struct unwind_bytes expression;
};

/* CFA: the stack pointer of the caller, before the call. */
struct unwind_rules {
    uint64_t function; /* where it begins */
    unsigned cfa_register;
    bool cfa_computed;
    int64_t cfa_offset;
    struct unwind_bytes cfa_expression;
    struct unwind_rule of[UNWIND_REGISTERS];
};

enum unwind_step {
    UNWIND_STEP_MORE,
    UNWIND_STEP_END,    /* that was the outermost frame */
    UNWIND_STEP_LOST,   /* the caller cannot be found */
    UNWIND_STEP_UNKNOWN /* nothing is remembered of the address */
};

/* ---- unwind.c ---- */

/* A word of the stack that is unwound. */
bool unwind_read_word(uint64_t *word, uint64_t from);

/* The executable mappings, in the order of addresses; `first`: where the file's first byte is
 * mapped. False: no more. */
bool unwind_module_at(unsigned place, const char **path, uint64_t *first);

/* Whether code is mapped there. */
bool unwind_is_code(uint64_t address);

/* What the program headers of a module say: the load bias, and where .eh_frame_hdr and .dynamic are
 * (0: none). */
struct unwind_headers {
    uint64_t bias, frame_hdr, dynamic;
};
bool unwind_read_headers(uint64_t first, struct unwind_headers *headers);

/* Sets a register, or that it is not known. */
static inline void unwind_set_register(struct unwind_registers *registers, unsigned number,
                                       uint64_t value, bool known)
{
    registers->value[number] = value;
    registers->known = (registers->known & ~UNWIND_BIT(number)) | (uint64_t)known << number;
}

/* What the caller's registers mean: its program counter is the return address. */
enum unwind_step unwind_step_on(struct unwind_registers *registers);

/* ---- unwind_tables.c: .eh_frame ---- */

/* The rules at an address, by the .eh_frame_hdr of its module; `signal`: that is a signal's frame.
 * They are valid until the next call. NULL: there are none that can be read. */
const struct unwind_rules *unwind_find_rules(uint64_t header, uint64_t pc, bool *signal);

/* The value of an expression; `initial` is what its stack begins with, NULL: nothing. False: it is
 * not understood, or needs a register that is not known. */
bool unwind_evaluate(struct unwind_bytes bytes, const struct unwind_registers *registers,
                     const uint64_t *initial, uint64_t *result);

/* ---- unwind_frame.c ---- */

/* Finds the frame pointer that the rules need, if it is not known. False: it is not that, or it
 * cannot be found for certain. */
bool unwind_find_frame(const struct unwind_rules *rules, uint64_t pc,
                       struct unwind_registers *registers);

/* ---- unwind_known.c: rules that were found before ---- */

void unwind_forget(void);
void unwind_remember(uint64_t pc, const struct unwind_rules *rules, bool signal);
enum unwind_step unwind_step_known(uint64_t pc, struct unwind_registers *registers, bool *inside);

#endif
