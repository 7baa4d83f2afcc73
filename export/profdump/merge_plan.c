/* merge_plan.c - see merge_plan.h. */
#include "merge_plan.h"

#include "chrome_rows.h"

#include <inttypes.h>
#include <stdlib.h>

/* Numbers for pids that are taken: beyond those that chrome_rows.h gives. */
#define OWN_PIDS UINT64_C(9000000)

/* Notes the pid as used. True: it was not; the empty one, on which nothing is drawn, never is. */
static bool use_pid(struct merge_plan *plan, struct text pid)
{
    uint32_t before = plan->used_pids.count;
    if (merge_without_quotes(pid).size == 0)
        return true;
    plan->failed |= text_pool_number(&plan->used_pids, merge_without_quotes(pid)) == 0;
    return plan->used_pids.count != before;
}

static bool use_number(struct merge_plan *plan, uint64_t pid, char *text, size_t room)
{
    int size = snprintf(text, room, "%" PRIu64, pid);
    return use_pid(plan, (struct text){text, (size_t)size});
}

/* "Spans" becomes "Spans (2)", a number another one. */
static struct text new_pid(struct merge_plan *plan, struct merge_file *file, struct text pid)
{
    char text[512];
    bool is_text = pid.bytes[0] == '"';
    struct text bare = merge_without_quotes(pid);
    int64_t number;
    if (!is_text || json_text_scaled(bare, 0, &number) || bare.size > 400) {
        while (!use_number(plan, plan->next_pid++, text, sizeof text) && !plan->failed) {
        }
    } else {
        unsigned copy = 2;
        do
            snprintf(text, sizeof text, "\"%.*s (%u)\"", (int)bare.size, bare.bytes, copy++);
        while (!use_pid(plan, (struct text){text, strlen(text)}) && !plan->failed);
    }
    struct text kept = text_pool_copy(&file->pids, (struct text){text, strlen(text)});
    plan->failed |= !kept.bytes;
    return kept.bytes ? kept : pid;
}

uint32_t merge_file_pid(const struct merge_file *file, struct text bare, bool quoted)
{
    char text[512];
    if (!quoted)
        return text_pool_find(&file->pids, bare);
    if (bare.size + 2 > sizeof text)
        return 0;
    text[0] = text[bare.size + 1] = '"';
    memcpy(text + 1, bare.bytes, bare.size);
    return text_pool_find(&file->pids, (struct text){text, bare.size + 2});
}

/* A pid that is both "7" and 7 within one file stays one. 0: it is not, or the other one comes later. */
static uint32_t twin_of(const struct merge_file *file, uint32_t number)
{
    struct text pid = file->pids.texts[number];
    uint32_t twin = merge_file_pid(file, merge_without_quotes(pid), pid.bytes[0] != '"');
    return twin < number ? twin : 0;
}

static void choose_pids(struct merge_plan *plan, struct merge_file *file)
{
    file->new_pids = calloc((size_t)file->pids.count + 1, sizeof *file->new_pids);
    plan->failed |= !file->new_pids;
    file->pid_count = file->pids.count;
    for (uint32_t i = 1; i < file->pids.count && !plan->failed; i++) {
        struct text pid = file->pids.texts[i];
        uint32_t twin = twin_of(file, i);
        if (twin)
            file->new_pids[i] = file->new_pids[twin].bytes == file->pids.texts[twin].bytes
                                    ? pid
                                    : file->new_pids[twin];
        else
            file->new_pids[i] = use_pid(plan, pid) ? pid : new_pid(plan, file, pid);
    }
}

static uint64_t timeline_base(const struct timeline *timeline)
{
    uint64_t early = timeline->start_ns < 0 ? 0 - (uint64_t)timeline->start_ns : 0;
    return early < timeline->base_realtime_ns ? timeline->base_realtime_ns - early : 0;
}

static void choose_times(struct merge_plan *plan, const struct timeline *timeline)
{
    uint64_t base = timeline ? timeline_base(timeline) : 0;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->files[i].has_base && (!base || plan->files[i].base_ns < base))
            base = plan->files[i].base_ns;
    plan->base_ns = base;
    for (size_t i = 0; i < plan->count; i++) {
        struct merge_file *file = &plan->files[i];
        if (file->has_base || (file->is_absolute && base))
            file->later_ns = (int64_t)(file->base_ns - base);
    }
}

/* The largest ids that a plan has given out so far. */
struct used_ids {
    uint64_t link, other;
};

static void use_link(struct used_ids *used, uint64_t id)
{
    used->link = id > used->link ? id : used->link;
}

/* "External id" is that of a slice: see chrome_args_external_id(). */
static struct used_ids ids_of_timeline(const struct timeline *timeline,
                                       const struct chrome_rows *rows)
{
    struct used_ids used = {timeline->slices.count,
                            (uint64_t)timeline->gpus.count + timeline->asyncs.count +
                                timeline->fwdbwds.count + timeline->timings.count +
                                timeline->migrations.count};
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        use_link(&used, chrome_rows_id(rows, timeline->gpus.at[i].process,
                                       timeline->gpus.at[i].correlation));
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (slice->kind == TL_API && slice->api < timeline->apis.count)
            use_link(&used, chrome_rows_id(rows, timeline->threads.at[slice->thread].process,
                                           timeline->apis.at[slice->api].correlation));
    }
    return used;
}

/* The pids and the largest ids that a Chrome trace of the timeline has. */
static struct used_ids use_timeline(struct merge_plan *plan, const struct timeline *timeline)
{
    struct chrome_rows rows;
    char text[32];
    if (!chrome_rows_init(&rows, timeline)) {
        plan->failed = true;
        return (struct used_ids){0, 0};
    }
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        use_number(plan, rows.pids[i], text, sizeof text);
    for (uint32_t i = 0; i < rows.gpu_count; i++)
        use_number(plan, rows.gpus[i].pid, text, sizeof text);
    struct used_ids used = ids_of_timeline(timeline, &rows);
    chrome_rows_fini(&rows);
    return used;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Each file's ids begin behind those of the files before. Kineto's flows have the ids of correlations, and
 * keep them; but where ids of flows or ranges are so large that correlations would leave their 32 bits, as
 * addresses are, the two count apart. */
static void choose_ids(struct merge_plan *plan, struct used_ids used)
{
    uint64_t all = larger(used.link, used.other);
    for (size_t i = 0; i < plan->count && all <= UINT32_MAX; i++)
        all += larger(plan->files[i].most_link, plan->files[i].most_id);
    bool together = all <= UINT32_MAX;
    if (together)
        used.link = used.other = larger(used.link, used.other);
    for (size_t i = 0; i < plan->count; i++) {
        struct merge_file *file = &plan->files[i];
        file->link_offset = used.link;
        file->id_offset = used.other;
        used.link += together ? larger(file->most_link, file->most_id) : file->most_link;
        used.other += together ? larger(file->most_link, file->most_id) : file->most_id;
    }
}

bool merge_plan_make(struct merge_plan *plan, const struct timeline *timeline)
{
    plan->next_pid = OWN_PIDS;
    struct used_ids used = {0, 0};
    if (timeline)
        used = use_timeline(plan, timeline);
    for (size_t i = 0; i < plan->count && !plan->failed; i++) {
        struct merge_file *file = &plan->files[i];
        if (!merge_survey(file, plan->partial, &plan->error))
            return false;
        choose_pids(plan, file);
    }
    choose_ids(plan, used);
    choose_times(plan, timeline);
    if (plan->failed)
        snprintf(plan->error.message, sizeof plan->error.message, "out of memory");
    return !plan->failed;
}
