#include "averages.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

/* Children of a path are a list; the walk is a loop with the list as its stack, so
 * that depth costs no stack of the machine's.
 */

#define INDENT 2u
#define INDENT_MAX 20u /* levels; deeper ones are not indented further */
#define WIDTH 12
#define NAME_LEAST 12u /* characters of the deepest name */

const struct key_average *averages_tree_row(const struct averages_tree *tree, uint32_t path)
{
    return &tree->averages->rows[tree->row_of[path]];
}

int64_t averages_tree_weight(const struct averages_tree *tree, uint32_t path)
{
    const struct key_average *row = averages_tree_row(tree, path);
    return tree->averages->has_device ? row->cuda_total_ns : row->cpu_total_ns;
}

/* Rows are sorted; put in front from the last to the first, children are, too. */
static void link_rows(struct averages_tree *tree)
{
    const struct key_averages *averages = tree->averages;
    for (uint32_t i = averages->count; i-- > 0;) {
        uint32_t path = averages->rows[i].group.path;
        if (path == TL_NONE || averages->rows[i].kind != KEY_RANGE)
            continue;
        uint32_t *list =
            tree->outer[path] == TL_NONE ? &tree->root : &tree->child[tree->outer[path]];
        tree->row_of[path] = i;
        tree->sibling[path] = *list;
        *list = path;
    }
    for (uint32_t path = tree->root; path != TL_NONE; path = tree->sibling[path])
        tree->root_ns += averages_tree_weight(tree, path);
}

/* A range inside of a CUDA call hangs below that call's path, which has no line: it goes up to the
 * next range. Parents have lower numbers. */
static void find_outer(struct averages_tree *tree)
{
    const struct key_path *paths = tree->averages->paths;
    for (uint32_t i = 0; i < tree->averages->path_count; i++) {
        uint32_t parent = paths[i].parent;
        bool skipped = parent != TL_NONE && paths[parent].kind != KEY_RANGE;
        tree->outer[i] = skipped ? tree->outer[parent] : parent;
    }
}

bool averages_tree_init(struct averages_tree *tree, const struct key_averages *averages,
                        const struct write_options *options, FILE *stream)
{
    *tree = (struct averages_tree){.averages = averages, .options = options, .stream = stream};
    size_t bytes = ((size_t)tree->averages->path_count + 1) * sizeof *tree->row_of;
    unsigned columns = tree->options->name_width + INDENT * INDENT_MAX;
    tree->row_of = malloc(bytes);
    tree->outer = malloc(bytes);
    tree->child = malloc(bytes);
    tree->sibling = malloc(bytes);
    tree->scratch = malloc(SHOW_TEXT_BYTES((size_t)columns));
    if (!tree->row_of || !tree->outer || !tree->child || !tree->sibling || !tree->scratch)
        return false;
    memset(tree->row_of, 0xff, bytes);
    memset(tree->child, 0xff, bytes);
    memset(tree->sibling, 0xff, bytes);
    tree->root = TL_NONE;
    find_outer(tree);
    link_rows(tree);
    return true;
}

void averages_tree_fini(struct averages_tree *tree)
{
    free(tree->row_of);
    free(tree->outer);
    free(tree->child);
    free(tree->sibling);
    free(tree->scratch);
}

static unsigned indent_of(const struct averages_tree *tree, uint32_t path)
{
    uint32_t depth = tree->averages->paths[path].depth;
    return INDENT * (depth < INDENT_MAX ? depth : INDENT_MAX);
}

uint32_t averages_tree_next(const struct averages_tree *tree, uint32_t path)
{
    bool deeper = tree->averages->paths[path].depth + UINT64_C(1) < tree->options->depth;
    if (deeper && tree->child[path] != TL_NONE)
        return tree->child[path];
    while (path != TL_NONE && tree->sibling[path] == TL_NONE)
        path = tree->outer[path];
    return path == TL_NONE ? TL_NONE : tree->sibling[path];
}

bool averages_tree_is_full(const struct averages_tree *tree)
{
    return tree->options->rows >= 0 && tree->printed >= tree->options->rows;
}

int64_t averages_tree_whole(const struct averages_tree *tree, uint32_t path)
{
    uint32_t outer = tree->outer[path];
    return outer != TL_NONE ? averages_tree_weight(tree, outer) : tree->root_ns;
}

/* ---- columns ---- */

enum tree_cell { CELL_SHARE, CELL_CPU, CELL_SELF_CPU, CELL_CUDA, CELL_SELF_CUDA, CELL_COUNT };

/* `rank` as in fit.h. */
static const struct tree_column {
    const char *title;
    unsigned rank;
    bool of_device;
} tree_columns[AVERAGES_TREE_CELLS] = {
    [CELL_SHARE] = {"% of parent", 3, false},  [CELL_CPU] = {"CPU total", 1, false},
    [CELL_SELF_CPU] = {"Self CPU", 5, false},  [CELL_CUDA] = {"CUDA total", 0, true},
    [CELL_SELF_CUDA] = {"Self CUDA", 4, true}, [CELL_COUNT] = {"# of Calls", 2, false},
};

static void cell_text(const struct averages_tree *tree, uint32_t path, enum tree_cell cell,
                      char to[TIME_TEXT_BYTES])
{
    const struct key_average *row = averages_tree_row(tree, path);
    const int64_t times[AVERAGES_TREE_CELLS] = {
        [CELL_CPU] = row->cpu_total_ns,
        [CELL_SELF_CPU] = row->self_cpu_total_ns,
        [CELL_CUDA] = row->cuda_total_ns,
        [CELL_SELF_CUDA] = row->self_cuda_total_ns,
    };
    if (cell == CELL_SHARE)
        time_text_share(averages_tree_weight(tree, path), averages_tree_whole(tree, path), to);
    else if (cell == CELL_COUNT)
        snprintf(to, TIME_TEXT_BYTES, "%llu", (unsigned long long)row->count);
    else
        time_text_in((double)times[cell], tree->options->unit, to);
}

static void find_widths(struct averages_tree *tree)
{
    tree->name_width = 4;
    for (uint32_t path = tree->root; path != TL_NONE && !averages_tree_is_full(tree);
         path = averages_tree_next(tree, path), tree->printed++) {
        unsigned width = indent_of(tree, path) + show_text_width(tree->averages->paths[path].name,
                                                                 tree->options->name_width);
        tree->name_width = width > tree->name_width ? width : tree->name_width;
    }
    tree->printed = 0;
    for (unsigned i = 0; i < AVERAGES_TREE_CELLS; i++)
        tree->cell_width[i] = tree_columns[i].of_device && !tree->averages->has_device ? 0 : WIDTH;
}

/* ---- for a terminal ---- */

/* What a column needs, and how deep names are indented. */
static unsigned needed_width(struct averages_tree *tree, enum tree_cell cell, unsigned *deepest)
{
    char text[TIME_TEXT_BYTES];
    unsigned width = (unsigned)strlen(tree_columns[cell].title);
    for (uint32_t path = tree->root; path != TL_NONE && !averages_tree_is_full(tree);
         path = averages_tree_next(tree, path), tree->printed++) {
        cell_text(tree, path, cell, text);
        unsigned needed = (unsigned)strlen(text), indent = indent_of(tree, path);
        width = needed > width ? needed : width;
        *deepest = indent > *deepest ? indent : *deepest;
    }
    tree->printed = 0;
    return width;
}

static unsigned tree_width(const struct averages_tree *tree)
{
    unsigned width = tree->name_width;
    for (unsigned i = 0; i < AVERAGES_TREE_CELLS; i++)
        width += tree->cell_width[i] ? tree->cell_width[i] + 2 : 0;
    return width;
}

static void fit_tree(struct averages_tree *tree)
{
    unsigned deepest = 0, least = tree->options->name_least, room = tree->options->table_width;
    struct fit_column *next = tree->fit + 1;
    if (!room || tree_width(tree) <= room)
        return;
    for (unsigned i = 0; i < AVERAGES_TREE_CELLS; i++) {
        unsigned needed = needed_width(tree, (enum tree_cell)i, &deepest);
        if (tree->cell_width[i])
            *next++ = (struct fit_column){tree_columns[i].title, needed, needed,
                                          tree_columns[i].rank, false};
    }
    least = least > deepest + NAME_LEAST ? least : deepest + NAME_LEAST;
    least = least < tree->name_width ? least : tree->name_width;
    tree->fit[0] = (struct fit_column){"Name", tree->name_width, least, 0, false};
    tree->fit_count = (unsigned)(next - tree->fit);
    fit_columns(tree->fit, tree->fit_count, room);
    next = tree->fit;
    tree->name_width = next++->width;
    for (unsigned i = 0; i < AVERAGES_TREE_CELLS; i++)
        if (tree->cell_width[i]) {
            tree->cell_width[i] = next->left_out ? 0 : next->width;
            next++;
        }
}

/* ---- printing ---- */

static void print_path(struct averages_tree *tree, uint32_t path)
{
    char text[TIME_TEXT_BYTES];
    unsigned indent = indent_of(tree, path), limit = tree->options->name_width;
    if (limit > tree->name_width - indent)
        limit = tree->name_width - indent;
    unsigned width =
        indent + show_text_cut(averages_tree_row(tree, path)->name, limit, tree->scratch);
    fprintf(tree->stream, "%*s%s%*s", (int)indent, "", tree->scratch,
            (int)(tree->name_width > width ? tree->name_width - width : 0), "");
    for (unsigned i = 0; i < AVERAGES_TREE_CELLS; i++) {
        cell_text(tree, path, (enum tree_cell)i, text);
        if (tree->cell_width[i])
            fprintf(tree->stream, "  %*s", (int)tree->cell_width[i], text);
    }
    fputc('\n', tree->stream);
}

static void print_dashes(const struct averages_tree *tree, unsigned count)
{
    while (count--)
        fputc('-', tree->stream);
}

static void print_rule(const struct averages_tree *tree)
{
    print_dashes(tree, tree->name_width);
    for (unsigned i = 0; i < AVERAGES_TREE_CELLS; i++) {
        fputs(tree->cell_width[i] ? "  " : "", tree->stream);
        print_dashes(tree, tree->cell_width[i]);
    }
    fputc('\n', tree->stream);
}

static void print_titles(const struct averages_tree *tree)
{
    print_rule(tree);
    fprintf(tree->stream, "%-*s", (int)tree->name_width, "Name");
    for (unsigned i = 0; i < AVERAGES_TREE_CELLS; i++)
        if (tree->cell_width[i])
            fprintf(tree->stream, "  %*s", (int)tree->cell_width[i], tree_columns[i].title);
    fputc('\n', tree->stream);
    print_rule(tree);
}

static void print_heading(const struct averages_tree *tree)
{
    char shown[SHOW_TEXT_BYTES(400)];
    bool rest;
    const char *header = tree->options->header;
    if (!header)
        return;
    show_text((struct text){header, strlen(header)}, 400, shown, &rest);
    fprintf(tree->stream, "%s\n", shown);
}

static void print_all(struct averages_tree *tree)
{
    uint32_t path = tree->root;
    find_widths(tree);
    fit_tree(tree);
    print_heading(tree);
    print_titles(tree);
    for (; path != TL_NONE && !averages_tree_is_full(tree);
         path = averages_tree_next(tree, path), tree->printed++)
        print_path(tree, path);
    print_rule(tree);
    if (path != TL_NONE)
        fprintf(tree->stream, "the first %u lines\n", tree->printed);
    fit_note(tree->fit, tree->fit_count, tree->options->table_width, tree->stream);
}

bool averages_tree_print(const struct key_averages *averages, const struct write_options *options,
                         FILE *stream)
{
    struct averages_tree tree;
    bool ready = averages_tree_init(&tree, averages, options, stream);
    if (ready)
        print_all(&tree);
    averages_tree_fini(&tree);
    return ready;
}
