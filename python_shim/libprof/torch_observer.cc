/* torch_observer.cc - PyTorch's operators and memory, for the recorder.
 *
 * _torch_observer.py compiles it where it is used, against the headers of the PyTorch that is installed there.
 *
 * Operators come through a RecordFunction callback of all threads. PyTorch's own NVTX and ITT states occupy the one
 * profiler that a thread can have, and so does torch.profiler; a callback stands beside them. A range of
 * record_function() has no attribute here; all others have "seq" or "op_id", which tells them apart.
 *
 * Memory is reported to a thread's profiler alone. So this has to be one while memory is recorded, on the thread that
 * asked for it and on those of its backward passes.
 */
#include <ATen/record_function.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/csrc/profiler/orchestration/observer.h>
#include <torch/csrc/profiler/util.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace
{

/* Functions of libprof.so, see prof.h; `gate` is 0 while nothing is recorded, and another number in each recording. */
struct recorder {
    const uint32_t *gate;
    void (*range_push)(const char *name);
    void (*range_push_int)(const char *name, const char *key, int64_t value);
    void (*range_pop)();
    void (*attr_int)(const char *key, int64_t value);
    void (*attr_string)(const char *key, const char *value);
    void (*alloc)(uint32_t allocator, const void *address, size_t bytes);
    void (*free)(uint32_t allocator, const void *address);
    uint32_t allocator;
};

enum request : uint32_t { OPERATORS = 1, SHAPES = 2, FLOPS = 4 };

recorder to;                             /* set once, before the first callback */
std::atomic<uint32_t> requested{0};      /* of enum request */
std::atomic<uint64_t> device_reports{0}; /* of memory of devices */
at::CallbackHandle callback = at::INVALID_CALLBACK_HANDLE;

uint32_t gate()
{
    return __atomic_load_n(to.gate, __ATOMIC_RELAXED);
}

/* ---- operators ---- */

/* How many ranges of ours are open on a thread, in the recording in which they began. */
struct open_ranges {
    uint32_t epoch, depth;
};

thread_local open_ranges mine;

struct opened : at::ObserverContext {
    open_ranges *where;
    open_ranges place;
};

void append_sizes(std::string &text, c10::IntArrayRef sizes)
{
    char digits[24];
    text += '[';
    for (size_t i = 0; i < sizes.size(); i++) {
        if (i)
            text += ", ";
        text.append(digits, std::to_chars(digits, digits + sizeof digits, sizes[i]).ptr);
    }
    text += ']';
}

/* "[[64, 64], [64], []]": an empty list for what has no sizes, as torch.profiler has it. */
const char *shapes_text(const at::RecordFunction &function)
{
    thread_local std::string text;
    text = "[";
    for (const c10::IValue &value : function.inputs()) {
        if (text.size() > 1)
            text += ", ";
        const bool has_sizes =
            value.isTensor() && value.toTensor().defined() && !value.toTensor().is_nested();
        append_sizes(text, has_sizes ? value.toTensor().sizes() : c10::IntArrayRef());
    }
    text += ']';
    return text.c_str();
}

/* As torch.profiler has it, which leaves out lists of more than 30 numbers. */
std::string_view type_of(const c10::IValue &value)
{
    if (value.isTensor())
        return value.toTensor().defined() ? value.toTensor().dtype().name() : std::string_view();
    if (value.isScalar())
        return "Scalar";
    if (value.isTensorList())
        return "TensorList";
    if (!value.isList())
        return "";
    const auto list = value.toListRef();
    return list.empty() || (list[0].isScalar() && list.size() <= 30) ? "ScalarList" : "";
}

/* "[\"float\", \"Scalar\"]" */
const char *types_text(const at::RecordFunction &function)
{
    thread_local std::string text;
    text = "[";
    for (const c10::IValue &value : function.inputs()) {
        text += text.size() > 1 ? ", \"" : "\"";
        text += type_of(value);
        text += '"';
    }
    text += ']';
    return text.c_str();
}

/* Those whose FLOPs PyTorch counts; its own check of the name copies the inputs first. */
bool has_flops(std::string_view name)
{
    static constexpr std::string_view counted[] = {"aten::mm",      "aten::addmm",  "aten::bmm",
                                                   "aten::baddbmm", "aten::conv2d", "aten::mul",
                                                   "aten::add"};
    return std::find(std::begin(counted), std::end(counted), name) != std::end(counted);
}

void add_flops(const at::RecordFunction &function)
{
    if (!has_flops(function.name()))
        return;
    const auto arguments = torch::profiler::impl::saveExtraArgs(function);
    const uint64_t flops =
        arguments.empty() ? 0 : torch::profiler::impl::computeFlops(function.name(), arguments);
    if (flops)
        to.attr_int("flops", static_cast<int64_t>(flops));
}

void describe(const at::RecordFunction &function)
{
    const uint32_t wanted = requested.load(std::memory_order_relaxed);
    if (wanted & SHAPES && !function.inputs().empty()) {
        to.attr_string("sizes", shapes_text(function));
        to.attr_string("Input type", types_text(function));
    }
    if (wanted & FLOPS)
        add_flops(function);
}

std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction &function)
{
    const uint32_t epoch = gate();
    if (!epoch)
        return nullptr;
    auto context = std::make_unique<opened>();
    if (mine.epoch != epoch)
        mine = {epoch, 0};
    mine.depth++;
    context->where = &mine;
    context->place = mine;
    if (function.scope() == at::RecordScope::USER_SCOPE) {
        to.range_push(function.name());
        return context;
    }
    if (function.seqNr() >= 0)
        to.range_push_int(function.name(), "seq", function.seqNr());
    else
        to.range_push_int(function.name(), "op_id", static_cast<int64_t>(function.handle()));
    try {
        describe(function);
    } catch (const std::exception &) {
        to.attr_int("not described",
                    1); /* a tensor of a kind that has no sizes; the range has to end */
    }
    return context;
}

/* A range that ends on another thread is popped by its own thread, with the range around it. */
void leave(const at::RecordFunction &, at::ObserverContext *context)
{
    const auto *range = static_cast<const opened *>(context);
    if (!range || range->where != &mine || range->place.epoch != mine.epoch || gate() != mine.epoch)
        return;
    for (; mine.depth >= range->place.depth; mine.depth--)
        to.range_pop();
}

/* ---- memory ---- */

struct memory_state final : torch::profiler::impl::ProfilerStateBase {
    memory_state()
        : ProfilerStateBase(
              torch::profiler::impl::ProfilerConfig(torch::profiler::impl::ProfilerState::Disabled))
    {
    }

    torch::profiler::impl::ActiveProfilerType profilerType() override
    {
        return torch::profiler::impl::ActiveProfilerType::NONE;
    }

    bool memoryProfilingEnabled() const override { return true; }

    void reportMemoryUsage(void *address, int64_t bytes, size_t, size_t,
                           c10::Device device) override
    {
        if (!device.is_cpu())
            device_reports.fetch_add(1, std::memory_order_relaxed);
        else if (bytes > 0)
            to.alloc(to.allocator, address, static_cast<size_t>(bytes));
        else if (bytes < 0)
            to.free(to.allocator, address);
    }
};

const auto SLOT = c10::DebugInfoKind::PROFILER_STATE;

} // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void libprof_torch_init(const recorder *functions)
{
    to = *functions;
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

/* On the calling thread; false: another profiler has its place. */
EXPORTED bool libprof_torch_memory_begin()
{
    if (c10::ThreadLocalDebugInfo::get(SLOT))
        return false;
    c10::ThreadLocalDebugInfo::_push(SLOT, std::make_shared<memory_state>());
    return true;
}

EXPORTED void libprof_torch_memory_end()
{
    if (dynamic_cast<memory_state *>(c10::ThreadLocalDebugInfo::get(SLOT)))
        c10::ThreadLocalDebugInfo::_pop(SLOT);
}

/* How often memory of devices was handed out or taken back: it is not recorded. */
EXPORTED uint64_t libprof_torch_device_reports()
{
    return device_reports.load(std::memory_order_relaxed);
}
