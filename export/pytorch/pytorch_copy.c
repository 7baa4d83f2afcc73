/* pytorch_copy.c - augmented and concatenated traces: see pytorch.h. */
#include "pytorch.h"

#include "chrome_copy.h"
#include "kineto_file.h"
#include "python_text.h"
#include "pytorch_trace.h"

#include <errno.h>
#include <inttypes.h>

/* ---- augment ---- */

struct augmenting {
    struct pytorch_trace trace;
    uint32_t next_op, next_kernel;
    struct augment_event event;
};

#define VALUE_BYTES (PYTHON_TEXT_BYTES + 16)

static struct text value_text(struct pytorch_value value, char to[VALUE_BYTES])
{
    if (value.kind == PYTORCH_NONE)
        return (struct text){"", 0};
    if (value.kind == PYTORCH_WHOLE)
        snprintf(to, VALUE_BYTES, "%" PRId64, value.whole);
    else
        python_float(value.real, to);
    return (struct text){to, strlen(to)};
}

/* The values of operators that have a kernel, and of kernels that have an operator. The file may
 * have grown since it was read. */
static void find_values(struct augmenting *augmenting, struct pytorch_value values[2])
{
    const struct pytorch_trace *trace = &augmenting->trace;
    if (pytorch_is_op(&augmenting->event) && augmenting->next_op < trace->op_count) {
        const struct pytorch_op *op = &trace->ops[augmenting->next_op++];
        if (op->has_kernel)
            values[0] = op->flop, values[1] = op->gigabytes;
    } else if (pytorch_is_kernel(&augmenting->event) &&
               augmenting->next_kernel < trace->kernel_count) {
        const struct pytorch_kernel *kernel = &trace->kernels[augmenting->next_kernel++];
        if (kernel->external_id.bytes)
            values[0] = kernel->flop, values[1] = kernel->gigabytes;
    }
}

static const char *augment_event(void *user, struct json_out *out, struct json_cursor *cursor,
                                 const char *p)
{
    struct augmenting *augmenting = user;
    char flop[VALUE_BYTES], gigabytes[VALUE_BYTES];
    struct pytorch_value values[2] = {0};
    const char *end = augment_event_read(&augmenting->event, cursor, p);
    if (!end)
        return NULL;
    find_values(augmenting, values);
    json_newline(out);
    augment_event_write(out, &augmenting->event, p, end, value_text(values[0], flop),
                        value_text(values[1], gigabytes));
    out->comma = true;
    return end;
}

static bool write_augmented(struct augmenting *augmenting, const char *from, const char *to,
                            bool partial, struct pytorch_message *message)
{
    const struct chrome_copy copy = {
        .path = from, .partial = partial, .user = augmenting, .event = augment_event};
    struct write_error error = {0};
    bool written = chrome_copy_trace(&copy, to, &error);
    if (!written && error.code != EPIPE)
        snprintf(message->text, sizeof message->text, "%s", error.message);
    return written;
}

bool pytorch_augment(const char *from, const char *to, bool partial,
                     struct pytorch_message *message)
{
    struct augmenting augmenting = {0};
    bool good = pytorch_trace_read(&augmenting.trace, from, partial, message) &&
                pytorch_trace_augment(&augmenting.trace, message);
    if (!good)
        pytorch_message_name(message, from);
    good = good && write_augmented(&augmenting, from, to, partial, message);
    pytorch_trace_fini(&augmenting.trace);
    return good;
}

/* ---- combine ---- */

struct combining {
    const char *const *paths;
    int count;
    bool partial;
    struct json_out *out;
    struct pytorch_trace devices; /* of the file that is read */
    struct text_pool ids;         /* of the devices that were written */
    const char *path;
    struct pytorch_message *message;
    bool failed, first;
};

static void fail(struct combining *combining, const char *sentence)
{
    if (!combining->failed)
        snprintf(combining->message->text, sizeof combining->message->text, "%.600s: %s",
                 combining->path, sentence);
    combining->failed = true;
}

static const char *copy_event(void *user, struct json_cursor *cursor, const char *p)
{
    struct combining *combining = user;
    const char *end = json_skip_open(cursor, p + 1, 1);
    if (!end)
        return NULL;
    json_newline(combining->out);
    json_out_bytes(combining->out, p, (size_t)(end - p));
    combining->out->comma = true;
    return end;
}

static const char *skip_event(void *user, struct json_cursor *cursor, const char *p)
{
    (void)user;
    return json_skip_open(cursor, p + 1, 1);
}

static void keep_devices(void *user, struct text key, struct text segment, bool first, bool last)
{
    struct combining *combining = user;
    (void)last;
    if (text_is(key, "deviceProperties") &&
        !pytorch_devices_segment(&combining->devices, segment, first))
        fail(combining, "out of memory");
}

static void copy_member(void *user, struct text key, struct text segment, bool first, bool last)
{
    struct combining *combining = user;
    if (!text_is(key, "deviceProperties"))
        chrome_copy_part(combining->out, key, segment, first, last);
}

static void walk(struct combining *combining, int input, struct kineto_visitor visitor)
{
    struct kineto_walked walked = {0};
    struct read_error error;
    if (combining->failed)
        return;
    visitor.user = combining;
    combining->path = combining->paths[input];
    struct source *source = source_open(combining->path, &error);
    bool good = source && kineto_file_walk(source, combining->partial, &visitor, &walked, &error);
    source_close(source);
    if (!good && !combining->failed) {
        snprintf(combining->message->text, sizeof combining->message->text, "%s", error.message);
        combining->failed = true;
    }
    if (walked.is_array)
        fail(combining, "TypeError: an array of events has no deviceProperties");
}

/* Looks ids up among the devices of earlier files, so two of one file are both written. */
static void put_devices_of(struct combining *combining)
{
    const char *p = combining->devices.devices, *end = p + combining->devices.device_bytes;
    uint32_t known = combining->ids.count;
    struct text item, id, name;
    while ((p = pytorch_devices_next(p, end, &item, &id, &name))) {
        uint32_t number = id.bytes ? text_pool_number(&combining->ids, id) : 0;
        if (!number)
            fail(combining, id.bytes ? "out of memory" : "KeyError: 'id'");
        if (!number || (number <= known && !combining->first))
            continue;
        json_newline(combining->out);
        json_out_bytes(combining->out, item.bytes, item.size);
        combining->out->comma = true;
    }
}

static void put_devices(struct combining *combining)
{
    struct json_out *out = combining->out;
    json_newline(out), json_key(out, "deviceProperties"), json_array_begin(out);
    for (int i = 0; i < combining->count && !combining->failed; i++) {
        combining->first = i == 0;
        walk(combining, i, (struct kineto_visitor){.event = skip_event, .member = keep_devices});
        if (!combining->failed && !combining->devices.devices)
            fail(combining, "KeyError: 'deviceProperties'");
        if (!combining->failed)
            put_devices_of(combining);
        pytorch_trace_fini(&combining->devices);
    }
    json_array_end(out);
}

static bool write_all(void *user, struct json_out *out)
{
    struct combining *combining = user;
    combining->out = out;
    json_object_begin(out);
    json_newline(out), json_key(out, "traceEvents"), json_array_begin(out);
    for (int i = 0; i < combining->count; i++)
        walk(combining, i, (struct kineto_visitor){.event = copy_event});
    chrome_copy_end_line(out);
    json_array_end(out);
    put_devices(combining);
    walk(combining, 0, (struct kineto_visitor){.event = skip_event, .member = copy_member});
    chrome_copy_end_line(out);
    json_object_end(out);
    chrome_copy_end_line(out);
    return !combining->failed;
}

static void print_path(FILE *out, const char *path, const char *behind)
{
    char shown[SHOW_TEXT_BYTES(900)];
    bool rest;
    show_text((struct text){path, strlen(path)}, 900, shown, &rest);
    fprintf(out, "%s%s%s", shown, rest ? "..." : "", behind);
}

static void print_done(const char *const *paths, int count, FILE *out)
{
    fprintf(out, "Successfully combined ");
    for (int i = 0; i < count; i++)
        print_path(out, paths[i], i < count - 1 ? ", " : " into ");
    print_path(out, paths[count], "\n");
}

bool pytorch_combine(const char *const *paths, int count, bool partial, FILE *out,
                     struct pytorch_message *message)
{
    struct combining combining = {
        .paths = paths, .count = count - 1, .partial = partial, .message = message};
    struct write_error error = {0};
    if (count < 3) { /* that program exits with status 0 */
        fputs("Error: At least 2 input files are required for combining\n", out);
        return true;
    }
    bool written = chrome_copy_write(paths[count - 1], write_all, &combining, &error);
    text_pool_fini(&combining.ids);
    if (written && strcmp(paths[count - 1], "-") != 0)
        print_done(paths, count - 1, out);
    if (!written && !combining.failed && error.code != EPIPE)
        snprintf(message->text, sizeof message->text, "%s", error.message);
    return written;
}
