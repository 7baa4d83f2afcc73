#include "unwind.h"

#include "arch.h"
#include "memory.h"
#include "number.h"
#include "own_files.h"
#include "process.h"
#include "recorder.h"
#include "unwind_inside.h"

#include <elf.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define UNWIND_MAPS_BYTES (512u << 10)
#define UNWIND_MODULES 2048u

static pthread_mutex_t unwind_mutex GUEST_DATA = PTHREAD_MUTEX_INITIALIZER;

void unwind_lock(void)
{
    pthread_mutex_lock(&unwind_mutex);
}

void unwind_unlock(void)
{
    pthread_mutex_unlock(&unwind_mutex);
}

GUEST_PATH void unwind_fork_child(void)
{
    process_free_lock(&unwind_mutex);
}

bool unwind_copy(void *to, uint64_t from, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)(uintptr_t)from, size};
    return syscall(SYS_process_vm_readv, getpid(), &local, 1, &remote, 1, 0) == (long)size;
}

/* ---- modules ---- */

/* A mapping that can be executed, and where its file's first byte is mapped. */
struct unwind_module {
    uint64_t start, end, first;
    const char *path; /* in `maps` */
};

struct unwind_read {
    char maps[UNWIND_MAPS_BYTES]; /* as read from /proc */
    struct unwind_module modules[UNWIND_MODULES];
};

static struct unwind_read *unwind_read; /* memory_once() */
static unsigned unwind_module_count;    /* 0 while there is no memory */

/* "START-END PERMS OFFSET DEV INODE   PATH" */
static void unwind_add_mapping(char *line, struct unwind_module *file)
{
    const char *at = line;
    uint64_t start = number_next(&at, 16), end = 0;
    if (*at++ != '-')
        return;
    end = number_next(&at, 16);
    if (*at != ' ' || strlen(at) < 6)
        return;
    bool executable = at[3] == 'x';
    at += 5;
    uint64_t offset = number_next(&at, 16);
    const char *path = strpbrk(at, "/[");
    if (!path)
        return;
    if (offset == 0)
        *file = (struct unwind_module){.first = start, .path = path};
    if (!executable || !file->path || strcmp(file->path, path) != 0 ||
        unwind_module_count == UNWIND_MODULES)
        return;
    unwind_read->modules[unwind_module_count++] =
        (struct unwind_module){start, end, file->first, path};
}

bool unwind_prepare(void)
{
    struct unwind_module file = {0};
    unwind_module_count = 0;
    unwind_forget();
    if (!MEMORY_ONCE(&unwind_read, 1) ||
        !own_files_look_into("/proc/self/maps", unwind_read->maps, sizeof unwind_read->maps))
        return false;
    for (char *line = unwind_read->maps; *line;) {
        char *end = strchrnul(line, '\n');
        char *next = *end ? end + 1 : end;
        *end = '\0';
        unwind_add_mapping(line, &file);
        line = next;
    }
    return unwind_module_count > 0;
}

static const struct unwind_module *unwind_find_module(uint64_t address)
{
    for (unsigned i = 0; i < unwind_module_count; i++) {
        const struct unwind_module *module = &unwind_read->modules[i];
        if (address - module->start < module->end - module->start)
            return module;
    }
    return NULL;
}

bool unwind_is_code(uint64_t address)
{
    return unwind_find_module(address) != NULL;
}

bool unwind_module_at(unsigned place, const char **path, uint64_t *first)
{
    if (place >= unwind_module_count)
        return false;
    *path = unwind_read->modules[place].path;
    *first = unwind_read->modules[place].first;
    return true;
}

bool unwind_read_headers(uint64_t first, struct unwind_headers *headers)
{
    Elf64_Ehdr file;
    bool based = false;
    *headers = (struct unwind_headers){0};
    if (!unwind_copy(&file, first, sizeof file) || memcmp(file.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    for (unsigned i = 0; i < file.e_phnum && i < 64; i++) {
        Elf64_Phdr part;
        if (!unwind_copy(&part, first + file.e_phoff + i * sizeof part, sizeof part))
            return false;
        if (part.p_type == PT_LOAD && !based) {
            headers->bias = first - (part.p_vaddr - part.p_offset);
            based = true;
        } else if (part.p_type == PT_GNU_EH_FRAME) {
            headers->frame_hdr = part.p_vaddr;
        } else if (part.p_type == PT_DYNAMIC) {
            headers->dynamic = part.p_vaddr;
        }
    }
    headers->frame_hdr += headers->frame_hdr ? headers->bias : 0;
    headers->dynamic += headers->dynamic ? headers->bias : 0;
    return based;
}

bool unwind_locate(uint64_t address, const char **path, uint64_t *offset)
{
    struct unwind_headers headers;
    const struct unwind_module *module = unwind_find_module(address);
    if (!module)
        return false;
    *path = module->path;
    *offset =
        address - (unwind_read_headers(module->first, &headers) ? headers.bias : module->first);
    return true;
}

/* The copy that is unwound instead of the stack, if any. */
static const struct unwind_dump *unwind_instead;

bool unwind_read_word(uint64_t *word, uint64_t from)
{
    if (!unwind_instead)
        return unwind_copy(word, from, sizeof *word);
    uint64_t offset = from - unwind_instead->start;
    if (offset >= unwind_instead->size || unwind_instead->size - offset < sizeof *word)
        return false;
    memcpy(word, unwind_instead->bytes + offset, sizeof *word);
    return true;
}

/* ---- frames ---- */

static bool unwind_find_cfa(const struct unwind_rules *rules,
                            const struct unwind_registers *registers, uint64_t *cfa)
{
    if (rules->cfa_computed)
        return unwind_evaluate(rules->cfa_expression, registers, NULL, cfa);
    if (rules->cfa_register >= UNWIND_REGISTERS || !(registers->known >> rules->cfa_register & 1))
        return false;
    *cfa = registers->value[rules->cfa_register] + (uint64_t)rules->cfa_offset;
    return true;
}

static bool unwind_restore(const struct unwind_rule *rule, const struct unwind_registers *before,
                           uint64_t cfa, uint64_t *value)
{
    switch (rule->kind) {
    case UNWIND_SAVED:
        return unwind_read_word(value, cfa + (uint64_t)rule->offset);
    case UNWIND_VALUE:
        *value = cfa + (uint64_t)rule->offset;
        return true;
    case UNWIND_REGISTER:
        if (rule->offset < 0 || rule->offset >= UNWIND_REGISTERS ||
            !(before->known >> rule->offset & 1))
            return false;
        *value = before->value[rule->offset];
        return true;
    case UNWIND_COMPUTED:
        return unwind_evaluate(rule->expression, before, &cfa, value) &&
               (rule->is_value || unwind_read_word(value, *value));
    default:
        return false;
    }
}

static void unwind_apply(const struct unwind_rules *rules, uint64_t cfa,
                         struct unwind_registers *registers)
{
    struct unwind_registers before = *registers;
    for (unsigned i = 0; i < UNWIND_REGISTERS; i++) {
        const struct unwind_rule *rule = &rules->of[i];
        if (rule->kind == UNWIND_SAME)
            continue;
        uint64_t value = 0;
        bool known = unwind_restore(rule, &before, cfa, &value);
        unwind_set_register(registers, i, value, known);
    }
    if (rules->of[UNWIND_SP].kind == UNWIND_SAME)
        unwind_set_register(registers, UNWIND_SP, cfa, true);
}

enum unwind_step unwind_step_on(struct unwind_registers *registers)
{
    unwind_set_register(registers, UNWIND_PC, registers->value[UNWIND_RA] & ARCH_CODE_ADDRESS_MASK,
                        registers->known >> UNWIND_RA & 1);
    if (!(registers->known >> UNWIND_PC & 1))
        return UNWIND_STEP_LOST;
    return registers->value[UNWIND_PC] ? UNWIND_STEP_MORE : UNWIND_STEP_END;
}

#if defined(__aarch64__)

/* The code that handlers of signals return to: `mov x8, #139; svc #0`. The kernel's tables lead
 * from there to the caller of the interrupted function, not to the function: what the kernel has
 * saved is read instead. */
static bool unwind_step_by_signal(struct unwind_registers *registers)
{
    static const uint32_t sigreturn[2] = {0xd2801168, 0xd4000001};
    enum {
        SAVED = 128 + 176 + 8
    }; /* siginfo_t, the mcontext_t in ucontext_t, the first register */
    _Static_assert(offsetof(ucontext_t, uc_mcontext) + offsetof(mcontext_t, regs) ==
                       SAVED - sizeof(siginfo_t),
                   "as the kernel has it");
    uint32_t code[2];
    struct unwind_registers saved = {.known = UNWIND_BIT(UNWIND_REGISTERS) - 1};
    if (!(registers->known >> UNWIND_SP & 1) ||
        !unwind_copy(code, registers->value[UNWIND_PC], sizeof code) ||
        memcmp(code, sigreturn, sizeof code) != 0)
        return false;
    for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
        if (!unwind_read_word(&saved.value[i], registers->value[UNWIND_SP] + SAVED + i * 8))
            return false;
    *registers = saved;
    return true;
}

/* Whether `bl`, `blr`, or one that also checks a signature is the instruction before `address`. */
static bool unwind_follows_call(uint64_t address)
{
    uint32_t code;
    return unwind_copy(&code, address - sizeof code, sizeof code) &&
           ((code & 0xfc000000u) == 0x94000000u || (code & 0xfefff000u) == 0xd63f0000u);
}

/* Linux's vDSO, where clock_gettime() is, has no tables. Its functions leave the caller's address
 * in the link register and use no stack. Where one calls another, that address is in the vDSO
 * itself. */
static enum unwind_step unwind_step_by_link(const struct unwind_module *module,
                                            struct unwind_registers *registers, bool *inside)
{
    uint64_t caller = registers->value[UNWIND_RA] & ARCH_CODE_ADDRESS_MASK;
    if (!*inside || !(registers->known >> UNWIND_RA & 1) ||
        caller - module->start < module->end - module->start || !unwind_is_code(caller) ||
        !unwind_follows_call(caller))
        return UNWIND_STEP_LOST;
    *inside = false;
    return unwind_step_on(registers);
}

#else

static bool unwind_step_by_signal(struct unwind_registers *registers)
{
    (void)registers;
    return false;
}

static enum unwind_step unwind_step_by_link(const struct unwind_module *module,
                                            struct unwind_registers *registers, bool *inside)
{
    (void)module;
    (void)registers;
    (void)inside;
    return UNWIND_STEP_LOST;
}

#endif

static enum unwind_step unwind_step_by_table(uint64_t pc, struct unwind_registers *registers,
                                             bool *inside)
{
    struct unwind_headers headers;
    uint64_t cfa;
    bool signal;
    const struct unwind_module *module = unwind_find_module(pc);
    if (!module || !unwind_read_headers(module->first, &headers))
        return UNWIND_STEP_LOST;
    if (!headers.frame_hdr)
        return unwind_step_by_link(module, registers, inside);
    const struct unwind_rules *rules = unwind_find_rules(headers.frame_hdr, pc, &signal);
    if (!rules ||
        !(unwind_find_cfa(rules, registers, &cfa) ||
          (unwind_find_frame(rules, pc, registers) && unwind_find_cfa(rules, registers, &cfa))))
        return UNWIND_STEP_LOST;
    unwind_remember(pc, rules, signal);
    if (rules->of[UNWIND_RA].kind == UNWIND_UNDEFINED)
        return UNWIND_STEP_END;
    unwind_apply(rules, cfa, registers);
    *inside = signal;
    return unwind_step_on(registers);
}

/* The caller's registers. `inside`: the address is where the thread is, not one that a call returns
 * to. */
static enum unwind_step unwind_step(struct unwind_registers *registers, bool *inside)
{
    uint64_t pc = registers->value[UNWIND_PC] - !*inside;
    if (unwind_step_by_signal(registers)) {
        *inside = true;
        return registers->value[UNWIND_PC] ? UNWIND_STEP_MORE : UNWIND_STEP_END;
    }
    enum unwind_step step = unwind_step_known(pc, registers, inside);
    bool is_partly_known = !(registers->known >> UNWIND_FP & 1); /* there may be more to find */
    return step == UNWIND_STEP_UNKNOWN || (step == UNWIND_STEP_LOST && is_partly_known)
               ? unwind_step_by_table(pc, registers, inside)
               : step;
}

unsigned unwind_stack(const struct unwind_registers *start, uint64_t *addresses, unsigned limit,
                      bool *complete)
{
    struct unwind_registers registers = *start;
    unsigned count = 0;
    bool inside = true;
    enum unwind_step step = UNWIND_STEP_MORE;
    while (step == UNWIND_STEP_MORE && count < limit) {
        uint64_t least = registers.value[UNWIND_SP] + 1;
        if (UNWIND_RA != UNWIND_PC && inside)
            least--; /* where no return address was pushed, only this frame may be empty */
        addresses[count++] = registers.value[UNWIND_PC];
        step = unwind_step(&registers, &inside);
        if (step == UNWIND_STEP_MORE && registers.value[UNWIND_SP] < least && !inside)
            step = UNWIND_STEP_LOST; /* not outwards: it would go in circles */
    }
    *complete = step == UNWIND_STEP_END;
    return count;
}

unsigned unwind_dump_stack(const struct unwind_registers *registers, const struct unwind_dump *dump,
                           uint64_t *addresses, unsigned limit, bool *complete)
{
    unwind_instead = dump;
    unsigned count = unwind_stack(registers, addresses, limit, complete);
    unwind_instead = NULL;
    return count;
}
