/* build_graphs.h - what is known of CUDA graphs while a timeline is made; private to this folder. */
#ifndef PROF_BUILD_GRAPHS_H
#define PROF_BUILD_GRAPHS_H

#include "array.h"
#include "maps.h"
#include "timeline.h"

/* What was said about a node at one time. */
struct build_node_fact {
    int64_t time_ns;
    uint64_t node, original;
    uint32_t graph;
    uint32_t slice;  /* innermost open when it was made, TL_NONE */
    uint32_t stack;  /* into stacks[], TL_NONE */
    uint32_t origin; /* the fact of the node that was captured or added, TL_NONE unknown */
    uint8_t type, flags;
    bool earlier;
};

/* A call that launches a graph. */
struct build_graph_launch {
    uint32_t slice;
    uint32_t graph; /* the file's id, 0 unknown */
    uint32_t operations;
    bool whole;
};

/* The facts of one node, in order of time: a stretch of an array of places. */
struct build_node_run {
    uint32_t first, count;
};

struct build_graphs {
    TL_ARRAY(struct build_node_fact) facts;
    TL_ARRAY(struct build_graph_launch) launches;
    TL_ARRAY(struct build_node_run) runs;
    uint32_t *order;      /* facts by node, then time */
    struct keymap nodes;  /* node -> runs[] */
    struct keymap graphs; /* the file's id -> graphs[] */
    uint32_t first_graph, first_node, first_captured, first_launch;
};

struct builder;
struct read_api;

void build_graphs_begin(struct builder *builder);
void build_graphs_forget(struct builder *builder);
void build_graphs_fini(struct builder *builder);

/* The slice is a call that launches a graph. */
void build_graph_launch(struct builder *builder, const struct read_api *api, uint32_t slice);

/* After operations have their places and calls their operations. */
bool build_graphs(struct builder *builder);
/* build_graph_nodes.c: who captured which node. */
bool build_graph_nodes(struct builder *builder);
/* The graph of that id, added if new; TL_NONE: no memory. */
uint32_t build_graph_of(struct builder *builder, uint32_t id);

#endif
