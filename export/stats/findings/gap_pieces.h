/* gap_pieces.h - one gap of a device in pieces, each with a cause and who was at work. */
#ifndef PROF_GAP_PIECES_H
#define PROF_GAP_PIECES_H

#include "finding_gaps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gap_piece {
    int64_t ns;
    uint32_t slice; /* range or call, TL_NONE */
    uint8_t cause;  /* enum gap_cause */
};

struct gap_pieces {
    const struct finding_context *context;
    TL_ARRAY(struct gap_piece) pieces;
    uint32_t *host_functions; /* calls that have the host called from a stream, by start */
    uint32_t host_function_count;
    /* Of the gap at hand. */
    int64_t start_ns, end_ns;
    uint32_t before, next; /* operations around it, TL_NONE */
    uint32_t launch;       /* the call that launched `next`, TL_NONE */
    uint32_t blocker;      /* see struct finding_gap */
};

/* False: no memory; fini is not needed then. */
bool gap_pieces_init(struct gap_pieces *pieces, const struct finding_context *context);
void gap_pieces_fini(struct gap_pieces *pieces);

/* Explains the gap between two operations of a process, one of which may be missing; the pieces add up
 * to its length. False: no memory. */
bool gap_pieces_of(struct gap_pieces *pieces, uint32_t process, uint32_t before, uint32_t next,
                   int64_t start_ns, int64_t end_ns);

/* The cause of most of it. */
enum gap_cause gap_pieces_main(const struct gap_pieces *pieces);

#ifdef __cplusplus
}
#endif
#endif
