#include "trace_graph.h"

void walk_graph_node(struct walk *walk, uint32_t thread, int64_t time_ns,
                     const struct record *record)
{
    struct prof_rec_graph_node from;
    record_copy(record, &from, sizeof from);
    const struct read_graph_node node = {
        .node = from.node,
        .original = from.original,
        .graph = from.graph,
        .type = from.type,
        .flags = from.flags,
        .has_stack = record->words * 8 >= sizeof from,
        .stack = from.stack,
    };
    timeline_append_graph_node(walk->builder, thread, time_ns, &node);
}

void walk_earlier_node(struct walk *walk, const struct record *record)
{
    struct prof_rec_earlier_node from;
    record_copy(record, &from, sizeof from);
    const struct read_graph_node node = {
        .node = from.node,
        .original = from.original,
        .graph = from.graph,
        .type = from.type,
        .flags = from.flags,
    };
    timeline_append_graph_node(walk->builder, 0, clockmap_time_ns(&walk->clock, from.ticks), &node);
}

void walk_graph(struct walk *walk, const struct record *record)
{
    struct prof_rec_graph graph;
    record_copy(record, &graph, sizeof graph);
    timeline_define_graph(walk->builder, clockmap_time_ns(&walk->clock, graph.ticks),
                          &(struct read_graph){.graph = graph.graph,
                                               .source = graph.source,
                                               .kernels = graph.kernels,
                                               .memcpys = graph.memcpys,
                                               .memsets = graph.memsets,
                                               .others = graph.others,
                                               .flags = graph.flags});
}
