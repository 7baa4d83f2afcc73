/* build_children.c - the processes that a process made, and which of them have a file here. */
#include "build.h"

#include <string.h>

/* Children of the time before the file, which come first, are told again when it is known. */
static struct tl_child *find_early(struct builder *builder, uint32_t pid)
{
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.child; i < timeline->children.count; i++) {
        struct tl_child *child = &timeline->children.at[i];
        if (child->time_ns != TL_NO_TIME)
            return NULL;
        if (child->pid == pid)
            return child;
    }
    return NULL;
}

void timeline_append_child(struct builder *builder, uint32_t pid, enum prof_child_origin origin,
                           int64_t time_ns)
{
    if (builder->failed)
        return;
    struct tl_child *child = find_early(builder, pid);
    if (!child)
        child = ARRAY_ADD(&builder->timeline->children);
    if (!child) {
        builder->failed = true;
        return;
    }
    *child = (struct tl_child){
        .time_ns = time_ns ? build_time(builder, time_ns) : TL_NO_TIME,
        .process = builder->process,
        .recorded = TL_NONE,
        .pid = pid,
        .origin = (uint8_t)origin,
    };
}

static bool same_text(struct text a, struct text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

/* The same number on another host, or of a process that recorded before this child was made, is
 * not it. */
static bool is_file_of(const struct tl_process *process, const struct tl_child *child,
                       const struct tl_process *parent)
{
    bool before = child->time_ns != TL_NO_TIME &&
                  process->info.start_realtime_ns < parent->info.start_realtime_ns;
    return !before && process->info.parent_pid == parent->info.pid &&
           same_text(process->info.host, parent->info.host);
}

bool build_children_find(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    struct idmap by_pid = {0};
    bool built = !builder->failed;
    for (uint32_t i = 0; i < timeline->processes.count && built; i++)
        built = idmap_set(&by_pid, timeline->processes.at[i].info.pid, i);
    for (uint32_t i = 0; i < timeline->children.count && built; i++) {
        struct tl_child *child = &timeline->children.at[i];
        uint32_t found = idmap_find(&by_pid, child->pid);
        if (found != IDMAP_NONE && is_file_of(&timeline->processes.at[found], child,
                                              &timeline->processes.at[child->process]))
            child->recorded = found;
    }
    idmap_fini(&by_pid);
    return built;
}
