/* torch_observer.cc - PyTorch's operators and memory, for the recorder.
 *
 * The wheel contains builds for releases of PyTorch (observers.py). For another PyTorch, _torch_observer.py compiles this
 * file on the user's machine, against the installed headers.
 *
 * Operators come through a RecordFunction callback of all threads. PyTorch's own NVTX and ITT states occupy the one
 * profiler that a thread can have, and so does torch.profiler; a callback stands beside them. A range of
 * record_function() has no attribute here; all others have a number, which tells them apart.
 *
 * Memory is reported to a thread's profiler alone, and some ranges begin only where a thread has one: those of Inductor
 * around its kernels. So this is the profiler of a thread that asked for it, and of those of its backward passes.
 */
#include <ATen/record_function.h>
#include <c10/util/SmallVector.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/profiler/orchestration/observer.h>
#include <torch/csrc/profiler/util.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace
{

/* As prof.h has them. */
struct site {
    const char *name;
    uint64_t id;
};

struct attribute {
    site *key;
    site *text;
    int64_t number;
};

/* Functions of libprof.so, see prof.h; `gate` is 0 while nothing is recorded, and another number in each recording. */
struct recorder {
    const uint32_t *gate;
    void (*range_push)(const char *name);
    void (*range_push_attrs)(const char *name, const attribute *attributes, size_t count);
    void (*range_pop)();
    void (*alloc)(uint32_t allocator, const void *address, size_t bytes);
    void (*free)(uint32_t allocator, const void *address);
    uint32_t (*alloc_track)(const char *name);
    void (*counter)(const char *name, double value);
    void (*mark)(const char *name);
    void (*attr_int)(const char *key, int64_t value);
    void (*attr_double)(const char *key, double value);
    void (*attr_string)(const char *key, const char *value);
    uint32_t allocator;
};

enum request : uint32_t {
    OPERATORS = 1,
    SHAPES = 2,
    FLOPS = 4,
    MEMORY = 8,
    OVERLOADS = 16,
    IDS = 32,
    MODULES = 64,
    POINTERS = 128,
    STEPS = 256 /* of an execution trace */
};

recorder to;                             /* set once, before the first callback */
std::atomic<uint32_t> requested{0};      /* of enum request */
std::atomic<uint64_t> device_reports{0}; /* of memory that is not recorded */
at::CallbackHandle callback = at::INVALID_CALLBACK_HANDLE;

uint32_t gate()
{
    return __atomic_load_n(to.gate, __ATOMIC_RELAXED);
}

/* ---- inputs of operators ----
 *
 * A program calls the same operators with inputs of the same sizes again and again. So what is said of inputs is text
 * only once: a thread finds it by numbers that stand for all of it.
 */

/* Grows, and is written without a call. */
class numbers
{
public:
    const int64_t *begin() const { return memory.data(); }
    size_t size() const { return count; }
    void clear() { count = 0; }

    /* Has room for `more` numbers. */
    void ensure(size_t more)
    {
        if (__builtin_expect(memory.size() - count < more, 0))
            memory.resize(2 * (count + more));
    }

    void put(int64_t number) { memory[count++] = number; } /* there is room */

    void put(c10::IntArrayRef list)
    {
        for (const int64_t number : list)
            put(number);
    }

private:
    std::vector<int64_t> memory = std::vector<int64_t>(256);
    size_t count = 0;
};

enum kind : int64_t { TENSOR, NO_TENSOR, TENSORS, SCALAR, SCALARS, OTHER };

/* As torch.profiler, which leaves longer lists out. */
constexpr size_t SCALARS_MAX = 30;

kind kind_of(const c10::IValue &value)
{
    if (value.isTensor())
        return value.toTensor().defined() && !value.toTensor().is_nested() ? TENSOR : NO_TENSOR;
    if (value.isScalar())
        return SCALAR;
    if (!value.isList())
        return OTHER;
    const auto list = value.toListRef();
    if (!list.empty() && list[0].isScalar()) /* PyTorch's comparison of types costs more */
        return list.size() <= SCALARS_MAX ? SCALARS : OTHER;
    if (value.isTensorList())
        return TENSORS;
    return list.empty() ? SCALARS : OTHER;
}

c10::IntArrayRef strides_of(const at::Tensor &tensor)
{
    return tensor.layout() == at::kStrided ? tensor.strides() : c10::IntArrayRef();
}

void add_tensor(numbers &key, const at::Tensor &tensor)
{
    const auto sizes = tensor.sizes(), strides = strides_of(tensor);
    key.ensure(1 + sizes.size() + strides.size());
    key.put(static_cast<int64_t>(sizes.size() << 32 | strides.size() << 16) |
            static_cast<int64_t>(tensor.scalar_type()));
    key.put(sizes);
    key.put(strides);
}

int64_t bits_of(double value)
{
    int64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* False: symbols and complex numbers are not known by their numbers. */
bool add_scalar(numbers &key, const c10::IValue &value)
{
    key.ensure(2);
    if (value.isInt())
        key.put({1, value.toInt()});
    else if (value.isDouble())
        key.put({2, bits_of(value.toDouble())});
    else if (value.isBool())
        key.put({3, value.toBool()});
    else
        return false;
    return true;
}

bool add_value(numbers &key, const c10::IValue &value)
{
    const kind kind = kind_of(value);
    key.ensure(2);
    key.put(kind);
    bool known = true;
    if (kind == TENSOR) {
        add_tensor(key, value.toTensor());
    } else if (kind == SCALAR) {
        known = add_scalar(key, value);
    } else if (kind == TENSORS || kind == SCALARS) {
        const auto list = value.toListRef();
        key.put(static_cast<int64_t>(list.size()));
        for (const c10::IValue &item : list)
            known &= kind == TENSORS ? add_value(key, item) : add_scalar(key, item);
    }
    return known;
}

/* The upper bits depend on all numbers. Two products at a time: each waits for the one before. */
uint64_t hash_of(const numbers &key)
{
    constexpr uint64_t FACTOR = 0x9e3779b97f4a7c15u;
    const int64_t *at = key.begin(), *const end = at + key.size();
    uint64_t even = key.size(), odd = 0;
    for (; end - at >= 2; at += 2) {
        even = (even ^ static_cast<uint64_t>(at[0])) * FACTOR;
        odd = (odd ^ static_cast<uint64_t>(at[1])) * FACTOR;
    }
    if (at < end)
        even = (even ^ static_cast<uint64_t>(*at)) * FACTOR;
    return (even ^ (odd >> 32 | odd << 32)) * FACTOR;
}

void append_numbers(std::string &text, c10::IntArrayRef list)
{
    char digits[24];
    text += '[';
    for (size_t i = 0; i < list.size(); i++) {
        if (i)
            text += ", ";
        text.append(digits, std::to_chars(digits, digits + sizeof digits, list[i]).ptr);
    }
    text += ']';
}

using sizes_of_tensor = c10::IntArrayRef (*)(const at::Tensor &);

/* "[64, 64]", "[[2], [3, 4]]" of a list of tensors, "[]" of what has no sizes. */
void append_sizes(std::string &text, const c10::IValue &value, sizes_of_tensor sizes)
{
    const kind kind = kind_of(value);
    if (kind == TENSOR) {
        append_numbers(text, sizes(value.toTensor()));
        return;
    }
    text += '[';
    if (kind == TENSORS)
        for (const c10::IValue &item : value.toListRef()) {
            if (text.back() == ']')
                text += ", ";
            append_sizes(text, item, sizes);
        }
    text += ']';
}

void append_type(std::string &text, const c10::IValue &value)
{
    static constexpr const char *names[] = {"", "", "TensorList", "Scalar", "ScalarList", ""};
    const kind kind = kind_of(value);
    text += '"';
    if (kind == TENSOR) {
        const auto name = value.toTensor().dtype().name(); /* up to PyTorch 2.4 c10's own class */
        text.append(name.data(), name.size());
    } else {
        text += names[kind];
    }
    text += '"';
}

/* "[2, 8]", "False": what is no tensor, as PyTorch writes it. */
void append_concrete(std::string &text, const c10::IValue &value)
{
    text += '"';
    if (const kind kind = kind_of(value); kind == SCALAR || kind == SCALARS) {
        std::ostringstream stream;
        stream << value;
        text += stream.str();
    }
    text += '"';
}

/* "[A, B]" of what `append` says of each input. */
template <typename Append>
std::string list_text(c10::ArrayRef<const c10::IValue> inputs, const Append &append)
{
    std::string text = "[";
    for (const c10::IValue &value : inputs) {
        if (text.size() > 1)
            text += ", ";
        append(text, value);
    }
    return text + ']';
}

enum word { SIZES, TYPES, STRIDES, CONCRETE, WORDS };

site words[WORDS] = {{"sizes", 0}, {"Input type", 0}, {"Input Strides", 0}, {"Concrete Inputs", 0}};
site flops_word = {"flops", 0}, sequence_word = {"seq", 0}, backward_word = {"stashed_seq", 0},
     thread_word = {"forward_tid", 0}, id_word = {"rf_id", 0}, annotation_word = {"user_rf_id", 0},
     overload_word = {"overload_name", 0}, modules_word = {"Module Hierarchy", 0},
     trouble_word = {"not described", 0};

/* What is said of inputs that have the same numbers. */
struct description {
    site sites[WORDS];
    int64_t flops = 0;
    std::vector<int64_t> key;
    std::string texts[WORDS];
};

void describe_inputs(description &to_fill, const at::RecordFunction &function)
{
    const auto inputs = function.inputs();
    const auto sizes = [](const at::Tensor &tensor) { return tensor.sizes(); };
    to_fill.texts[SIZES] = list_text(
        inputs, [&](std::string &text, const auto &value) { append_sizes(text, value, sizes); });
    to_fill.texts[TYPES] = list_text(inputs, append_type);
    to_fill.texts[STRIDES] = list_text(inputs, [](std::string &text, const auto &value) {
        append_sizes(text, value, strides_of);
    });
    to_fill.texts[CONCRETE] = list_text(inputs, append_concrete);
    for (int i = 0; i < WORDS; i++)
        to_fill.sites[i] = {to_fill.texts[i].c_str(), 0};
}

/* Those whose FLOPs PyTorch counts, from 1; its own check of the name copies the inputs first. */
int64_t counted(std::string_view name)
{
    static constexpr std::string_view all[] = {"aten::mm",      "aten::addmm",  "aten::bmm",
                                               "aten::baddbmm", "aten::conv2d", "aten::mul",
                                               "aten::add"};
    const auto *found = std::find(std::begin(all), std::end(all), name);
    return found == std::end(all) ? 0 : found - std::begin(all) + 1;
}

int64_t flops_of(const at::RecordFunction &function)
{
    const auto arguments = torch::profiler::impl::saveExtraArgs(function);
    return arguments.empty() ? 0
                             : static_cast<int64_t>(
                                   torch::profiler::impl::computeFlops(function.name(), arguments));
}

/* A thread's own; in each set of places, the description that was not requested for longest gives way. */
class descriptions
{
public:
    const description &of(const at::RecordFunction &function, bool with_flops)
    {
        const int64_t which = with_flops ? counted(function.name()) : 0;
        bool known = true;
        key.clear();
        key.put(which);
        for (const c10::IValue &value : function.inputs())
            known &= add_value(key, value);
        const uint64_t hash = hash_of(key) | 1; /* an empty place has 0 */
        place *const set = places[hash >> (64 - SET_BITS)], *const end = set + WAYS;
        place *found = set;
        while (found != end && (found->hash != hash || !is_of(*found->made)))
            found++;
        if (found == end || !known) {
            found = end - 1;
            make(*found, function, which, known ? hash : 0);
        }
        if (!known) /* never found again: stays the first to give way */
            return *found->made;
        std::rotate(set, found, found + 1);
        return *set->made;
    }

private:
    static constexpr int SET_BITS = 9, WAYS = 4;

    struct place {
        uint64_t hash = 0; /* 0: none is found here */
        std::unique_ptr<description> made;
    };

    bool is_of(const description &other) const
    {
        return other.key.size() == key.size() &&
               std::memcmp(other.key.data(), key.begin(), key.size() * sizeof(int64_t)) == 0;
    }

    void make(place &at, const at::RecordFunction &function, int64_t which, uint64_t hash)
    {
        auto made = std::make_unique<description>();
        describe_inputs(*made, function);
        made->flops = which ? flops_of(function) : 0;
        made->key.assign(key.begin(), key.begin() + key.size());
        at.made = std::move(made);
        at.hash = hash;
    }

    numbers key;
    place places[size_t(1) << SET_BITS][WAYS]; /* of a set: the latest first */
};

/* ---- threads ---- */

/* How many ranges of ours are open on a thread, in the recording in which they began. */
struct open_ranges {
    uint32_t epoch, depth;
};

/* A thread's own. One object without a constructor, since each access to a variable of a thread is a call here. */
struct thread_state {
    static constexpr unsigned SPARE_MAX = 64;
    open_ranges open;
    uint32_t entered_in; /* `process` when this thread entered itself */
    int64_t innermost;   /* handle of the operator that is open */
    int64_t latest;      /* handle of the latest operator; handles increase */
    descriptions *known; /* NULL: none yet */
    bool is_cleaned;     /* the thread ends: what ends later keeps nothing */
    unsigned spare_count;
    void *spare[SPARE_MAX]; /* memory of ranges that have ended */
};

thread_local thread_state mine;

struct cleaner {
    ~cleaner()
    {
        thread_state &thread = mine;
        thread.is_cleaned = true;
        while (thread.spare_count)
            ::operator delete(thread.spare[--thread.spare_count]);
        delete std::exchange(thread.known, nullptr);
    }
    void begin() {}
};

/* Frees the thread's memory when it ends. */
void clean_later()
{
    static thread_local cleaner at_end;
    at_end.begin();
}

/* ---- tensors and allocations ----
 *
 * Logs the tensors that operators receive and the allocations that they cause, for _tensors.py. Only
 * while a profile requests it, and in memory: addresses are meaningless in another process.
 */

struct tensor_row {
    int64_t kind; /* scalar type << 8 | layout; of an allocation: ~handle of the latest operator */
    int64_t tid;
    int64_t time_ns; /* 0: shortly after the row before */
    int64_t handle;  /* of the operator; of an allocation: the innermost operator, or 0 */
    union {
        int64_t place; /* number of the input << 32 | number in the list, or all ones */
        int64_t bytes; /* negative: freed */
    };
    int64_t impl;    /* of an allocation: bytes allocated at that time */
    int64_t storage; /* address of the data, -1: it has none */
    int64_t device;  /* type << 32 | index */
    int64_t reserved;
};

constexpr size_t TENSOR_ROWS_MAX = size_t(1) << 22; /* 300 MB */

/* Rows stay where they are written: a vector would copy all of them whenever it grows. */
class tensor_rows
{
public:
    size_t size() const { return count; }

    /* False: there are TENSOR_ROWS_MAX. */
    bool add(const tensor_row &row)
    {
        if (count == TENSOR_ROWS_MAX)
            return false;
        if (count % BLOCK == 0)
            blocks.emplace_back(new tensor_row[BLOCK]);
        blocks[count / BLOCK][count % BLOCK] = row;
        count++;
        return true;
    }

    void copy(tensor_row *to_fill, size_t first, size_t end) const
    {
        for (size_t next; first < end; to_fill += next - first, first = next) {
            next = std::min(end, (first / BLOCK + 1) * BLOCK);
            std::copy_n(&blocks[first / BLOCK][first % BLOCK], next - first, to_fill);
        }
    }

private:
    static constexpr size_t BLOCK = 4096;
    std::vector<std::unique_ptr<tensor_row[]>> blocks;
    size_t count = 0;
};

/* An address identifies a tensor only while a weak reference prevents its reuse. */
class held_tensors
{
public:
    void hold(const at::Tensor &tensor)
    {
        if (2 * references.size() >= table.size())
            grow();
        const void *address = tensor.unsafeGetTensorImpl();
        if (const void *&place = place_of(address); !place) {
            references.emplace_back(tensor.getIntrusivePtr());
            place = address;
        }
    }

private:
    /* Where the address is, or the free place for it. */
    const void *&place_of(const void *address)
    {
        const size_t mask = table.size() - 1;
        size_t at = reinterpret_cast<uintptr_t>(address) * 0x9e3779b97f4a7c15u >> 20 & mask;
        while (table[at] && table[at] != address)
            at = (at + 1) & mask;
        return table[at];
    }

    void grow()
    {
        std::vector<const void *> before(std::max<size_t>(1024, 2 * table.size()));
        before.swap(table);
        for (const void *address : before)
            if (address)
                place_of(address) = address;
    }

    std::vector<const void *> table; /* a power of two of places, at least half of them NULL */
    std::vector<c10::weak_intrusive_ptr<c10::TensorImpl>> references;
};

struct tensor_log {
    std::atomic<bool> is_read{true}; /* false: in a forked child before a window of its own */
    std::mutex mutex; /* nothing of PyTorch is called with it: that may run Python or free memory */
    tensor_rows rows;
    held_tensors seen;
};

/* Never destroyed: PyTorch's threads may outlive static objects. */
tensor_log &tensors = *new tensor_log;

int64_t tid()
{
    thread_local const int64_t mine = syscall(SYS_gettid);
    return mine;
}

int64_t now_ns()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

int64_t device_number(const c10::Device &device)
{
    return int64_t(device.type()) << 32 | uint32_t(int32_t(device.index()));
}

/* A fork finds the log whole, and the child leaves it: what a weak reference lets go of may need
 * Python. */
void hold_tensors()
{
    tensors.mutex.lock();
}

void release_tensors()
{
    tensors.mutex.unlock();
}

void leave_tensors()
{
    tensors.is_read.store(false, std::memory_order_relaxed);
    tensors.rows = {};
    new (&tensors.seen) held_tensors;
    tensors.mutex.unlock();
}

bool logs_tensors(uint32_t wanted)
{
    return wanted & POINTERS && tensors.is_read.load(std::memory_order_relaxed);
}

/* Of one operator; the tensors are its inputs. */
using seen_tensors = c10::SmallVector<std::pair<tensor_row, const at::Tensor *>, 4>;

void see_tensor(seen_tensors &to_fill, const at::Tensor &tensor, tensor_row row, uint64_t input,
                uint32_t place)
{
    if (!tensor.defined() || tensor.is_nested())
        return;
    row.kind = int64_t(tensor.scalar_type()) << 8 | int64_t(tensor.layout());
    row.place = int64_t(input << 32 | place);
    row.impl = reinterpret_cast<intptr_t>(tensor.unsafeGetTensorImpl());
    row.storage = tensor.has_storage() ? reinterpret_cast<intptr_t>(tensor.storage().data()) : -1;
    row.device = device_number(tensor.device());
    to_fill.emplace_back(row, &tensor);
}

void log_inputs(const at::RecordFunction &function, bool outer)
{
    tensor_row row = {};
    row.tid = tid();
    row.time_ns = outer ? 0 : now_ns();
    row.handle = static_cast<int64_t>(function.handle());
    seen_tensors seen;
    uint64_t input = 0;
    for (const c10::IValue &value : function.inputs()) {
        if (value.isTensor()) {
            see_tensor(seen, value.toTensor(), row, input, UINT32_MAX);
        } else if (value.isTensorList()) {
            uint32_t place = 0;
            for (const c10::IValue &item : value.toListRef())
                see_tensor(seen, item.toTensor(), row, input, place++);
        }
        input++;
    }
    const std::lock_guard<std::mutex> lock(tensors.mutex);
    for (const auto &[of, tensor] : seen)
        if (tensors.rows.add(of))
            tensors.seen.hold(*tensor);
}

void log_allocation(const void *address, int64_t bytes, size_t allocated, size_t reserved,
                    const c10::Device &device)
{
    const thread_state &thread = mine;
    tensor_row row = {};
    row.kind = ~thread.latest;
    row.tid = tid();
    row.time_ns = thread.innermost ? 0 : now_ns(); /* within an operator, the order suffices */
    row.handle = thread.innermost;
    row.bytes = bytes;
    row.impl = static_cast<int64_t>(allocated);
    row.storage = reinterpret_cast<intptr_t>(address);
    row.device = device_number(device);
    row.reserved = static_cast<int64_t>(reserved);
    const std::lock_guard<std::mutex> lock(tensors.mutex);
    tensors.rows.add(row);
}

/* ---- operators ---- */

struct opened final : at::ObserverContext {
    thread_state *where;
    open_ranges place;
    int64_t outer; /* `innermost` before */

    static void *operator new(size_t size, thread_state &thread)
    {
        return thread.spare_count ? thread.spare[--thread.spare_count] : ::operator new(size);
    }
    static void operator delete(void *memory, thread_state &) { ::operator delete(memory); }
    static void operator delete(void *memory)
    {
        thread_state &thread = mine;
        if (thread.spare_count >= thread_state::SPARE_MAX || thread.is_cleaned) {
            ::operator delete(memory);
            return;
        }
        if (!thread.spare_count)
            clean_later();
        thread.spare[thread.spare_count++] = memory;
    }
};

/* What a range begins with. */
struct attributes {
    attribute at[WORDS + 7];
    size_t count = 0;
    void add(site &key, int64_t number) { at[count++] = {&key, nullptr, number}; }
    void add(site &key, const site &text) { at[count++] = {&key, const_cast<site *>(&text), 0}; }
};

/* ---- threads of forward passes ----
 *
 * Each thread numbers its own differentiable operators, so a backward function is known by its number and its forward
 * thread. PyTorch has its own numbers of threads; here are the system's for them. Threads may share a slot; it stores the
 * number, so a mismatch is detected and emitted as 0 (unknown).
 */

struct forward_thread {
    std::atomic<uint64_t> number{0};
    std::atomic<int> tid{0};
};

forward_thread forward_threads[4096];
std::atomic<uint32_t> forward_threads_used{0}, process{1}; /* counts forks */

forward_thread &place_of(uint64_t number)
{
    return forward_threads[number % std::size(forward_threads)];
}

void enter_forward_thread(thread_state &self)
{
    const uint64_t number = at::RecordFunction::currentThreadId();
    forward_thread &thread = place_of(number);
    self.entered_in = process.load(std::memory_order_relaxed);
    thread.number.store(0, std::memory_order_relaxed);
    thread.tid.store((int)syscall(SYS_gettid), std::memory_order_relaxed);
    thread.number.store(number, std::memory_order_release);
    forward_threads_used.fetch_add(1, std::memory_order_relaxed);
}

/* In a forked child threads have other numbers, and nobody reads what the parent's windows log. */
void forget_parent()
{
    leave_tensors();
    process.fetch_add(1, std::memory_order_relaxed);
    forward_threads_used.store(0, std::memory_order_relaxed);
}

/* Says whose number a backward function has, unless only one thread makes any. 0: a thread that was not seen. */
void add_forward_thread(attributes &said, const at::RecordFunction &function)
{
    const uint64_t number = function.forwardThreadId();
    const forward_thread &thread = place_of(number);
    const bool is_known = number && thread.number.load(std::memory_order_acquire) == number;
    if (number && !(is_known && forward_threads_used.load(std::memory_order_relaxed) == 1))
        said.add(thread_word, is_known ? thread.tid.load(std::memory_order_relaxed) : 0);
}

descriptions &descriptions_of(thread_state &thread)
{
    if (!thread.known) {
        clean_later();
        thread.known = new descriptions; /* leaked where the thread has been cleaned */
    }
    return *thread.known;
}

void add_description(attributes &said, thread_state &thread, const at::RecordFunction &function,
                     uint32_t wanted)
{
    const description &inputs = descriptions_of(thread).of(function, wanted & FLOPS);
    if (wanted & SHAPES)
        for (int i = 0; i < WORDS; i++)
            said.add(words[i], inputs.sites[i]);
    if (inputs.flops)
        said.add(flops_word, inputs.flops);
}

/* "Tensor" of aten::add.Tensor, as long as the operator is registered; "" where PyTorch (up to 2.6) does not tell. */
template <typename Function>
const char *overload_of(const Function &function)
{
    if constexpr (requires { function.overload_name(); })
        return function.overload_name();
    else
        return "";
}

std::string text_of(const c10::IValue &value)
{
    if (value.isString())
        return value.toStringRef();
    std::ostringstream stream;
    stream << value;
    return stream.str();
}

/* Keyword arguments of the innermost range. No operator has any; Inductor says in them what a kernel is. */
void add_keywords(const at::RecordFunction &function)
{
    for (const auto &[key, value] : function.kwinputs())
        if (value.isInt())
            to.attr_int(key.c_str(), value.toInt());
        else if (value.isDouble())
            to.attr_double(key.c_str(), value.toDouble());
        else
            to.attr_string(key.c_str(), text_of(value).c_str());
}

/* torch.distributed's attributes of a collective, under torch.profiler's names: name, process group, ranks, sizes. */
void add_collective(const at::RecordFunction &function)
{
    const auto stated = torch::profiler::impl::saveNcclMeta(function);
    for (const auto &[key, value] :
         std::map<std::string, std::string>(stated.begin(), stated.end())) {
        int64_t number = 0;
        const char *end = value.data() + value.size();
        const auto read = std::from_chars(value.data(), end, number);
        const bool is_quoted = value.size() > 1 && value.front() == '"' && value.back() == '"';
        if (read.ptr == end && read.ec == std::errc())
            to.attr_int(key.c_str(), number);
        else
            to.attr_string(key.c_str(),
                           (is_quoted ? value.substr(1, value.size() - 2) : value).c_str());
    }
}

/* "TOP(Net)::forward.a(Linear)::forward." of a scripted module: where its interpreter is, as torch.profiler writes it. */
std::string modules_of(const at::RecordFunction &function)
{
    std::string text;
    if (function.scope() == at::RecordScope::BACKWARD_FUNCTION)
        return text;
    for (const std::string &module : torch::jit::currentModuleHierarchy())
        text += module + '.';
    return text;
}

/* An autograd.Function, such as "Sq". Readers recognize other operators with a sequence number by their name. */
bool is_named_by_program(const at::RecordFunction &function)
{
    return function.scope() == at::RecordScope::FUNCTION && !std::strchr(function.name(), ':');
}

void push(thread_state &thread, const at::RecordFunction &function, bool outer)
{
    const uint32_t wanted = requested.load(std::memory_order_relaxed);
    const bool is_backward = function.scope() == at::RecordScope::BACKWARD_FUNCTION;
    attributes said;
    if (function.seqNr() >= 0)
        said.add(is_backward ? backward_word : sequence_word, function.seqNr());
    if (is_backward)
        add_forward_thread(said, function);
    else if (function.seqNr() >= 0 && thread.entered_in != process.load(std::memory_order_relaxed))
        enter_forward_thread(thread);
    if (function.seqNr() < 0 || wanted & (IDS | POINTERS) || is_named_by_program(function))
        said.add(id_word, static_cast<int64_t>(function.handle()));
    try {
        if (wanted & (SHAPES | FLOPS) && !function.inputs().empty())
            add_description(said, thread, function, wanted);
        if (logs_tensors(wanted) && wanted & SHAPES && !function.inputs().empty())
            log_inputs(function, outer);
    } catch (const std::exception &) {
        said.add(trouble_word, 1); /* a tensor of a kind that has no sizes, or no device */
    }
    const std::string modules = wanted & MODULES ? modules_of(function) : "";
    site modules_site = {modules.c_str(), 0};
    if (!modules.empty())
        said.add(modules_word, modules_site);
    site overload = {wanted & OVERLOADS ? overload_of(function) : "", 0};
    if (overload.name && *overload.name)
        said.add(overload_word, overload);
    to.range_push_attrs(function.name(), said.at, said.count);
    if (wanted & SHAPES && function.seqNr() < 0)
        add_keywords(function);
    if (function.isNcclMeta())
        add_collective(function);
}

/* A range that the program named, with its arguments. */
void push_annotation(thread_state &thread, const at::RecordFunction &function)
{
    const uint32_t wanted = requested.load(std::memory_order_relaxed);
    const bool has_inputs = wanted & SHAPES && !function.inputs().empty();
    attributes said;
    if (has_inputs || wanted & IDS)
        said.add(annotation_word, wanted & IDS ? static_cast<int64_t>(function.handle()) : 0);
    try {
        if (has_inputs)
            add_description(said, thread, function, SHAPES);
    } catch (const std::exception &) {
        said.add(trouble_word, 1);
    }
    if (said.count)
        to.range_push_attrs(function.name(), said.at, said.count);
    else
        to.range_push(function.name());
}

/* A step that _execution_trace.py opened for PyTorch's observer. The recorder has its own event for it. */
bool is_step(const at::RecordFunction &function)
{
    return function.scope() == at::RecordScope::USER_SCOPE &&
           requested.load(std::memory_order_relaxed) & STEPS &&
           std::string_view(function.name()).substr(0, 13) == "ProfilerStep#";
}

std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction &function)
{
    const uint32_t epoch = gate();
    if (!epoch || is_step(function))
        return nullptr;
    thread_state &thread = mine;
    std::unique_ptr<opened> context(new (thread) opened);
    if (thread.open.epoch != epoch)
        thread.open = {epoch, 0};
    thread.open.depth++;
    context->where = &thread;
    context->place = thread.open;
    context->outer = thread.innermost;
    thread.latest = static_cast<int64_t>(function.handle());
    if (function.scope() == at::RecordScope::USER_SCOPE) {
        push_annotation(thread, function);
    } else {
        thread.innermost = thread.latest;
        push(thread, function, context->outer != 0);
    }
    return context;
}

/* A range that ends on another thread is popped by its own thread, with the range around it. */
void leave(const at::RecordFunction &, at::ObserverContext *context)
{
    const auto *range = static_cast<const opened *>(context);
    thread_state &thread = mine;
    if (!range || range->where != &thread)
        return;
    thread.innermost = range->outer;
    open_ranges &open = thread.open;
    if (range->place.epoch != open.epoch || gate() != open.epoch)
        return;
    for (; open.depth >= range->place.depth; open.depth--)
        to.range_pop();
}

/* ---- memory, and a thread's place for a profiler ---- */

/* What PyTorch hands out on one CUDA device, from blocks that it keeps. libprof's readers know the device by the
 * allocator's name. */
struct device_memory {
    std::once_flag once;
    uint32_t allocator;
    std::string reserved_name;
    std::atomic<size_t> reserved{0};
};

constexpr c10::DeviceIndex DEVICES_MAX = 64;
device_memory devices[DEVICES_MAX];

device_memory &memory_of(const c10::Device &device)
{
    device_memory &memory = devices[device.index()];
    std::call_once(memory.once, [&] {
        const std::string name = "PyTorch " + device.str();
        memory.allocator = to.alloc_track(name.c_str());
        memory.reserved_name = name + " reserved";
    });
    return memory;
}

bool is_known(const c10::Device &device)
{
    return device.is_cuda() && device.index() >= 0 && device.index() < DEVICES_MAX;
}

void record(uint32_t allocator, const void *address, int64_t bytes)
{
    if (bytes > 0)
        to.alloc(allocator, address, static_cast<size_t>(bytes));
    else if (bytes < 0)
        to.free(allocator, address);
}

/* The type tells PyTorch's own profilers, and its RPC, that this is none of theirs. */
struct place final : torch::profiler::impl::ProfilerStateBase {
    explicit place(uint32_t wanted)
        : ProfilerStateBase(torch::profiler::impl::ProfilerConfig(
              torch::profiler::impl::ProfilerState::CPU, wanted & SHAPES, wanted & MEMORY))
    {
    }

    torch::profiler::impl::ActiveProfilerType profilerType() override
    {
        return torch::profiler::impl::ActiveProfilerType::NONE;
    }

    void reportMemoryUsage(void *address, int64_t bytes, size_t allocated, size_t reserved,
                           c10::Device device) override
    {
        if (!gate() || !memoryProfilingEnabled()) /* CUDA's allocators do not ask */
            return;
        if (logs_tensors(requested.load(std::memory_order_relaxed)))
            log_allocation(address, bytes, allocated, reserved, device);
        if (device.is_cpu()) {
            record(to.allocator, address, bytes);
        } else if (is_known(device)) {
            device_memory &memory = memory_of(device);
            record(memory.allocator, address, bytes);
            if (memory.reserved.exchange(reserved, std::memory_order_relaxed) != reserved)
                to.counter(memory.reserved_name.c_str(), static_cast<double>(reserved));
        } else {
            device_reports.fetch_add(1, std::memory_order_relaxed);
        }
    }

    void reportOutOfMemory(int64_t bytes, size_t allocated, size_t reserved,
                           c10::Device device) override
    {
        if (gate() && memoryProfilingEnabled())
            to.mark(("out of memory on " + device.str() + ": " + std::to_string(bytes) +
                     " bytes wanted, " + std::to_string(allocated) + " handed out, " +
                     std::to_string(reserved) + " reserved")
                        .c_str());
    }
};

const auto SLOT = c10::DebugInfoKind::PROFILER_STATE;

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void libprof_torch_init(const recorder *functions)
{
    to = *functions;
    pthread_atfork(hold_tensors, release_tensors, forget_parent);
}

/* What is recorded from now on, of enum request. Not from two threads at once. */
EXPORTED void libprof_torch_observe(uint32_t wanted)
{
    if (callback != at::INVALID_CALLBACK_HANDLE)
        at::removeCallback(callback);
    callback = at::INVALID_CALLBACK_HANDLE;
    requested.store(wanted, std::memory_order_relaxed);
    if (!wanted)
        return;
    const bool inputs = wanted & (SHAPES | FLOPS);
    callback = at::addGlobalCallback(
        at::RecordFunctionCallback(enter, leave).needsInputs(inputs).needsIds(true));
}

/* Takes the calling thread's place, with SHAPES and MEMORY of `wanted`; false: another profiler has it. */
EXPORTED bool libprof_torch_place_begin(uint32_t wanted)
{
    if (c10::ThreadLocalDebugInfo::get(SLOT))
        return false;
    c10::ThreadLocalDebugInfo::_push(SLOT, std::make_shared<place>(wanted));
    return true;
}

EXPORTED void libprof_torch_place_end()
{
    if (dynamic_cast<place *>(c10::ThreadLocalDebugInfo::get(SLOT)))
        c10::ThreadLocalDebugInfo::_pop(SLOT);
}

/* How often memory of devices other than CUDA's was handed out or taken back: it is not recorded. */
EXPORTED uint64_t libprof_torch_device_reports()
{
    return device_reports.load(std::memory_order_relaxed);
}

/* Returns the number of rows (tensor_row, nine 64-bit numbers) logged since the last
 * libprof_torch_tensors_clear(). Copies at most `count` of them, starting with row `first`. */
EXPORTED size_t libprof_torch_tensors(void *rows, size_t first, size_t count)
{
    const std::lock_guard<std::mutex> lock(tensors.mutex);
    const size_t all = tensors.rows.size();
    if (first < all)
        tensors.rows.copy(static_cast<tensor_row *>(rows), first,
                          first + std::min(count, all - first));
    return all;
}

EXPORTED void libprof_torch_tensors_clear()
{
    tensors.is_read.store(true, std::memory_order_relaxed);
    tensor_rows rows;
    held_tensors seen;
    const std::lock_guard<std::mutex> lock(tensors.mutex);
    std::swap(rows, tensors.rows);
    std::swap(seen, tensors.seen); /* released after the lock */
}
