/* graph_totals.h - CUDA graphs added up: launches, operations per launch, time on devices, which
 * code captured them and which replays them. */
#ifndef PROF_GRAPH_TOTALS_H
#define PROF_GRAPH_TOTALS_H

#include "range_paths.h"

struct graph_total {
    uint32_t graph; /* into timeline.graphs; TL_NONE: launches of which no graph is known */
    uint64_t launches, whole_launches; /* whole: recorded as one operation each */
    uint64_t recorded;                 /* operations */
    uint32_t least, most;              /* operations of one launch */
    uint32_t expected;                 /* operations per launch at least, 0 unknown */
    uint64_t missing;                  /* operations that launches were to give and did not */
    int64_t device_ns;
    uint32_t first_capture, capture_count; /* into places, longest on the device first */
    uint32_t first_replay, replay_count;
};

/* Code that captured nodes of a graph, or that launches it. */
struct graph_place {
    uint32_t total; /* into totals, while they are made; then of no use */
    uint32_t path;  /* into paths; TL_NONE outside of every range */
    uint8_t when;   /* of a capture: enum tl_captured_when */
    bool is_replay;
    uint64_t nodes;      /* of a capture: of the graph itself, as it is in the end */
    uint64_t operations; /* of a replay: launches */
    int64_t device_ns;
};

struct graph_totals {
    TL_ARRAY(struct graph_total) totals; /* longest on devices first */
    TL_ARRAY(struct graph_place) places;
    struct range_paths paths;
};

/* Linear but for sorting what is shown. False: no memory; fini is not needed then. */
bool graph_totals_init(struct graph_totals *totals, const struct timeline *timeline);
void graph_totals_fini(struct graph_totals *totals);

#endif
