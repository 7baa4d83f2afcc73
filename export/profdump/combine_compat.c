/* combine_compat.c - see combine_compat.h. */
#include "combine_compat.h"

#include "chrome_copy.h"
#include "compat_devices.h"
#include "kineto_file.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>

struct combining {
    const struct profdump_options *options;
    struct json_out *out;
    struct compat_trace devices; /* of the file that is read */
    struct text_pool ids;        /* of the devices that were written */
    char *path;
    struct compat_message message;
    bool failed, first;
};

static void fail(struct combining *combining, const char *sentence)
{
    if (!combining->failed)
        snprintf(combining->message.text, sizeof combining->message.text, "%.200s: %s",
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

static void keep_devices(void *user, struct text key, struct text piece, bool first, bool last)
{
    struct combining *combining = user;
    (void)last;
    if (text_is(key, "deviceProperties") &&
        !compat_devices_piece(&combining->devices, piece, first))
        fail(combining, "out of memory");
}

static void copy_member(void *user, struct text key, struct text piece, bool first, bool last)
{
    struct combining *combining = user;
    if (!text_is(key, "deviceProperties"))
        chrome_copy_piece(combining->out, key, piece, first, last);
}

static void walk(struct combining *combining, int input, struct kineto_visitor visitor)
{
    struct kineto_walked walked = {0};
    struct read_error error;
    if (combining->failed)
        return;
    visitor.user = combining;
    combining->path = combining->options->inputs[input];
    struct source *source = source_open(combining->path, &error);
    bool good =
        source && kineto_file_walk(source, combining->options->partial, &visitor, &walked, &error);
    source_close(source);
    if (!good && !combining->failed) {
        snprintf(combining->message.text, sizeof combining->message.text, "%s", error.message);
        combining->failed = true;
    }
    if (walked.is_array)
        fail(combining, "TypeError: an array of events has no deviceProperties");
}

/* Ids are looked up among the devices of the files before, so two of one file are both there. */
static void put_devices_of(struct combining *combining)
{
    const char *p = combining->devices.devices, *end = p + combining->devices.device_bytes;
    uint32_t known = combining->ids.count;
    struct text item, id, name;
    while ((p = compat_devices_next(p, end, &item, &id, &name))) {
        uint32_t number = id.bytes ? text_pool_number(&combining->ids, id) : 0;
        if (!number)
            fail(combining, id.bytes ? "out of memory" : "KeyError: 'id'");
        if (!number || (number < known && !combining->first))
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
    for (int i = 0; i < combining->options->input_count && !combining->failed; i++) {
        combining->first = i == 0;
        walk(combining, i, (struct kineto_visitor){.event = skip_event, .member = keep_devices});
        if (!combining->failed && !combining->devices.devices)
            fail(combining, "KeyError: 'deviceProperties'");
        if (!combining->failed)
            put_devices_of(combining);
        compat_trace_fini(&combining->devices);
    }
    json_array_end(out);
}

static bool write_all(void *user, struct json_out *out)
{
    struct combining *combining = user;
    combining->out = out;
    json_object_begin(out);
    json_newline(out), json_key(out, "traceEvents"), json_array_begin(out);
    for (int i = 0; i < combining->options->input_count; i++)
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

static void say_path(FILE *out, const char *path, const char *behind)
{
    char shown[SHOW_TEXT_BYTES(900)];
    bool rest;
    show_text((struct text){path, strlen(path)}, 900, shown, &rest);
    fprintf(out, "%s%s%s", shown, rest ? "..." : "", behind);
}

/* Not into the trace, where that goes to standard output. */
static int say_done(const struct profdump_options *options)
{
    const char *to = options->export_paths[EXPORT_CHROME];
    int last = options->input_count - 1;
    if (strcmp(to, "-") == 0)
        return EXIT_SUCCESS;
    fprintf(options->out, "Successfully combined ");
    for (int i = 0; i <= last; i++)
        say_path(options->out, options->inputs[i], i < last ? ", " : " into ");
    say_path(options->out, to, "\n");
    return finish_answer(options, true);
}

int combine_compat(const struct profdump_options *options)
{
    struct combining combining = {.options = options};
    struct write_error error = {0};
    bool written =
        chrome_copy_write(options->export_paths[EXPORT_CHROME], write_all, &combining, &error);
    text_pool_fini(&combining.ids);
    if (written)
        return say_done(options);
    if (combining.failed)
        complain("%s", combining.message.text);
    else if (error.code != EPIPE)
        complain("%s", error.message);
    return EXIT_FAILURE;
}
