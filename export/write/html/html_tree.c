/* html_tree.c - see html_tree.h. */
#include "html_tree.h"

#include "html_text.h"
#include "html_top.h"

#include <stdlib.h>

/* What is shown of a tree. */
struct choice {
    const struct html_tree *tree;
    int64_t (*total_ns)[HTML_METRICS]; /* by node, of all below it, too */
    int64_t (*rest_ns)[HTML_METRICS];  /* by node, of what is not shown */
    uint32_t *place;     /* by node: its number among the shown ones, plus 1; 0 not shown */
    struct keymap names; /* a node's name -> its place in the output */
};

void html_tree_fini(struct html_tree *tree)
{
    free(tree->nodes.at);
    tree->nodes.at = NULL;
    tree->nodes.count = tree->nodes.capacity = 0;
}

static void choice_fini(struct choice *choice)
{
    free(choice->total_ns);
    free(choice->rest_ns);
    free(choice->place);
    keymap_fini(&choice->names);
}

static bool choice_init(struct choice *choice, const struct html_tree *tree)
{
    size_t room = (size_t)tree->nodes.count + 1;
    *choice = (struct choice){
        .tree = tree,
        .total_ns = calloc(room, sizeof *choice->total_ns),
        .rest_ns = calloc(room, sizeof *choice->rest_ns),
        .place = calloc(room, sizeof *choice->place),
    };
    if (choice->total_ns && choice->rest_ns && choice->place)
        return true;
    choice_fini(choice);
    return false;
}

/* Children come behind their parents. */
static void add_up(struct choice *choice, int64_t all_ns[HTML_METRICS])
{
    const struct html_tree *tree = choice->tree;
    for (uint32_t i = tree->nodes.count; i-- > 0;)
        for (unsigned metric = 0; metric < HTML_METRICS; metric++) {
            const struct html_node *node = &tree->nodes.at[i];
            choice->total_ns[i][metric] += node->self_ns[metric];
            if (node->parent == TL_NONE)
                all_ns[metric] += choice->total_ns[i][metric];
            else
                choice->total_ns[node->parent][metric] += choice->total_ns[i][metric];
        }
}

/* By the larger of their shares: no node has more than the one around it, which comes before it, so
 * what is shown of a tree is a tree. */
static bool choose(struct choice *choice)
{
    int64_t all_ns[HTML_METRICS] = {0};
    struct html_top top;
    if (!html_top_init(&top, HTML_NODES))
        return false;
    add_up(choice, all_ns);
    for (uint32_t i = 0; i < choice->tree->nodes.count; i++) {
        double weight = 0;
        for (unsigned metric = 0; metric < HTML_METRICS; metric++) {
            double share = all_ns[metric] > 0
                               ? (double)choice->total_ns[i][metric] / (double)all_ns[metric]
                               : 0;
            weight = share > weight ? share : weight;
        }
        if (weight > 0)
            html_top_add(&top, i, weight);
    }
    for (uint32_t i = 0; i < top.count; i++)
        choice->place[top.at[i].index] = 1;
    html_top_fini(&top);
    return true;
}

/* Numbers the shown nodes; the others are part of the rest of the node around them. Returns how many are
 * shown. */
static uint32_t place(struct choice *choice)
{
    const struct html_tree *tree = choice->tree;
    uint32_t shown = 0;
    for (uint32_t i = 0; i < tree->nodes.count; i++) {
        uint32_t parent = tree->nodes.at[i].parent;
        if (choice->place[i])
            choice->place[i] = ++shown;
        else if (parent != TL_NONE && choice->place[parent])
            for (unsigned metric = 0; metric < HTML_METRICS; metric++)
                choice->rest_ns[parent][metric] += choice->total_ns[i][metric];
    }
    return shown;
}

static bool write_names(struct json_out *out, struct choice *choice)
{
    const struct html_tree *tree = choice->tree;
    uint32_t count = 0;
    bool written = true;
    json_key(out, "names"), json_array_begin(out);
    for (uint32_t i = 0; i < tree->nodes.count && written; i++) {
        const struct html_node *node = &tree->nodes.at[i];
        if (!choice->place[i] || keymap_find(&choice->names, node->name) != KEYMAP_NONE)
            continue;
        written = keymap_set(&choice->names, node->name, count++);
        html_name(out, node->text);
    }
    json_array_end(out);
    return written;
}

static void write_node(struct json_out *out, const struct choice *choice, uint32_t index)
{
    const struct html_node *node = &choice->tree->nodes.at[index];
    json_newline(out), json_array_begin(out);
    json_int(out, node->parent == TL_NONE ? -1 : (int64_t)choice->place[node->parent] - 1);
    json_uint(out, keymap_find(&choice->names, node->name));
    json_uint(out, node->kind);
    json_uint(out, node->count);
    for (unsigned metric = 0; metric < HTML_METRICS; metric++)
        json_int(out, node->self_ns[metric]);
    for (unsigned metric = 0; metric < HTML_METRICS; metric++)
        json_int(out, choice->rest_ns[index][metric]);
    json_array_end(out);
}

static bool write_choice(struct json_out *out, struct choice *choice)
{
    const struct html_tree *tree = choice->tree;
    uint32_t shown = place(choice);
    json_object_begin(out);
    json_key(out, "title"), json_string(out, tree->title);
    json_key(out, "metrics"), json_array_begin(out);
    for (unsigned metric = 0; metric < HTML_METRICS; metric++)
        json_string(out, tree->metrics[metric]);
    json_array_end(out);
    json_key(out, "all"), json_uint(out, tree->nodes.count);
    json_key(out, "shown"), json_uint(out, shown);
    bool written = write_names(out, choice);
    json_key(out, "nodes"), json_array_begin(out);
    for (uint32_t i = 0; i < tree->nodes.count && written; i++)
        if (choice->place[i])
            write_node(out, choice, i);
    json_array_end(out);
    json_object_end(out);
    return written;
}

bool html_tree_write(struct json_out *out, const struct html_tree *tree)
{
    struct choice choice;
    if (!choice_init(&choice, tree))
        return false;
    bool written = choose(&choice) && write_choice(out, &choice);
    choice_fini(&choice);
    return written;
}
