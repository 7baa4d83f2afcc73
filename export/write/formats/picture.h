/* picture.h - a timeline as rows of boxes for a page of given width: what to draw, and where.
 *
 * Each process has its threads, then its streams. A thread is a row of several levels, a range
 * inside another one level below it; a stream is a row with a level for each of its lanes. Boxes
 * that are narrower than PICTURE_LEAST_PX are run together with their neighbours into boxes that
 * say how many they are, so that a level has at most two boxes per pixel, however many events there
 * are.
 */
#ifndef PROF_PICTURE_H
#define PROF_PICTURE_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PICTURE_LEVELS_MAX 10u /* of a thread; what is deeper is counted, not drawn */
#define PICTURE_ROWS_MAX 24u   /* threads, and streams, of all processes */
#define PICTURE_ARROWS_MAX 150u
#define PICTURE_LEAST_PX 1.0
#define PICTURE_MANY_PX 36.0 /* a box of many is about that wide at most, so that phases differ */

enum picture_row_kind { PICTURE_THREAD, PICTURE_STREAM };

struct picture_row {
    enum picture_row_kind kind;
    uint32_t index;       /* into threads[] or streams[] */
    uint32_t levels;      /* at least 1 */
    uint32_t first_level; /* of all levels of the picture, from the top */
    bool is_first; /* of its process's threads, or of its device's streams: a heading is above */
};

/* What a box stands for. */
enum picture_box_kind { PICTURE_RANGE, PICTURE_CALL, PICTURE_KERNEL, PICTURE_COPY, PICTURE_MANY };

struct picture_box {
    double x0, x1;  /* pixels from the left end of the window */
    uint32_t row;   /* into rows[] */
    uint32_t level; /* in its row */
    enum picture_box_kind kind;
    enum picture_box_kind holds; /* as kind; of PICTURE_MANY that of the longest */
    uint32_t index;              /* slice, or operation; of PICTURE_MANY the longest */
    uint32_t count;              /* 1; of PICTURE_MANY how many */
    int64_t span_ns;             /* how long that one is */
};

/* From where a call began to where what it launched began. */
struct picture_arrow {
    uint32_t slice, gpu;
    int64_t weight_ns; /* of the operation: the longest are drawn */
};

struct picture {
    const struct timeline *timeline;
    int64_t from_ns, to_ns;
    double width_px;
    TL_ARRAY(struct picture_row) rows;
    uint32_t levels;         /* of all rows */
    uint32_t *row_of_thread; /* TL_NONE: it is not drawn */
    uint32_t *row_of_stream;
    uint32_t threads_left, streams_left;   /* that have something in the window and found no room */
    uint64_t deep;                         /* ranges and calls deeper than the levels there are */
    TL_ARRAY(struct picture_arrow) arrows; /* longest first */
};

/* The window is from_ns to to_ns, to_ns > from_ns. False: no memory; fini is not needed then. */
bool picture_init(struct picture *picture, const struct timeline *timeline, int64_t from_ns,
                  int64_t to_ns, double width_px);
void picture_fini(struct picture *picture);

/* Calls `draw` with every box, row by row. False: no memory. */
bool picture_boxes(const struct picture *picture,
                   void (*draw)(void *user, const struct picture_box *box), void *user);

double picture_x(const struct picture *picture, int64_t time_ns);

#ifdef __cplusplus
}
#endif
#endif
