/* kineto_groups.c - see kineto_groups.h. */
#include "kineto_groups.h"

void kineto_group_rank(struct kineto_group *group, const struct json_string *key, struct text value)
{
    int64_t number;
    if (!json_text_scaled(value, 0, &number) || number < 0 || number > INT32_MAX)
        return;
    if (json_string_is(key, "rank"))
        group->rank = (int32_t)number;
    else if (json_string_is(key, "world_size"))
        group->world_size = (int32_t)number;
}

static void take_member(void *user, const struct json_string *key, struct text value)
{
    struct kineto_group *group = user;
    if (json_string_is(key, "pids"))
        group->pids = value;
    else if (json_string_is(key, "host_name"))
        group->host = value;
    else
        kineto_group_rank(group, key, value);
}

void kineto_groups_each(struct text value, kineto_take_group *take, void *user)
{
    struct json_cursor cursor = {.end = value.bytes + value.size};
    bool more = value.size && *value.bytes == '[';
    const char *p = more ? json_space(value.bytes + 1) : NULL;
    while (p && more && p < cursor.end && *p == '{') {
        struct kineto_group group = {.rank = -1, .world_size = -1};
        p = json_each_member(&cursor, p, take_member, &group);
        if (p)
            take(user, &group);
        p = p ? json_next(&cursor, p, ']', &more) : NULL;
    }
}

struct pid_taker {
    kineto_take_pid *take;
    void *user;
};

static void take_pid(void *user, const struct json_string *key, struct text value)
{
    const struct pid_taker *taker = user;
    taker->take(taker->user, (struct text){key->bytes, key->size}, value);
}

void kineto_group_pids(const struct kineto_group *group, kineto_take_pid *take, void *user)
{
    struct json_cursor cursor = {.end = group->pids.bytes + group->pids.size};
    struct pid_taker taker = {take, user};
    if (group->pids.size)
        json_each_member(&cursor, group->pids.bytes, take_pid, &taker);
}
