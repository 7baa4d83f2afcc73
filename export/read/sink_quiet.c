/* sink_quiet.c - see sink_quiet.h. One function of the right type per member. */
#include "sink_quiet.h"

static void no_process(void *user, const struct read_process *process)
{
    (void)user, (void)process;
}

static void no_name(void *user, uint32_t id, struct text text, size_t full_size)
{
    (void)user, (void)id, (void)text, (void)full_size;
}

static void no_thread(void *user, uint32_t thread, uint32_t tid, struct text name, bool internal)
{
    (void)user, (void)thread, (void)tid, (void)name, (void)internal;
}

static void no_device(void *user, const struct prof_rec_device *device)
{
    (void)user, (void)device;
}

static void no_context(void *user, const struct prof_rec_context *context)
{
    (void)user, (void)context;
}

static void no_stream(void *user, const struct prof_rec_stream *stream)
{
    (void)user, (void)stream;
}

static void no_api_name(void *user, enum prof_api_domain domain, uint32_t cbid, uint32_t name)
{
    (void)user, (void)domain, (void)cbid, (void)name;
}

static void no_loss(void *user, enum prof_loss_cause cause, uint64_t count)
{
    (void)user, (void)cause, (void)count;
}

static void no_event_name(void *user, const struct prof_rec_event_name *name)
{
    (void)user, (void)name;
}

static void no_domain(void *user, const struct prof_rec_domain *domain)
{
    (void)user, (void)domain;
}

static void no_category(void *user, const struct prof_rec_category *category)
{
    (void)user, (void)category;
}

static void no_resource(void *user, const struct prof_rec_resource *resource)
{
    (void)user, (void)resource;
}

/* push, mark, nvtx_push, nvtx_pop, frame_push */
static void no_named(void *user, uint32_t thread, int64_t time_ns, uint32_t name)
{
    (void)user, (void)thread, (void)time_ns, (void)name;
}

static void no_pop(void *user, uint32_t thread, int64_t time_ns)
{
    (void)user, (void)thread, (void)time_ns;
}

static void no_frames(void *user, uint32_t thread, int64_t time_ns, const uint32_t *names,
                      uint32_t count)
{
    (void)user, (void)thread, (void)time_ns, (void)names, (void)count;
}

static void no_begin(void *user, uint32_t thread, int64_t time_ns, uint32_t name, uint64_t id)
{
    (void)user, (void)thread, (void)time_ns, (void)name, (void)id;
}

/* range_end, step */
static void no_number(void *user, uint32_t thread, int64_t time_ns, uint64_t number)
{
    (void)user, (void)thread, (void)time_ns, (void)number;
}

static void no_counter(void *user, uint32_t thread, int64_t time_ns, uint32_t name, double value)
{
    (void)user, (void)thread, (void)time_ns, (void)name, (void)value;
}

static void no_attr(void *user, uint32_t thread, uint32_t key, enum prof_attr_type type,
                    uint64_t value, uint64_t target)
{
    (void)user, (void)thread, (void)key, (void)type, (void)value, (void)target;
}

static void no_enter(void *user, uint32_t thread, int64_t time_ns, const struct read_api *api)
{
    (void)user, (void)thread, (void)time_ns, (void)api;
}

static void no_exit(void *user, uint32_t thread, int64_t time_ns, uint32_t correlation,
                    int32_t result)
{
    (void)user, (void)thread, (void)time_ns, (void)correlation, (void)result;
}

static void no_close(void *user, uint32_t thread, int64_t time_ns, bool unclosed)
{
    (void)user, (void)thread, (void)time_ns, (void)unclosed;
}

static void no_cut(void *user, uint32_t thread)
{
    (void)user, (void)thread;
}

static void no_gpu(void *user, const struct read_gpu *gpu)
{
    (void)user, (void)gpu;
}

static void no_lost(void *user, uint32_t correlation, const struct prof_rec_lost *lost)
{
    (void)user, (void)correlation, (void)lost;
}

static void no_stream_loss(void *user, const struct prof_rec_stream_loss *loss)
{
    (void)user, (void)loss;
}

static void no_start_event(void *user, uint32_t device, uint32_t correlation, int64_t before_ns,
                           int64_t after_ns)
{
    (void)user, (void)device, (void)correlation, (void)before_ns, (void)after_ns;
}

static void no_memory(void *user, const struct read_memory *memory)
{
    (void)user, (void)memory;
}

static void no_memory_pool(void *user, const struct read_memory_pool *pool)
{
    (void)user, (void)pool;
}

static void no_unified_memory(void *user, const struct read_unified_memory *unified)
{
    (void)user, (void)unified;
}

static void no_allocator(void *user, uint32_t allocator, uint32_t name)
{
    (void)user, (void)allocator, (void)name;
}

static void no_alloc(void *user, uint32_t thread, int64_t time_ns, uint32_t allocator,
                     uint64_t address, uint64_t bytes)
{
    (void)user, (void)thread, (void)time_ns, (void)allocator, (void)address, (void)bytes;
}

static void no_release(void *user, uint32_t thread, int64_t time_ns, uint32_t allocator,
                       uint64_t address)
{
    (void)user, (void)thread, (void)time_ns, (void)allocator, (void)address;
}

static void no_stack_frames(void *user, const struct read_stack *stack)
{
    (void)user, (void)stack;
}

static void no_module(void *user, const struct read_module *module)
{
    (void)user, (void)module;
}

static void no_module_gone(void *user, uint32_t module, uint64_t ticks)
{
    (void)user, (void)module, (void)ticks;
}

static void no_stack(void *user, uint32_t thread, uint32_t stack, uint64_t range)
{
    (void)user, (void)thread, (void)stack, (void)range;
}

static void no_timed(void *user, uint32_t thread, uint64_t token)
{
    (void)user, (void)thread, (void)token;
}

static void no_cuda_event(void *user, uint32_t correlation, const struct prof_rec_cuda_event *event)
{
    (void)user, (void)correlation, (void)event;
}

static void no_range_time(void *user, const struct read_range_time *time)
{
    (void)user, (void)time;
}

static void no_note(void *user, struct text text)
{
    (void)user, (void)text;
}

static void no_child(void *user, uint32_t pid, enum prof_child_origin origin, int64_t time_ns)
{
    (void)user, (void)pid, (void)origin, (void)time_ns;
}

static void no_event(void *user, uint32_t thread, uint64_t id, int32_t chain, uint32_t instruction)
{
    (void)user, (void)thread, (void)id, (void)chain, (void)instruction;
}

static void no_block(void *user, uint32_t thread, int64_t time_ns, uint32_t name, uint32_t flags)
{
    (void)user, (void)thread, (void)time_ns, (void)name, (void)flags;
}

static void no_control(void *user, bool on, uint32_t epoch, enum prof_control_reason reason,
                       int64_t time_ns)
{
    (void)user, (void)on, (void)epoch, (void)reason, (void)time_ns;
}

static void no_frames_end(void *user, int64_t time_ns)
{
    (void)user, (void)time_ns;
}

static void no_slice(void *user, const struct read_slice *slice)
{
    (void)user, (void)slice;
}

static void no_whole_block(void *user, const struct read_block *block)
{
    (void)user, (void)block;
}

static void no_block_event(void *user, const struct read_block_event *event)
{
    (void)user, (void)event;
}

static void no_debug(void *user, const struct read_debug *debug)
{
    (void)user, (void)debug;
}

static void no_warning(void *user, struct text what, uint64_t count)
{
    (void)user, (void)what, (void)count;
}

static void no_graph_node(void *user, uint32_t thread, int64_t time_ns,
                          const struct read_graph_node *node)
{
    (void)user, (void)thread, (void)time_ns, (void)node;
}

static void no_graph(void *user, int64_t time_ns, const struct prof_rec_graph *graph)
{
    (void)user, (void)time_ns, (void)graph;
}

static void no_cost(void *user, const struct read_cost *cost)
{
    (void)user, (void)cost;
}

static void no_shed(void *user, const struct read_shed *shed)
{
    (void)user, (void)shed;
}

#define QUIET(member, nothing) \
    if (!quiet.member)         \
    quiet.member = nothing

struct read_sink sink_quiet(const struct read_sink *sink)
{
    struct read_sink quiet = *sink;
    QUIET(process, no_process);
    QUIET(name, no_name);
    QUIET(thread, no_thread);
    QUIET(device, no_device);
    QUIET(context, no_context);
    QUIET(stream, no_stream);
    QUIET(api_name, no_api_name);
    QUIET(loss, no_loss);
    QUIET(event_name, no_event_name);
    QUIET(domain, no_domain);
    QUIET(category, no_category);
    QUIET(resource, no_resource);
    QUIET(push, no_named);
    QUIET(pop, no_pop);
    QUIET(nvtx_push, no_named);
    QUIET(nvtx_pop, no_named);
    QUIET(frame_push, no_named);
    QUIET(frame_pop, no_pop);
    QUIET(frames, no_frames);
    QUIET(mark, no_named);
    QUIET(range_begin, no_begin);
    QUIET(range_end, no_number);
    QUIET(counter, no_counter);
    QUIET(attr, no_attr);
    QUIET(step, no_number);
    QUIET(api_enter, no_enter);
    QUIET(api_exit, no_exit);
    QUIET(close_all, no_close);
    QUIET(cut, no_cut);
    QUIET(gpu, no_gpu);
    QUIET(lost, no_lost);
    QUIET(stream_loss, no_stream_loss);
    QUIET(start_event, no_start_event);
    QUIET(memory, no_memory);
    QUIET(memory_pool, no_memory_pool);
    QUIET(unified_memory, no_unified_memory);
    QUIET(allocator, no_allocator);
    QUIET(alloc, no_alloc);
    QUIET(release, no_release);
    QUIET(stack_frames, no_stack_frames);
    QUIET(module, no_module);
    QUIET(module_gone, no_module_gone);
    QUIET(stack, no_stack);
    QUIET(timed, no_timed);
    QUIET(cuda_event, no_cuda_event);
    QUIET(range_time, no_range_time);
    QUIET(note, no_note);
    QUIET(child, no_child);
    QUIET(event, no_event);
    QUIET(block, no_block);
    QUIET(whole_block, no_whole_block);
    QUIET(block_event, no_block_event);
    QUIET(debug, no_debug);
    QUIET(control, no_control);
    QUIET(frames_end, no_frames_end);
    QUIET(slice, no_slice);
    QUIET(warning, no_warning);
    QUIET(graph_node, no_graph_node);
    QUIET(graph, no_graph);
    QUIET(cost, no_cost);
    QUIET(shed, no_shed);
    return quiet;
}
