/* diff_pair.c - see diff_pair.h: sorting puts those that may be pairs side by side. */
#include "diff_pair.h"

#include <stdlib.h>
#include <string.h>

/* A kernel without a counterpart. */
struct lone {
    struct text name;
    int64_t total_ns;
    uint32_t look; /* number of what is left of its name */
    uint32_t path; /* shared number, TL_NONE not known */
    uint32_t row;
    uint8_t side;
    bool ambiguous;
};

struct pairing {
    struct diff *diff;
    struct diff_names *names;
    struct lone *lone;
    uint32_t count;
    char *reduced; /* room for the longest name */
};

static uint32_t side_of(const struct diff_row *row)
{
    return row->entry[0] == TL_NONE;
}

static bool is_alone(const struct diff_row *row)
{
    return row->entry[0] == TL_NONE || row->entry[1] == TL_NONE;
}

static void collect(struct pairing *pairing)
{
    const struct diff_table *table = &pairing->diff->tables[DIFF_BY_KERNEL];
    for (uint32_t i = 0; i < table->rows.count; i++) {
        const struct diff_row *row = &table->rows.at[i];
        unsigned side = side_of(row);
        const struct diff_entry *entry = &pairing->diff->sides[side]->entries.at[row->entry[side]];
        if (!is_alone(row) || entry->kind != KEY_KERNEL)
            continue;
        pairing->lone[pairing->count++] = (struct lone){
            .name = entry->name,
            .total_ns = entry->total_ns,
            .path = diff_names_path(pairing->names, side, entry),
            .row = i,
            .side = (uint8_t)side,
        };
    }
}

static bool look(struct pairing *pairing, enum kernel_alias_level level)
{
    for (uint32_t i = 0; i < pairing->count; i++) {
        struct lone *lone = &pairing->lone[i];
        struct text reduced = {pairing->reduced, 0};
        reduced.size = kernel_alias_reduce(lone->name, level, pairing->reduced);
        lone->look = namepool_intern(&pairing->names->pool, reduced);
        lone->ambiguous = false;
        if (lone->look == TL_NONE)
            return false;
    }
    return true;
}

/* ---- order ---- */

static int order(uint64_t left, uint64_t right)
{
    return left < right ? -1 : left > right;
}

/* Left side first, the longest first; names decide where times do not. */
static int compare_in_group(const struct lone *left, const struct lone *right)
{
    int by_side = order(left->side, right->side);
    if (by_side)
        return by_side;
    if (left->total_ns != right->total_ns)
        return left->total_ns > right->total_ns ? -1 : 1;
    size_t shared = left->name.size < right->name.size ? left->name.size : right->name.size;
    int by_name = shared ? memcmp(left->name.bytes, right->name.bytes, shared) : 0;
    return by_name ? by_name : order(left->name.size, right->name.size);
}

static int compare_looks(const void *left, const void *right)
{
    const struct lone *a = left, *b = right;
    int by_look = order(a->look, b->look);
    return by_look ? by_look : compare_in_group(a, b);
}

static int compare_paths(const void *left, const void *right)
{
    const struct lone *a = left, *b = right;
    int by_look = order(a->look, b->look), by_path = order(a->path, b->path);
    return by_look ? by_look : by_path ? by_path : compare_in_group(a, b);
}

/* ---- pairs ---- */

static void merge(struct pairing *pairing, struct lone *left, struct lone *right)
{
    struct diff_table *table = &pairing->diff->tables[DIFF_BY_KERNEL];
    struct diff_row *kept = &table->rows.at[left->row], *other = &table->rows.at[right->row];
    kept->entry[1] = other->entry[1];
    kept->match = DIFF_RENAMED;
    kept->ambiguous = left->ambiguous || right->ambiguous;
    other->entry[1] = TL_NONE; /* no row any more */
    left->row = right->row = TL_NONE;
}

/* lone[first] to lone[end - 1], the left side's first: the first with the first, and so on. */
static void zip(struct pairing *pairing, uint32_t first, uint32_t end)
{
    uint32_t right = first;
    while (right < end && pairing->lone[right].side == 0)
        right++;
    for (uint32_t left = first; left < end && right < end && pairing->lone[left].side == 0;
         left++, right++)
        merge(pairing, &pairing->lone[left], &pairing->lone[right]);
}

/* Of those that look alike, whether there is more than one on a side. */
static void mark_ambiguous(struct pairing *pairing, uint32_t first, uint32_t end)
{
    uint32_t of_left = 0;
    for (uint32_t i = first; i < end; i++)
        of_left += pairing->lone[i].side == 0;
    uint32_t of_right = end - first - of_left;
    for (uint32_t i = first; i < end; i++)
        pairing->lone[i].ambiguous = of_left > 1 || of_right > 1;
}

static void drop_paired(struct pairing *pairing)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pairing->count; i++)
        if (pairing->lone[i].row != TL_NONE)
            pairing->lone[kept++] = pairing->lone[i];
    pairing->count = kept;
}

typedef void visit_group(struct pairing *pairing, uint32_t first, uint32_t end);

static void each_group(struct pairing *pairing, bool by_path, visit_group *visit)
{
    if (pairing->count == 0)
        return;
    qsort(pairing->lone, pairing->count, sizeof *pairing->lone,
          by_path ? compare_paths : compare_looks);
    for (uint32_t first = 0, end; first < pairing->count; first = end) {
        const struct lone *group = &pairing->lone[first];
        for (end = first + 1; end < pairing->count; end++)
            if (pairing->lone[end].look != group->look ||
                (by_path && pairing->lone[end].path != group->path))
                break;
        if (!by_path || group->path != TL_NONE || !group->ambiguous)
            visit(pairing, first, end);
    }
}

static bool pair_at(struct pairing *pairing, enum kernel_alias_level level)
{
    if (!look(pairing, level))
        return false;
    each_group(pairing, false, mark_ambiguous);
    each_group(pairing, true, zip);
    drop_paired(pairing);
    if (level != KERNEL_ALIAS_BARE)
        each_group(pairing, false, zip);
    drop_paired(pairing);
    return true;
}

static void drop_merged_rows(struct diff_table *table)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->rows.count; i++)
        if (table->rows.at[i].entry[0] != TL_NONE || table->rows.at[i].entry[1] != TL_NONE)
            table->rows.at[kept++] = table->rows.at[i];
    table->rows.count = kept;
}

static bool prepare(struct pairing *pairing)
{
    size_t longest = 0;
    uint32_t rows = pairing->diff->tables[DIFF_BY_KERNEL].rows.count;
    pairing->lone = malloc(((size_t)rows + 1) * sizeof *pairing->lone);
    if (!pairing->lone)
        return false;
    collect(pairing);
    for (uint32_t i = 0; i < pairing->count; i++)
        longest = pairing->lone[i].name.size > longest ? pairing->lone[i].name.size : longest;
    pairing->reduced = malloc(longest + 1);
    return pairing->reduced != NULL;
}

bool diff_pair(struct diff *diff, struct diff_names *names)
{
    struct pairing pairing = {.diff = diff, .names = names};
    bool paired = prepare(&pairing);
    for (unsigned level = 0; level < KERNEL_ALIAS_LEVELS && paired; level++)
        paired = pair_at(&pairing, (enum kernel_alias_level)level);
    free(pairing.lone);
    free(pairing.reduced);
    drop_merged_rows(&diff->tables[DIFF_BY_KERNEL]);
    return paired;
}
