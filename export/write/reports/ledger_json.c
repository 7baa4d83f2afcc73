/* ledger_json.c - see ledger_json.h.
 *
 *     "ledger": [{pid, kind ("stream", "unknown", "graph"), device, context, stream, graph,
 *                 launched, recorded, "lost": {cause: count}, recycled, undelivered, unobserved,
 *                 missing, orphans, ambiguous, outside}],
 *     "failed_calls": [{call, domain, result, error, count, time_ns, "ranges": [outermost first],
 *                       stack}]
 *
 * launched = recorded + the sum of lost + recycled + undelivered + unobserved + missing. What a row
 * does not have is null: a graph's stream, the name of an unknown error, a stack that was not taken.
 */
#include "ledger_json.h"

#include "failed_calls.h"
#include "run_facts.h"
#include "stack_of.h"

#define RANGES_MAX 64u

static void write_number(struct json_out *out, uint32_t number)
{
    if (number == TL_NONE)
        json_null(out);
    else
        json_uint(out, number);
}

static void write_place(struct json_out *out, const struct timeline *timeline,
                        const struct tl_ledger_row *row)
{
    static const char *const kinds[] = {"stream", "unknown", "graph"};
    const struct tl_stream none = {.device = TL_NONE, .context = TL_NONE, .stream = TL_NONE};
    const struct tl_stream *stream =
        row->stream < timeline->streams.count ? &timeline->streams.at[row->stream] : &none;
    json_key(out, "pid"), json_uint(out, timeline->processes.at[row->process].info.pid);
    json_key(out, "kind"), json_string(out, kinds[row->kind]);
    json_key(out, "device"), write_number(out, stream->device);
    json_key(out, "context"), write_number(out, stream->context);
    json_key(out, "stream"), write_number(out, stream->stream);
    json_key(out, "graph"), write_number(out, row->graph ? row->graph : TL_NONE);
}

static void write_lost(struct json_out *out, const struct tl_ledger_row *row)
{
    json_key(out, "lost"), json_object_begin(out);
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++) {
        if (!row->lost[cause])
            continue;
        json_string(out, run_facts_cause_name((enum prof_loss_cause)cause)), json_colon(out);
        json_uint(out, row->lost[cause]);
    }
    json_object_end(out);
}

static void write_row(struct json_out *out, const struct timeline *timeline,
                      const struct tl_ledger_row *row)
{
    json_newline(out), json_object_begin(out);
    write_place(out, timeline, row);
    json_key(out, "launched"), json_uint(out, row->launched);
    json_key(out, "recorded"), json_uint(out, row->recorded);
    write_lost(out, row);
    json_key(out, "recycled"), json_uint(out, row->recycled);
    json_key(out, "undelivered"), json_uint(out, row->undelivered);
    json_key(out, "unobserved"), json_uint(out, row->unobserved);
    json_key(out, "missing"), json_uint(out, row->missing);
    json_key(out, "orphans"), json_uint(out, row->orphans);
    json_key(out, "ambiguous"), json_uint(out, row->ambiguous);
    json_key(out, "outside"), json_uint(out, row->outside);
    json_object_end(out);
}

static void write_ranges(struct json_out *out, const struct timeline *timeline, uint32_t slice)
{
    uint32_t ranges[RANGES_MAX];
    uint32_t count = failed_calls_ranges(timeline, slice, ranges, RANGES_MAX);
    json_key(out, "ranges"), json_array_begin(out);
    for (uint32_t i = 0; i < count && i < RANGES_MAX; i++) {
        const struct tl_slice *range = &timeline->slices.at[ranges[i]];
        json_text(out, timeline->names.at[tl_shown_name(timeline, range->name, range->label)]);
    }
    json_array_end(out);
}

static void write_failed(struct json_out *out, const struct timeline *timeline,
                         const struct failed_call *call)
{
    const char *error = cuda_error_name((enum prof_api_domain)call->domain, call->result);
    json_newline(out), json_object_begin(out);
    json_key(out, "call"), json_text(out, timeline->names.at[call->name]);
    json_key(out, "domain");
    json_string(out, call->domain == PROF_API_DRIVER ? "driver" : "runtime");
    json_key(out, "result"), json_int(out, call->result);
    json_key(out, "error");
    if (error)
        json_string(out, error);
    else
        json_null(out);
    json_key(out, "count"), json_uint(out, call->count);
    json_key(out, "time_ns"), json_int(out, timeline->slices.at[call->first].start_ns);
    write_ranges(out, timeline, call->first);
    json_key(out, "stack"), write_number(out, stack_of_slice(timeline, call->first));
    json_object_end(out);
}

bool ledger_json(struct json_out *out, const struct timeline *timeline)
{
    struct failed_calls calls;
    bool known = failed_calls_init(&calls, timeline);
    json_newline(out), json_key(out, "ledger"), json_array_begin(out);
    for (uint32_t i = 0; i < timeline->ledger_rows.count; i++)
        write_row(out, timeline, &timeline->ledger_rows.at[i]);
    json_array_end(out);
    json_newline(out), json_key(out, "failed_calls"), json_array_begin(out);
    for (uint32_t i = 0; known && i < calls.count; i++)
        write_failed(out, timeline, &calls.at[i]);
    json_array_end(out);
    failed_calls_fini(&calls);
    return known;
}
