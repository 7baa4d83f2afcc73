/* html_page.h - the frame of a page (head, policy, style, blocks of data, script), and what its
 * data is made of. */
#ifndef PROF_HTML_PAGE_H
#define PROF_HTML_PAGE_H

#include "findings.h"
#include "json_out.h"
#include "maps.h"
#include "out_file.h"
#include "range_paths.h"
#include "roofline.h"
#include "steps.h"
#include "text.h"
#include "timeline.h"
#include "write_html.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Made from report.css and the scripts by embed.cmake: text that is ASCII, and the base64 of its
 * SHA-256. */
extern const char html_style[], html_script[];
extern const char html_style_hash[], html_script_hash[];

/* Everything up to the contents of the body. */
void html_page_begin(FILE *stream, const char *title);
/* The script, and the end. */
void html_page_end(FILE *stream);

/* Around a value of JSON that json_out.h writes: it cannot end the block. */
void html_block_begin(FILE *stream, const char *id);
void html_block_end(FILE *stream);

/* Text of any bytes as it is between tags: what is unsafe to show is as show_text() has it, but
 * line ends stay. */
void html_text(FILE *stream, const char *text);

/* Has `write` write the file of that path. What it returns: the errno of what went wrong, or 0. */
bool html_page_write(int (*write)(FILE *stream, const void *user), const void *user,
                     const char *path, struct write_error *error);

/* Names in the data of a page: a page is read by people, so what goes on for too long is
 * cut, and the page stays small whatever names hold. */

#define HTML_NAME_BYTES 2000u
#define HTML_PATH_DEPTH 64u

/* A string of at most HTML_NAME_BYTES, with "..." in place of the rest. */
void html_name(struct json_out *out, struct text name);

/* A path as an array of names, from the outermost in; the outer ones of very deep paths give way to
 * "...". Empty for TL_NONE. */
void html_path(struct json_out *out, const struct range_paths *paths, uint32_t path);

/* ---- what each step has of the rows and nodes of a page ----
 *
 * A page has room for so many. Items come with the heaviest first, and those that do not fit are
 * not narrowed.
 */

struct html_step_list {
    struct steps all;
    bool *is_shown; /* by step: the first of each process are */
};

/* False: no memory; fini is not needed then. */
bool html_step_list_init(struct html_step_list *list, const struct timeline *timeline);
void html_step_list_fini(struct html_step_list *list);

#define HTML_STEP_SUMS 30000u
#define HTML_STEP_VALUES 11

struct html_step_sum {
    uint32_t item, step; /* step: as steps.h numbers them */
    int64_t values[HTML_STEP_VALUES];
};

/* Zeroed but for `values` is empty. */
struct html_step_sums {
    struct html_step_sum *at;
    uint32_t count, capacity;
    unsigned values; /* how many of each are used */
};

void html_step_sums_fini(struct html_step_sums *sums);
/* A new one, all values 0. NULL: no memory. */
struct html_step_sum *html_step_sums_add(struct html_step_sums *sums, uint32_t item, uint32_t step);
/* How many items, from the first on, a page has room for. `items`: all there are. */
uint32_t html_step_sums_fit(struct html_step_sums *sums, uint32_t items);
/* {items, count, values, packing, data}: of items below `items`, column by column: item and step,
 * from the one before (the step signed), then each value, signed. Sums of one item and step are
 * added up. False: no memory. */
bool html_step_sums_write(struct json_out *out, struct html_step_sums *sums, uint32_t items);

/* ---- key averages: the rows that took most, with how their durations are spread ---- */

#define HTML_ROWS 1000u
#define HTML_BARS 24u

/* How many of `count` ascending durations lie in each of HTML_BARS equal parts of the way from the
 * first to the last. Returns whether the parts are equal by their ratio: where the last is at least
 * 4 times the first, which is at least 1. All are in the first part when there is one duration
 * only. */
bool html_bars(const int64_t *sorted_ns, size_t count, uint64_t bars[HTML_BARS]);

/* Members "self_cpu_total_ns", "self_cuda_total_ns", "cuda_outside_ns", "row_count" (all there
 * are), "columns": names of what each of "rows" holds, "rows": arrays of that, the bars last: null,
 * or [1 by ratio else 0, counts...]. "row_steps": of each step as html_step_sums_write() has it:
 * item 0 is the step itself, with how many rows it has, self CPU and self CUDA; 1 + row: calls, CPU
 * total, that less self CPU, CUDA total, that less self CUDA, sum of durations less the total of
 * the row's kind, then median, 99th percentile and longest, less the mean without its fraction.
 * False: no memory. */
bool html_rows(struct json_out *out, const struct timeline *timeline,
               const struct html_step_list *steps);

/* The most heavy of many: a page has room for some. */

struct html_top_item {
    double weight;
    uint32_t index;
};

struct html_top {
    struct html_top_item *at; /* a heap with the lightest on top; sorted by html_top_sort() */
    uint32_t count, capacity;
};

/* False: no memory; fini is not needed then. */
bool html_top_init(struct html_top *top, uint32_t capacity);
void html_top_fini(struct html_top *top);

/* Takes it when there is room, or in place of a lighter one; of equals the smaller index counts
 * more. At most the logarithm of the capacity. */
void html_top_add(struct html_top *top, uint32_t index, double weight);

/* The heaviest first; of equals the smaller index. Nothing can be added then. */
void html_top_sort(struct html_top *top);

/* ---- devices and memory over time, in parts of equal length ---- */

#define HTML_PARTS 480u
#define HTML_LINES 64u /* devices, and heaps, of a page */

/* Member "usage":
 *
 *     start_ns, part_ns      where the first part begins, how long each is (a fraction, perhaps)
 *     devices[]              process, device (null unknown), busy[], kernel[], copy[]: thousandths
 *                            of each part in which something ran, a kernel, a copy or set
 *     heaps[]                process, device (null: host, or not known), name, bytes[]: most in use
 *                            in it
 *     devices_left_out, heaps_left_out
 *
 * Empty lists when the recording has no length. Linear in operations and events, but for a heap of
 * a device's streams. False: no memory. */
bool html_usage(struct json_out *out, const struct timeline *timeline);

/* ---- the timeline: threads, Python functions and streams as rows of boxes ---- */

#define HTML_BOXES 60000u
#define HTML_TRACKS 600u
#define HTML_BOX_NAME_BYTES 400u

/* An object:
 *
 *     start_ns, end_ns, origin_ns
 *     tracks[]        [process, 0 thread 1 Python functions 2 stream, name, device or null, boxes
 *                     of each level...]
 *     boxes, events   what is here, and what it stands for
 *     least_ns        shorter events are run together; 0: all are here
 *     deep, tracks_left, details_left   what found no room: events too deep, tracks, descriptions
 *     names, details  how many texts; a detail is lines of a title, a tab and a value
 *     packing, data   as html_bytes.h has it: of each track and level one column after the other,
 *                     then the texts
 *
 * The columns are: count * 8 + kind; start, from the box before (the first: from start_ns); length;
 * 1 + name; of boxes that stand for several, their busy time; of all others 1 + the thread's track
 * that launched it or 0, then (unless 0) the launch's level, the time from its start; 1 + detail or
 * 0. Starts and the time from the launch are signed. `full`: there is room for everything. False:
 * no memory. */
bool html_timeline(struct json_out *out, const struct timeline *timeline, bool full);

/* ---- steps ---- */

#define HTML_STEPS 3000u /* of all processes together, the first of each */

/* Members
 *
 *     steps[]     of each device with steps: process, device, first (the number of its first step),
 *                 left_out, steps[]: [name, start_ns, end_ns, time computing, communicating, moving
 *                 memory, idle by each of idle.causes[]]; these add up to the step
 *     overlaps[]  [process, device or null, time computing, communicating, doing both]
 *
 * A gap's time counts for the causes of its segments, as everywhere. False: no memory. */
bool html_steps(struct json_out *out, const struct findings *findings,
                const struct html_step_list *steps);

/* ---- findings by step ---- */

#define HTML_FINDINGS 100u /* of a page, as of "findings-data" */

/* Members
 *
 *     finding_savings[]    of each finding "sum", "idle" or "least", as enum finding_saving; null:
 *                          its steps are not known
 *     finding_steps        as html_step_sums_write() has it: by finding count, cost, saved_ns,
 *                          most_ns
 *     finding_idle_steps   by finding * causes + cause: idle time that it is about
 *
 * False: no memory. */
bool html_finding_steps(struct json_out *out, const struct findings *findings);

#define HTML_ROOFLINE_ROWS 300u /* of a device */
#define HTML_ROOFLINE_VALUES 11

/* Member "roofline_steps": as html_step_sums_write() has it, by row of "roofline-data", of one
 * device after the other: count; time; operations and their time; bytes and their time; of those
 * that have both, operations, bytes and time, and operations that were possible and the time of
 * those. Times are ns. False: no memory. */
bool html_roofline_steps(struct json_out *out, const struct timeline *timeline,
                         const struct html_step_list *steps);

/* The idle time of devices: the longest gaps, and whose time they were. */

#define HTML_GAPS 400u
#define HTML_OWNERS 400u

/* Member "idle":
 *
 *     causes[]   name and words of each cause, by its number
 *     gap_count  all there are that are not short
 *     gaps[]     the longest: [device (into the devices of the findings), start_ns, end_ns, cause,
 *                name of the operation that ended it, path of its launch, path of the call that may
 *                have been waited in]; names and paths as places in names[] and paths[], -1 none
 *     owner_count
 *     names[]    of operations; paths[] arrays of names
 *     owners[]   most time first: [process or null, device or null, cause, path, segments, ns]
 *
 * False: no memory. */
bool html_gaps(struct json_out *out, const struct findings *findings);

/* ---- trees of names with times, as flame graphs show them ----
 *
 * A page has room for the heaviest nodes. What the others have is kept as the rest of the node
 * around them, so that sums stay what they are.
 */

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
    /* Item: a node; values: calls, self of each metric. Its `values` 0: none are known */
    struct html_step_sums steps;
};

/* A value: {title, metrics[], all, shown, names[], nodes[]: [parent (-1 none), name, kind, calls,
 * self of each metric, rest of each metric]}; nodes come after their parents, the heaviest first.
 * "steps": null, or as html_step_sums_write() has it: by node calls, self of each metric, rest of
 * each metric. False: no memory. */
bool html_tree_write(struct json_out *out, const struct html_tree *tree);

/* The flame graphs of a page. */

#define HTML_STACKS 2000u /* call stacks whose functions are looked up, those that cost most */

/* Member "flames", trees as above: ranges with what was launched in them, and call stacks where
 * there are any and `options` can name their functions. False: no memory. */
bool html_flames(struct json_out *out, const struct timeline *timeline,
                 const struct html_step_list *steps, const struct write_html_options *options);

#ifdef __cplusplus
}
#endif
#endif
