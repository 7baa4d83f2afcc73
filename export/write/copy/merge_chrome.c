/* merge_chrome.c - see merge_chrome.h. Two passes over each file: the first finds ids and times,
 * the second copies. A single file is only copied. */
#include "merge_chrome.h"

#include "chrome_copy.h"
#include "merge_plan.h"
#include "packed_out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- "mergedProcesses": which pids were of one file ---- */

/* True if the file's lists are too large to be rewritten: they are copied unchanged. */
static bool groups_are_large(const struct merge_file *file)
{
    return file->processes[0].large || file->processes[1].large;
}

struct writing {
    const struct merge_file *file;
    struct json_out *out;
    bool *grouped; /* by number of the pid: a group of the file has it */
};

static void put(struct json_out *out, struct text text)
{
    json_out_bytes(out, text.bytes, text.size);
}

static void put_pid(struct json_out *out, struct text now, struct text before)
{
    json_out_bytes(out, out->comma ? ",\"" : "\"", out->comma ? 2 : 1);
    put(out, merge_without_quotes(now));
    json_out_bytes(out, "\":", 2);
    put(out, before);
    out->comma = true;
}

/* A pid of a group that the file has. */
static void put_grouped(void *user, struct text now, struct text before)
{
    const struct writing *writing = user;
    for (int quoted = 0; quoted < 2; quoted++) {
        uint32_t number = merge_file_pid(writing->file, now, quoted);
        if (!number || number >= writing->file->pid_count || writing->grouped[number])
            continue;
        writing->grouped[number] = true;
        put_pid(writing->out, writing->file->new_pids[number], before);
    }
}

/* Up to its pids. */
static void begin_group(struct json_out *out, const struct kineto_group *group)
{
    json_newline(out), json_object_begin(out);
    if (group->rank >= 0)
        json_key(out, "rank"), json_int(out, group->rank);
    if (group->world_size >= 0)
        json_key(out, "world_size"), json_int(out, group->world_size);
    if (group->host.size) {
        json_key(out, "host_name"), put(out, group->host);
        out->comma = true;
    }
    json_key(out, "pids"), json_object_begin(out);
}

static void put_group(void *user, const struct kineto_group *group)
{
    struct writing *writing = user;
    begin_group(writing->out, group);
    kineto_group_pids(group, put_grouped, writing);
    json_object_end(writing->out), json_object_end(writing->out);
}

static void read_rank(void *user, const struct json_string *key, struct text value)
{
    kineto_group_rank(user, key, value);
}

/* The pids that no group of the file has. */
static void put_rest(const struct writing *writing)
{
    const struct merge_file *file = writing->file;
    struct kineto_group group = {.rank = -1, .world_size = -1};
    struct text distributed = merge_member_text(&file->distributed);
    struct json_cursor cursor = {.end = distributed.bytes + distributed.size};
    group.host = merge_member_text(&file->host);
    if (distributed.size)
        json_each_member(&cursor, distributed.bytes, read_rank, &group);
    begin_group(writing->out, &group);
    for (uint32_t i = 1; i < file->pid_count; i++)
        if (!writing->grouped[i])
            put_pid(writing->out, file->new_pids[i], text_pool_text(&file->pids, i));
    json_object_end(writing->out), json_object_end(writing->out);
}

static bool has_rest(const struct writing *writing)
{
    for (uint32_t i = 1; i < writing->file->pid_count; i++)
        if (!writing->grouped[i])
            return true;
    return false;
}

static void write_file(const struct merge_file *file, struct json_out *out)
{
    struct writing writing = {file, out, calloc(file->pid_count + (size_t)1, sizeof(bool))};
    if (!writing.grouped) {
        out->error = ENOMEM;
        return;
    }
    for (int i = 0; i < 2; i++)
        kineto_groups_each(merge_member_text(&file->processes[i]), put_group, &writing);
    if (has_rest(&writing))
        put_rest(&writing);
    free(writing.grouped);
}

/* A group for each file, or each group that the file has. */
static void groups_write(const struct merge_plan *plan, struct json_out *out)
{
    json_newline(out), json_key(out, KINETO_PROCESSES_MERGED), json_array_begin(out);
    for (size_t i = 0; i < plan->count; i++)
        write_file(&plan->files[i], out);
    json_array_end(out);
}

/* ---- the merge ---- */

struct merge_chrome {
    struct merge_plan plan;
    bool changes;     /* several parts: ids and times change */
    uint64_t unmoved; /* times that are not decimal numbers */
    /* while writing */
    struct json_out *out;
    struct merge_file *file;
    struct merge_event event;
    bool base_written, devices_written, as_part;
    unsigned merged_before; /* members "mergedTraces" that the first file has */
    uint32_t last_pid;
};

bool merge_chrome_is(const char *path)
{
    struct read_error error;
    struct text head;
    struct source *source = source_open(path, &error);
    bool is = source && source_peek(source, &head, &error) && kineto_file_recognise(head);
    source_close(source);
    return is;
}

static void copy_error(struct write_error *to, const struct read_error *from)
{
    to->code = EINVAL;
    snprintf(to->message, sizeof to->message, "%s", from->message);
}

struct merge_chrome *merge_chrome_create(const char *const *paths, size_t count, bool partial,
                                         const struct timeline *timeline, struct write_error *error)
{
    struct merge_chrome *merge = calloc(1, sizeof *merge);
    if (merge)
        merge->plan.files = calloc(count + 1, sizeof *merge->plan.files);
    if (!merge || !merge->plan.files) {
        free(merge);
        *error = (struct write_error){ENOMEM, "out of memory"};
        return NULL;
    }
    merge->plan.count = count;
    merge->plan.partial = partial;
    merge->changes = count + (timeline != NULL) > 1;
    for (size_t i = 0; i < count; i++)
        merge->plan.files[i].path = paths[i];
    if (!merge->changes || merge_plan_make(&merge->plan, timeline))
        return merge;
    copy_error(error, &merge->plan.error);
    merge_chrome_destroy(merge);
    return NULL;
}

void merge_chrome_destroy(struct merge_chrome *merge)
{
    if (!merge)
        return;
    for (size_t i = 0; i < merge->plan.count; i++)
        merge_file_fini(&merge->plan.files[i]);
    text_pool_fini(&merge->plan.used_pids);
    free(merge->plan.files);
    free(merge);
}

static void put_new_pid(struct merge_chrome *merge, struct text pid)
{
    const struct merge_file *file = merge->file;
    if (!merge->last_pid || !text_equals(text_pool_text(&file->pids, merge->last_pid), pid))
        merge->last_pid = text_pool_number(&merge->file->pids, pid);
    /* a pid that the first pass did not see: the file changed in between */
    bool known = merge->last_pid && merge->last_pid < file->pid_count &&
                 file->new_pids[merge->last_pid].bytes;
    put(merge->out, known ? file->new_pids[merge->last_pid] : pid);
}

static void put_id(struct merge_chrome *merge, struct text text, bool link)
{
    struct json_out *out = merge->out;
    char moved[40];
    uint64_t id, offset = link ? merge->file->link_offset : merge->file->id_offset;
    bool is_text;
    bool counted = merge_event_id(text, &id, &is_text);
    if (offset == 0 || (link && (!counted || is_text || id == 0))) {
        put(out, text);
    } else if (counted && is_text) {
        bool prefix = text.size > 4 && (text.bytes[2] | 0x20) == 'x';
        int size =
            snprintf(moved, sizeof moved, "\"%s%" PRIx64 "\"", prefix ? "0x" : "", id + offset);
        put(out, (struct text){moved, (size_t)size});
    } else if (counted) {
        int size = snprintf(moved, sizeof moved, "%" PRIu64, id + offset);
        put(out, (struct text){moved, (size_t)size});
    } else {
        /* any text: the file's number makes it another */
        int size =
            snprintf(moved, sizeof moved, ".%zu\"", (size_t)(merge->file - merge->plan.files) + 1);
        bool quoted = text.bytes[0] == '"';
        json_out_bytes(out, "\"", quoted ? 0 : 1);
        put(out, (struct text){text.bytes, text.size - quoted});
        put(out, (struct text){moved, (size_t)size});
    }
}

static void put_place(struct merge_chrome *merge, const struct merge_place *place)
{
    if (place->kind == MERGE_PID)
        put_new_pid(merge, place->text);
    else if (place->kind == MERGE_TIME)
        merge->unmoved += !merge_event_time(merge->out, place->text, merge->file->later_ns);
    else
        put_id(merge, place->text, place->kind == MERGE_LINK);
}

static void put_event(struct merge_chrome *merge, const char *begin, const char *end)
{
    json_newline(merge->out);
    for (unsigned i = 0; i < merge->event.count; i++) {
        const struct merge_place *place = &merge->event.places[i];
        put(merge->out, (struct text){begin, (size_t)(place->text.bytes - begin)});
        put_place(merge, place);
        begin = place->text.bytes + place->text.size;
    }
    put(merge->out, (struct text){begin, (size_t)(end - begin)});
    merge->out->comma = true;
}

static const char *copy_event(void *user, struct json_cursor *cursor, const char *p)
{
    struct merge_chrome *merge = user;
    merge->event.count = 0;
    const char *end = merge->changes ? merge_event_read(&merge->event, cursor, p)
                                     : json_skip_open(cursor, p + 1, 1);
    if (end)
        put_event(merge, p, end);
    return end;
}

static const char *skip_event(void *user, struct json_cursor *cursor, const char *p)
{
    (void)user;
    return json_skip_open(cursor, p + 1, 1);
}

static void walk(struct merge_chrome *merge, struct merge_file *file, struct kineto_visitor visitor)
{
    if (merge->plan.failed)
        return;
    struct source *source = source_open(file->path, &merge->plan.error);
    visitor.user = merge;
    merge->file = file;
    merge->last_pid = 0;
    merge->plan.failed |= !source || !kineto_file_walk(source, merge->plan.partial, &visitor,
                                                       &file->walked, &merge->plan.error);
    source_close(source);
}

static void copy_events(struct merge_chrome *merge, size_t first)
{
    struct merge_file *file = merge->file;
    for (size_t i = first; i < merge->plan.count; i++)
        walk(merge, &merge->plan.files[i], (struct kineto_visitor){.event = copy_event});
    merge->file = file;
}

/* The first one counts. */
static void read_id(void *user, const struct json_string *key, struct text value)
{
    struct text *id = user;
    if (!id->size && json_string_is(key, "id"))
        *id = value;
}

/* Those of the file whose ids are new. */
static void put_devices_of(struct merge_chrome *merge, const struct merge_file *file,
                           struct text_pool *ids)
{
    struct text devices = merge_member_text(&file->devices);
    struct json_cursor cursor = {.end = devices.bytes + devices.size};
    bool more = devices.size && *devices.bytes == '[';
    const char *p = more ? json_space(devices.bytes + 1) : NULL;
    while (p && more && p < cursor.end && *p != ']') {
        struct text id = {"", 0};
        const char *after = json_each_member(&cursor, p, read_id, &id);
        if (!after)
            return;
        uint32_t before = ids->count, number = text_pool_number(ids, id);
        if (number && ids->count != before) {
            json_newline(merge->out);
            put(merge->out, (struct text){p, (size_t)(after - p)});
            merge->out->comma = true;
        }
        p = json_next(&cursor, after, ']', &more);
    }
}

static void put_devices(struct merge_chrome *merge)
{
    struct text_pool ids = {0};
    json_newline(merge->out), json_key(merge->out, "deviceProperties");
    json_array_begin(merge->out);
    for (size_t i = 0; i < merge->plan.count; i++)
        put_devices_of(merge, &merge->plan.files[i], &ids);
    json_array_end(merge->out);
    text_pool_fini(&ids);
    merge->devices_written = true;
}

static void put_base(struct merge_chrome *merge)
{
    json_newline(merge->out), json_key(merge->out, "baseTimeNanoseconds");
    json_uint(merge->out, merge->plan.base_ns);
    merge->base_written = true;
}

/* Several files: some members are of all of them. */
static void copy_member(void *user, struct text key, struct text segment, bool first, bool last)
{
    struct merge_chrome *merge = user;
    bool merged = merge->changes && !merge->as_part;
    if (merged && first && key.size >= 12 && memcmp(key.bytes, "mergedTraces", 12) == 0)
        merge->merged_before++;
    if (merge->changes && kineto_groups_is(key) && !groups_are_large(merge->file))
        return; /* those of all files are written together */
    if (merged && text_is(key, "baseTimeNanoseconds")) {
        if (last)
            put_base(merge);
    } else if (merged && text_is(key, "deviceProperties") && !merge->file->devices.large) {
        if (last)
            put_devices(merge);
    } else {
        chrome_copy_part(merge->out, key, segment, first, last);
    }
}

static void copy_first_events(void *user, bool begin)
{
    struct merge_chrome *merge = user;
    if (begin) {
        json_newline(merge->out), json_key(merge->out, "traceEvents");
        json_array_begin(merge->out);
        return;
    }
    copy_events(merge, 1);
    chrome_copy_end_line(merge->out);
    json_array_end(merge->out);
}

/* The members of the files that are not the trace's own. */
static void put_parts(struct merge_chrome *merge, size_t first)
{
    struct json_out *out = merge->out;
    char name[40] = "mergedTraces";
    if (merge->merged_before)
        snprintf(name, sizeof name, "mergedTraces %u", merge->merged_before + 1);
    json_newline(out), json_string(out, name), json_colon(out), json_array_begin(out);
    merge->as_part = true;
    for (size_t i = first; i < merge->plan.count; i++) {
        json_newline(out), json_object_begin(out);
        json_key(out, "file"), json_string(out, merge->plan.files[i].path);
        json_key(out, "pids"), json_object_begin(out);
        for (uint32_t j = 1; j < merge->plan.files[i].pid_count; j++) {
            struct text pid = text_pool_text(&merge->plan.files[i].pids, j),
                        now = merge->plan.files[i].new_pids[j];
            if (now.bytes && now.bytes != pid.bytes)
                put_pid(out, now, pid);
        }
        json_object_end(out);
        walk(merge, &merge->plan.files[i],
             (struct kineto_visitor){.event = skip_event, .member = copy_member});
        json_object_end(out);
    }
    merge->as_part = false;
    json_array_end(out);
    groups_write(&merge->plan, out);
}

static void write_all(struct merge_chrome *merge)
{
    struct json_out *out = merge->out;
    json_object_begin(out);
    walk(merge, &merge->plan.files[0],
         (struct kineto_visitor){
             .event = copy_event, .events = copy_first_events, .member = copy_member});
    if (merge->changes) {
        if (!merge->base_written && merge->plan.base_ns)
            put_base(merge);
        if (!merge->devices_written && !merge->plan.files[0].devices.large)
            put_devices(merge);
        put_parts(merge, 1);
    }
    chrome_copy_end_line(out);
    json_object_end(out);
    chrome_copy_end_line(out);
}

static bool write_merged(void *user, struct json_out *out)
{
    struct merge_chrome *merge = user;
    merge->out = out;
    write_all(merge);
    return !merge->plan.failed;
}

bool merge_chrome_write(struct merge_chrome *merge, const char *path, struct write_error *error)
{
    bool written = chrome_copy_write(path, write_merged, merge, error);
    return !merge_chrome_failed(merge, error) && written;
}

static void more_events(void *user, struct json_out *out)
{
    struct merge_chrome *merge = user;
    merge->out = out;
    copy_events(merge, 0);
    if (merge->plan.failed)
        out->error = EINVAL; /* nothing of it is kept */
}

static void more_members(void *user, struct json_out *out)
{
    struct merge_chrome *merge = user;
    merge->out = out;
    put_parts(merge, 0);
    if (merge->plan.failed)
        out->error = EINVAL;
}

struct write_chrome_more merge_chrome_more(struct merge_chrome *merge)
{
    return (struct write_chrome_more){merge,        merge->plan.base_ns, more_events,
                                      more_members, packed_out_open,     true};
}

bool merge_chrome_failed(const struct merge_chrome *merge, struct write_error *error)
{
    if (merge->plan.failed)
        copy_error(error, &merge->plan.error);
    return merge->plan.failed;
}

void merge_chrome_each_warning(const struct merge_chrome *merge, merge_chrome_warn *warn)
{
    for (size_t i = 0; i < merge->plan.count; i++) {
        const struct kineto_walked *walked = &merge->plan.files[i].walked;
        warn(merge->plan.files[i].path, walked->cut_arrays,
             "array of events without its end: the file was cut off, or not closed");
        warn(merge->plan.files[i].path, walked->cut_events, "event cut off by the end of the file");
        warn(merge->plan.files[i].path, walked->strange_items,
             "items in the list of events that are not events: left out");
        warn(merge->plan.files[i].path, walked->large_events,
             "events of more than 64 MiB left out");
    }
    if (merge->plan.count)
        warn(merge->plan.files[0].path, merge->unmoved,
             "times of merged files that are not decimal numbers: not moved");
}
