/* html_tree.c - ranges and call stacks as trees, and what is shown of them: see html_page.h. */
#include "array.h"
#include "html_page.h"
#include "key_averages.h"
#include "slice_sums.h"

#include <stdlib.h>

/* What is shown of a tree. */
struct choice {
    const struct html_tree *tree;
    int64_t (*total_ns)[HTML_METRICS]; /* by node, of all below it, too */
    int64_t (*rest_ns)[HTML_METRICS];  /* by node, of what is not shown */
    uint32_t *place; /* by node: its number among the shown ones, plus 1; 0 not shown */
    uint32_t *order; /* the shown ones */
    uint32_t shown;
    struct keymap names; /* a node's name -> its place in the output */
};

/* Frees the nodes, not their texts. */
static void tree_fini(struct html_tree *tree)
{
    free(tree->nodes.at);
    tree->nodes.at = NULL;
    tree->nodes.count = tree->nodes.capacity = 0;
    html_step_sums_fini(&tree->steps);
}

static void choice_fini(struct choice *choice)
{
    free(choice->total_ns);
    free(choice->rest_ns);
    free(choice->place);
    free(choice->order);
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

/* Children come after their parents. */
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
    html_top_sort(&top);
    choice->order = malloc(((size_t)top.count + 1) * sizeof *choice->order);
    for (; choice->order && choice->shown < top.count; choice->shown++) {
        choice->order[choice->shown] = top.at[choice->shown].index;
        choice->place[choice->order[choice->shown]] = choice->shown + 1;
    }
    html_top_fini(&top);
    return choice->order != NULL;
}

/* What is not shown is part of the rest of the node around it. */
static void add_rests(struct choice *choice)
{
    const struct html_tree *tree = choice->tree;
    for (uint32_t i = 0; i < tree->nodes.count; i++) {
        uint32_t parent = tree->nodes.at[i].parent;
        if (!choice->place[i] && parent != TL_NONE && choice->place[parent])
            for (unsigned metric = 0; metric < HTML_METRICS; metric++)
                choice->rest_ns[parent][metric] += choice->total_ns[i][metric];
    }
}

static bool write_names(struct json_out *out, struct choice *choice)
{
    const struct html_tree *tree = choice->tree;
    uint32_t count = 0;
    bool written = true;
    json_key(out, "names"), json_array_begin(out);
    for (uint32_t i = 0; i < choice->shown && written; i++) {
        const struct html_node *node = &tree->nodes.at[choice->order[i]];
        if (keymap_find(&choice->names, node->name) != KEYMAP_NONE)
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

/* The number of the innermost of the first `most` nodes around a node; `most`: there is none. */
static uint32_t node_around(const struct choice *choice, uint32_t node, uint32_t most)
{
    while (node != TL_NONE && (!choice->place[node] || choice->place[node] > most))
        node = choice->tree->nodes.at[node].parent;
    return node == TL_NONE ? most : choice->place[node] - 1;
}

/* The same steps, of the first `most` nodes: what is in others is rest. */
static bool place_steps(const struct choice *choice, uint32_t most, struct html_step_sums *to)
{
    const struct html_step_sums *steps = &choice->tree->steps;
    for (uint32_t i = 0; i < steps->count; i++) {
        const struct html_step_sum *from = &steps->at[i];
        uint32_t item = node_around(choice, from->item, most);
        if (item == most)
            continue;
        struct html_step_sum *sum = html_step_sums_add(to, item, from->step);
        if (!sum)
            return false;
        bool is_own = choice->order[item] == from->item;
        sum->values[0] = is_own ? from->values[0] : 0;
        for (unsigned metric = 0; metric < HTML_METRICS; metric++)
            sum->values[1 + metric + (is_own ? 0 : HTML_METRICS)] = from->values[1 + metric];
    }
    return true;
}

static bool write_steps(struct json_out *out, const struct choice *choice)
{
    struct html_step_sums all = {.values = 1 + 2 * HTML_METRICS}, fitting = all;
    if (!choice->tree->steps.values) {
        json_null(out);
        return true;
    }
    bool written = place_steps(choice, choice->shown, &all);
    uint32_t most = written ? html_step_sums_fit(&all, choice->shown) : 0;
    written =
        written && place_steps(choice, most, &fitting) && html_step_sums_write(out, &fitting, most);
    html_step_sums_fini(&all);
    html_step_sums_fini(&fitting);
    return written;
}

static bool write_choice(struct json_out *out, struct choice *choice)
{
    const struct html_tree *tree = choice->tree;
    add_rests(choice);
    json_object_begin(out);
    json_key(out, "title"), json_string(out, tree->title);
    json_key(out, "metrics"), json_array_begin(out);
    for (unsigned metric = 0; metric < HTML_METRICS; metric++)
        json_string(out, tree->metrics[metric]);
    json_array_end(out);
    json_key(out, "all"), json_uint(out, tree->nodes.count);
    json_key(out, "shown"), json_uint(out, choice->shown);
    bool written = write_names(out, choice);
    json_key(out, "nodes"), json_array_begin(out);
    for (uint32_t i = 0; i < choice->shown && written; i++)
        write_node(out, choice, choice->order[i]);
    json_array_end(out);
    json_newline(out), json_key(out, "steps");
    written = written && write_steps(out, choice);
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

/* ---- flame graphs of ranges ---- */

static enum html_node_kind kind_of(enum key_kind kind)
{
    switch (kind) {
    case KEY_API:
        return HTML_CALL;
    case KEY_KERNEL:
    case KEY_GRAPH:
        return HTML_KERNEL;
    case KEY_MEMCPY:
    case KEY_MEMSET:
        return HTML_COPY;
    default:
        return HTML_RANGE;
    }
}

static bool add_paths(struct html_tree *tree, const struct key_averages *averages)
{
    for (uint32_t i = 0; i < averages->path_count; i++) {
        const struct key_path *path = &averages->paths[i];
        struct html_node *node = ARRAY_ADD(&tree->nodes);
        if (!node)
            return false;
        *node = (struct html_node){.parent = path->parent,
                                   .name = path->key,
                                   .text = path->name,
                                   .kind = (uint8_t)kind_of(path->kind)};
    }
    return true;
}

/* Self device time of a range is that of the operations below it, which are nodes of their own,
 * except where events timed the range. */
static bool add_times(struct html_tree *tree, const struct key_averages *averages)
{
    for (uint32_t i = 0; i < averages->count; i++) {
        const struct key_average *row = &averages->rows[i];
        if (row->group.path >= tree->nodes.count)
            continue;
        struct html_node *node = &tree->nodes.at[row->group.path];
        int64_t device_ns =
            key_kind_is_device(row->kind) ? row->self_cuda_total_ns : row->timed_self_ns;
        int64_t cpu_ns = row->self_cpu_total_ns > 0 ? row->self_cpu_total_ns : 0;
        device_ns = device_ns > 0 ? device_ns : 0;
        node->count += row->count;
        node->self_ns[0] += cpu_ns;
        node->self_ns[1] += device_ns;
        if (row->group.step == TL_NONE)
            continue;
        struct html_step_sum *sum =
            html_step_sums_add(&tree->steps, row->group.path, row->group.step);
        if (!sum)
            return false;
        sum->values[0] = (int64_t)row->count;
        sum->values[1] = cpu_ns, sum->values[2] = device_ns;
    }
    return true;
}

static bool write_ranges(struct json_out *out, const struct timeline *timeline,
                         const struct html_step_list *steps)
{
    struct html_tree tree = {.title = "Ranges",
                             .metrics = {"CPU time", "Device time"},
                             .steps = {.values = 1 + HTML_METRICS}};
    struct key_averages averages;
    struct key_options options;
    key_options_default(&options);
    options.group_by = KEY_BY_KEY | KEY_BY_PATH | (steps->all.at.count ? KEY_BY_STEP : 0);
    options.steps_apart = steps->is_shown;
    if (!key_averages_init_by(&averages, timeline, &options))
        return false;
    bool written =
        add_paths(&tree, &averages) && add_times(&tree, &averages) && html_tree_write(out, &tree);
    tree_fini(&tree);
    key_averages_fini(&averages);
    return written;
}

/* ---- flame graphs of call stacks ---- */

#define FRAMES_MOST 256u

/* Functions of stacks, each text once. */
struct functions {
    struct html_tree tree;
    TL_ARRAY(char *) texts;
    struct keymap known;    /* hash of a text -> the text */
    struct keymap children; /* node + 1 and text -> node */
    char (*frames)[FINDINGS_FRAME_BYTES];
};

static void functions_fini(struct functions *functions)
{
    for (uint32_t i = 0; i < functions->texts.count; i++)
        free(functions->texts.at[i]);
    free(functions->texts.at);
    keymap_fini(&functions->known);
    keymap_fini(&functions->children);
    tree_fini(&functions->tree);
    free(functions->frames);
}

static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}

/* TL_NONE: no memory. Texts with the same hash lie after each other. */
static uint32_t intern(struct functions *functions, const char *text)
{
    uint64_t hash = hash_of(text);
    uint32_t known;
    while ((known = keymap_find(&functions->known, hash)) != KEYMAP_NONE)
        if (strcmp(functions->texts.at[known], text) == 0)
            return known;
        else
            hash++;
    char **place = ARRAY_ADD(&functions->texts);
    if (!place)
        return TL_NONE;
    *place = strdup(text);
    known = functions->texts.count - 1;
    return *place && keymap_set(&functions->known, hash, known) ? known : TL_NONE;
}

static uint32_t child_of(struct functions *functions, uint32_t parent, const char *text)
{
    uint32_t name = intern(functions, text);
    uint64_t key = ((uint64_t)parent + 1) << 32 | name;
    uint32_t node = keymap_find(&functions->children, key);
    if (node != KEYMAP_NONE || name == TL_NONE)
        return node;
    struct html_node *added = ARRAY_ADD(&functions->tree.nodes);
    node = functions->tree.nodes.count - 1;
    if (!added || !keymap_set(&functions->children, key, node))
        return TL_NONE;
    *added = (struct html_node){.parent = parent, .name = name, .kind = HTML_FUNCTION};
    return node;
}

/* Frames come innermost first, and the tree begins with the outermost. */
static bool add_stack(struct functions *functions, const struct html_node *values, uint32_t count)
{
    uint32_t node = TL_NONE;
    while (count-- > 0) {
        node = child_of(functions, node, functions->frames[count]);
        if (node == TL_NONE)
            return false;
    }
    if (node == TL_NONE)
        return true;
    struct html_node *innermost = &functions->tree.nodes.at[node];
    innermost->count += values->count;
    for (unsigned metric = 0; metric < HTML_METRICS; metric++)
        innermost->self_ns[metric] += values->self_ns[metric];
    return true;
}

static struct html_node values_of(const struct stack_total *total, bool sampled)
{
    if (sampled)
        return (struct html_node){.count = total->samples,
                                  .self_ns = {total->run_ns, total->wait_ns}};
    return (struct html_node){.count = total->calls, .self_ns = {total->device_ns, total->cpu_ns}};
}

/* Of calls, or of samples. */
static bool add_stacks(struct functions *functions, const struct stack_totals *totals, bool sampled,
                       const struct write_html_options *options)
{
    const uint32_t *order = sampled ? totals->sampled : totals->order;
    uint32_t stacks = sampled ? totals->sampled_count : totals->count;
    for (uint32_t i = 0; i < stacks && i < HTML_STACKS; i++) {
        struct html_node values = values_of(&totals->at[order[i]], sampled);
        uint32_t count =
            options->functions(options->user, order[i], functions->frames, FRAMES_MOST);
        if (!add_stack(functions, &values, count))
            return false;
    }
    for (uint32_t i = 0; i < functions->tree.nodes.count; i++) {
        struct html_node *node = &functions->tree.nodes.at[i];
        const char *text = functions->texts.at[node->name];
        node->text = (struct text){text, strlen(text)};
    }
    return true;
}

static bool write_functions(struct json_out *out, const struct stack_totals *totals, bool sampled,
                            const struct write_html_options *options)
{
    static const struct html_tree of_calls = {.title = "Call stacks",
                                              .metrics = {"Device time", "CPU time of calls"}},
                                  of_samples = {.title = "Samples",
                                                .metrics = {"CPU time", "Waiting"}};
    struct functions functions = {
        .tree = sampled ? of_samples : of_calls,
        .frames = malloc(FRAMES_MOST * sizeof *functions.frames),
    };
    bool written = functions.frames && add_stacks(&functions, totals, sampled, options) &&
                   html_tree_write(out, &functions.tree);
    functions_fini(&functions);
    return written;
}

static bool write_stacks(struct json_out *out, const struct timeline *timeline,
                         const struct write_html_options *options)
{
    struct stack_totals totals;
    if (!stack_totals_init(&totals, timeline, NULL, 0))
        return false;
    bool written = write_functions(out, &totals, false, options) &&
                   (!totals.sampled_count || write_functions(out, &totals, true, options));
    stack_totals_fini(&totals);
    return written;
}

bool html_flames(struct json_out *out, const struct timeline *timeline,
                 const struct html_step_list *steps, const struct write_html_options *options)
{
    json_newline(out), json_key(out, "flames"), json_array_begin(out);
    bool written = write_ranges(out, timeline, steps);
    if (written && timeline->stacks.count && options->functions)
        written = write_stacks(out, timeline, options);
    json_array_end(out);
    json_key(out, "stack_count"), json_uint(out, timeline->stacks.count);
    return written;
}
