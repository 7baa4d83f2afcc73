/* check_graphs.c - CUDA graphs: everything refers to what exists, launches hold what is recorded under
 * them, and what they were to give is accounted for. */
#include "check_find.h"

#include <inttypes.h>

static bool is_slice(const struct timeline *timeline, uint32_t slice)
{
    return slice == TL_NONE || slice < timeline->slices.count;
}

static bool is_stack(const struct timeline *timeline, uint32_t stack)
{
    return stack == TL_NONE || stack < timeline->stacks.count;
}

static void check_nodes(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->graph_nodes.count; i++) {
        const struct tl_graph_node *node = &timeline->graph_nodes.at[i];
        bool valid = node->graph < timeline->graphs.count && is_slice(timeline, node->slice) &&
                     is_stack(timeline, node->stack);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "node %" PRIu64 " of a graph refers to things that do not exist", node->node);
    }
}

/* What was captured was captured before it was launched. */
static bool is_before(const struct timeline *timeline, const struct tl_captured *captured)
{
    const struct tl_gpu *gpu = &timeline->gpus.at[captured->gpu];
    if (captured->slice == TL_NONE || gpu->slice == TL_NONE || gpu->slice >= timeline->slices.count)
        return true;
    return timeline->slices.at[captured->slice].start_ns <=
           timeline->slices.at[gpu->slice].start_ns;
}

static void check_captured(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->captured.count; i++) {
        const struct tl_captured *captured = &timeline->captured.at[i];
        bool valid = captured->gpu < timeline->gpus.count &&
                     (i == 0 || captured[-1].gpu < captured->gpu) &&
                     is_slice(timeline, captured->slice) && is_stack(timeline, captured->stack);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "a captured operation refers to things that do not exist");
        check_add(check, CHECK_RULE_GRAPHS, CHECK_ERROR, valid && !is_before(timeline, captured),
                  "an operation of a graph was launched before it was captured");
    }
}

static uint32_t work_of(const struct timeline *timeline, const struct tl_slice *slice)
{
    uint32_t work = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        uint64_t at = (uint64_t)slice->gpu_first + i;
        uint32_t gpu = at < timeline->gpu_by_slice.count ? timeline->gpu_by_slice.at[at] : TL_NONE;
        work += gpu < timeline->gpus.count && tl_is_work(&timeline->gpus.at[gpu]);
    }
    return work;
}

static void check_launches(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->graph_launches.count; i++) {
        const struct tl_graph_launch *launch = &timeline->graph_launches.at[i];
        bool valid = launch->slice < timeline->slices.count &&
                     (launch->graph == TL_NONE || launch->graph < timeline->graphs.count);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "a launch of a graph refers to things that do not exist");
        if (!valid)
            continue;
        const struct tl_slice *slice = &timeline->slices.at[launch->slice];
        check_add(check, CHECK_RULE_GRAPHS, CHECK_ERROR,
                  !(slice->flags & TL_GRAPH) || work_of(timeline, slice) != launch->recorded,
                  "a launch of a graph at %" PRId64 " ns does not hold what is under its call",
                  slice->start_ns);
        check_add(check, CHECK_RULE_GRAPHS, CHECK_WARNING, launch->whole && launch->recorded > 1,
                  "the launch of a graph at %" PRId64
                  " ns was to give one record for the whole graph and gave %" PRIu32,
                  slice->start_ns, launch->recorded);
    }
}

void check_graphs(struct check *check)
{
    const struct tl_ledger *ledger = &check->timeline->ledger;
    check_nodes(check);
    check_captured(check);
    check_launches(check);
    uint64_t accounted = ledger->launched_graph + ledger->graph_lost + ledger->graph_undelivered +
                         ledger->graph_unobserved;
    check_add(check, CHECK_RULE_LEDGER, CHECK_ERROR, accounted != ledger->graph_expected,
              "%" PRIu64 " operations of graph launches were expected, %" PRIu64
              " are accounted for",
              ledger->graph_expected, accounted);
}
