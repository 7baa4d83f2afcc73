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

/* A pid that is both "7" and 7 within one file stays one. */
static uint32_t twin_of(const struct merge_file *file, uint32_t number)
{
    struct text bare = merge_without_quotes(file->pids.texts[number]);
    for (uint32_t i = 1; i < number && i < 4096; i++) {
        struct text other = merge_without_quotes(file->pids.texts[i]);
        if (other.size == bare.size && memcmp(other.bytes, bare.bytes, bare.size) == 0)
            return i;
    }
    return 0;
}

static void choose_pids(struct merge_plan *plan, struct merge_file *file)
{
    file->new_pids = calloc((size_t)file->pids.count + 1, sizeof *file->new_pids);
    plan->failed |= !file->new_pids;
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

/* The pids and the largest id that a Chrome trace of the timeline has. */
static uint64_t use_timeline(struct merge_plan *plan, const struct timeline *timeline)
{
    struct chrome_rows rows;
    char text[32];
    if (!chrome_rows_init(&rows, timeline)) {
        plan->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        use_number(plan, rows.pids[i], text, sizeof text);
    for (uint32_t i = 0; i < rows.gpu_count; i++)
        use_number(plan, rows.gpus[i].pid, text, sizeof text);
    chrome_rows_fini(&rows);
    uint64_t most = (uint64_t)timeline->gpus.count + timeline->asyncs.count +
                    timeline->fwdbwds.count + timeline->timings.count + timeline->migrations.count;
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        most = timeline->gpus.at[i].correlation > most ? timeline->gpus.at[i].correlation : most;
    for (uint32_t i = 0; i < timeline->apis.count; i++)
        most = timeline->apis.at[i].correlation > most ? timeline->apis.at[i].correlation : most;
    return most;
}

bool merge_plan_make(struct merge_plan *plan, const struct timeline *timeline)
{
    plan->next_pid = OWN_PIDS;
    uint64_t most = timeline ? use_timeline(plan, timeline) : 0;
    for (size_t i = 0; i < plan->count && !plan->failed; i++) {
        struct merge_file *file = &plan->files[i];
        if (!merge_survey(file, plan->partial, &plan->error))
            return false;
        file->id_offset = most;
        most += file->most_id;
        choose_pids(plan, file);
    }
    choose_times(plan, timeline);
    if (plan->failed)
        snprintf(plan->error.message, sizeof plan->error.message, "out of memory");
    return !plan->failed;
}
