/* grid.h - a table of cells that is written when all of it is known: aligned, separated by tabs or
 * commas, or as PrettyTable draws it.
 *
 *     grid_init(&grid, 2);
 *     grid_string(&grid, "Name"), grid_string(&grid, "Count");
 *     grid_text(&grid, name), grid_format(&grid, "%u", count);
 *     grid_write(&grid, GRID_TSV, NULL, stream);
 *     grid_fini(&grid);
 *
 * The first row is the header. Text is made safe for terminals (show_text() of text.h). A failed
 * allocation is latched and reported by grid_write().
 */
#ifndef PROF_GRID_H
#define PROF_GRID_H

#include "text.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum grid_style {
    GRID_ALIGNED, /* a rule under the header, two spaces between columns, the first one left */
    GRID_FIXED,   /* no rule, columns of their layout's widths, all to the right */
    GRID_RULED,   /* the same with rules around titles and at the end: as torch.profiler's tables */
    GRID_TSV,     /* quoted as RFC 4180 does it */
    GRID_CSV, /* the same; a name that a spreadsheet would calculate has a ' in front: see grid.c */
    GRID_EXACT_TSV, /* quoted where necessary, as Python's csv does it, and names as they are */
    GRID_EXACT_CSV,
    GRID_MARKDOWN, /* as GitHub and GitLab show it; the first column left, the others right */
    GRID_PRETTY,   /* lines around every column, centred, a title on top: as Python's PrettyTable */
};

/* ---- the formats that every table can be had in ----
 *
 * Text and Markdown are for people: times as "1.234ms", unknown values as such. The others are for
 * programs: whole nanoseconds, bytes and counts, headers that name the unit, nothing in a cell
 * whose value is not known, and no line that is not a row.
 */

/* In the order of write_format_find()'s names. */
enum write_format { WRITE_TEXT, WRITE_TSV, WRITE_CSV, WRITE_JSON, WRITE_MARKDOWN };

/* False: no format has this name. */
bool write_format_find(const char *name, enum write_format *format);

const char *write_format_name(enum write_format format);

static inline bool write_format_is_for_people(enum write_format format)
{
    return format == WRITE_TEXT || format == WRITE_MARKDOWN;
}

/* How a grid is written in it. JSON has none. */
enum grid_style write_format_style(enum write_format format);

/* ---- grids ---- */

struct grid_cell {
    char *text;        /* NUL-terminated */
    const char *color; /* NULL none */
    uint32_t width;
    bool is_name; /* not of our own making */
};

/* How a column is laid out where the grid is aligned, fixed or ruled; NULL: none may be left
 * out. */
struct grid_column {
    uint8_t rank;   /* as in fit.h */
    bool left;      /* ruled: to the left */
    unsigned width; /* fixed and ruled: at least; a number that is wider stays as it is */
    unsigned limit; /* ruled: of names, which widen their column up to it; 0: they do not */
    unsigned least; /* ruled: to which names may be cut to fit a terminal */
};

struct grid {
    struct grid_cell *cells;
    uint32_t count, capacity;
    uint32_t columns;
    bool failed;
    /* set by the caller, for aligned grids: */
    unsigned table_width;             /* to fit, in characters; 0 any */
    const struct grid_column *layout; /* by column */
    const char *title_color;          /* ruled: of the line of titles; NULL none */
    const char *foot;                 /* lines under the table; NULL none */
};

void grid_init(struct grid *grid, uint32_t columns);
void grid_fini(struct grid *grid);

/* A name, or what else is from a file: at most 4096 characters, or all of it. */
void grid_text(struct grid *grid, struct text text);
void grid_whole_text(struct grid *grid, struct text text);

/* Words and numbers of ours. */
void grid_string(struct grid *grid, const char *string);
void grid_format(struct grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text of the cell of another grid, which is empty from then on. */
void grid_take(struct grid *grid, struct grid_cell *cell);

/* The cell that was added last is shown in this colour, an escape sequence that outlives the grid,
 * where the grid is aligned. */
void grid_color(struct grid *grid, const char *escape);

/* `title` for GRID_PRETTY, and above GRID_RULED; NULL none. False: no memory (errno is ENOMEM), or
 * the stream failed. */
bool grid_write(const struct grid *grid, enum grid_style style, const char *title, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
