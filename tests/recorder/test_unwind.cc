// The unwinder of the hang watch and the sampler: against backtrace(3) on real call chains, and with damaged tables. Built with -O2 and without
// frame pointers, whatever the build type (CMakeLists.txt).
#include "recorder_support.h"

extern "C" {
#include "unwind.h"
}

#include <algorithm>
#include <csignal>
#include <elf.h>
#include <execinfo.h>
#include <functional>
#include <pthread.h>
#include <random>
#include <string>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

#define KEPT __attribute__((noinline)) // with a statement after its call, which is then no jump

namespace
{

const unsigned limit = 64;

struct stack {
    std::vector<uint64_t> addresses;
    bool complete = false;
};

struct both {
    stack ours, libgcc; // from the function that takes them outwards
};

#if defined(__x86_64__)

// Names in the tables of Image: registers that a callee may change, and one that it keeps.
enum { dwarf_changed = 3, dwarf_undefined = 12, dwarf_kept = 13 };

unwind_registers registers_of(const ucontext_t &context)
{
    static const int order[UNWIND_REGISTERS] = {
        REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
        REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    unwind_registers registers = {};
    for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
        registers.value[i] = static_cast<uint64_t>(context.uc_mcontext.gregs[order[i]]);
    registers.known = UNWIND_BIT(UNWIND_REGISTERS) - 1;
    return registers;
}

#else

enum { dwarf_changed = 3, dwarf_undefined = 21, dwarf_kept = 22 };

unwind_registers registers_of(const ucontext_t &context)
{
    unwind_registers registers = {};
    for (unsigned i = 0; i < UNWIND_SP; i++)
        registers.value[i] = context.uc_mcontext.regs[i];
    registers.value[UNWIND_SP] = context.uc_mcontext.sp;
    // getcontext() notes where it returns to
    registers.value[UNWIND_PC] = context.uc_mcontext.pc;
    registers.known = UNWIND_BIT(UNWIND_REGISTERS) - 1;
    return registers;
}

#endif

stack unwind(const unwind_registers &registers)
{
    stack found;
    uint64_t addresses[limit];
    unsigned count = unwind_stack(&registers, addresses, limit, &found.complete);
    found.addresses.assign(addresses, addresses + count);
    return found;
}

// Of waiting threads the kernel names stack and address alone.
unwind_registers as_of_proc(unwind_registers registers)
{
    registers.known = UNWIND_BIT(UNWIND_SP) | UNWIND_BIT(UNWIND_PC);
    return registers;
}

// Filled in signal handlers: nothing is allocated. The stack is copied as the sampler does, from its pointer outwards.
struct {
    uint64_t ours[limit];
    unsigned ours_count;
    bool complete;
    void *libgcc[limit];
    int libgcc_count;
    unwind_registers registers;
    uint8_t copy[32768];
    size_t copy_bytes;
} raw;

void copy_stack()
{
    const size_t part = 64;
    uint64_t from = raw.registers.value[UNWIND_SP];
    for (raw.copy_bytes = 0; raw.copy_bytes < sizeof raw.copy; raw.copy_bytes += part)
        if (!unwind_copy(raw.copy + raw.copy_bytes, from + raw.copy_bytes, part))
            break;
}

KEPT void take()
{
    ucontext_t context;
    getcontext(&context);
    raw.libgcc_count = backtrace(raw.libgcc, limit);
    raw.registers = registers_of(context);
    raw.ours_count = unwind_stack(&raw.registers, raw.ours, limit, &raw.complete);
    copy_stack();
}

both taken()
{
    both found;
    found.ours.addresses.assign(raw.ours, raw.ours + raw.ours_count);
    found.ours.complete = raw.complete;
    for (int i = 0; i < raw.libgcc_count; i++)
        found.libgcc.addresses.push_back(reinterpret_cast<uint64_t>(raw.libgcc[i]));
    return found;
}

// From the caller of take() outwards: a sanitizer puts a function of its own around backtrace(). What libgcc adds at the end of a
// thread's chain has address 0.
void expect_same(size_t least)
{
    both found = taken();
    ASSERT_GE(found.ours.addresses.size(), least);
    EXPECT_TRUE(found.ours.complete);
    std::vector<uint64_t> ours = found.ours.addresses, libgcc = found.libgcc.addresses;
    while (!libgcc.empty() && !libgcc.back())
        libgcc.pop_back();
    ours.erase(ours.begin());
    libgcc.erase(libgcc.begin(), std::find(libgcc.begin(), libgcc.end(), ours[0]));
    EXPECT_EQ(ours, libgcc);
}

class Unwind : public testing::Test
{
protected:
    void SetUp() override
    {
        uint64_t from = 42, to = 0;
        void *unused[2];
        backtrace(unused, 2); // loads libgcc
        if (!unwind_copy(&to, reinterpret_cast<uintptr_t>(&from), sizeof from) || to != 42)
            GTEST_SKIP() << "process_vm_readv() is not allowed here";
        ASSERT_TRUE(unwind_prepare());
    }
};

KEPT unsigned recurse(unsigned depth, unsigned *sum)
{
    unsigned local[16] = {depth};
    if (depth == 0)
        take();
    else
        *sum += recurse(depth - 1, local);
    __asm__ volatile("" ::"r"(local) : "memory");
    return local[depth % 16] + *sum;
}

TEST_F(Unwind, FindsTheSameFramesAsBacktrace)
{
    unsigned sum = 0;
    recurse(20, &sum);
    expect_same(22);
}

// Its frame has no constant size: it is found through the frame pointer.
KEPT unsigned grow(size_t bytes)
{
    volatile char *memory = static_cast<volatile char *>(__builtin_alloca(bytes));
    memory[0] = 1;
    take();
    return static_cast<unsigned>(memory[0]);
}

TEST_F(Unwind, FollowsFramesOfVariableSize)
{
    volatile size_t bytes = 12345;
    grow(bytes);
    expect_same(3);
}

// Saves all registers that a callee may have to.
KEPT long crowd(long a, long b, long c, long d, long e, long f)
{
    long g = a * b, h = c * d, i = e * f, j = a + f, k = b ^ e, l = c - d;
    take();
    __asm__ volatile("" : "+r"(g), "+r"(h), "+r"(i), "+r"(j), "+r"(k), "+r"(l));
    return g + h + i + j + k + l + a + b + c + d + e + f;
}

TEST_F(Unwind, FollowsSavedRegisters)
{
    volatile long one = 1;
    std::function<long(long)> around = [](long n) { return crowd(n, 2, 3, 4, 5, 6) + n; };
    EXPECT_NE(around(one), 0);
    expect_same(4);
}

int compare(const void *a, const void *b)
{
    take();
    return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

TEST_F(Unwind, FollowsCallsBackFromLibc)
{
    int numbers[2] = {2, 1};
    qsort(numbers, 2, sizeof *numbers, compare);
    expect_same(4);
}

struct cleaned {
    ~cleaned() { __asm__ volatile("" ::: "memory"); }
};

[[noreturn]] KEPT void leave_by_exception(int number)
{
    take();
    throw number;
}

KEPT int catch_it(int number)
{
    cleaned local;
    try {
        leave_by_exception(
            number); // the last instruction: its return address is behind the function
    } catch (int caught) {
        return caught;
    }
}

TEST_F(Unwind, FollowsFunctionsThatDoNotReturn)
{
    EXPECT_EQ(catch_it(7), 7);
    expect_same(4);
}

void handle(int)
{
    take();
}

void raise_on(bool own_stack)
{
    static char memory[1 << 18];
    stack_t own = {}, before;
    own.ss_sp = memory;
    own.ss_size = sizeof memory;
    struct sigaction action = {}, old;
    action.sa_handler = handle;
    action.sa_flags = own_stack ? SA_ONSTACK : 0;
    sigaltstack(&own, &before);
    sigaction(SIGUSR1, &action, &old);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &old, nullptr);
    before.ss_flags |= before.ss_size ? 0 : SS_DISABLE;
    sigaltstack(&before, nullptr);
}

TEST_F(Unwind, FollowsSignalFrames)
{
    raise_on(false);
    expect_same(5);
}

TEST_F(Unwind, FollowsSignalFramesOnAnotherStack)
{
    raise_on(true);
    expect_same(5);
}

void *run_thread(void *)
{
    take();
    return nullptr;
}

TEST_F(Unwind, ReachesTheBeginOfAThread)
{
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, nullptr, run_thread, nullptr), 0);
    pthread_join(thread, nullptr);
    expect_same(3);
}

// ---- copies of stacks ----

stack unwind_the_copy(const unwind_registers &registers = raw.registers)
{
    stack found;
    uint64_t addresses[limit];
    unwind_dump dump = {raw.registers.value[UNWIND_SP], raw.copy_bytes, raw.copy};
    unsigned count = unwind_dump_stack(&registers, &dump, addresses, limit, &found.complete);
    found.addresses.assign(addresses, addresses + count);
    return found;
}

// What was on the stack is gone.
KEPT void overwrite()
{
    volatile uint8_t bytes[16384];
    for (volatile uint8_t &byte : bytes)
        byte = 0xa5;
}

TEST_F(Unwind, FindsTheSameFramesInACopyOfAStackThatIsGone)
{
    unsigned sum = 0;
    recurse(20, &sum);
    overwrite();
    ASSERT_GE(taken().ours.addresses.size(), 22u);
    for (const char *how : {"rules remembered", "rules forgotten", "rules remembered again"}) {
        if (how == std::string("rules forgotten")) {
            ASSERT_TRUE(unwind_prepare());
        }
        stack found = unwind_the_copy();
        EXPECT_EQ(found.addresses, taken().ours.addresses) << how;
        EXPECT_TRUE(found.complete) << how;
    }
}

TEST_F(Unwind, FollowsSignalFramesInACopy)
{
    raise_on(false);
    stack found = unwind_the_copy();
    EXPECT_EQ(found.addresses, taken().ours.addresses);
    EXPECT_TRUE(found.complete);
}

TEST_F(Unwind, EndsWhereACopyEnds)
{
    unsigned sum = 0;
    recurse(20, &sum);
    std::vector<uint64_t> whole = taken().ours.addresses;
    unsigned fewer = 0;
    size_t before = 0;
    for (raw.copy_bytes = 16384; raw.copy_bytes > 8; raw.copy_bytes -= 128) {
        stack found = unwind_the_copy();
        ASSERT_GE(found.addresses.size(), 1u);
        ASSERT_LE(found.addresses.size(), whole.size());
        EXPECT_TRUE(std::equal(found.addresses.begin(), found.addresses.end(), whole.begin()));
        EXPECT_EQ(found.complete, found.addresses.size() == whole.size());
        fewer += found.addresses.size() < before;
        before = found.addresses.size();
    }
    EXPECT_GE(fewer, 2u) << "shorter copies have fewer frames";
}

#if defined(__aarch64__)

// The kernel's vDSO has no tables there: the caller is in the link register.
TEST_F(Unwind, LeavesTheVdsoByTheLinkRegister)
{
    const uint64_t vdso = getauxval(AT_SYSINFO_EHDR), signature = UINT64_C(0x2a) << 48;
    unsigned sum = 0;
    recurse(20, &sum);
    if (!vdso)
        GTEST_SKIP() << "there is no vDSO";
    std::vector<uint64_t> wanted = taken().ours.addresses;
    wanted.insert(wanted.begin(), vdso + 0x300);
    unwind_registers registers = raw.registers;
    registers.value[UNWIND_PC] = wanted[0];
    const uint64_t caller = raw.registers.value[UNWIND_PC];
    for (uint64_t link : {caller, caller | signature}) {
        registers.value[UNWIND_RA] = link;
        stack found = unwind_the_copy(registers);
        EXPECT_EQ(found.addresses, wanted);
        EXPECT_TRUE(found.complete);
    }
    // no instruction that calls, the vDSO itself, no code, nothing
    for (uint64_t link :
         {caller + 8, vdso + 0x310, reinterpret_cast<uint64_t>(&sum), UINT64_C(0)}) {
        registers.value[UNWIND_RA] = link;
        stack found = unwind_the_copy(registers);
        EXPECT_EQ(found.addresses.size(), 1u) << std::hex << link;
        EXPECT_FALSE(found.complete);
    }
    registers.known &= ~UNWIND_BIT(UNWIND_RA);
    EXPECT_EQ(unwind_the_copy(registers).addresses.size(), 1u);
}

#endif

// ---- tables of our own, and damaged ones ----

const uint64_t image_bytes = 0x3000, header_at = 0x400, entries_at = 0x600, code_at = 0x2000;
const unsigned functions = 5, code_bytes = 0x40;

class Image
{
public:
    Image()
    {
        int fd = memfd_create("unwind", 0);
        if (fd < 0 || ftruncate(fd, image_bytes) != 0)
            return;
        void *data = mmap(nullptr, image_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        void *text = mmap(nullptr, image_bytes, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
        close(fd);
        if (data == MAP_FAILED || text == MAP_FAILED)
            return;
        bytes = static_cast<uint8_t *>(data);
        start = reinterpret_cast<uint64_t>(text);
        write();
        whole.assign(bytes, bytes + image_bytes);
    }

    ~Image()
    {
        if (!bytes)
            return;
        munmap(bytes, image_bytes);
        munmap(reinterpret_cast<void *>(start), image_bytes);
    }

    void mend() { memcpy(bytes, whole.data(), whole.size()); }

    uint64_t code(unsigned function) const { return start + code_at + function * code_bytes + 8; }

    // Function 0 on top; each returns to the next, the last one to address 0.
    stack run()
    {
        for (unsigned i = 0; i < functions; i++)
            memory[2 * i + 1] = i + 1 < functions ? code(i + 1) : 0;
        unwind_registers registers = {};
        registers.value[UNWIND_SP] = reinterpret_cast<uint64_t>(memory);
        registers.value[UNWIND_PC] = code(0);
        return unwind(as_of_proc(registers));
    }

    uint8_t *bytes = nullptr;
    uint64_t start = 0;

private:
    template <typename Value>
    void put(uint64_t at, Value value)
    {
        memcpy(bytes + at, &value, sizeof value);
    }

    void put_all(uint64_t at, const std::vector<uint8_t> &values)
    {
        memcpy(bytes + at, values.data(), values.size());
    }

    void write_headers()
    {
        Elf64_Ehdr file = {};
        memcpy(file.e_ident, ELFMAG, SELFMAG);
        file.e_phoff = sizeof file;
        file.e_phnum = 2;
        Elf64_Phdr parts[2] = {};
        parts[0].p_type = PT_LOAD;
        parts[1].p_type = PT_GNU_EH_FRAME;
        parts[1].p_vaddr = header_at;
        put(0, file);
        put(sizeof file, parts[0]);
        put(sizeof file + sizeof *parts, parts[1]);
    }

    // Each of these says that the frame is 16 bytes, with the return address in the upper half.
    static std::vector<uint8_t> instructions_of(unsigned function)
    {
        const uint8_t sp = UNWIND_SP, fp = UNWIND_FP, ra = UNWIND_RA, breg_sp = 0x70 + sp;
        switch (function) {
        case 0: // advance_loc1 4, def_cfa_offset 16
            return {0x02, 4, 0x0e, 16};
        case 1: // remember_state, def_cfa fp 99, advance_loc 4, restore_state, def_cfa sp 16
            return {0x0a, 0x0c, fp, 99, 0x44, 0x0b, 0x0c, sp, 16};
        case 2: // def_cfa_expression sp+8, lit8, plus; val_offset sp 0
            return {0x0f, 4, breg_sp, 8, 0x38, 0x22, 0x14, sp, 0};
        case 3: // def_cfa_offset_sf -2; expression ra: pushes the CFA, const1s -8, plus; AARCH64_negate_ra_state
            return {0x13, 0x7e, 0x10, ra, 3, 0x09, 0xf8, 0x22, 0x2d};
        default: // def_cfa_sf sp -2; offset_extended_sf ra 1; same_value, undefined, register, GNU_args_size
            return {0x12, sp,         0x7e,           0x11, ra,
                    1,    0x08,       dwarf_changed,  0x07, dwarf_undefined,
                    0x09, dwarf_kept, dwarf_kept + 1, 0x2e, 8};
        }
    }

    void write_entry(unsigned function, uint64_t at)
    {
        uint64_t code = code_at + function * code_bytes;
        std::vector<uint8_t> instructions = instructions_of(function);
        put(at, uint32_t(0x3c));
        put(at + 4, uint32_t(at + 4 - entries_at));
        put(at + 8, int32_t(code - (at + 8)));
        put(at + 12, uint32_t(code_bytes));
        put(at + 16, uint8_t(0)); // augmentation
        put_all(at + 17, instructions);
        put(header_at + 12 + 8 * function, int32_t(code - header_at));
        put(header_at + 16 + 8 * function, int32_t(at - header_at));
    }

    void write()
    {
        write_headers();
        put_all(header_at, {1, 0x1b, 0x03, 0x3b});
        put(header_at + 4, int32_t(entries_at - header_at - 4));
        put(header_at + 8, uint32_t(functions));
        put(entries_at, uint32_t(0x1c));
        // CIE 1 "zR": code 1, data -8, return address; pcrel sdata4; def_cfa sp 8, offset ra 1
        put_all(entries_at + 8, {1, 'z', 'R', 0, 1, 0x78, UNWIND_RA, 1, 0x1b, 0x0c, UNWIND_SP, 8,
                                 0x80 | UNWIND_RA, 1});
        for (unsigned i = 0; i < functions; i++)
            write_entry(i, entries_at + 0x20 + i * 0x40);
    }

    std::vector<uint8_t> whole;
    uint64_t memory[64] = {};
};

TEST_F(Unwind, RunsEveryInstruction)
{
    Image image;
    ASSERT_TRUE(image.bytes);
    ASSERT_TRUE(unwind_prepare());
    stack found = image.run();
    std::vector<uint64_t> wanted;
    for (unsigned i = 0; i < functions; i++)
        wanted.push_back(image.code(i));
    EXPECT_EQ(found.addresses, wanted);
    EXPECT_TRUE(found.complete);
}

TEST_F(Unwind, EndsWhateverTheTablesSay)
{
    Image image;
    ASSERT_TRUE(image.bytes);
    ASSERT_TRUE(unwind_prepare());
    std::mt19937 random(20);
    unsigned differs = 0;
    for (int round = 0; round < 20000; round++) {
        image.mend();
        for (unsigned i = random() % 8 + 1; i > 0; i--) {
            bool in_header = random() % 4 == 0;
            uint64_t at = in_header ? random() % 0x440 : entries_at + random() % 0x160;
            image.bytes[at] = uint8_t(random());
        }
        stack found = image.run();
        ASSERT_GE(found.addresses.size(), 1u);
        ASSERT_LE(found.addresses.size(), size_t(limit));
        differs += found.addresses.size() != functions;
    }
    EXPECT_GT(differs, 1000u);
}

TEST_F(Unwind, EndsWithAnyRegisters)
{
    std::mt19937_64 random(20);
    for (int round = 0; round < 2000; round++) {
        unwind_registers registers = {};
        for (uint64_t &value : registers.value)
            value = random() >> random() % 64;
        registers.known = UNWIND_BIT(UNWIND_REGISTERS) - 1;
        if (round % 2)
            registers.value[UNWIND_PC] = reinterpret_cast<uint64_t>(&recurse) + random() % 64;
        EXPECT_LE(unwind(registers).addresses.size(), size_t(limit));
    }
}

} // namespace
