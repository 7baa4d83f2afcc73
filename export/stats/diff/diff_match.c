/* diff_match.c - which entries of two sides are the same thing: those of the same kind and name, or
 * path of names. Rows come in the order of the left side, then what only the right side has.
 */
#include "array.h"
#include "diff.h"
#include "kernel_alias.h"
#include "text_pool.h"

#include <stdlib.h>
#include <string.h>

/* ---- names and paths as numbers that both sides share ---- */

struct diff_names {
    struct text_pool names;
    struct keymap paths; /* parent and name -> path */
    uint32_t path_count;
    uint32_t *path_of[2]; /* by path of a side's averages */
};

/* The shared number of an entry's path; TL_NONE none. */
static uint32_t diff_names_path(const struct diff_names *names, unsigned side,
                                const struct diff_entry *entry)
{
    return entry->path == TL_NONE ? TL_NONE : names->path_of[side][entry->path];
}

/* Outermost ranges have a parent that no path is. */
static uint32_t share_path(struct diff_names *names, uint32_t parent, uint32_t name)
{
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t known = keymap_find(&names->paths, key);
    if (known != KEYMAP_NONE)
        return known;
    return keymap_set(&names->paths, key, names->path_count) ? names->path_count++ : TL_NONE;
}

static bool share_paths(struct diff_names *names, const struct key_averages *averages,
                        unsigned side)
{
    uint32_t *of = malloc(((size_t)averages->path_count + 1) * sizeof *of);
    names->path_of[side] = of;
    for (uint32_t i = 0; i < averages->path_count && of; i++) {
        const struct key_path *path = &averages->paths[i];
        uint32_t parent = path->parent == TL_NONE ? TL_NONE : of[path->parent];
        uint32_t name = text_pool_add(&names->names, path->name);
        of[i] = name == TL_NONE ? TL_NONE : share_path(names, parent, name);
        if (of[i] == TL_NONE)
            return false;
    }
    return of != NULL;
}

static void diff_names_fini(struct diff_names *names)
{
    text_pool_fini(&names->names);
    keymap_fini(&names->paths);
    free(names->path_of[0]);
    free(names->path_of[1]);
    memset(names, 0, sizeof *names);
}

static bool diff_names_init(struct diff_names *names, const struct diff_side *const sides[2])
{
    memset(names, 0, sizeof *names);
    bool ready = true;
    for (unsigned side = 0; side < 2 && ready; side++)
        ready = share_paths(names, &sides[side]->averages, side);
    if (!ready)
        diff_names_fini(names);
    return ready;
}

/* ---- kernels that have another name in the other run ----
 *
 * Only kernels that just one run has are examined, one level of kernel_alias.h after the other.
 * Those that look alike at a level are paired one to one, the longest in total first: first those
 * whose time was launched from the same ranges, then, except at the last level, the others. The
 * last level drops so much of a name that other evidence is needed: the same ranges, or, outside of
 * all ranges, that nothing else looks alike.
 *
 * A pair is marked as ambiguous if there was more than one candidate on a side. Deterministic.
 */

/* A kernel without a counterpart. */
struct unpaired {
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
    struct unpaired *unpaired;
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

static void collect_unpaired(struct pairing *pairing)
{
    const struct diff_table *table = &pairing->diff->tables[DIFF_BY_KERNEL];
    for (uint32_t i = 0; i < table->rows.count; i++) {
        const struct diff_row *row = &table->rows.at[i];
        unsigned side = side_of(row);
        const struct diff_entry *entry = &pairing->diff->sides[side]->entries.at[row->entry[side]];
        if (!is_alone(row) || entry->kind != KEY_KERNEL)
            continue;
        pairing->unpaired[pairing->count++] = (struct unpaired){
            .name = entry->name,
            .total_ns = entry->total_ns,
            .path = diff_names_path(pairing->names, side, entry),
            .row = i,
            .side = (uint8_t)side,
        };
    }
}

static bool reduce_names(struct pairing *pairing, enum kernel_alias_level level)
{
    for (uint32_t i = 0; i < pairing->count; i++) {
        struct unpaired *unpaired = &pairing->unpaired[i];
        struct text reduced = {pairing->reduced, 0};
        reduced.size = kernel_alias_reduce(unpaired->name, level, pairing->reduced);
        unpaired->look = text_pool_add(&pairing->names->names, reduced);
        unpaired->ambiguous = false;
        if (unpaired->look == TL_NONE)
            return false;
    }
    return true;
}

/* ---- order ---- */

static int compare_numbers(uint64_t left, uint64_t right)
{
    return left < right ? -1 : left > right;
}

/* Left side first, the longest first; names decide where times do not. */
static int compare_in_group(const struct unpaired *left, const struct unpaired *right)
{
    int by_side = compare_numbers(left->side, right->side);
    if (by_side)
        return by_side;
    if (left->total_ns != right->total_ns)
        return left->total_ns > right->total_ns ? -1 : 1;
    return text_compare(left->name, right->name);
}

static int compare_reduced(const void *left, const void *right)
{
    const struct unpaired *a = left, *b = right;
    int by_look = compare_numbers(a->look, b->look);
    return by_look ? by_look : compare_in_group(a, b);
}

static int compare_paths(const void *left, const void *right)
{
    const struct unpaired *a = left, *b = right;
    int by_look = compare_numbers(a->look, b->look), by_path = compare_numbers(a->path, b->path);
    return by_look ? by_look : by_path ? by_path : compare_in_group(a, b);
}

/* ---- pairs ---- */

static void merge_rows(struct pairing *pairing, struct unpaired *left, struct unpaired *right)
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
static void pair_in_order(struct pairing *pairing, uint32_t first, uint32_t end)
{
    uint32_t right = first;
    while (right < end && pairing->unpaired[right].side == 0)
        right++;
    for (uint32_t left = first; left < end && right < end && pairing->unpaired[left].side == 0;
         left++, right++)
        merge_rows(pairing, &pairing->unpaired[left], &pairing->unpaired[right]);
}

/* Of those that look alike, whether there is more than one on a side. */
static void mark_ambiguous(struct pairing *pairing, uint32_t first, uint32_t end)
{
    uint32_t of_left = 0;
    for (uint32_t i = first; i < end; i++)
        of_left += pairing->unpaired[i].side == 0;
    uint32_t of_right = end - first - of_left;
    for (uint32_t i = first; i < end; i++)
        pairing->unpaired[i].ambiguous = of_left > 1 || of_right > 1;
}

static void drop_paired(struct pairing *pairing)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pairing->count; i++)
        if (pairing->unpaired[i].row != TL_NONE)
            pairing->unpaired[kept++] = pairing->unpaired[i];
    pairing->count = kept;
}

typedef void visit_group(struct pairing *pairing, uint32_t first, uint32_t end);

static void each_group(struct pairing *pairing, bool by_path, visit_group *visit)
{
    if (pairing->count == 0)
        return;
    qsort(pairing->unpaired, pairing->count, sizeof *pairing->unpaired,
          by_path ? compare_paths : compare_reduced);
    for (uint32_t first = 0, end; first < pairing->count; first = end) {
        const struct unpaired *group = &pairing->unpaired[first];
        for (end = first + 1; end < pairing->count; end++)
            if (pairing->unpaired[end].look != group->look ||
                (by_path && pairing->unpaired[end].path != group->path))
                break;
        if (!by_path || group->path != TL_NONE || !group->ambiguous)
            visit(pairing, first, end);
    }
}

static bool pair_at(struct pairing *pairing, enum kernel_alias_level level)
{
    if (!reduce_names(pairing, level))
        return false;
    each_group(pairing, false, mark_ambiguous);
    each_group(pairing, true, pair_in_order);
    drop_paired(pairing);
    if (level != KERNEL_ALIAS_BARE)
        each_group(pairing, false, pair_in_order);
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

static bool pairing_init(struct pairing *pairing)
{
    size_t longest = 0;
    uint32_t rows = pairing->diff->tables[DIFF_BY_KERNEL].rows.count;
    pairing->unpaired = malloc(((size_t)rows + 1) * sizeof *pairing->unpaired);
    if (!pairing->unpaired)
        return false;
    collect_unpaired(pairing);
    for (uint32_t i = 0; i < pairing->count; i++)
        longest =
            pairing->unpaired[i].name.size > longest ? pairing->unpaired[i].name.size : longest;
    pairing->reduced = malloc(longest + 1);
    return pairing->reduced != NULL;
}

/* Merges rows of diff->tables[DIFF_BY_KERNEL]. False: no memory. */
static bool diff_pair(struct diff *diff, struct diff_names *names)
{
    struct pairing pairing = {.diff = diff, .names = names};
    bool paired = pairing_init(&pairing);
    for (unsigned level = 0; level < KERNEL_ALIAS_LEVELS && paired; level++)
        paired = pair_at(&pairing, (enum kernel_alias_level)level);
    free(pairing.unpaired);
    free(pairing.reduced);
    drop_merged_rows(&diff->tables[DIFF_BY_KERNEL]);
    return paired;
}

/* ---- rows ---- */

struct matcher {
    struct diff *diff;
    struct diff_names names;
    struct keymap rows[DIFF_BY_COUNT]; /* kind, or a path's mark, and number -> row */
};

/* What is the same on both sides. False: no memory. */
static bool key_of_entry(struct matcher *matcher, unsigned side, const struct diff_entry *entry,
                         uint64_t *key)
{
    bool by_path = entry->by == DIFF_BY_PATH;
    uint32_t number = by_path ? diff_names_path(&matcher->names, side, entry)
                              : text_pool_add(&matcher->names.names, entry->name);
    *key = (uint64_t)entry->kind << 32 | number;
    return number != TL_NONE;
}

static bool add_entry(struct matcher *matcher, unsigned side, uint32_t index)
{
    const struct diff_entry *entry = &matcher->diff->sides[side]->entries.at[index];
    struct diff_table *table = &matcher->diff->tables[entry->by];
    uint64_t key;
    if (!key_of_entry(matcher, side, entry, &key))
        return false;
    uint32_t known = keymap_find(&matcher->rows[entry->by], key);
    if (known != KEYMAP_NONE && table->rows.at[known].entry[side] == TL_NONE) {
        table->rows.at[known].entry[side] = index;
        return true;
    }
    uint32_t place = table->rows.count;
    struct diff_row *row = ARRAY_ADD(&table->rows);
    if (!row)
        return false;
    *row = (struct diff_row){.entry = {TL_NONE, TL_NONE}};
    row->entry[side] = index;
    return keymap_set(&matcher->rows[entry->by], key, place);
}

static bool add_entries(struct matcher *matcher)
{
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < matcher->diff->sides[side]->entries.count; i++)
            if (!add_entry(matcher, side, i))
                return false;
    return true;
}

bool diff_match(struct diff *diff)
{
    struct matcher matcher = {.diff = diff};
    if (!diff_names_init(&matcher.names, diff->sides))
        return false;
    bool matched = add_entries(&matcher);
    if (matched && diff->options.match)
        matched = diff_pair(diff, &matcher.names);
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        keymap_fini(&matcher.rows[by]);
    diff_names_fini(&matcher.names);
    return matched;
}
