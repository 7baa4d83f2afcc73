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

/* push, mark */
static void no_named(void *user, uint32_t thread, int64_t time_ns, uint32_t name)
{
    (void)user, (void)thread, (void)time_ns, (void)name;
}

static void no_pop(void *user, uint32_t thread, int64_t time_ns)
{
    (void)user, (void)thread, (void)time_ns;
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
                    uint64_t value)
{
    (void)user, (void)thread, (void)key, (void)type, (void)value;
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

static void no_start_event(void *user, uint32_t device, uint32_t correlation, int64_t before_ns,
                           int64_t after_ns)
{
    (void)user, (void)device, (void)correlation, (void)before_ns, (void)after_ns;
}

static void no_note(void *user, struct text text)
{
    (void)user, (void)text;
}

static void no_child(void *user, uint32_t pid, enum prof_child_origin origin, int64_t time_ns)
{
    (void)user, (void)pid, (void)origin, (void)time_ns;
}

static void no_control(void *user, bool on, uint32_t epoch, enum prof_control_reason reason,
                       int64_t time_ns)
{
    (void)user, (void)on, (void)epoch, (void)reason, (void)time_ns;
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
    QUIET(push, no_named);
    QUIET(pop, no_pop);
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
    QUIET(start_event, no_start_event);
    QUIET(note, no_note);
    QUIET(child, no_child);
    QUIET(control, no_control);
    return quiet;
}
