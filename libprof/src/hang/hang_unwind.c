#include "hang_unwind.h"

#include "hang_inside.h"

#include <elf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define HANG_MAPS_BYTES (512u << 10)
#define HANG_MODULES 2048u
#define HANG_CFI_BYTES 2048u
#define HANG_STATES 4u
#define HANG_EXPRESSION_STACK 16u
#define HANG_KNOWN 16384u /* a power of two */

static pthread_mutex_t hang_unwinds = PTHREAD_MUTEX_INITIALIZER;

void hang_unwind_lock(void)
{
    pthread_mutex_lock(&hang_unwinds);
}

void hang_unwind_unlock(void)
{
    pthread_mutex_unlock(&hang_unwinds);
}

void hang_unwind_fork_child(void)
{
    hang_unwinds = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

bool hang_unwind_copy(void *to, uint64_t from, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)(uintptr_t)from, size};
    return syscall(SYS_process_vm_readv, getpid(), &local, 1, &remote, 1, 0) == (long)size;
}

/* ---- modules ---- */

/* A mapping that can be executed, and where its file's first byte is mapped. */
struct hang_module {
    uint64_t start, end, first;
    const char *path; /* in hang_maps */
};

static char hang_maps[HANG_MAPS_BYTES];
static struct hang_module hang_modules[HANG_MODULES];
static unsigned hang_module_count;

/* "START-END PERMS OFFSET DEV INODE   PATH" */
static void hang_add_mapping(char *line, struct hang_module *file)
{
    char *at = line;
    uint64_t start = strtoull(at, &at, 16), end = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
    if (*at != ' ' || strlen(at) < 6)
        return;
    bool executable = at[3] == 'x';
    uint64_t offset = strtoull(at + 5, &at, 16);
    char *path = strpbrk(at, "/[");
    if (!path)
        return;
    if (offset == 0)
        *file = (struct hang_module){.first = start, .path = path};
    if (!executable || !file->path || strcmp(file->path, path) != 0 ||
        hang_module_count == HANG_MODULES)
        return;
    hang_modules[hang_module_count++] = (struct hang_module){start, end, file->first, path};
}

static void hang_forget_known(void);

bool hang_unwind_prepare(void)
{
    struct hang_module file = {0};
    hang_module_count = 0;
    hang_forget_known();
    if (!hang_text_read_file("/proc/self/maps", hang_maps, sizeof hang_maps))
        return false;
    for (char *line = hang_maps; *line;) {
        char *end = strchrnul(line, '\n');
        char *next = *end ? end + 1 : end;
        *end = '\0';
        hang_add_mapping(line, &file);
        line = next;
    }
    return hang_module_count > 0;
}

static const struct hang_module *hang_find_module(uint64_t address)
{
    for (unsigned i = 0; i < hang_module_count; i++)
        if (address - hang_modules[i].start < hang_modules[i].end - hang_modules[i].start)
            return &hang_modules[i];
    return NULL;
}

/* What the program headers of the module say: the load bias, and where .eh_frame_hdr is (0: none). */
static bool hang_read_headers(const struct hang_module *module, uint64_t *bias, uint64_t *frame_hdr)
{
    Elf64_Ehdr file;
    *bias = *frame_hdr = 0;
    if (!hang_unwind_copy(&file, module->first, sizeof file) ||
        memcmp(file.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    bool based = false;
    for (unsigned i = 0; i < file.e_phnum && i < 64; i++) {
        Elf64_Phdr part;
        if (!hang_unwind_copy(&part, module->first + file.e_phoff + i * sizeof part, sizeof part))
            return false;
        if (part.p_type == PT_LOAD && !based) {
            *bias = module->first - (part.p_vaddr - part.p_offset);
            based = true;
        } else if (part.p_type == PT_GNU_EH_FRAME) {
            *frame_hdr = part.p_vaddr;
        }
    }
    *frame_hdr += *frame_hdr ? *bias : 0;
    return based;
}

bool hang_unwind_locate(uint64_t address, const char **path, uint64_t *offset)
{
    uint64_t bias, unused;
    const struct hang_module *module = hang_find_module(address);
    if (!module)
        return false;
    *path = module->path;
    *offset = address - (hang_read_headers(module, &bias, &unused) ? bias : module->first);
    return true;
}

#if defined(__x86_64__)

/* What stands for the stack while one is unwound, if anything does. */
static const struct hang_dump *hang_stack;

/* A word of the stack that is unwound. */
static bool hang_read_word(uint64_t *word, uint64_t from)
{
    if (!hang_stack)
        return hang_unwind_copy(word, from, sizeof *word);
    uint64_t offset = from - hang_stack->start;
    if (offset >= hang_stack->size || hang_stack->size - offset < sizeof *word)
        return false;
    memcpy(word, hang_stack->bytes + offset, sizeof *word);
    return true;
}

/* ---- .eh_frame ---- */

/* A piece of .eh_frame that was copied; reading past its end yields zeros and clears `good`. */
struct hang_bytes {
    const uint8_t *at, *end;
    uint64_t address; /* of `at` in memory */
    bool good;
};

static uint64_t hang_take(struct hang_bytes *bytes, unsigned size)
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
static int64_t hang_take_signed(struct hang_bytes *bytes, unsigned size)
{
    unsigned shift = 64 - 8 * size;
    return (int64_t)(hang_take(bytes, size) << shift) >> shift;
}

static uint64_t hang_take_leb(struct hang_bytes *bytes, bool is_signed)
{
    uint64_t value = 0, byte = 0x80;
    unsigned shift = 0;
    while (bytes->good && (byte & 0x80)) {
        byte = hang_take(bytes, 1);
        value |= shift < 64 ? (byte & 0x7f) << shift : 0;
        shift += 7;
    }
    if (is_signed && (byte & 0x40) && shift < 64)
        value |= ~UINT64_C(0) << shift;
    return value;
}

#define HANG_ENCODING_OMIT 0xffu

static uint64_t hang_take_encoded(struct hang_bytes *bytes, unsigned encoding)
{
    static const uint8_t sizes[16] = {8, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8, 0, 0, 0};
    uint64_t here = bytes->address;
    unsigned size = sizes[encoding & 15];
    if (encoding == HANG_ENCODING_OMIT)
        return 0;
    if (!size) {
        bytes->good = false;
        return 0;
    }
    uint64_t value =
        encoding & 8 ? (uint64_t)hang_take_signed(bytes, size) : hang_take(bytes, size);
    return (encoding & 0x70) == 0x10 ? value + here : value;
}

/* A function's entry, and what it shares with others. */
struct hang_entry {
    uint64_t begin, range;
    uint64_t code_align;
    int64_t data_align;
    unsigned pointer_encoding;
    bool has_augmentation, signal;
    struct hang_bytes common, own; /* instructions */
    uint8_t common_bytes[HANG_CFI_BYTES], own_bytes[HANG_CFI_BYTES];
};

/* Copies an entry of .eh_frame, without its length. */
static bool hang_copy_entry(uint64_t address, uint8_t *to, struct hang_bytes *bytes)
{
    uint32_t length;
    if (!hang_unwind_copy(&length, address, sizeof length) || length < 4 ||
        length > HANG_CFI_BYTES || !hang_unwind_copy(to, address + 4, length))
        return false;
    *bytes = (struct hang_bytes){to, to + length, address + 4, true};
    return true;
}

static bool hang_parse_common(struct hang_entry *entry, uint64_t address)
{
    struct hang_bytes *bytes = &entry->common;
    if (!hang_copy_entry(address, entry->common_bytes, bytes) || hang_take(bytes, 4) != 0)
        return false;
    unsigned version = (unsigned)hang_take(bytes, 1);
    const char *letters = (const char *)bytes->at;
    while (bytes->good && hang_take(bytes, 1))
        ;
    entry->code_align = hang_take_leb(bytes, false);
    entry->data_align = (int64_t)hang_take_leb(bytes, true);
    uint64_t address_register = version == 1 ? hang_take(bytes, 1) : hang_take_leb(bytes, false);
    if (!bytes->good || address_register != HANG_PC)
        return false;
    entry->has_augmentation = *letters == 'z';
    if (!entry->has_augmentation)
        return *letters == '\0';
    uint64_t size = hang_take_leb(bytes, false);
    if (size > (uint64_t)(bytes->end - bytes->at))
        return false;
    const uint8_t *instructions = bytes->at + size;
    for (letters++; *letters && bytes->good; letters++) {
        if (*letters == 'R')
            entry->pointer_encoding = (unsigned)hang_take(bytes, 1);
        else if (*letters == 'L')
            hang_take(bytes, 1);
        else if (*letters == 'P')
            hang_take_encoded(bytes, (unsigned)hang_take(bytes, 1) & 0x7f);
        else
            entry->signal |= *letters == 'S';
    }
    bytes->at = instructions;
    return bytes->good;
}

static bool hang_parse_entry(struct hang_entry *entry, uint64_t address)
{
    struct hang_bytes *bytes = &entry->own;
    entry->pointer_encoding = 0;
    entry->signal = false;
    if (!hang_copy_entry(address, entry->own_bytes, bytes))
        return false;
    uint64_t field = bytes->address, back = hang_take(bytes, 4);
    if (!hang_parse_common(entry, field - back))
        return false;
    entry->begin = hang_take_encoded(bytes, entry->pointer_encoding);
    entry->range = hang_take_encoded(bytes, entry->pointer_encoding & 15);
    if (entry->has_augmentation) {
        uint64_t size = hang_take_leb(bytes, false);
        if (size > (uint64_t)(bytes->end - bytes->at))
            return false;
        bytes->at += size;
    }
    return bytes->good;
}

/* The sorted table behind .eh_frame_hdr: pairs of 32-bit offsets from the header. */
static bool hang_find_entry(struct hang_entry *entry, uint64_t pc)
{
    uint8_t head[12];
    uint64_t bias, header;
    uint32_t count;
    const struct hang_module *module = hang_find_module(pc);
    if (!module || !hang_read_headers(module, &bias, &header) || !header ||
        !hang_unwind_copy(head, header, sizeof head) || head[0] != 1 || (head[1] & 7) != 0x03 ||
        head[2] != 0x03 || head[3] != 0x3b)
        return false;
    memcpy(&count, head + 8, sizeof count);
    uint64_t low = 0, high = count;
    int32_t pair[2];
    while (low + 1 < high) {
        uint64_t middle = (low + high) / 2;
        if (!hang_unwind_copy(pair, header + 12 + middle * 8, sizeof pair))
            return false;
        if (header + (uint64_t)(int64_t)pair[0] <= pc)
            low = middle;
        else
            high = middle;
    }
    return count && hang_unwind_copy(pair, header + 12 + low * 8, sizeof pair) &&
           hang_parse_entry(entry, header + (uint64_t)(int64_t)pair[1]) &&
           pc - entry->begin < entry->range;
}

/* ---- rules ---- */

enum hang_rule_kind {
    HANG_SAME,
    HANG_UNDEFINED,
    HANG_SAVED,
    HANG_VALUE,
    HANG_REGISTER,
    HANG_COMPUTED
};

struct hang_rule {
    enum hang_rule_kind kind;
    bool is_value;  /* HANG_COMPUTED: not the address of it */
    int64_t offset; /* from the CFA; HANG_REGISTER: its number */
    struct hang_bytes expression;
};

struct hang_rules {
    unsigned cfa_register;
    bool cfa_computed;
    int64_t cfa_offset;
    struct hang_bytes cfa_expression;
    struct hang_rule of[HANG_REGISTERS];
};

static struct hang_bytes hang_take_block(struct hang_bytes *bytes)
{
    uint64_t size = hang_take_leb(bytes, false);
    struct hang_bytes block = *bytes;
    bytes->good &= size <= (uint64_t)(bytes->end - bytes->at);
    if (bytes->good)
        block.end = bytes->at += size;
    return block;
}

static void hang_set(struct hang_rules *rules, uint64_t number, enum hang_rule_kind kind,
                     int64_t offset)
{
    if (number < HANG_REGISTERS)
        rules->of[number] = (struct hang_rule){.kind = kind, .offset = offset};
}

struct hang_program {
    const struct hang_entry *entry;
    uint64_t pc, at;
    struct hang_rules rules, initial, saved[HANG_STATES];
    unsigned saved_count;
};

static void hang_run_expression_rule(struct hang_program *program, struct hang_bytes *bytes,
                                     bool value)
{
    uint64_t number = hang_take_leb(bytes, false);
    struct hang_bytes block = hang_take_block(bytes);
    if (number < HANG_REGISTERS)
        program->rules.of[number] =
            (struct hang_rule){.kind = HANG_COMPUTED, .is_value = value, .expression = block};
}

static void hang_run_state(struct hang_program *program, struct hang_bytes *bytes, bool save)
{
    if (save && program->saved_count < HANG_STATES)
        program->saved[program->saved_count++] = program->rules;
    else if (!save && program->saved_count > 0)
        program->rules = program->saved[--program->saved_count];
    else
        bytes->good = false;
}

/* Instructions without an operand in their first byte: which operands they have, and what they do with them. */
enum hang_effect {
    HANG_INVALID,
    HANG_NOTHING,
    HANG_SET_SAME,
    HANG_SET_UNDEFINED,
    HANG_SET_SAVED,
    HANG_SET_VALUE,
    HANG_SET_REGISTER,
    HANG_SET_INITIAL,
    HANG_SET_CFA,
    HANG_SET_CFA_REGISTER,
    HANG_SET_CFA_OFFSET,
};

#define HANG_NUMBER 1u /* first a register's number */
#define HANG_OFFSET 2u /* then an offset */
#define HANG_SIGNED 4u /* which is signed */
#define HANG_FACTOR 8u /* and counts in units of the data alignment */

static const struct hang_form {
    uint8_t effect, operands;
} hang_forms[] = {
    [0x00] = {HANG_NOTHING, 0},                                         /* nop */
    [0x05] = {HANG_SET_SAVED, HANG_NUMBER | HANG_OFFSET | HANG_FACTOR}, /* offset_extended */
    [0x06] = {HANG_SET_INITIAL, HANG_NUMBER},                           /* restore_extended */
    [0x07] = {HANG_SET_UNDEFINED, HANG_NUMBER},                         /* undefined */
    [0x08] = {HANG_SET_SAME, HANG_NUMBER},                              /* same_value */
    [0x09] = {HANG_SET_REGISTER, HANG_NUMBER | HANG_OFFSET},            /* register */
    [0x0c] = {HANG_SET_CFA, HANG_NUMBER | HANG_OFFSET},                 /* def_cfa */
    [0x0d] = {HANG_SET_CFA_REGISTER, HANG_NUMBER},                      /* def_cfa_register */
    [0x0e] = {HANG_SET_CFA_OFFSET, HANG_OFFSET},                        /* def_cfa_offset */
    [0x11] = {HANG_SET_SAVED, HANG_NUMBER | HANG_OFFSET | HANG_SIGNED | HANG_FACTOR},
    [0x12] = {HANG_SET_CFA, HANG_NUMBER | HANG_OFFSET | HANG_SIGNED | HANG_FACTOR},
    [0x13] = {HANG_SET_CFA_OFFSET, HANG_OFFSET | HANG_SIGNED | HANG_FACTOR},
    [0x14] = {HANG_SET_VALUE, HANG_NUMBER | HANG_OFFSET | HANG_FACTOR}, /* val_offset */
    [0x15] = {HANG_SET_VALUE, HANG_NUMBER | HANG_OFFSET | HANG_SIGNED | HANG_FACTOR},
    [0x2e] = {HANG_NOTHING, HANG_OFFSET}, /* GNU_args_size */
};

static bool hang_apply_form(struct hang_program *program, enum hang_effect effect, uint64_t number,
                            int64_t offset)
{
    static const enum hang_rule_kind kinds[] = {[HANG_SET_SAME] = HANG_SAME,
                                                [HANG_SET_UNDEFINED] = HANG_UNDEFINED,
                                                [HANG_SET_SAVED] = HANG_SAVED,
                                                [HANG_SET_VALUE] = HANG_VALUE,
                                                [HANG_SET_REGISTER] = HANG_REGISTER};
    struct hang_rules *rules = &program->rules;
    if (effect >= HANG_SET_SAME && effect <= HANG_SET_REGISTER)
        hang_set(rules, number, kinds[effect], offset);
    else if (effect == HANG_SET_INITIAL && number < HANG_REGISTERS)
        rules->of[number] = program->initial.of[number];
    if (effect == HANG_SET_CFA || effect == HANG_SET_CFA_REGISTER)
        rules->cfa_register = number < HANG_REGISTERS ? (unsigned)number : HANG_REGISTERS;
    if (effect == HANG_SET_CFA || effect == HANG_SET_CFA_OFFSET)
        rules->cfa_offset = offset;
    rules->cfa_computed &= effect != HANG_SET_CFA;
    return effect != HANG_INVALID;
}

static void hang_run_form(struct hang_program *program, struct hang_bytes *bytes, unsigned code)
{
    struct hang_form form =
        code < sizeof hang_forms / sizeof *hang_forms ? hang_forms[code] : (struct hang_form){0};
    uint64_t factor = form.operands & HANG_FACTOR ? (uint64_t)program->entry->data_align : 1;
    uint64_t number = form.operands & HANG_NUMBER ? hang_take_leb(bytes, false) : 0;
    uint64_t offset =
        form.operands & HANG_OFFSET ? hang_take_leb(bytes, form.operands & HANG_SIGNED) : 0;
    bytes->good &= hang_apply_form(program, form.effect, number, (int64_t)(offset * factor));
}

static void hang_run_extended(struct hang_program *program, struct hang_bytes *bytes, unsigned code)
{
    switch (code) {
    case 0x01: /* set_loc */
        program->at = hang_take_encoded(bytes, program->entry->pointer_encoding);
        break;
    case 0x02: /* advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        program->at += hang_take(bytes, 1u << (code - 2)) * program->entry->code_align;
        break;
    case 0x0a: /* remember_state, restore_state */
    case 0x0b:
        hang_run_state(program, bytes, code == 0x0a);
        break;
    case 0x0f: /* def_cfa_expression */
        program->rules.cfa_expression = hang_take_block(bytes);
        program->rules.cfa_computed = true;
        break;
    case 0x10: /* expression, val_expression */
    case 0x16:
        hang_run_expression_rule(program, bytes, code == 0x16);
        break;
    default:
        hang_run_form(program, bytes, code);
    }
}

static bool hang_run(struct hang_program *program, struct hang_bytes bytes)
{
    while (bytes.good && bytes.at < bytes.end && program->at <= program->pc) {
        unsigned byte = (unsigned)hang_take(&bytes, 1), operand = byte & 63;
        if (byte >> 6 == 1)
            program->at += operand * program->entry->code_align;
        else if (byte >> 6 == 2)
            hang_set(
                &program->rules, operand, HANG_SAVED,
                (int64_t)(hang_take_leb(&bytes, false) * (uint64_t)program->entry->data_align));
        else if (byte >> 6 == 3 && operand < HANG_REGISTERS)
            program->rules.of[operand] = program->initial.of[operand];
        else if (byte >> 6 == 0)
            hang_run_extended(program, &bytes, byte);
    }
    return bytes.good;
}

/* ---- expressions: what libc's signal frames and the PLT need ---- */

static bool hang_operate(unsigned code, uint64_t *top)
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

static bool hang_evaluate(struct hang_bytes bytes, const struct hang_registers *registers,
                          const uint64_t *initial, uint64_t *result)
{
    uint64_t stack[HANG_EXPRESSION_STACK + 1] = {0};
    unsigned count = 0;
    if (initial)
        stack[++count] = *initial;
    while (bytes.good && bytes.at < bytes.end) {
        unsigned code = (unsigned)hang_take(&bytes, 1);
        if (count == HANG_EXPRESSION_STACK)
            return false;
        if (code >= 0x30 && code <= 0x4f) { /* lit0 to lit31 */
            stack[++count] = code - 0x30;
        } else if (code >= 0x70 && code <= 0x8f) { /* breg0 to breg31 */
            unsigned number = code - 0x70;
            if (number >= HANG_REGISTERS || !(registers->known >> number & 1))
                return false;
            stack[++count] = registers->value[number] + hang_take_leb(&bytes, true);
        } else if (code >= 0x08 && code <= 0x0b) { /* const1u, 1s, 2u, 2s */
            unsigned size = code < 0x0a ? 1 : 2;
            stack[++count] =
                code & 1 ? (uint64_t)hang_take_signed(&bytes, size) : hang_take(&bytes, size);
        } else if (code == 0x06 && count) { /* deref */
            if (!hang_read_word(&stack[count], stack[count]))
                return false;
        } else if (code == 0x23 && count) { /* plus_uconst */
            stack[count] += hang_take_leb(&bytes, false);
        } else if (count >= 2 && hang_operate(code, &stack[count])) {
            count--;
        } else {
            return false;
        }
    }
    *result = stack[count];
    return bytes.good && count > 0;
}

/* ---- frames ---- */

static bool hang_find_cfa(const struct hang_rules *rules, const struct hang_registers *registers,
                          uint64_t *cfa)
{
    if (rules->cfa_computed)
        return hang_evaluate(rules->cfa_expression, registers, NULL, cfa);
    if (rules->cfa_register >= HANG_REGISTERS || !(registers->known >> rules->cfa_register & 1))
        return false;
    *cfa = registers->value[rules->cfa_register] + (uint64_t)rules->cfa_offset;
    return true;
}

static bool hang_restore(const struct hang_rule *rule, const struct hang_registers *before,
                         uint64_t cfa, uint64_t *value)
{
    switch (rule->kind) {
    case HANG_SAVED:
        return hang_read_word(value, cfa + (uint64_t)rule->offset);
    case HANG_VALUE:
        *value = cfa + (uint64_t)rule->offset;
        return true;
    case HANG_REGISTER:
        if (rule->offset < 0 || rule->offset >= HANG_REGISTERS ||
            !(before->known >> rule->offset & 1))
            return false;
        *value = before->value[rule->offset];
        return true;
    case HANG_COMPUTED:
        return hang_evaluate(rule->expression, before, &cfa, value) &&
               (rule->is_value || hang_read_word(value, *value));
    default:
        return false;
    }
}

static void hang_apply(const struct hang_rules *rules, uint64_t cfa,
                       struct hang_registers *registers)
{
    struct hang_registers before = *registers;
    for (unsigned i = 0; i < HANG_REGISTERS; i++) {
        const struct hang_rule *rule = &rules->of[i];
        if (rule->kind == HANG_SAME)
            continue;
        uint64_t value = 0;
        bool known = hang_restore(rule, &before, cfa, &value);
        registers->value[i] = value;
        registers->known = (registers->known & ~(1u << i)) | (uint32_t)known << i;
    }
    if (rules->of[HANG_RSP].kind == HANG_SAME) {
        registers->value[HANG_RSP] = cfa;
        registers->known |= 1u << HANG_RSP;
    }
}

enum hang_step { HANG_STEP_MORE, HANG_STEP_END, HANG_STEP_LOST };

/* ---- rules that were found before ---- */

/* What most code needs: the CFA is a register plus an offset, and registers are saved near it. */
struct hang_known {
    uint64_t pc; /* 0: none */
    int32_t cfa_offset;
    uint8_t cfa_register;
    bool signal, outermost;
    int16_t saved[HANG_REGISTERS]; /* offset from the CFA in words; HANG_NOT_SAVED */
};
#define HANG_NOT_SAVED INT16_MIN

static struct hang_known hang_known[HANG_KNOWN];

static void hang_forget_known(void)
{
    memset(hang_known, 0, sizeof hang_known);
}

static struct hang_known *hang_known_at(uint64_t pc)
{
    return &hang_known[(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (HANG_KNOWN - 1)];
}

static bool hang_is_simple(const struct hang_rule *rule)
{
    return rule->kind == HANG_SAME || (rule->kind == HANG_SAVED && rule->offset % 8 == 0 &&
                                       rule->offset > -32768 * 8 && rule->offset < 32767 * 8);
}

static void hang_remember(uint64_t pc, const struct hang_rules *rules, bool signal)
{
    struct hang_known known = {.pc = pc, .signal = signal};
    known.outermost = rules->of[HANG_PC].kind == HANG_UNDEFINED;
    if (rules->cfa_computed || rules->cfa_register >= HANG_REGISTERS ||
        rules->cfa_offset > INT32_MAX || rules->cfa_offset < INT32_MIN)
        return;
    known.cfa_register = (uint8_t)rules->cfa_register;
    known.cfa_offset = (int32_t)rules->cfa_offset;
    for (unsigned i = 0; i < HANG_REGISTERS; i++) {
        const struct hang_rule *rule = &rules->of[i];
        if (!hang_is_simple(rule) && !(i == HANG_PC && known.outermost))
            return;
        known.saved[i] = rule->kind == HANG_SAVED ? (int16_t)(rule->offset / 8) : HANG_NOT_SAVED;
    }
    *hang_known_at(pc) = known;
}

static enum hang_step hang_step_on(const struct hang_registers *registers)
{
    if (!(registers->known >> HANG_PC & 1))
        return HANG_STEP_LOST;
    return registers->value[HANG_PC] ? HANG_STEP_MORE : HANG_STEP_END;
}

static enum hang_step hang_step_known(const struct hang_known *known,
                                      struct hang_registers *registers, bool *inside)
{
    if (known->outermost)
        return HANG_STEP_END;
    if (!(registers->known >> known->cfa_register & 1))
        return HANG_STEP_LOST;
    uint64_t cfa = registers->value[known->cfa_register] + (uint64_t)(int64_t)known->cfa_offset;
    for (unsigned i = 0; i < HANG_REGISTERS; i++) {
        if (known->saved[i] == HANG_NOT_SAVED)
            continue;
        bool read = hang_read_word(&registers->value[i], cfa + (uint64_t)(known->saved[i] * 8L));
        registers->known = (registers->known & ~(1u << i)) | (uint32_t)read << i;
    }
    if (known->saved[HANG_RSP] == HANG_NOT_SAVED) {
        registers->value[HANG_RSP] = cfa;
        registers->known |= 1u << HANG_RSP;
    }
    *inside = known->signal;
    return hang_step_on(registers);
}

/* The caller's registers. `inside`: the address is where the thread is, not one that a call returns to. */
static enum hang_step hang_step(struct hang_registers *registers, bool *inside)
{
    static struct hang_entry entry; /* large; under the lock */
    static struct hang_program program;
    uint64_t pc = registers->value[HANG_PC] - !*inside, cfa;
    const struct hang_known *known = hang_known_at(pc);
    if (known->pc == pc)
        return hang_step_known(known, registers, inside);
    if (!hang_find_entry(&entry, pc))
        return HANG_STEP_LOST;
    memset(&program, 0, sizeof program);
    program.entry = &entry;
    program.pc = UINT64_MAX;
    if (!hang_run(&program, entry.common))
        return HANG_STEP_LOST;
    program.initial = program.rules;
    program.pc = pc;
    program.at = entry.begin;
    if (!hang_run(&program, entry.own) || !hang_find_cfa(&program.rules, registers, &cfa))
        return HANG_STEP_LOST;
    hang_remember(pc, &program.rules, entry.signal);
    if (program.rules.of[HANG_PC].kind == HANG_UNDEFINED)
        return HANG_STEP_END;
    hang_apply(&program.rules, cfa, registers);
    *inside = entry.signal;
    return hang_step_on(registers);
}

unsigned hang_unwind(const struct hang_registers *start, uint64_t *addresses, unsigned limit,
                     bool *complete)
{
    struct hang_registers registers = *start;
    unsigned count = 0;
    bool inside = true;
    enum hang_step step = HANG_STEP_MORE;
    while (step == HANG_STEP_MORE && count < limit) {
        uint64_t stack = registers.value[HANG_RSP];
        addresses[count++] = registers.value[HANG_PC];
        step = hang_step(&registers, &inside);
        if (step == HANG_STEP_MORE && registers.value[HANG_RSP] <= stack && !inside)
            step = HANG_STEP_LOST; /* not outwards: it would go in circles */
    }
    *complete = step == HANG_STEP_END;
    return count;
}

unsigned hang_unwind_dump(const struct hang_registers *registers, const struct hang_dump *dump,
                          uint64_t *addresses, unsigned limit, bool *complete)
{
    hang_stack = dump;
    unsigned count = hang_unwind(registers, addresses, limit, complete);
    hang_stack = NULL;
    return count;
}

#else

static void hang_forget_known(void) {}

unsigned hang_unwind(const struct hang_registers *start, uint64_t *addresses, unsigned limit,
                     bool *complete)
{
    *complete = false;
    if (limit)
        addresses[0] = start->value[HANG_PC];
    return limit != 0;
}

unsigned hang_unwind_dump(const struct hang_registers *registers, const struct hang_dump *dump,
                          uint64_t *addresses, unsigned limit, bool *complete)
{
    (void)dump;
    return hang_unwind(registers, addresses, limit, complete);
}

#endif
