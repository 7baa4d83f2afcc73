/* restrict_ledger.c - the ledger of what was launched in a window.
 *
 * What is left and was recorded is counted anew. What was launched and is in no record is in lacks[], with its cause. Its
 * rows are those of the whole recording, of which those without numbers go. Records that were lost together with their
 * launches have no time: `outside` stays that of the whole recording. */
#include "restrict.h"

#include "build_graphs.h"
#include "ledger_rows.h"

static uint64_t key_of(uint32_t process, uint32_t graph)
{
    return (uint64_t)process << 32 | graph;
}

bool restrict_find_rows(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    bool stored = true;
    for (uint32_t i = 0; i < timeline->streams.count; i++)
        with->row_of_stream[i] = TL_NONE;
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        with->row_of_process[i] = TL_NONE;
    for (uint32_t i = 0; i < timeline->ledger_rows.count && stored; i++) {
        const struct tl_ledger_row *row = &timeline->ledger_rows.at[i];
        if (row->kind == TL_LEDGER_GRAPH)
            stored = keymap_set(&with->row_of_graph, key_of(row->process, row->graph), i);
        else if (row->stream == TL_NONE)
            with->row_of_process[row->process] = i;
        else
            with->row_of_stream[row->stream] = i;
    }
    return stored;
}

/* The row was made when the same was counted in the whole recording; NULL in a timeline that does not add up. */
static struct tl_ledger_row *row_at(const struct restriction *with, uint32_t row)
{
    struct timeline *timeline = with->timeline;
    return row < timeline->ledger_rows.count ? &timeline->ledger_rows.at[row] : NULL;
}

static struct tl_ledger_row *row_of_stream(const struct restriction *with, uint32_t process,
                                           uint32_t stream)
{
    return row_at(with,
                  stream == TL_NONE ? with->row_of_process[process] : with->row_of_stream[stream]);
}

static struct tl_ledger_row *row_of_graph(const struct restriction *with, uint32_t process,
                                          uint32_t graph)
{
    return row_at(with, keymap_find(&with->row_of_graph, key_of(process, graph)));
}

static void count_operation(const struct restriction *with, const struct tl_gpu *gpu)
{
    struct timeline *timeline = with->timeline;
    struct tl_ledger_row *row = row_of_stream(with, gpu->process, gpu->stream);
    timeline->ledger.before_launch += (gpu->flags & TL_GPU_BEFORE_LAUNCH) != 0;
    if (gpu->flags & TL_GPU_ORPHAN && row)
        row->orphans++;
    if (gpu->flags & TL_GPU_AMBIGUOUS && row)
        row->ambiguous++;
    if (gpu->slice == TL_NONE || !tl_is_work(gpu))
        return;
    const struct tl_slice *slice = &timeline->slices.at[gpu->slice];
    if (slice->kind == TL_API && slice->flags & TL_GRAPH) {
        uint64_t node;
        row = row_of_graph(with, gpu->process, timeline_graph_of(timeline, gpu, &node));
    }
    if (!row)
        return;
    row->launched++;
    row->recorded++;
}

static void count_lack(const struct restriction *with, const struct tl_lack *lack)
{
    struct timeline *timeline = with->timeline;
    const struct tl_slice *slice = &timeline->slices.at[lack->slice];
    uint32_t process = timeline->threads.at[slice->thread].process;
    struct tl_ledger_row *row = slice->flags & TL_GRAPH ? row_of_graph(with, process, lack->place)
                                                        : row_of_stream(with, process, lack->place);
    if (!row)
        return;
    row->launched += lack->count;
    *ledger_row_count(row, lack->cause) += lack->count;
}

/* The counts of what has a time; what GRAPH_NODES explains is a loss that is counted nowhere else. */
static void forget(struct timeline *timeline)
{
    struct tl_ledger *ledger = &timeline->ledger;
    for (uint32_t i = 0; i < timeline->ledger_rows.count; i++) {
        struct tl_ledger_row *row = &timeline->ledger_rows.at[i];
        uint64_t nodes = row->kind == TL_LEDGER_GRAPH ? row->lost[PROF_LOSS_GRAPH_NODES] : 0;
        timeline->processes.at[row->process].loss[PROF_LOSS_GRAPH_NODES] -= nodes;
        ledger->lost_device -= nodes;
        *row = (struct tl_ledger_row){.process = row->process,
                                      .kind = row->kind,
                                      .stream = row->stream,
                                      .graph = row->graph,
                                      .outside = row->outside};
    }
    *ledger = (struct tl_ledger){.lost_device = ledger->lost_device,
                                 .lost_host = ledger->lost_host,
                                 .unopened = ledger->unopened};
}

void restrict_ledger(struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    forget(timeline);
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        count_operation(with, &timeline->gpus.at[i]);
    for (uint32_t i = 0; i < timeline->lacks.count; i++)
        count_lack(with, &timeline->lacks.at[i]);
    for (uint32_t i = 0; i < timeline->threads.count; i++)
        timeline->ledger.unclosed += timeline->threads.at[i].unclosed;
    for (uint32_t i = 0; i < timeline->ledger_rows.count; i++)
        ledger_rows_sum(timeline, &timeline->ledger_rows.at[i]);
    timeline->ledger_rows.count = ledger_rows_drop_empty(timeline, 0);
}
