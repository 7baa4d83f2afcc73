/* collective_search.h - what collectives.c and collective_kernels.c share while they find the
 * collectives of a rank. */
#ifndef PROF_COLLECTIVE_SEARCH_H
#define PROF_COLLECTIVE_SEARCH_H

#include "collectives.h"
#include "maps.h"

struct search {
    struct collectives *found;
    const struct recording *recording;
    struct unit *unit;
    uint32_t ranges;         /* rows that are ranges of a thread: they come first */
    struct keymap own_ranks; /* the rank's number in a communicator */
    struct keymap groups;    /* first of a group's calls */
    struct keymap replays;   /* rows of what graphs replayed, by captured row and launch */
    bool is_pytorchs;        /* the ranges are PyTorch's, which may contain others */
    bool failed;             /* no memory */
};

/* Rows from `first` to before `end`. */
struct span {
    uint32_t first, end;
};

#define NOTHING_OF_NCCL                                                                         \
    .counted = -1, .stated = -1, .channels = -1, .peer = -1, .own_rank = -1, .group_place = -1, \
    .algorithm = TL_NONE, .protocol = TL_NONE, .type = TL_NONE

/* ---- collectives.c ---- */

/* Attributes of one owner; of several for one key, the last counts. */
void collectives_read_attrs(const struct search *search, struct tl_attrs attrs,
                            struct collective *collective);
bool collectives_has_key(struct tl_attrs attrs, uint32_t key);

/* Kernels are matched by name, ranges by communicator. */
bool collectives_is_between_two(const struct recording *recording,
                                const struct collective *collective);

/* The next place among those of the same key. -1: no memory. */
int32_t collectives_next_place(struct keymap *counts, uint64_t key);

/* The range with that number; TL_NONE: it is none of NCCL's. */
uint32_t collectives_range_of_slice(const struct search *search, uint32_t slice);

/* ---- collective_kernels.c ---- */

/* Numbers the calls of each group, and sums up their bytes. */
void kernels_find_groups(struct search *search);

/* Gives ranges their kernels, and adds a row for each replay. Returns how many kernels there are in
 * ranges, and beside them. */
uint32_t kernels_join(struct search *search, uint32_t *others);

/* Marks calls that were captured: only their replays run. */
void kernels_find_captured(struct search *search);

/* Adds a row without times for each replay whose kernel did not end, or was lost. */
void kernels_open_replays(struct search *search);
void kernels_remove_captured(struct collectives *found);

/* A row for each kernel of communication. */
void kernels_add_alone(struct search *search);

#endif
