/* table_tree.c - children of a path are a list; the walk is a loop with the list as its stack, so
 * that depth costs no stack of the machine's.
 */
#include "table_tree.h"

#include "show_text.h"

#include <stdlib.h>
#include <string.h>

#define INDENT 2u
#define INDENT_MAX 20u /* levels; deeper ones are not indented further */
#define WIDTH 12

const struct key_average *table_tree_row(const struct table_tree *tree, uint32_t path)
{
    return &tree->averages->rows[tree->row_of[path]];
}

int64_t table_tree_weight(const struct table_tree *tree, uint32_t path)
{
    const struct key_average *row = table_tree_row(tree, path);
    return tree->averages->has_device ? row->cuda_total_ns : row->cpu_total_ns;
}

/* Rows are sorted; put in front from the last to the first, children are, too. */
static void link_rows(struct table_tree *tree)
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
        tree->root_ns += table_tree_weight(tree, path);
}

/* A range inside of a CUDA call hangs below that call's path, which has no line: it goes up to the
 * next range. Parents have lower numbers. */
static void find_outer(struct table_tree *tree)
{
    const struct key_path *paths = tree->averages->paths;
    for (uint32_t i = 0; i < tree->averages->path_count; i++) {
        uint32_t parent = paths[i].parent;
        bool skipped = parent != TL_NONE && paths[parent].kind != KEY_RANGE;
        tree->outer[i] = skipped ? tree->outer[parent] : parent;
    }
}

bool table_tree_init(struct table_tree *tree, const struct key_averages *averages,
                     const struct write_options *options, FILE *stream)
{
    *tree = (struct table_tree){.averages = averages, .options = options, .stream = stream};
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

void table_tree_fini(struct table_tree *tree)
{
    free(tree->row_of);
    free(tree->outer);
    free(tree->child);
    free(tree->sibling);
    free(tree->scratch);
}

static unsigned indent_of(const struct table_tree *tree, uint32_t path)
{
    uint32_t depth = tree->averages->paths[path].depth;
    return INDENT * (depth < INDENT_MAX ? depth : INDENT_MAX);
}

uint32_t table_tree_next(const struct table_tree *tree, uint32_t path)
{
    bool deeper = tree->averages->paths[path].depth + UINT64_C(1) < tree->options->depth;
    if (deeper && tree->child[path] != TL_NONE)
        return tree->child[path];
    while (path != TL_NONE && tree->sibling[path] == TL_NONE)
        path = tree->outer[path];
    return path == TL_NONE ? TL_NONE : tree->sibling[path];
}

bool table_tree_is_full(const struct table_tree *tree)
{
    return tree->options->rows >= 0 && tree->printed >= tree->options->rows;
}

static void find_width(struct table_tree *tree)
{
    unsigned widest = 4;
    for (uint32_t path = tree->root; path != TL_NONE && !table_tree_is_full(tree);
         path = table_tree_next(tree, path), tree->printed++) {
        unsigned width = indent_of(tree, path) + show_text_width(tree->averages->paths[path].name,
                                                                 tree->options->name_width);
        widest = width > widest ? width : widest;
    }
    tree->printed = 0;
    tree->name_width = widest;
}

static void print_time(const struct table_tree *tree, int64_t ns)
{
    char text[TIME_TEXT_BYTES];
    time_text_in((double)ns, tree->options->unit, text);
    fprintf(tree->stream, "  %*s", WIDTH, text);
}

int64_t table_tree_whole(const struct table_tree *tree, uint32_t path)
{
    uint32_t outer = tree->outer[path];
    return outer != TL_NONE ? table_tree_weight(tree, outer) : tree->root_ns;
}

static void print_share(const struct table_tree *tree, uint32_t path)
{
    char text[TIME_TEXT_BYTES];
    time_text_share(table_tree_weight(tree, path), table_tree_whole(tree, path), text);
    fprintf(tree->stream, "  %*s", WIDTH, text);
}

static void print_path(struct table_tree *tree, uint32_t path)
{
    bool rest;
    unsigned indent = indent_of(tree, path), limit = tree->options->name_width;
    const struct key_average *row = &tree->averages->rows[tree->row_of[path]];
    unsigned width = show_text(row->name, limit, tree->scratch, &rest);
    if (rest) {
        width = show_text(row->name, limit - 3, tree->scratch, &rest) + 3;
        memcpy(tree->scratch + strlen(tree->scratch), "...", 4);
    }
    width += indent;
    fprintf(tree->stream, "%*s%s%*s", (int)indent, "", tree->scratch,
            (int)(tree->name_width > width ? tree->name_width - width : 0), "");
    print_share(tree, path);
    print_time(tree, row->cpu_total_ns);
    print_time(tree, row->self_cpu_total_ns);
    if (tree->averages->has_device) {
        print_time(tree, row->cuda_total_ns);
        print_time(tree, row->self_cuda_total_ns);
    }
    fprintf(tree->stream, "  %*llu\n", WIDTH, (unsigned long long)row->count);
}

static void print_rule(const struct table_tree *tree, unsigned columns)
{
    for (unsigned i = 0; i < tree->name_width; i++)
        fputc('-', tree->stream);
    for (unsigned i = 0; i < columns; i++)
        fputs("  ------------", tree->stream);
    fputc('\n', tree->stream);
}

static void print_titles(const struct table_tree *tree)
{
    static const char *const titles[] = {"% of parent", "CPU total", "Self CPU", "CUDA total",
                                         "Self CUDA"};
    unsigned columns = tree->averages->has_device ? 5 : 3;
    print_rule(tree, columns + 1);
    fprintf(tree->stream, "%-*s", (int)tree->name_width, "Name");
    for (unsigned i = 0; i < columns; i++)
        fprintf(tree->stream, "  %*s", WIDTH, titles[i]);
    fprintf(tree->stream, "  %*s\n", WIDTH, "# of Calls");
    print_rule(tree, columns + 1);
}

static void print_heading(const struct table_tree *tree)
{
    char shown[SHOW_TEXT_BYTES(400)];
    bool rest;
    const char *header = tree->options->header;
    if (!header)
        return;
    show_text((struct text){header, strlen(header)}, 400, shown, &rest);
    fprintf(tree->stream, "%s\n", shown);
}

static void print_all(struct table_tree *tree)
{
    uint32_t path = tree->root;
    find_width(tree);
    print_heading(tree);
    print_titles(tree);
    for (; path != TL_NONE && !table_tree_is_full(tree);
         path = table_tree_next(tree, path), tree->printed++)
        print_path(tree, path);
    print_rule(tree, tree->averages->has_device ? 6 : 4);
    if (path != TL_NONE)
        fprintf(tree->stream, "the first %u lines\n", tree->printed);
}

bool table_tree_print(const struct key_averages *averages, const struct write_options *options,
                      FILE *stream)
{
    struct table_tree tree;
    bool ready = table_tree_init(&tree, averages, options, stream);
    if (ready)
        print_all(&tree);
    table_tree_fini(&tree);
    return ready;
}
