/* heard.cc - stands between the reader and the builder: the linker's --wrap leads the reader's calls here. */
#include "heard.h"

namespace
{

Heard *listening;

void hear_line(const std::string &text)
{
    if (listening)
        listening->text += text + "\n";
}

std::string gpu(int kind, const gpu_op *op)
{
    return "gpu " + number(kind) + " " + number(op->start_ns) + " " + number(op->end_ns) + " " +
           number(op->correlation);
}

} // namespace

/* Notes the line and goes on to the builder. */
#define HEAR(function, parameters, arguments, line)       \
    void __real_##function(builder *builder, parameters); \
    void __wrap_##function(builder *builder, parameters); \
    void __wrap_##function(builder *builder, parameters)  \
    {                                                     \
        hear_line(line);                                  \
        __real_##function(builder, arguments);            \
    }
#define LIST(...) __VA_ARGS__

extern "C" {
HEAR(builder_begin_range, LIST(uint32_t thread, int64_t time, uint32_t name),
     LIST(thread, time, name), "push " + number(thread) + " " + number(time) + " " + number(name))
HEAR(builder_end_range, LIST(uint32_t thread, int64_t time), LIST(thread, time),
     "pop " + number(thread) + " " + number(time))
HEAR(builder_begin_nvtx_range, LIST(uint32_t thread, int64_t time, uint32_t name),
     LIST(thread, time, name),
     "nvtx_push " + number(thread) + " " + number(time) + " " + number(name))
HEAR(builder_end_nvtx_range, LIST(uint32_t thread, int64_t time, uint32_t domain),
     LIST(thread, time, domain),
     "nvtx_pop " + number(thread) + " " + number(time) + " " + number(domain))
HEAR(builder_append_mark, LIST(uint32_t thread, int64_t time, uint32_t name),
     LIST(thread, time, name), "mark " + number(thread) + " " + number(time) + " " + number(name))
HEAR(builder_begin_async, LIST(uint32_t thread, int64_t time, uint32_t name, uint64_t id),
     LIST(thread, time, name, id),
     "begin " + number(thread) + " " + number(time) + " " + number(name) + " " + std::to_string(id))
HEAR(builder_end_async, LIST(uint32_t thread, int64_t time, uint64_t id), LIST(thread, time, id),
     "end " + number(thread) + " " + number(time) + " " + std::to_string(id))
HEAR(builder_close_thread, LIST(uint32_t thread, int64_t time, bool unclosed),
     LIST(thread, time, unclosed),
     "close " + number(thread) + " " + number(time) + (unclosed ? " unclosed" : ""))
HEAR(builder_cut_thread, LIST(uint32_t thread), LIST(thread), "cut " + number(thread))
HEAR(builder_define_thread, LIST(uint32_t thread, uint32_t tid, text name, bool internal),
     LIST(thread, tid, name, internal),
     "thread " + number(thread) + " " + number(tid) + " " + std::string(name.bytes, name.size) +
         (internal ? " internal" : ""))
HEAR(builder_append_kernel, LIST(const gpu_op *op, const tl_kernel *detail), LIST(op, detail),
     gpu(0, op))
HEAR(builder_append_memcpy, LIST(const gpu_op *op, const tl_memcpy *detail), LIST(op, detail),
     gpu(1, op))
HEAR(builder_append_memset, LIST(const gpu_op *op, const tl_memset *detail), LIST(op, detail),
     gpu(2, op))
HEAR(builder_append_overhead, LIST(const gpu_op *op, const tl_overhead *detail), LIST(op, detail),
     gpu(4, op))
HEAR(builder_append_graph_run, LIST(const gpu_op *op, const tl_graph_run *detail), LIST(op, detail),
     gpu(5, op))
HEAR(builder_append_sync, LIST(const gpu_op *op, const tl_sync *detail), LIST(op, detail),
     gpu(3, op))
HEAR(builder_append_attr, LIST(uint32_t thread, const event_attr *attr, uint64_t target),
     LIST(thread, attr, target),
     "attr " + number(thread) + " " + number(attr->key) + " " + number(attr->type) + " " +
         std::to_string(attr->value) + " " + std::to_string(target))
HEAR(builder_define_event_name, LIST(const event_name *name), LIST(name),
     "event_name " + number(name->id) + " " + number(name->name) + " " + number(name->domain) +
         " " + number(name->category) + " " + number(name->color) + " " + number(name->flags))
HEAR(builder_define_domain, LIST(const nvtx_domain *domain), LIST(domain),
     "domain " + number(domain->domain) + " " + number(domain->name))
HEAR(builder_define_category, LIST(const nvtx_category *category), LIST(category),
     "category " + number(category->domain) + " " + number(category->category) + " " +
         number(category->name))
HEAR(builder_define_resource, LIST(const named_resource *resource), LIST(resource),
     "resource " + number(resource->type) + " " + number(static_cast<int64_t>(resource->handle)) +
         " " + number(resource->name))
}

Heard hear(trace_file *file)
{
    Heard heard;
    listening = &heard;
    timeline *made = file ? timeline_from_files(builder_begin(), &file, 1, &heard.error) : nullptr;
    listening = nullptr;
    heard.walked = made != nullptr;
    if (made)
        heard.health = made->processes.at[0].health;
    timeline_destroy(made);
    return heard;
}

Heard hear(const std::vector<uint8_t> &bytes, bool partial)
{
    read_error error = {};
    trace_file *file =
        trace_file_open_memory(bytes.data(), bytes.size(), "test.prof", partial, &error);
    Heard heard = hear(file);
    if (!file)
        heard.error = error;
    trace_file_close(file);
    return heard;
}
