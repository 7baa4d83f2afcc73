/* merge_groups.c - see merge_groups.h. */
#include "merge_groups.h"

#include <errno.h>
#include <stdlib.h>

bool merge_groups_are_large(const struct merge_file *file)
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

static void take_rank(void *user, const struct json_string *key, struct text value)
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
        json_each_member(&cursor, distributed.bytes, take_rank, &group);
    begin_group(writing->out, &group);
    for (uint32_t i = 1; i < file->pid_count; i++)
        if (!writing->grouped[i])
            put_pid(writing->out, file->new_pids[i], file->pids.texts[i]);
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

void merge_groups_write(const struct merge_plan *plan, struct json_out *out)
{
    json_newline(out), json_key(out, KINETO_PROCESSES_MERGED), json_array_begin(out);
    for (size_t i = 0; i < plan->count; i++)
        write_file(&plan->files[i], out);
    json_array_end(out);
}
