/* ledger_rows.c - see ledger_rows.h. */
#include "ledger_rows.h"

#include <stdlib.h>

#define LEDGER_SEVERAL (UINT32_MAX - 1u) /* the handle stood for more than one stream */
#define DEFAULT_HANDLE_MAX 2u            /* cudaStreamPerThread */
#define ANY_THREAD UINT32_MAX

static uint32_t add_row(struct ledger_rows *rows, enum tl_ledger_kind kind, uint32_t stream,
                        uint32_t graph)
{
    struct tl_ledger_row *row = ARRAY_ADD(&rows->timeline->ledger_rows);
    if (!row)
        return TL_NONE;
    *row = (struct tl_ledger_row){
        .process = rows->process, .kind = kind, .stream = stream, .graph = graph};
    return rows->timeline->ledger_rows.count - 1;
}

bool ledger_rows_begin(struct ledger_rows *rows, const struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    *rows = (struct ledger_rows){
        .timeline = timeline,
        .process = builder->process,
        .first = timeline->ledger_rows.count,
        .streams = timeline->streams.count - builder->first.streams,
        .first_stream = builder->first.streams,
    };
    for (uint32_t i = 0; i < rows->streams; i++)
        if (add_row(rows, TL_LEDGER_STREAM, rows->first_stream + i, 0) == TL_NONE)
            return false;
    return add_row(rows, TL_LEDGER_UNKNOWN, TL_NONE, 0) != TL_NONE;
}

static bool has_numbers(const struct tl_ledger_row *row)
{
    return row->launched || row->recorded || row->orphans || row->ambiguous || row->outside;
}

uint32_t ledger_rows_drop_empty(struct timeline *timeline, uint32_t first)
{
    uint32_t kept = first;
    for (uint32_t i = first; i < timeline->ledger_rows.count; i++)
        if (has_numbers(&timeline->ledger_rows.at[i]))
            timeline->ledger_rows.at[kept++] = timeline->ledger_rows.at[i];
    return kept;
}

static void sum_graph(struct timeline *timeline, const struct tl_ledger_row *row)
{
    struct tl_ledger *ledger = &timeline->ledger;
    ledger->launched_graph += row->recorded;
    ledger->graph_expected += row->launched;
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        ledger->graph_lost += row->lost[cause];
    ledger->graph_lost += row->recycled;
    ledger->graph_undelivered += row->undelivered;
    ledger->graph_unobserved += row->unobserved;
    ledger->lost_device += row->lost[PROF_LOSS_GRAPH_NODES];
    timeline->processes.at[row->process].loss[PROF_LOSS_GRAPH_NODES] +=
        row->lost[PROF_LOSS_GRAPH_NODES];
}

void ledger_rows_sum(struct timeline *timeline, const struct tl_ledger_row *row)
{
    struct tl_ledger *ledger = &timeline->ledger;
    ledger->orphans += row->orphans;
    ledger->ambiguous += row->ambiguous;
    if (row->kind == TL_LEDGER_GRAPH) {
        sum_graph(timeline, row);
        return;
    }
    ledger->launched += row->launched;
    ledger->recorded += row->recorded;
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++) {
        ledger->lost[cause] += row->lost[cause];
        ledger->lost_operations += row->lost[cause];
    }
    ledger->recycled += row->recycled;
    ledger->lost_operations += row->recycled;
    ledger->undelivered += row->undelivered;
    ledger->unobserved += row->unobserved;
    ledger->missing += row->missing;
}

/* Of one process. TL_NONE comes last, so the unknown row is behind the streams. */
static int in_order(const void *left, const void *right)
{
    const struct tl_ledger_row *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    return (a->graph > b->graph) - (a->graph < b->graph);
}

void ledger_rows_end(struct ledger_rows *rows)
{
    struct timeline *timeline = rows->timeline;
    uint32_t kept = timeline->ledger_rows.count = ledger_rows_drop_empty(timeline, rows->first);
    if (kept - rows->first > 1)
        qsort(timeline->ledger_rows.at + rows->first, kept - rows->first,
              sizeof *timeline->ledger_rows.at, in_order);
    keymap_fini(&rows->graphs);
    keymap_fini(&rows->handles);
}

uint32_t ledger_rows_stream(const struct ledger_rows *rows, uint32_t stream)
{
    return rows->first + (stream == TL_NONE ? rows->streams : stream - rows->first_stream);
}

uint32_t ledger_rows_graph(struct ledger_rows *rows, uint32_t graph)
{
    uint32_t row = keymap_find(&rows->graphs, graph);
    if (row != KEYMAP_NONE)
        return row;
    row = add_row(rows, TL_LEDGER_GRAPH, TL_NONE, graph);
    return row != TL_NONE && keymap_set(&rows->graphs, graph, row) ? row : TL_NONE;
}

/* Two that collide would share their rows: nothing worse. */
static uint64_t key_of(uint32_t thread, uint64_t handle)
{
    uint64_t hash = (handle ^ ((uint64_t)thread << 32 | thread)) * 0x9fb21c651e98df25u;
    return hash ^ hash >> 32;
}

static bool note(struct ledger_rows *rows, uint64_t key, uint32_t stream)
{
    uint32_t known = keymap_find(&rows->handles, key);
    if (known == stream || known == LEDGER_SEVERAL)
        return true;
    return keymap_set(&rows->handles, key, known == KEYMAP_NONE ? stream : LEDGER_SEVERAL);
}

bool ledger_rows_learn(struct ledger_rows *rows, uint32_t thread, uint64_t handle, uint32_t stream)
{
    if (handle <= DEFAULT_HANDLE_MAX && !note(rows, key_of(thread, handle), stream))
        return false;
    return note(rows, key_of(ANY_THREAD, handle), stream);
}

static uint32_t known(const struct ledger_rows *rows, uint64_t key)
{
    uint32_t stream = keymap_find(&rows->handles, key);
    return stream >= LEDGER_SEVERAL ? TL_NONE : stream;
}

uint32_t ledger_rows_find(const struct ledger_rows *rows, uint32_t thread, uint64_t handle)
{
    uint64_t own = key_of(thread, handle);
    if (handle <= DEFAULT_HANDLE_MAX && keymap_find(&rows->handles, own) != KEYMAP_NONE)
        return known(rows, own);
    return known(rows, key_of(ANY_THREAD, handle));
}
