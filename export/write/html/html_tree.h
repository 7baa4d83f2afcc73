/* html_tree.h - a tree of names with times, as a flame graph shows it.
 *
 * A page has room for the heaviest nodes. What the others have is kept as the rest of the node around
 * them, so that sums stay what they are.
 */
#ifndef PROF_HTML_TREE_H
#define PROF_HTML_TREE_H

#include "json_out.h"
#include "maps.h"
#include "timeline.h"
#include "write_html.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HTML_NODES 4000u
#define HTML_METRICS 2u

/* What a node is, for its colour. */
enum html_node_kind { HTML_RANGE, HTML_CALL, HTML_KERNEL, HTML_COPY, HTML_FUNCTION };

struct html_node {
    uint32_t parent;  /* comes before; TL_NONE the outermost */
    uint32_t name;    /* a number that equal names share */
    struct text text; /* the name; the caller's */
    uint8_t kind;     /* enum html_node_kind */
    uint64_t count;   /* calls */
    int64_t self_ns[HTML_METRICS];
};

struct html_tree {
    const char *title;
    const char *metrics[HTML_METRICS]; /* what self_ns[] are called */
    TL_ARRAY(struct html_node) nodes;
};

/* A value: {title, metrics[], all, shown, names[], nodes[]: [parent (-1 none), name, kind, calls,
 * self of each metric, rest of each metric]}; nodes come behind their parents. False: no memory. */
bool html_tree_write(struct json_out *out, const struct html_tree *tree);

/* The flame graphs of a page. */

#define HTML_STACKS 2000u /* call stacks whose functions are looked up, those that cost most */

/* Member "flames": see html_tree.h; ranges with what was launched in them, and call stacks where there
 * are any and `options` can name their functions. False: no memory. */
bool html_flames(struct json_out *out, const struct timeline *timeline,
                 const struct write_html_options *options);

#ifdef __cplusplus
}
#endif
#endif
