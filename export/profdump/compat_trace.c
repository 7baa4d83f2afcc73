/* compat_trace.c - see compat_trace.h. */
#include "compat_trace.h"

#include "compat_devices.h"
#include "kineto_file.h"

#include <stdarg.h>
#include <stdlib.h>

struct reading {
    struct compat_trace *trace;
    struct compat_message *message;
    struct augment_event event;
    bool failed;
};

bool compat_is_kernel(const struct augment_event *event)
{
    return text_is(event->category, "\"kernel\"");
}

bool compat_is_op(const struct augment_event *event)
{
    return event->external_id.bytes && text_is(event->category, "\"cpu_op\"");
}

/* The first failure stays. */
__attribute__((format(printf, 2, 3))) static void fail(struct reading *reading, const char *format,
                                                       ...)
{
    if (reading->failed)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reading->message->text, sizeof reading->message->text, format, arguments);
    va_end(arguments);
    reading->failed = true;
}

static void out_of_memory(struct reading *reading)
{
    fail(reading, "out of memory");
}

/* Room for one more. */
static bool grow(struct reading *reading, void *array, uint32_t count, uint32_t *capacity,
                 size_t bytes)
{
    void *old, *at;
    if (count < *capacity)
        return true;
    memcpy(&old, array, sizeof old);
    uint32_t wanted = *capacity ? *capacity * 2 : 1024;
    at = realloc(old, wanted * bytes);
    if (!at) {
        out_of_memory(reading);
        return false;
    }
    memset((char *)at + *capacity * bytes, 0, (wanted - *capacity) * bytes);
    memcpy(array, &at, sizeof at);
    *capacity = wanted;
    return true;
}

/* A text of few values that come often. */
static struct text keep_once(struct reading *reading, struct text text)
{
    uint32_t number = text.bytes ? text_pool_number(&reading->trace->texts, text) : 0;
    if (text.bytes && !number)
        out_of_memory(reading);
    return number ? reading->trace->texts.texts[number] : (struct text){NULL, 0};
}

/* The text of a string; of another value, as it is written. */
static struct text keep_name(struct reading *reading, struct text raw)
{
    bool quoted = raw.size >= 2 && raw.bytes[0] == '"';
    if (!quoted)
        return keep_once(reading, raw);
    struct json_string string = {raw.bytes + 1, (uint32_t)raw.size - 2, true};
    if (!memchr(string.bytes, '\\', string.size))
        return keep_once(reading, (struct text){string.bytes, string.size});
    char *plain = malloc(string.size);
    if (!plain) {
        out_of_memory(reading);
        return (struct text){"", 0};
    }
    struct text kept = keep_once(reading, (struct text){plain, json_unescape(&string, plain)});
    free(plain);
    return kept;
}

static struct compat_value read_value(struct reading *reading, struct text text)
{
    struct compat_value value = {COMPAT_NONE, 0, 0};
    char copy[64], *end = copy;
    if (!text.bytes)
        return value;
    bool real = memchr(text.bytes, '.', text.size) || memchr(text.bytes, 'e', text.size) ||
                memchr(text.bytes, 'E', text.size);
    if (text.size < sizeof copy) {
        memcpy(copy, text.bytes, text.size);
        copy[text.size] = '\0';
        value.real = strtod(copy, &end);
    }
    value.kind = real ? COMPAT_REAL : COMPAT_WHOLE;
    if (end == copy || *end)
        fail(reading, "TypeError: kernel_flop or kernel_num_gb is no number: %.*s",
             text.size > 100 ? 100 : (int)text.size, text.bytes);
    else if (!real && !json_text_scaled(text, 0, &value.whole))
        value.kind = COMPAT_REAL;
    return value;
}

static struct compat_event read_inputs(struct reading *reading)
{
    const struct augment_event *event = &reading->event;
    return (struct compat_event){keep_name(reading, event->name), keep_once(reading, event->dims),
                                 keep_once(reading, event->types),
                                 keep_once(reading, event->values)};
}

static void take_op(struct reading *reading)
{
    struct compat_trace *trace = reading->trace;
    uint32_t id = text_pool_number(&trace->ids, reading->event.external_id);
    if (!id)
        out_of_memory(reading);
    if (!id || !grow(reading, &trace->op_of_id, id, &trace->id_capacity, sizeof(uint32_t)) ||
        !grow(reading, &trace->ops, trace->op_count, &trace->op_capacity, sizeof *trace->ops))
        return;
    if (id < trace->id_capacity && trace->op_of_id[id])
        fail(reading, "ParseException: duplicate external id in event: %.*s",
             (int)trace->ids.texts[id].size, trace->ids.texts[id].bytes);
    struct compat_op *op = &trace->ops[trace->op_count++];
    trace->op_of_id[id] = trace->op_count;
    op->event = read_inputs(reading);
    op->flop = read_value(reading, reading->event.flop);
    op->gigabytes = read_value(reading, reading->event.gigabytes);
}

static void take_kernel(struct reading *reading)
{
    struct compat_trace *trace = reading->trace;
    const struct augment_event *event = &reading->event;
    if (!grow(reading, &trace->kernels, trace->kernel_count, &trace->kernel_capacity,
              sizeof *trace->kernels))
        return;
    struct compat_kernel *kernel = &trace->kernels[trace->kernel_count++];
    kernel->event = read_inputs(reading);
    kernel->flop = read_value(reading, event->flop);
    kernel->gigabytes = read_value(reading, event->gigabytes);
    kernel->external_id = keep_once(reading, event->external_id);
    kernel->device = keep_once(reading, event->device);
    kernel->duration = keep_once(reading, event->duration);
    kernel->has_args = event->has_args;
}

static const char *see_event(void *user, struct json_cursor *cursor, const char *p)
{
    struct reading *reading = user;
    p = augment_event_read(&reading->event, cursor, p);
    if (!p || reading->failed)
        return p;
    if (reading->event.external_id.bytes && !reading->event.category.bytes)
        fail(reading, "KeyError: 'cat': an event with an External id has none");
    if (compat_is_op(&reading->event))
        take_op(reading);
    else if (compat_is_kernel(&reading->event))
        take_kernel(reading);
    return p;
}

static void see_member(void *user, struct text key, struct text piece, bool first, bool last)
{
    struct reading *reading = user;
    (void)last;
    if (!text_is(key, "deviceProperties"))
        return;
    if (!compat_devices_piece(reading->trace, piece, first))
        out_of_memory(reading);
}

static bool read_file(struct reading *reading, const char *path, bool partial)
{
    const struct kineto_visitor visitor = {
        .user = reading, .event = see_event, .member = see_member};
    struct kineto_walked walked = {0};
    struct read_error error;
    struct source *source = source_open(path, &error);
    bool seen = source && kineto_file_walk(source, partial, &visitor, &walked, &error);
    source_close(source);
    if (!seen)
        snprintf(reading->message->text, sizeof reading->message->text, "%s", error.message);
    else if (walked.is_array)
        fail(reading, "TypeError: an array of events has no deviceProperties");
    return seen && !reading->failed;
}

/* Messages of what is in a file begin with its path, as those of reading do. */
static void name_file(struct compat_message *message, const char *path)
{
    char text[sizeof message->text];
    size_t size = strlen(path);
    if (strncmp(message->text, path, size) == 0)
        return;
    snprintf(text, sizeof text, "%.200s: %.300s", path, message->text);
    memcpy(message->text, text, sizeof text);
}

bool compat_trace_read(struct compat_trace *trace, const char *path, bool partial,
                       struct compat_message *message)
{
    struct reading reading = {.trace = trace, .message = message};
    *trace = (struct compat_trace){0};
    bool good = read_file(&reading, path, partial);
    if (good && !trace->devices)
        fail(&reading, "KeyError: 'deviceProperties'");
    if (good && !reading.failed && !compat_devices_read(trace))
        fail(&reading, "KeyError: a device has no 'id' or 'name', or there is no list of devices");
    good = good && !reading.failed;
    if (!good)
        name_file(message, path);
    return good;
}

void compat_trace_fini(struct compat_trace *trace)
{
    free(trace->ops);
    free(trace->kernels);
    free(trace->op_of_id);
    free(trace->device_ids);
    free(trace->device_names);
    free(trace->devices);
    text_pool_fini(&trace->ids);
    text_pool_fini(&trace->texts);
    *trace = (struct compat_trace){0};
}
