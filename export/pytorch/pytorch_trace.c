/* pytorch_trace.c - see pytorch_trace.h. */
#include "pytorch_trace.h"

#include "kineto_file.h"

#include <stdarg.h>
#include <stdlib.h>

/* ---- "deviceProperties" ---- */

/* Followed by the quotes that json_text.h asks for. */
bool pytorch_devices_segment(struct pytorch_trace *trace, struct text segment, bool first)
{
    trace->device_bytes = first ? 0 : trace->device_bytes;
    size_t wanted = trace->device_bytes + segment.size + JSON_PAD_BYTES;
    if (wanted > trace->device_capacity) {
        char *devices = realloc(trace->devices, wanted * 2);
        if (!devices)
            return false;
        trace->devices = devices;
        trace->device_capacity = wanted * 2;
    }
    memcpy(trace->devices + trace->device_bytes, segment.bytes, segment.size);
    trace->device_bytes += segment.size;
    memset(trace->devices + trace->device_bytes, '"', JSON_PAD_BYTES);
    return true;
}

struct device_texts {
    struct text id, name;
};

static void read_device_text(void *user, const struct json_string *key, struct text value)
{
    struct device_texts *device = user;
    if (json_string_is(key, "id"))
        device->id = value;
    else if (json_string_is(key, "name"))
        device->name = value;
}

const char *pytorch_devices_next(const char *p, const char *end, struct text *item, struct text *id,
                                 struct text *name)
{
    struct json_cursor cursor = {.end = end};
    if (p >= end || *p == ']')
        return NULL;
    p = json_space(p + 1); /* after the bracket, or the comma */
    if (p >= end || *p == ']')
        return NULL;
    struct device_texts device = {{NULL, 0}, {NULL, 0}};
    const char *after = json_each_member(&cursor, p, read_device_text, &device);
    *id = device.id, *name = device.name;
    if (after)
        *item = (struct text){p, (size_t)(after - p)};
    return after ? json_space(after) : NULL;
}

static bool add_device(struct pytorch_trace *trace, struct text id, struct text name)
{
    size_t bytes = (trace->device_count + 1) * sizeof *trace->device_ids;
    struct text *ids = realloc(trace->device_ids, bytes);
    trace->device_ids = ids ? ids : trace->device_ids;
    struct text *names = realloc(trace->device_names, bytes);
    trace->device_names = names ? names : trace->device_names;
    if (!ids || !names || !name.bytes || name.size < 2 || name.bytes[0] != '"')
        return false;
    char *plain = malloc(name.size);
    struct json_string string = {name.bytes + 1, (uint32_t)name.size - 2, true};
    if (!plain)
        return false;
    struct text shown = {plain, json_unescape(&string, plain)};
    ids[trace->device_count] = text_pool_copy(&trace->texts, id);
    names[trace->device_count] = text_pool_copy(&trace->texts, shown);
    free(plain);
    bool good = ids[trace->device_count].bytes && names[trace->device_count].bytes;
    trace->device_count++;
    return good;
}

/* As in its dictionary, a later device with the same id replaces the earlier one in place. */
static bool add_or_replace_device(struct pytorch_trace *trace, struct text id, struct text name)
{
    if (!id.bytes || !add_device(trace, id, name))
        return false;
    uint32_t last = trace->device_count - 1;
    for (uint32_t i = 0; i < last; i++)
        if (text_equals(trace->device_ids[i], id)) {
            trace->device_names[i] = trace->device_names[last];
            trace->device_count = last;
            break;
        }
    return true;
}

/* Parses the value. False: it is not a list of objects with an id and a name, or no memory. */
static bool read_devices(struct pytorch_trace *trace)
{
    const char *p = trace->devices, *end = p + trace->device_bytes;
    struct text item, id, name;
    if (*p != '[')
        return false;
    while ((p = pytorch_devices_next(p, end, &item, &id, &name)))
        if (!add_or_replace_device(trace, id, name))
            return false;
    return true;
}

/* ---- the trace ---- */

struct reading {
    struct pytorch_trace *trace;
    struct pytorch_message *message;
    struct augment_event event;
    bool failed;
};

bool pytorch_is_kernel(const struct augment_event *event)
{
    return text_is(event->category, "\"kernel\"");
}

bool pytorch_is_op(const struct augment_event *event)
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

/* Interns a text that repeats. */
static struct text keep_once(struct reading *reading, struct text text)
{
    uint32_t number = text.bytes ? text_pool_number(&reading->trace->texts, text) : 0;
    if (text.bytes && !number)
        out_of_memory(reading);
    return number ? text_pool_text(&reading->trace->texts, number) : (struct text){NULL, 0};
}

/* Interns the text of a string; other values as written. */
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

static struct pytorch_value read_value(struct reading *reading, struct text text)
{
    struct pytorch_value value = {PYTORCH_NONE, 0, 0};
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
    value.kind = real ? PYTORCH_REAL : PYTORCH_WHOLE;
    if (end == copy || *end)
        fail(reading, "TypeError: kernel_flop or kernel_num_gb is not a number: %.*s",
             text.size > 100 ? 100 : (int)text.size, text.bytes);
    else if (!real && !json_text_scaled(text, 0, &value.whole))
        value.kind = PYTORCH_REAL;
    return value;
}

static struct pytorch_event read_inputs(struct reading *reading)
{
    const struct augment_event *event = &reading->event;
    return (struct pytorch_event){keep_name(reading, event->name), keep_once(reading, event->dims),
                                  keep_once(reading, event->types),
                                  keep_once(reading, event->values)};
}

static void append_op(struct reading *reading)
{
    struct pytorch_trace *trace = reading->trace;
    uint32_t id = text_pool_number(&trace->ids, reading->event.external_id);
    if (!id)
        out_of_memory(reading);
    if (!id || !grow(reading, &trace->op_of_id, id, &trace->id_capacity, sizeof(uint32_t)) ||
        !grow(reading, &trace->ops, trace->op_count, &trace->op_capacity, sizeof *trace->ops))
        return;
    if (id < trace->id_capacity && trace->op_of_id[id])
        fail(reading, "ParseException: duplicate external id in event: %.*s",
             (int)text_pool_text(&trace->ids, id).size, text_pool_text(&trace->ids, id).bytes);
    struct pytorch_op *op = &trace->ops[trace->op_count++];
    trace->op_of_id[id] = trace->op_count;
    op->event = read_inputs(reading);
    op->flop = read_value(reading, reading->event.flop);
    op->gigabytes = read_value(reading, reading->event.gigabytes);
}

static void append_kernel(struct reading *reading)
{
    struct pytorch_trace *trace = reading->trace;
    const struct augment_event *event = &reading->event;
    if (!grow(reading, &trace->kernels, trace->kernel_count, &trace->kernel_capacity,
              sizeof *trace->kernels))
        return;
    struct pytorch_kernel *kernel = &trace->kernels[trace->kernel_count++];
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
    if (pytorch_is_op(&reading->event))
        append_op(reading);
    else if (pytorch_is_kernel(&reading->event))
        append_kernel(reading);
    return p;
}

static void see_member(void *user, struct text key, struct text segment, bool first, bool last)
{
    struct reading *reading = user;
    (void)last;
    if (!text_is(key, "deviceProperties"))
        return;
    if (!pytorch_devices_segment(reading->trace, segment, first))
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

void pytorch_message_name(struct pytorch_message *message, const char *path)
{
    char text[400];
    if (strncmp(message->text, path, strlen(path)) == 0)
        return;
    snprintf(text, sizeof text, "%.399s", message->text);
    snprintf(message->text, sizeof message->text, "%.600s: %s", path, text);
}

bool pytorch_trace_read(struct pytorch_trace *trace, const char *path, bool partial,
                        struct pytorch_message *message)
{
    struct reading reading = {.trace = trace, .message = message};
    *trace = (struct pytorch_trace){0};
    bool good = read_file(&reading, path, partial);
    if (good && !trace->devices)
        fail(&reading, "KeyError: 'deviceProperties'");
    else if (good && !read_devices(trace))
        fail(&reading, "KeyError: a device has no 'id' or 'name', or there is no list of devices");
    good = good && !reading.failed;
    if (!good)
        pytorch_message_name(message, path);
    return good;
}

void pytorch_trace_fini(struct pytorch_trace *trace)
{
    free(trace->ops);
    free(trace->kernels);
    free(trace->op_of_id);
    free(trace->device_ids);
    free(trace->device_names);
    free(trace->devices);
    text_pool_fini(&trace->ids);
    text_pool_fini(&trace->texts);
    *trace = (struct pytorch_trace){0};
}

/* Work of kernels as PyTorch's program assigns it: each kernel gets all work of its operator,
 * however many kernels that has. */

static struct pytorch_value whole(int64_t number)
{
    return (struct pytorch_value){PYTORCH_WHOLE, number, (double)number};
}

static bool is_there(struct pytorch_value value)
{
    return value.kind != PYTORCH_NONE && value.real != 0;
}

/* Keeps a value that is there and not 0. */
static bool flop_of(const struct pytorch_event *event, struct pytorch_value *flop,
                    struct pytorch_error *error)
{
    int64_t number;
    if (!event->name.bytes) {
        snprintf(error->message, sizeof error->message, "KeyError: 'name'");
        return false;
    }
    if (is_there(*flop))
        return true;
    if (!pytorch_flop(event, &number, error))
        return false;
    *flop = whole(number);
    return true;
}

static bool gigabytes_of(const struct pytorch_event *event, struct pytorch_value *gigabytes,
                         struct pytorch_error *error)
{
    double number;
    bool is_whole;
    if (is_there(*gigabytes))
        return true;
    if (!pytorch_gigabytes(event, &number, &is_whole, error))
        return false;
    *gigabytes = is_whole ? whole(0) : (struct pytorch_value){PYTORCH_REAL, 0, number};
    return true;
}

/* Uses the kernel's own inputs if its operator has none. */
static bool augment(struct pytorch_op *op, struct pytorch_kernel *kernel,
                    struct pytorch_error *error)
{
    if (!flop_of(&op->event, &op->flop, error))
        return false;
    if (!is_there(op->flop)) {
        if (!flop_of(&kernel->event, &kernel->flop, error))
            return false;
        op->flop = kernel->flop;
    }
    if (!gigabytes_of(&op->event, &op->gigabytes, error))
        return false;
    kernel->flop = op->flop;
    kernel->gigabytes = op->gigabytes;
    op->has_kernel = true;
    return true;
}

static struct pytorch_op *op_of(struct pytorch_trace *trace, struct text external_id)
{
    uint32_t before = trace->ids.count;
    uint32_t number = text_pool_number(&trace->ids, external_id);
    bool known = number && trace->ids.count == before && number < trace->id_capacity;
    return known && trace->op_of_id[number] ? &trace->ops[trace->op_of_id[number] - 1] : NULL;
}

static void set_message(struct pytorch_message *message, const char *what, struct text about)
{
    int size = about.size > 200 ? 200 : (int)about.size;
    snprintf(message->text, sizeof message->text, "%s%.*s", what, size,
             about.bytes ? about.bytes : "");
}

bool pytorch_trace_augment(struct pytorch_trace *trace, struct pytorch_message *message)
{
    for (uint32_t i = 0; i < trace->kernel_count; i++) {
        struct pytorch_kernel *kernel = &trace->kernels[i];
        struct pytorch_error error;
        if (!kernel->has_args) {
            set_message(message, "ParseException: kernel has no args: ", kernel->event.name);
            return false;
        }
        if (!kernel->external_id.bytes)
            continue;
        struct pytorch_op *op = op_of(trace, kernel->external_id);
        if (!op) {
            set_message(
                message,
                "IndexError: list index out of range: no cpu_op has a kernel's External id ",
                kernel->external_id);
            return false;
        }
        if (!augment(op, kernel, &error)) {
            snprintf(message->text, sizeof message->text, "%s", error.message);
            return false;
        }
    }
    return true;
}
