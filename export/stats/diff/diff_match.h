/* diff_match.h - which entries of two sides are the same thing.
 *
 * By the same kind and name, or path of names; rows come in the order of the left side, then what is
 * on the right side only. What kernels have other names for is told by diff_pair.h.
 */
#ifndef PROF_DIFF_MATCH_H
#define PROF_DIFF_MATCH_H

#include "diff.h"
#include "namepool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names and paths of both sides, as numbers that both share. */
struct diff_names {
    struct timeline texts; /* of which only names and storage are used */
    struct namepool pool;
    struct keymap paths; /* parent and name -> path */
    uint32_t path_count;
    uint32_t *path_of[2]; /* by path of a side's averages */
};

/* False: no memory; fini is not needed then. */
bool diff_names_init(struct diff_names *names, const struct diff_side *const sides[2]);
void diff_names_fini(struct diff_names *names);

/* The shared number of an entry's path; TL_NONE none. */
static inline uint32_t diff_names_path(const struct diff_names *names, unsigned side,
                                       const struct diff_entry *entry)
{
    return entry->path == TL_NONE ? TL_NONE : names->path_of[side][entry->path];
}

/* Fills the rows of diff->tables: entries and matches. False: no memory. */
bool diff_match(struct diff *diff);

#ifdef __cplusplus
}
#endif
#endif
