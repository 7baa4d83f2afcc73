/* step_rows.c - tables that need a sweep over all of a recording: steps, idle, collectives,
 * summary. */
#include "collectives.h"
#include "name_sums.h"
#include "step_parts.h"
#include "tables.h"

/* ---- steps ---- */

static void put_steps(struct rows *rows, const struct recording *recording, const struct unit *unit,
                      const struct step_parts *parts)
{
    struct row row;
    for (uint32_t i = 0; i < unit->steps.count && rows_add(rows, &row); i++) {
        const struct step *step = &unit->steps.at[i];
        const struct step_sums *sums = &parts->sums[step->sums];
        cell_32(&row, unit->rank);
        cell_32(&row, step->number);
        cell_64(&row, since_epoch(recording, step->start_ns));
        cell_64(&row, step->end_ns - step->start_ns);
        cell_64(&row, sums->compute_ns);
        cell_64(&row, sums->overlapped_ns);
        cell_64(&row, sums->communication_ns);
        cell_64(&row, sums->copy_ns);
        cell_64(&row, sums->idle_host_ns);
        cell_64(&row, sums->idle_device_ns);
        cell_64(&row, (int64_t)step->tid);
        cell_64(&row, recording->id);
    }
}

static void put_idle(struct rows *rows, const struct recording *recording, const struct unit *unit,
                     const struct step_parts *parts)
{
    struct row row;
    for (uint32_t i = 0; i < parts->idle.count && rows_add(rows, &row); i++) {
        const struct step_idle *idle = &parts->idle.at[i];
        bool in_range = idle->name != TL_NONE;
        cell_32(&row, unit->rank);
        cell_32(&row, unit->numbers.at[idle->sums]);
        cell_64_if(&row, in_range, in_range ? recording->names[idle->name].id : 0);
        cell_64(&row, idle->host_ns);
        cell_64(&row, recording->id);
    }
}

static void add_parts(struct walk *walk, struct rows *rows,
                      void (*put)(struct rows *rows, const struct recording *recording,
                                  const struct unit *unit, const struct step_parts *parts))
{
    for (uint32_t i = 0; i < walk->recording->units.count && !rows->failed; i++) {
        const struct step_parts *parts = step_parts_of(walk->recording, i);
        rows->failed |= !parts;
        if (parts)
            put(rows, walk->recording, &walk->recording->units.at[i], parts);
    }
}

/* As the recorder summed them up. */
static void put_recorded_steps(struct walk *walk, struct rows *rows)
{
    const struct timeline *timeline = walk->recording->timeline;
    struct row row;
    for (uint32_t i = 0; i < timeline->summary_steps.count; i++) {
        const struct tl_summary_step *step = &timeline->summary_steps.at[i];
        if (step->step > INT32_MAX)
            continue;
        if (!rows_add(rows, &row))
            return;
        cell_32(&row, unit_of_process(walk->recording, step->process)->rank);
        cell_32(&row, (int32_t)step->step);
        cell_64(&row, since_epoch(walk->recording, step->start_ns));
        cell_64(&row, (int64_t)step->duration_ns);
        cell_64(&row, (int64_t)step->compute_ns);
        cell_64(&row, (int64_t)step->overlapped_ns);
        cell_64(&row, (int64_t)step->communication_ns);
        cell_64(&row, (int64_t)step->copy_ns);
        cell_64(&row, (int64_t)step->idle_host_ns);
        cell_64(&row, (int64_t)step->idle_device_ns);
        cell_32_if(&row, false, 0);
        cell_64(&row, walk->recording->id);
    }
}

bool add_steps(struct walk *walk, struct rows *rows)
{
    if (walk->recording->source.summaries)
        put_recorded_steps(walk, rows);
    else
        add_parts(walk, rows, put_steps);
    return true;
}

bool add_idle(struct walk *walk, struct rows *rows)
{
    add_parts(walk, rows, put_idle);
    return true;
}

/* ---- collectives ---- */

/* NCCL's name for PyTorch's "_allgather_base", "allreduce_coalesced" ...; NULL if NCCL has no such
 * function. */
static const char *nccl_name(struct text function)
{
    static const struct {
        const char *part, *name;
    } functions[] = {{"allreduce", "ncclAllReduce"},
                     {"reduce_scatter", "ncclReduceScatter"},
                     {"allgather", "ncclAllGather"},
                     {"all_gather", "ncclAllGather"},
                     {"broadcast", "ncclBroadcast"},
                     {"all_to_all", "ncclAlltoAll"},
                     {"reduce", "ncclReduce"},
                     {"send", "ncclSend"},
                     {"recv", "ncclRecv"}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (memmem(function.bytes, function.size, functions[i].part, strlen(functions[i].part)))
            return functions[i].name;
    return NULL;
}

/* Without "NCCL:", the domain of its ranges. */
static void put_function(struct row *row, const struct recording *recording,
                         const struct collective *of)
{
    static const char domain[] = "NCCL:";
    struct text text = name_text(recording, of->name);
    const char *known = of->is_pytorchs ? nccl_name(text) : NULL;
    if (known)
        text = (struct text){known, strlen(known)};
    const char *at;
    while (!of->is_kernel && text.size &&
           (at = memmem(text.bytes, text.size, domain, sizeof domain - 1))) {
        size_t before = (size_t)(at - text.bytes), whole = before + sizeof domain - 1;
        cell_text_piece(row, (struct text){text.bytes, before});
        text = (struct text){text.bytes + whole, text.size - whole};
    }
    cell_text_piece(row, text);
    cell_text_end(row);
}

static void put_name_text(struct row *row, const struct recording *recording, uint32_t name)
{
    cell_text(row, name == TL_NONE ? (struct text){0} : name_text(recording, name));
}

static void put_collective(struct row *row, const struct recording *recording,
                           const struct unit *unit, const struct collective *of)
{
    bool has_kernel = of->start_ns <= of->end_ns;
    cell_32(row, unit->rank);
    cell_step(row, of->step);
    cell_64_if(row, of->has_communicator, (int64_t)(of->communicator / 2));
    cell_32_if(row, of->sequence >= 0, of->sequence);
    put_function(row, recording, of);
    cell_64_if(row, of->has_bytes, (int64_t)of->bytes);
    cell_64_if(row, of->called, since_epoch(recording, of->called_ns));
    cell_64_if(row, has_kernel, has_kernel ? since_epoch(recording, of->start_ns) : 0);
    cell_64_if(row, has_kernel, has_kernel ? of->end_ns - of->start_ns : 0);
    cell_32_if(row, of->has_stream, of->stream);
    put_name_text(row, recording, of->algorithm);
    put_name_text(row, recording, of->protocol);
    cell_32_if(row, of->channels >= 0, of->channels);
    put_name_text(row, recording, of->type);
    cell_64_if(row, of->counted >= 0, of->counted);
    cell_32_if(row, of->peer >= 0, of->peer);
    cell_32_if(row, of->own_rank >= 0, of->own_rank);
    cell_32_if(row, has_kernel && of->group_place >= 0, of->group_place);
    cell_64_if(row, has_kernel && of->group_place >= 0 && of->group_bytes <= INT64_MAX,
               (int64_t)of->group_bytes);
    cell_64(row, recording->id);
}

bool add_collectives(struct walk *walk, struct rows *rows)
{
    struct row row;
    for (uint32_t i = 0; i < walk->recording->units.count && !rows->failed; i++) {
        struct collectives found;
        if (!collectives_init(&found, walk->recording, i))
            rows->failed = true;
        for (uint32_t j = 0; !rows->failed && j < found.all.count && rows_add(rows, &row); j++)
            put_collective(&row, walk->recording, &walk->recording->units.at[i], &found.all.at[j]);
        collectives_fini(&found);
    }
    return true;
}

/* ---- summary ---- */

static int64_t other_id(void)
{
    return content_id((struct text){"(other)", 7});
}

static bool put_histogram(struct row *row, const struct summary *summary,
                          const struct summary_row *of)
{
    int64_t counts[SUMMARY_BUCKETS];
    bool complete = true;
    summary_counts(summary, of, counts);
    for (unsigned i = 0; i < SUMMARY_BUCKETS && complete; i++)
        if (counts[i])
            complete = cell_pair(row, (int32_t)i, counts[i]);
    cell_map_end(row);
    return complete;
}

static bool put_summary(struct row *row, const struct recording *recording, const struct unit *unit,
                        const struct summary *summary, const struct summary_row *of)
{
    bool in_step = of->place != TL_NONE;
    int32_t place = (int32_t)of->place;
    cell_32(row, unit->rank);
    cell_32_if(row, in_step,
               in_step && !recording->source.summaries ? unit->numbers.at[of->place] : place);
    cell_8(row, of->kind);
    cell_64(row, of->name == TL_NONE ? other_id() : recording->names[of->name].id);
    cell_64(row, of->count);
    cell_64(row, of->sum_ns);
    cell_64(row, of->min_ns);
    cell_64(row, of->max_ns);
    bool complete = put_histogram(row, summary, of);
    cell_64(row, recording->id);
    return complete;
}

bool add_summary(struct walk *walk, struct rows *rows)
{
    struct row row;
    for (uint32_t i = 0; i < walk->recording->units.count && !rows->failed; i++) {
        struct summary summary;
        const struct unit *unit = &walk->recording->units.at[i];
        rows->failed = !summary_init(&summary, walk->recording, i);
        for (uint32_t j = 0; !rows->failed && j < summary.rows.count && rows_add(rows, &row); j++)
            rows->failed = !put_summary(&row, walk->recording, unit, &summary, &summary.rows.at[j]);
        summary_fini(&summary);
    }
    return true;
}
