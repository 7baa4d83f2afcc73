/* grid.c - see grid.h. */
#include "grid.h"

#include "array.h"
#include "fit.h"
#include "markdown_text.h"
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define CELL_COLUMNS 4096u /* of text from a file */
#define PLAIN "\033[0m"

static const char *const format_names[] = {"text", "tsv", "csv", "json", "markdown"};

bool write_format_find(const char *name, enum write_format *format)
{
    for (size_t i = 0; i < sizeof format_names / sizeof *format_names; i++)
        if (strcmp(format_names[i], name) == 0) {
            *format = (enum write_format)i;
            return true;
        }
    return false;
}

const char *write_format_name(enum write_format format)
{
    return format_names[format];
}

enum grid_style write_format_style(enum write_format format)
{
    static const enum grid_style styles[] = {
        [WRITE_TEXT] = GRID_ALIGNED, [WRITE_TSV] = GRID_TSV,           [WRITE_CSV] = GRID_CSV,
        [WRITE_JSON] = GRID_ALIGNED, [WRITE_MARKDOWN] = GRID_MARKDOWN,
    };
    return styles[format];
}

void grid_init(struct grid *grid, uint32_t columns)
{
    *grid = (struct grid){.columns = columns};
}

void grid_fini(struct grid *grid)
{
    for (uint32_t i = 0; i < grid->count; i++)
        free(grid->cells[i].text);
    free(grid->cells);
    *grid = (struct grid){0};
}

static void add_cell(struct grid *grid, char *text)
{
    bool room = text && (grid->count < grid->capacity ||
                         array_grow(&grid->cells, &grid->capacity, sizeof *grid->cells));
    if (!room) {
        grid->failed = true;
        free(text);
        return;
    }
    struct text shown = {text, strlen(text)};
    grid->cells[grid->count++] =
        (struct grid_cell){.text = text, .width = show_text_width(shown, UINT32_MAX)};
}

/* The cell that was added last. */
static void mark_name(struct grid *grid)
{
    if (grid->count)
        grid->cells[grid->count - 1].is_name = true;
}

void grid_take(struct grid *grid, struct grid_cell *cell)
{
    bool is_name = cell->is_name;
    char *text = cell->text;
    cell->text = NULL;
    add_cell(grid, text);
    if (is_name)
        mark_name(grid);
}

void grid_color(struct grid *grid, const char *escape)
{
    if (grid->count)
        grid->cells[grid->count - 1].color = escape;
}

static void add_shown(struct grid *grid, struct text text, unsigned limit)
{
    char small[SHOW_TEXT_BYTES(64)];
    unsigned columns = show_text_width(text, limit);
    columns = columns < limit ? columns : limit;
    char *shown = columns <= 64 ? small : malloc(SHOW_TEXT_BYTES((size_t)columns));
    bool rest;
    if (shown)
        show_text(text, columns, shown, &rest);
    add_cell(grid, shown ? strdup(shown) : NULL);
    if (shown != small)
        free(shown);
}

void grid_text(struct grid *grid, struct text text)
{
    add_shown(grid, text, CELL_COLUMNS);
    mark_name(grid);
}

void grid_whole_text(struct grid *grid, struct text text)
{
    add_shown(grid, text, UINT32_MAX);
    mark_name(grid);
}

void grid_string(struct grid *grid, const char *string)
{
    add_shown(grid, (struct text){string, strlen(string)}, UINT32_MAX);
}

void grid_format(struct grid *grid, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_cell(grid, strdup(text));
}

/* ---- separated ---- */

/* Characters that spreadsheets take for the start of a formula (also in full width), and the quote
 * that prevents that, so that a reader may remove the first quote of any name. */
static bool is_formula(const char *text)
{
    static const char *const signs[] = {"=",      "+",      "-",      "@",     "'",
                                        "\uff1d", "\uff0b", "\uff0d", "\uff20"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(text, signs[i], strlen(signs[i])) == 0)
            return true;
    return false;
}

/* The stream is locked: once a process has had two threads, a lock for each character costs a tenth
 * of the writing. */
static void write_quoted(const char *text, const char *guard, const char *quoted, FILE *stream)
{
    if (!strpbrk(text, quoted)) {
        fputs_unlocked(guard, stream);
        fputs_unlocked(text, stream);
        return;
    }
    putc_unlocked('"', stream);
    fputs_unlocked(guard, stream);
    for (; *text; text++) {
        if (*text == '"')
            putc_unlocked('"', stream);
        putc_unlocked(*text, stream);
    }
    putc_unlocked('"', stream);
}

/* In CSV also what a program would split that expects another separator. */
static const char *quoted_in(enum grid_style style)
{
    bool is_exact_csv = style == GRID_EXACT_CSV;
    return is_exact_csv ? ",\"\n" : style == GRID_CSV ? ",;\t\"\n" : "\t\"\n";
}

static void write_separated(const struct grid *grid, enum grid_style style, FILE *stream)
{
    bool guarded = style == GRID_TSV || style == GRID_CSV;
    char separator = style == GRID_CSV || style == GRID_EXACT_CSV ? ',' : '\t';
    flockfile(stream);
    for (uint32_t i = 0; i < grid->count; i++) {
        const struct grid_cell *cell = &grid->cells[i];
        bool last = (i + 1) % grid->columns == 0;
        bool is_risky = guarded && cell->is_name && is_formula(cell->text);
        write_quoted(cell->text, is_risky ? "'" : "", quoted_in(style), stream);
        putc_unlocked(last ? '\n' : separator, stream);
    }
    funlockfile(stream);
}

/* ---- drawn ---- */

static uint32_t *column_widths(const struct grid *grid)
{
    uint32_t *widths = calloc((size_t)grid->columns + 1, sizeof *widths);
    for (uint32_t i = 0; i < grid->count && widths; i++) {
        uint32_t column = i % grid->columns;
        if (grid->cells[i].width > widths[column])
            widths[column] = grid->cells[i].width;
    }
    return widths;
}

static void repeat(char letter, uint32_t count, FILE *stream)
{
    while (count-- > 0)
        fputc(letter, stream);
}

/* ---- aligned ---- */

/* A column with names may be cut. */
static struct fit_column *aligned_columns(const struct grid *grid, const uint32_t *widths)
{
    struct fit_column *columns = calloc((size_t)grid->columns + 1, sizeof *columns);
    for (uint32_t i = 0; i < grid->columns && columns; i++)
        columns[i] = (struct fit_column){grid->cells[i].text, widths[i], widths[i],
                                         grid->layout ? grid->layout[i].rank : 0, false};
    for (uint32_t i = grid->columns; i < grid->count && columns; i++) {
        struct fit_column *column = &columns[i % grid->columns];
        if (grid->cells[i].is_name && column->least > FIT_TEXT_LEAST)
            column->least = FIT_TEXT_LEAST;
    }
    return columns;
}

static void write_rule(const struct fit_column *columns, uint32_t count, FILE *stream)
{
    for (uint32_t i = 0; i < count; i++) {
        if (columns[i].left_out)
            continue;
        fputs(i ? "  " : "", stream);
        repeat('-', columns[i].width, stream);
    }
    fputc('\n', stream);
}

/* False: no memory. */
static bool write_shown(const struct grid_cell *cell, unsigned width, FILE *stream)
{
    char *cut = cell->width > width ? malloc(strlen(cell->text) + 4) : NULL;
    if (cell->width > width && !cut)
        return false;
    if (cut)
        fit_text(cell->text, cell->width, width, cut);
    fprintf(stream, "%s%s%s", cell->color ? cell->color : "", cut ? cut : cell->text,
            cell->color ? PLAIN : "");
    free(cut);
    return true;
}

static bool write_cell(const struct grid *grid, uint32_t column, const struct grid_cell *cell,
                       unsigned width, FILE *stream)
{
    uint32_t pad = cell->width < width ? width - cell->width : 0;
    fputs(column ? "  " : "", stream);
    repeat(' ', column ? pad : 0, stream);
    if (!write_shown(cell, width, stream))
        return false;
    repeat(' ', column == 0 && grid->columns > 1 ? pad : 0, stream);
    return true;
}

static bool write_rows(const struct grid *grid, const struct fit_column *columns, FILE *stream)
{
    for (uint32_t i = 0; i < grid->count; i++) {
        uint32_t column = i % grid->columns;
        if (!columns[column].left_out &&
            !write_cell(grid, column, &grid->cells[i], columns[column].width, stream))
            return false;
        if (column + 1 < grid->columns)
            continue;
        fputc('\n', stream);
        if (i + 1 == grid->columns)
            write_rule(columns, grid->columns, stream);
    }
    return true;
}

static void write_foot(const struct grid *grid, const struct fit_column *columns, FILE *stream)
{
    fputs(grid->foot ? grid->foot : "", stream);
    fit_note(columns, grid->columns, grid->table_width, stream);
}

static bool write_aligned(const struct grid *grid, const uint32_t *widths, FILE *stream)
{
    struct fit_column *columns = aligned_columns(grid, widths);
    if (columns && grid->table_width)
        fit_columns(columns, grid->columns, grid->table_width);
    bool written = columns && write_rows(grid, columns, stream);
    if (written)
        write_foot(grid, columns, stream);
    free(columns);
    return written;
}

/* ---- of fixed widths ---- */

#define NUMBER_WIDTH 10u

/* Where the table is fitted, numbers take their title's width or 10. Only the first column is
 * text. */
static struct fit_column *fixed_columns(const struct grid *grid)
{
    struct fit_column *columns = calloc((size_t)grid->columns + 1, sizeof *columns);
    for (uint32_t i = 0; i < grid->columns && columns; i++) {
        unsigned width = grid->layout[i].width, needed = grid->cells[i].width;
        if (i > 0 && grid->table_width && width > NUMBER_WIDTH)
            width = needed > NUMBER_WIDTH ? needed : NUMBER_WIDTH;
        columns[i] = (struct fit_column){grid->cells[i].text, width,
                                         i == 0 && width > FIT_TEXT_LEAST ? FIT_TEXT_LEAST : width,
                                         grid->layout ? grid->layout[i].rank : 0, false};
    }
    return columns;
}

/* What is wider than its column stays as it is, but for a text that has to fit. */
static bool write_fixed_cell(const struct grid *grid, uint32_t column, const struct grid_cell *cell,
                             unsigned width, FILE *stream)
{
    bool is_cut = grid->table_width && column == 0 && cell->width > width;
    if (is_cut)
        return write_shown(cell, width, stream);
    fprintf(stream, "%s%*s", column ? "  " : "", (int)width, cell->text);
    return true;
}

static bool write_fixed(const struct grid *grid, FILE *stream)
{
    struct fit_column *columns = fixed_columns(grid);
    bool written = columns;
    if (columns && grid->table_width)
        fit_columns(columns, grid->columns, grid->table_width);
    for (uint32_t i = 0; i < grid->count && written; i++) {
        uint32_t column = i % grid->columns;
        if (!columns[column].left_out)
            written =
                write_fixed_cell(grid, column, &grid->cells[i], columns[column].width, stream);
        if (column + 1 == grid->columns)
            fputc('\n', stream);
    }
    if (written)
        write_foot(grid, columns, stream);
    free(columns);
    return written;
}

/* ---- ruled ---- */

#define NAME_LEAST 12u /* characters of a name after its indentation */

/* To which the names of a column may be cut. */
static unsigned least_ruled(const struct grid *grid, uint32_t column, unsigned width)
{
    unsigned least = grid->layout[column].least;
    for (uint32_t i = grid->columns + column; i < grid->count; i += grid->columns) {
        unsigned needed = (unsigned)strspn(grid->cells[i].text, " ") + NAME_LEAST;
        least = needed > NAME_LEAST && needed > least ? needed : least;
    }
    return least < width ? least : width;
}

/* As they are where nothing has to be fitted. */
static void find_ruled(const struct grid *grid, const uint32_t *widths, struct fit_column *columns)
{
    for (uint32_t i = 0; i < grid->columns; i++) {
        const struct grid_column *layout = &grid->layout[i];
        unsigned widest = widths[i] < layout->limit ? widths[i] : layout->limit;
        unsigned width = widest > layout->width ? widest : layout->width;
        columns[i] = (struct fit_column){grid->cells[i].text, width, width, layout->rank, false};
    }
}

/* Narrows columns to their numbers, then cuts names, then leaves out columns, until the table fits.
 * Whether it had to. */
static bool fit_ruled(const struct grid *grid, const uint32_t *widths, struct fit_column *columns)
{
    unsigned width = fit_width(columns, grid->columns);
    for (uint32_t i = 0; i < grid->columns; i++)
        if (!grid->layout[i].limit && widths[i] > columns[i].width)
            width += widths[i] - columns[i].width; /* numbers that are wider than their column */
    if (!grid->table_width || width <= grid->table_width)
        return false;
    for (uint32_t i = 0; i < grid->columns; i++) {
        const struct grid_column *layout = &grid->layout[i];
        bool is_padded = i == 0 && widths[i] < columns[i].width;
        if (!layout->limit || is_padded)
            columns[i].width = columns[i].least = widths[i];
        if (layout->limit)
            columns[i].least = least_ruled(grid, i, columns[i].width);
    }
    fit_columns(columns, grid->columns, grid->table_width);
    return true;
}

/* A name within `width`. Unfitted, its end gives way; in the first column as torch.profiler does:
 * of all that comes within three characters of the limit. NULL: no memory. To free(). */
static char *ruled_name(const struct grid_cell *cell, unsigned width, bool fitted, bool as_torch)
{
    unsigned indent = (unsigned)strspn(cell->text, " ");
    struct text text = {cell->text, strlen(cell->text)};
    char *shown = malloc(text.size + SHOW_TEXT_BYTES((size_t)width));
    bool rest;
    if (shown && fitted) {
        indent = indent + NAME_LEAST <= width ? indent : 0;
        memset(shown, ' ', indent);
        fit_text(cell->text + indent, cell->width - indent, width - indent, shown + indent);
    } else if (shown && as_torch) {
        show_text(text, width - 3, shown, &rest);
        memcpy(shown + strlen(shown), "...", 4);
    } else if (shown) {
        show_text_cut(text, width, shown);
    }
    return shown;
}

static bool write_ruled_cell(const struct grid *grid, uint32_t column, const struct grid_cell *cell,
                             const struct fit_column *fit, bool fitted, FILE *stream)
{
    const struct grid_column *layout = &grid->layout[column];
    bool as_torch = !fitted && column == 0 && !layout->left;
    unsigned width = fitted ? fit->width : layout->limit;
    bool is_cut = layout->limit && (as_torch ? cell->width + 3 >= width : cell->width > width);
    char *cut = is_cut ? ruled_name(cell, width, fitted, as_torch) : NULL;
    const char *text = cut ? cut : cell->text;
    unsigned shown =
        is_cut && cut ? show_text_width((struct text){cut, strlen(cut)}, UINT32_MAX) : cell->width;
    uint32_t pad = fit->width > shown ? fit->width - shown : 0;
    fputs(column ? "  " : "", stream);
    repeat(' ', layout->left ? 0 : pad, stream);
    fputs(text, stream);
    repeat(' ', layout->left && column + 1 < grid->columns ? pad : 0, stream);
    free(cut);
    return cut || !is_cut;
}

static bool write_ruled_rows(const struct grid *grid, const struct fit_column *columns, bool fitted,
                             FILE *stream)
{
    const char *color = grid->title_color;
    bool written = true;
    write_rule(columns, grid->columns, stream);
    for (uint32_t i = 0; i < grid->count && written; i++) {
        uint32_t column = i % grid->columns;
        fputs(i == 0 && color ? color : "", stream);
        if (!columns[column].left_out)
            written =
                write_ruled_cell(grid, column, &grid->cells[i], &columns[column], fitted, stream);
        if (column + 1 < grid->columns)
            continue;
        fputs(i < grid->columns && color ? PLAIN "\n" : "\n", stream);
        if (i < grid->columns)
            write_rule(columns, grid->columns, stream);
    }
    write_rule(columns, grid->columns, stream);
    return written;
}

#define TITLE_COLUMNS 400u

static void write_safe_title(const char *title, FILE *stream)
{
    char shown[SHOW_TEXT_BYTES(TITLE_COLUMNS)];
    bool rest;
    show_text((struct text){title, strlen(title)}, TITLE_COLUMNS, shown, &rest);
    fprintf(stream, "\n%s\n", shown);
}

static bool write_ruled(const struct grid *grid, const uint32_t *widths, const char *title,
                        FILE *stream)
{
    struct fit_column *columns = calloc((size_t)grid->columns + 1, sizeof *columns);
    if (!columns)
        return false;
    find_ruled(grid, widths, columns);
    bool fitted = fit_ruled(grid, widths, columns);
    if (title) {
        repeat('=', fit_width(columns, grid->columns), stream);
        write_safe_title(title, stream);
    }
    bool written = write_ruled_rows(grid, columns, fitted, stream);
    if (written)
        write_foot(grid, columns, stream);
    free(columns);
    return written;
}

/* ---- Markdown ---- */

static void write_markdown(const struct grid *grid, FILE *stream)
{
    for (uint32_t i = 0; i < grid->count; i++) {
        fputs("| ", stream);
        markdown_text(grid->cells[i].text, stream);
        fputs((i + 1) % grid->columns ? " " : " |\n", stream);
        for (uint32_t j = 0; j < grid->columns && i + 1 == grid->columns; j++)
            fputs(j == 0 ? "|:--" : j + 1 < grid->columns ? "|--:" : "|--:|\n", stream);
    }
}

/* ---- centred ---- */

/* Of an odd rest, the larger half goes to the right of a text of odd width, else to the left. */
static void write_centred(const char *text, uint32_t width, uint32_t room, FILE *stream)
{
    uint32_t excess = room > width ? room - width : 0, left = excess / 2;
    if (excess % 2 && width % 2 == 0)
        left++;
    repeat(' ', left, stream);
    fputs(text, stream);
    repeat(' ', excess - left, stream);
}

static void write_line(const uint32_t *widths, uint32_t columns, char joint, FILE *stream)
{
    for (uint32_t i = 0; i < columns; i++) {
        fputc(i ? joint : '+', stream);
        repeat('-', widths[i] + 2, stream);
    }
    fputs("+\n", stream);
}

/* Columns grow in proportion until the title fits; the last one takes what is left. */
static void fit_title(uint32_t *widths, uint32_t columns, uint32_t title_width)
{
    uint64_t content = 0, grown = 0;
    for (uint32_t i = 0; i < columns; i++)
        content += widths[i];
    int64_t wanted = (int64_t)title_width + 4 - 3 * (int64_t)columns - 1;
    content = content ? content : 1;
    if ((int64_t)content >= wanted)
        return;
    double scale = (double)wanted / (double)content;
    for (uint32_t i = 0; i < columns; i++) {
        widths[i] = (uint32_t)(widths[i] * scale);
        grown += widths[i];
    }
    if ((int64_t)grown < wanted)
        widths[columns - 1] += (uint32_t)((uint64_t)wanted - grown);
}

static void write_pretty(const struct grid *grid, uint32_t *widths, const char *title, FILE *stream)
{
    uint32_t title_width = show_text_width((struct text){title, strlen(title)}, UINT32_MAX);
    uint64_t inside = 0;
    if (grid->columns == 0)
        return;
    fit_title(widths, grid->columns, title_width);
    for (uint32_t i = 0; i < grid->columns; i++)
        inside += widths[i] + 3;
    write_line(widths, grid->columns, '-', stream);
    fputs("| ", stream);
    write_centred(title, title_width, (uint32_t)inside - 3, stream);
    fputs(" |\n", stream);
    write_line(widths, grid->columns, '+', stream);
    for (uint32_t i = 0; i < grid->count; i++) {
        fputs(i % grid->columns ? " | " : "| ", stream);
        write_centred(grid->cells[i].text, grid->cells[i].width, widths[i % grid->columns], stream);
        if ((i + 1) % grid->columns == 0)
            fputs(" |\n", stream);
        if (i + 1 == grid->columns)
            write_line(widths, grid->columns, '+', stream);
    }
    write_line(widths, grid->columns, '+', stream);
}

bool grid_write(const struct grid *grid, enum grid_style style, const char *title, FILE *stream)
{
    uint32_t *widths = grid->failed ? NULL : column_widths(grid);
    errno = ENOMEM;
    if (!widths)
        return false;
    bool written = true;
    if (style == GRID_ALIGNED)
        written = write_aligned(grid, widths, stream);
    else if (style == GRID_FIXED)
        written = write_fixed(grid, stream);
    else if (style == GRID_RULED)
        written = write_ruled(grid, widths, title, stream);
    else if (style == GRID_MARKDOWN)
        write_markdown(grid, stream);
    else if (style == GRID_PRETTY)
        write_pretty(grid, widths, title, stream);
    else
        write_separated(grid, style, stream);
    free(widths);
    return written && !ferror(stream);
}
