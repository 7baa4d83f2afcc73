/* graphs_json.c - see graphs_json.h. An array, the graph that kept devices busy longest first:
 *
 *     pid, id (both null: launches of unknown graphs), source, known, earlier, varies, kernels,
 *     memcpys, memsets, others, launches, whole_launches, operations, operations_min,
 *     operations_max, expected (per launch, at least; 0 unknown), missing, device_ns,
 *     captured[]: when (recorded, earlier, unknown), path[], operations, nodes, device_ns
 *     replayed[]: path[], launches, device_ns
 */
#include "graphs_json.h"

#include "graph_totals.h"
#include "path_json.h"
#include "write_report.h"

#include <errno.h>

static void write_places(struct json_out *out, const struct graph_totals *totals, uint32_t first,
                         uint32_t count)
{
    static const char *const whens[] = {"recorded", "earlier", "unknown"};
    json_array_begin(out);
    for (uint32_t i = first; i < first + count; i++) {
        const struct graph_place *place = &totals->places.at[i];
        json_object_begin(out);
        if (!place->is_replay)
            json_key(out, "when"), json_string(out, whens[place->when]);
        json_key(out, "path"), path_json(out, &totals->paths, place->path);
        if (place->is_replay) {
            json_key(out, "launches"), json_uint(out, place->operations);
        } else {
            json_key(out, "operations"), json_uint(out, place->operations);
            json_key(out, "nodes"), json_uint(out, place->nodes);
        }
        json_key(out, "device_ns"), json_int(out, place->device_ns);
        json_object_end(out);
    }
    json_array_end(out);
}

static void write_id(struct json_out *out, const struct timeline *timeline, uint32_t index)
{
    if (index == TL_NONE) {
        json_key(out, "pid"), json_null(out);
        json_key(out, "id"), json_null(out);
        return;
    }
    const struct tl_graph *graph = &timeline->graphs.at[index];
    json_key(out, "pid"), json_uint(out, timeline->processes.at[graph->process].info.pid);
    json_key(out, "id"), json_uint(out, graph->id);
    json_key(out, "source"), json_uint(out, graph->source);
    json_key(out, "known"), json_bool(out, graph->known);
    json_key(out, "earlier"), json_bool(out, graph->flags & PROF_GRAPH_EARLIER);
    json_key(out, "varies"), json_bool(out, graph->flags & PROF_GRAPH_VARIES);
    json_key(out, "kernels"), json_uint(out, graph->kernels);
    json_key(out, "memcpys"), json_uint(out, graph->memcpys);
    json_key(out, "memsets"), json_uint(out, graph->memsets);
    json_key(out, "others"), json_uint(out, graph->others);
}

static void write_graph(struct json_out *out, const struct graph_totals *totals,
                        const struct graph_total *total)
{
    json_newline(out);
    json_object_begin(out);
    write_id(out, totals->paths.timeline, total->graph);
    json_key(out, "launches"), json_uint(out, total->launches);
    json_key(out, "whole_launches"), json_uint(out, total->whole_launches);
    json_key(out, "operations"), json_uint(out, total->recorded);
    json_key(out, "operations_min"), json_uint(out, total->least);
    json_key(out, "operations_max"), json_uint(out, total->most);
    json_key(out, "expected"), json_uint(out, total->expected);
    json_key(out, "missing"), json_uint(out, total->missing);
    json_key(out, "device_ns"), json_int(out, total->device_ns);
    json_key(out, "captured");
    write_places(out, totals, total->first_capture, total->capture_count);
    json_key(out, "replayed");
    write_places(out, totals, total->first_replay, total->replay_count);
    json_object_end(out);
}

bool graphs_json(struct json_out *out, const struct timeline *timeline, int64_t rows)
{
    struct graph_totals totals;
    if (!graph_totals_init(&totals, timeline))
        return false;
    json_array_begin(out);
    for (uint32_t i = 0; i < totals.totals.count && (rows < 0 || i < rows); i++)
        write_graph(out, &totals, &totals.totals.at[i]);
    json_array_end(out);
    graph_totals_fini(&totals);
    return true;
}

bool write_graphs_json(const struct timeline *timeline, const struct write_options *options,
                       FILE *stream)
{
    struct json_out out;
    if (json_out_init(&out, -1, stream)) {
        json_object_begin(&out);
        json_key(&out, "graphs");
        if (!graphs_json(&out, timeline, options->rows))
            out.error = ENOMEM;
        json_object_end(&out);
        out.comma = false;
        json_newline(&out);
    }
    errno = json_out_fini(&out);
    return errno == 0;
}
