/* unwind_tables.c - reads .eh_frame: the rules by which a caller's registers are found at an
 * address. */
#include "unwind_inside.h"

#include <string.h>

#define UNWIND_CFI_BYTES 2048u
#define UNWIND_STATES 4u
#define UNWIND_EXPRESSION_STACK 16u

/* ---- .eh_frame ---- */

static uint64_t unwind_take(struct unwind_bytes *bytes, unsigned size)
{
    uint64_t value = 0;
    if ((size_t)(bytes->end - bytes->at) < size) {
        bytes->good = false;
        bytes->at = bytes->end;
        return 0;
    }
    memcpy(&value, bytes->at, size);
    bytes->at += size;
    bytes->address += size;
    return value;
}

/* Of 1 to 8 bytes. */
static int64_t unwind_take_signed(struct unwind_bytes *bytes, unsigned size)
{
    unsigned shift = 64 - 8 * size;
    return (int64_t)(unwind_take(bytes, size) << shift) >> shift;
}

static uint64_t unwind_take_leb(struct unwind_bytes *bytes, bool is_signed)
{
    uint64_t value = 0, byte = 0x80;
    unsigned shift = 0;
    while (bytes->good && (byte & 0x80)) {
        byte = unwind_take(bytes, 1);
        value |= shift < 64 ? (byte & 0x7f) << shift : 0;
        shift += 7;
    }
    if (is_signed && (byte & 0x40) && shift < 64)
        value |= ~UINT64_C(0) << shift;
    return value;
}

#define UNWIND_ENCODING_OMIT 0xffu

static uint64_t unwind_take_encoded(struct unwind_bytes *bytes, unsigned encoding)
{
    static const uint8_t sizes[16] = {8, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8, 0, 0, 0};
    uint64_t here = bytes->address;
    unsigned size = sizes[encoding & 15];
    if (encoding == UNWIND_ENCODING_OMIT)
        return 0;
    if (!size) {
        bytes->good = false;
        return 0;
    }
    uint64_t value =
        encoding & 8 ? (uint64_t)unwind_take_signed(bytes, size) : unwind_take(bytes, size);
    return (encoding & 0x70) == 0x10 ? value + here : value;
}

/* A function's entry, and what it shares with others. */
struct unwind_entry {
    uint64_t begin, range;
    uint64_t code_align;
    int64_t data_align;
    unsigned pointer_encoding;
    bool has_augmentation, signal;
    struct unwind_bytes common, own; /* instructions */
    uint8_t common_bytes[UNWIND_CFI_BYTES], own_bytes[UNWIND_CFI_BYTES];
};

/* Copies an entry of .eh_frame, without its length. */
static bool unwind_copy_entry(uint64_t address, uint8_t *to, struct unwind_bytes *bytes)
{
    uint32_t length;
    if (!unwind_copy(&length, address, sizeof length) || length < 4 || length > UNWIND_CFI_BYTES ||
        !unwind_copy(to, address + 4, length))
        return false;
    *bytes = (struct unwind_bytes){to, to + length, address + 4, true};
    return true;
}

static bool unwind_parse_common(struct unwind_entry *entry, uint64_t address)
{
    struct unwind_bytes *bytes = &entry->common;
    if (!unwind_copy_entry(address, entry->common_bytes, bytes) || unwind_take(bytes, 4) != 0)
        return false;
    unsigned version = (unsigned)unwind_take(bytes, 1);
    const char *letters = (const char *)bytes->at;
    while (bytes->good && unwind_take(bytes, 1))
        ;
    entry->code_align = unwind_take_leb(bytes, false);
    entry->data_align = (int64_t)unwind_take_leb(bytes, true);
    uint64_t address_register =
        version == 1 ? unwind_take(bytes, 1) : unwind_take_leb(bytes, false);
    if (!bytes->good || address_register != UNWIND_RA)
        return false;
    entry->has_augmentation = *letters == 'z';
    if (!entry->has_augmentation)
        return *letters == '\0';
    uint64_t size = unwind_take_leb(bytes, false);
    if (size > (uint64_t)(bytes->end - bytes->at))
        return false;
    const uint8_t *instructions = bytes->at + size;
    for (letters++; *letters && bytes->good; letters++) {
        if (*letters == 'R')
            entry->pointer_encoding = (unsigned)unwind_take(bytes, 1);
        else if (*letters == 'L')
            unwind_take(bytes, 1);
        else if (*letters == 'P')
            unwind_take_encoded(bytes, (unsigned)unwind_take(bytes, 1) & 0x7f);
        else
            entry->signal |= *letters == 'S';
    }
    bytes->at = instructions;
    return bytes->good;
}

static bool unwind_parse_entry(struct unwind_entry *entry, uint64_t address)
{
    struct unwind_bytes *bytes = &entry->own;
    entry->pointer_encoding = 0;
    entry->signal = false;
    if (!unwind_copy_entry(address, entry->own_bytes, bytes))
        return false;
    uint64_t field = bytes->address, back = unwind_take(bytes, 4);
    if (!unwind_parse_common(entry, field - back))
        return false;
    entry->begin = unwind_take_encoded(bytes, entry->pointer_encoding);
    entry->range = unwind_take_encoded(bytes, entry->pointer_encoding & 15);
    if (entry->has_augmentation) {
        uint64_t size = unwind_take_leb(bytes, false);
        if (size > (uint64_t)(bytes->end - bytes->at))
            return false;
        bytes->at += size;
    }
    return bytes->good;
}

/* By the sorted table in .eh_frame_hdr: pairs of 32-bit offsets from the header. */
static bool unwind_find_entry(struct unwind_entry *entry, uint64_t header, uint64_t pc)
{
    uint8_t head[12];
    uint32_t count;
    if (!unwind_copy(head, header, sizeof head) || head[0] != 1 || (head[1] & 7) != 0x03 ||
        head[2] != 0x03 || head[3] != 0x3b)
        return false;
    memcpy(&count, head + 8, sizeof count);
    uint64_t low = 0, high = count;
    int32_t pair[2];
    while (low + 1 < high) {
        uint64_t middle = (low + high) / 2;
        if (!unwind_copy(pair, header + 12 + middle * 8, sizeof pair))
            return false;
        if (header + (uint64_t)(int64_t)pair[0] <= pc)
            low = middle;
        else
            high = middle;
    }
    return count && unwind_copy(pair, header + 12 + low * 8, sizeof pair) &&
           unwind_parse_entry(entry, header + (uint64_t)(int64_t)pair[1]) &&
           pc - entry->begin < entry->range;
}

/* ---- rules ---- */

static struct unwind_bytes unwind_take_block(struct unwind_bytes *bytes)
{
    uint64_t size = unwind_take_leb(bytes, false);
    struct unwind_bytes block = *bytes;
    bytes->good &= size <= (uint64_t)(bytes->end - bytes->at);
    if (bytes->good)
        block.end = bytes->at += size;
    return block;
}

static void unwind_set(struct unwind_rules *rules, uint64_t number, enum unwind_rule_kind kind,
                       int64_t offset)
{
    if (number < UNWIND_REGISTERS)
        rules->of[number] = (struct unwind_rule){.kind = kind, .offset = offset};
}

struct unwind_program {
    const struct unwind_entry *entry;
    uint64_t pc, at;
    struct unwind_rules rules, initial, saved[UNWIND_STATES];
    unsigned saved_count;
};

static void unwind_run_expression_rule(struct unwind_program *program, struct unwind_bytes *bytes,
                                       bool value)
{
    uint64_t number = unwind_take_leb(bytes, false);
    struct unwind_bytes block = unwind_take_block(bytes);
    if (number < UNWIND_REGISTERS)
        program->rules.of[number] =
            (struct unwind_rule){.kind = UNWIND_COMPUTED, .is_value = value, .expression = block};
}

static void unwind_run_state(struct unwind_program *program, struct unwind_bytes *bytes, bool save)
{
    if (save && program->saved_count < UNWIND_STATES)
        program->saved[program->saved_count++] = program->rules;
    else if (!save && program->saved_count > 0)
        program->rules = program->saved[--program->saved_count];
    else
        bytes->good = false;
}

/* Instructions without an operand in their first byte: which operands they have, and what they do
 * with them. */
enum unwind_effect {
    UNWIND_INVALID,
    UNWIND_NOTHING,
    UNWIND_SET_SAME,
    UNWIND_SET_UNDEFINED,
    UNWIND_SET_SAVED,
    UNWIND_SET_VALUE,
    UNWIND_SET_REGISTER,
    UNWIND_SET_INITIAL,
    UNWIND_SET_CFA,
    UNWIND_SET_CFA_REGISTER,
    UNWIND_SET_CFA_OFFSET,
};

#define UNWIND_NUMBER 1u /* first a register's number */
#define UNWIND_OFFSET 2u /* then an offset */
#define UNWIND_SIGNED 4u /* which is signed */
#define UNWIND_FACTOR 8u /* and counts in units of the data alignment */

static const struct unwind_form {
    uint8_t effect, operands;
} unwind_forms[] = {
    [0x00] = {UNWIND_NOTHING, 0}, /* nop */
    [0x05] = {UNWIND_SET_SAVED,
              UNWIND_NUMBER | UNWIND_OFFSET | UNWIND_FACTOR},      /* offset_extended */
    [0x06] = {UNWIND_SET_INITIAL, UNWIND_NUMBER},                  /* restore_extended */
    [0x07] = {UNWIND_SET_UNDEFINED, UNWIND_NUMBER},                /* undefined */
    [0x08] = {UNWIND_SET_SAME, UNWIND_NUMBER},                     /* same_value */
    [0x09] = {UNWIND_SET_REGISTER, UNWIND_NUMBER | UNWIND_OFFSET}, /* register */
    [0x0c] = {UNWIND_SET_CFA, UNWIND_NUMBER | UNWIND_OFFSET},      /* def_cfa */
    [0x0d] = {UNWIND_SET_CFA_REGISTER, UNWIND_NUMBER},             /* def_cfa_register */
    [0x0e] = {UNWIND_SET_CFA_OFFSET, UNWIND_OFFSET},               /* def_cfa_offset */
    [0x11] = {UNWIND_SET_SAVED, UNWIND_NUMBER | UNWIND_OFFSET | UNWIND_SIGNED | UNWIND_FACTOR},
    [0x12] = {UNWIND_SET_CFA, UNWIND_NUMBER | UNWIND_OFFSET | UNWIND_SIGNED | UNWIND_FACTOR},
    [0x13] = {UNWIND_SET_CFA_OFFSET, UNWIND_OFFSET | UNWIND_SIGNED | UNWIND_FACTOR},
    [0x14] = {UNWIND_SET_VALUE, UNWIND_NUMBER | UNWIND_OFFSET | UNWIND_FACTOR}, /* val_offset */
    [0x15] = {UNWIND_SET_VALUE, UNWIND_NUMBER | UNWIND_OFFSET | UNWIND_SIGNED | UNWIND_FACTOR},
    [0x2d] = {UNWIND_NOTHING, 0},             /* AARCH64_negate_ra_state */
    [0x2e] = {UNWIND_NOTHING, UNWIND_OFFSET}, /* GNU_args_size */
};

static bool unwind_apply_form(struct unwind_program *program, enum unwind_effect effect,
                              uint64_t number, int64_t offset)
{
    static const enum unwind_rule_kind kinds[] = {[UNWIND_SET_SAME] = UNWIND_SAME,
                                                  [UNWIND_SET_UNDEFINED] = UNWIND_UNDEFINED,
                                                  [UNWIND_SET_SAVED] = UNWIND_SAVED,
                                                  [UNWIND_SET_VALUE] = UNWIND_VALUE,
                                                  [UNWIND_SET_REGISTER] = UNWIND_REGISTER};
    struct unwind_rules *rules = &program->rules;
    if (effect >= UNWIND_SET_SAME && effect <= UNWIND_SET_REGISTER)
        unwind_set(rules, number, kinds[effect], offset);
    else if (effect == UNWIND_SET_INITIAL && number < UNWIND_REGISTERS)
        rules->of[number] = program->initial.of[number];
    if (effect == UNWIND_SET_CFA || effect == UNWIND_SET_CFA_REGISTER)
        rules->cfa_register = number < UNWIND_REGISTERS ? (unsigned)number : UNWIND_REGISTERS;
    if (effect == UNWIND_SET_CFA || effect == UNWIND_SET_CFA_OFFSET)
        rules->cfa_offset = offset;
    rules->cfa_computed &= effect != UNWIND_SET_CFA;
    return effect != UNWIND_INVALID;
}

static void unwind_run_form(struct unwind_program *program, struct unwind_bytes *bytes,
                            unsigned code)
{
    struct unwind_form form = code < sizeof unwind_forms / sizeof *unwind_forms
                                  ? unwind_forms[code]
                                  : (struct unwind_form){0};
    uint64_t factor = form.operands & UNWIND_FACTOR ? (uint64_t)program->entry->data_align : 1;
    uint64_t number = form.operands & UNWIND_NUMBER ? unwind_take_leb(bytes, false) : 0;
    uint64_t offset =
        form.operands & UNWIND_OFFSET ? unwind_take_leb(bytes, form.operands & UNWIND_SIGNED) : 0;
    bytes->good &= unwind_apply_form(program, form.effect, number, (int64_t)(offset * factor));
}

static void unwind_run_extended(struct unwind_program *program, struct unwind_bytes *bytes,
                                unsigned code)
{
    switch (code) {
    case 0x01: /* set_loc */
        program->at = unwind_take_encoded(bytes, program->entry->pointer_encoding);
        break;
    case 0x02: /* advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        program->at += unwind_take(bytes, 1u << (code - 2)) * program->entry->code_align;
        break;
    case 0x0a: /* remember_state, restore_state */
    case 0x0b:
        unwind_run_state(program, bytes, code == 0x0a);
        break;
    case 0x0f: /* def_cfa_expression */
        program->rules.cfa_expression = unwind_take_block(bytes);
        program->rules.cfa_computed = true;
        break;
    case 0x10: /* expression, val_expression */
    case 0x16:
        unwind_run_expression_rule(program, bytes, code == 0x16);
        break;
    default:
        unwind_run_form(program, bytes, code);
    }
}

static bool unwind_run(struct unwind_program *program, struct unwind_bytes bytes)
{
    while (bytes.good && bytes.at < bytes.end && program->at <= program->pc) {
        unsigned byte = (unsigned)unwind_take(&bytes, 1), operand = byte & 63;
        if (byte >> 6 == 1)
            program->at += operand * program->entry->code_align;
        else if (byte >> 6 == 2)
            unwind_set(
                &program->rules, operand, UNWIND_SAVED,
                (int64_t)(unwind_take_leb(&bytes, false) * (uint64_t)program->entry->data_align));
        else if (byte >> 6 == 3 && operand < UNWIND_REGISTERS)
            program->rules.of[operand] = program->initial.of[operand];
        else if (byte >> 6 == 0)
            unwind_run_extended(program, &bytes, byte);
    }
    return bytes.good;
}

const struct unwind_rules *unwind_find_rules(uint64_t header, uint64_t pc, bool *signal)
{
    static struct unwind_entry entry; /* large; under the lock */
    static struct unwind_program program;
    if (!unwind_find_entry(&entry, header, pc))
        return NULL;
    memset(&program, 0, sizeof program);
    program.entry = &entry;
    program.pc = UINT64_MAX;
    if (!unwind_run(&program, entry.common))
        return NULL;
    program.initial = program.rules;
    program.pc = pc;
    program.at = entry.begin;
    program.rules.function = entry.begin;
    *signal = entry.signal;
    return unwind_run(&program, entry.own) ? &program.rules : NULL;
}

/* ---- expressions: what libc's signal frames and the PLT need ---- */

static bool unwind_operate(unsigned code, uint64_t *top)
{
    uint64_t last = top[0], before = top[-1];
    switch (code) {
    case 0x1a: /* and */
        top[-1] = before & last;
        return true;
    case 0x1c: /* minus */
        top[-1] = before - last;
        return true;
    case 0x22: /* plus */
        top[-1] = before + last;
        return true;
    case 0x24: /* shl */
        top[-1] = last < 64 ? before << last : 0;
        return true;
    case 0x2a: /* ge */
        top[-1] = (int64_t)before >= (int64_t)last;
        return true;
    default:
        return false;
    }
}

bool unwind_evaluate(struct unwind_bytes bytes, const struct unwind_registers *registers,
                     const uint64_t *initial, uint64_t *result)
{
    uint64_t stack[UNWIND_EXPRESSION_STACK + 1] = {0};
    unsigned count = 0;
    if (initial)
        stack[++count] = *initial;
    while (bytes.good && bytes.at < bytes.end) {
        unsigned code = (unsigned)unwind_take(&bytes, 1);
        if (count == UNWIND_EXPRESSION_STACK)
            return false;
        if (code >= 0x30 && code <= 0x4f) { /* lit0 to lit31 */
            stack[++count] = code - 0x30;
        } else if (code >= 0x70 && code <= 0x8f) { /* breg0 to breg31 */
            unsigned number = code - 0x70;
            if (number >= UNWIND_REGISTERS || !(registers->known >> number & 1))
                return false;
            stack[++count] = registers->value[number] + unwind_take_leb(&bytes, true);
        } else if (code >= 0x08 && code <= 0x0b) { /* const1u, 1s, 2u, 2s */
            unsigned size = code < 0x0a ? 1 : 2;
            stack[++count] =
                code & 1 ? (uint64_t)unwind_take_signed(&bytes, size) : unwind_take(&bytes, size);
        } else if (code == 0x06 && count) { /* deref */
            if (!unwind_read_word(&stack[count], stack[count]))
                return false;
        } else if (code == 0x23 && count) { /* plus_uconst */
            stack[count] += unwind_take_leb(&bytes, false);
        } else if (count >= 2 && unwind_operate(code, &stack[count])) {
            count--;
        } else {
            return false;
        }
    }
    *result = stack[count];
    return bytes.good && count > 0;
}
