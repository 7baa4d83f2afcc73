/* check_nvtx.c - what came through NVTX: labels and attributes in their ranges, pieces that make
 * whole calls, backward passes after what they differentiate. */
#include "check_find.h"

#include <inttypes.h>

static bool label_is_valid(const struct timeline *timeline, uint32_t label)
{
    return label == TL_NONE || label < timeline->labels.count;
}

static void check_labels(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->domains.count; i++) {
        const struct tl_domain *domain = &timeline->domains.at[i];
        bool valid =
            domain->process < timeline->processes.count &&
            (domain->number ? domain->name < timeline->names.count : domain->name == TL_NONE);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "domain %" PRIu32 " refers to things that do not exist", domain->number);
    }
    for (uint32_t i = 0; i < timeline->categories.count; i++) {
        const struct tl_category *category = &timeline->categories.at[i];
        bool valid = category->domain < timeline->domains.count &&
                     (category->name == TL_NONE || category->name < timeline->names.count);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "category %" PRIu32 " refers to things that do not exist", category->number);
    }
    for (uint32_t i = 0; i < timeline->labels.count; i++) {
        const struct tl_label *label = &timeline->labels.at[i];
        bool valid = label->domain < timeline->domains.count &&
                     (label->category == TL_NONE || label->category < timeline->categories.count) &&
                     (label->name == TL_NONE || label->name < timeline->names.count);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "label %" PRIu32 " refers to things that do not exist", i);
    }
}

static void check_labelled(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->marks.count; i++)
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR,
                  !label_is_valid(timeline, timeline->marks.at[i].label),
                  "mark %" PRIu32 " has a label that does not exist", i);
    for (uint32_t i = 0; i < timeline->asyncs.count; i++)
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR,
                  !label_is_valid(timeline, timeline->asyncs.at[i].label),
                  "range %" PRIu64 " has a label that does not exist", timeline->asyncs.at[i].id);
}

static void check_attrs_of(struct check *check, const char *what, const struct tl_attr *attrs,
                           uint32_t count, uint32_t owners)
{
    uint32_t names = check->timeline->names.count;
    for (uint32_t i = 0; i < count; i++) {
        bool valid = attrs[i].slice < owners && attrs[i].key < names &&
                     (attrs[i].type != PROF_ATTR_STRING || attrs[i].value < names);
        check_add(check, CHECK_RULE_RANGES, CHECK_ERROR, !valid,
                  "attribute %" PRIu32 " of a %s refers to things that do not exist", i, what);
        check_add(check, CHECK_RULE_ORDER, CHECK_ERROR, i && attrs[i - 1].slice > attrs[i].slice,
                  "attribute %" PRIu32 " of a %s is out of order", i, what);
    }
}

/* The piece goes on, at once, from an earlier one of the same range; calls and steps have pieces, too,
 * where a file tells of whole ones that overlap. */
static bool goes_on(const struct timeline *timeline, const struct tl_piece *piece)
{
    if (piece->slice >= timeline->slices.count || piece->before >= piece->slice ||
        piece->first > piece->before)
        return false;
    const struct tl_slice *slice = &timeline->slices.at[piece->slice];
    const struct tl_slice *before = &timeline->slices.at[piece->before];
    const struct tl_slice *first = &timeline->slices.at[piece->first];
    bool same = slice->thread == before->thread && slice->thread == first->thread &&
                slice->name == before->name && slice->kind == before->kind &&
                tl_slice_label(slice) == tl_slice_label(before);
    return same && slice->flags & TL_CONTINUED && before->end_ns == slice->start_ns &&
           !(first->flags & TL_CONTINUED) && !(before->flags & TL_UNCLOSED);
}

static void check_pieces(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    uint32_t continued = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++)
        continued += (timeline->slices.at[i].flags & TL_CONTINUED) != 0;
    for (uint32_t i = 0; i < timeline->pieces.count; i++) {
        const struct tl_piece *piece = &timeline->pieces.at[i];
        bool ordered = i == 0 || timeline->pieces.at[i - 1].slice < piece->slice;
        check_add(check, CHECK_RULE_PIECES, CHECK_ERROR, !ordered || !goes_on(timeline, piece),
                  "slice %" PRIu32 " does not go on where the range's piece before it ended",
                  piece->slice);
    }
    check_add(check, CHECK_RULE_PIECES, CHECK_ERROR, continued != timeline->pieces.count,
              "%" PRIu32 " slices are said to go on, %" PRIu32 " are known to", continued,
              timeline->pieces.count);
}

static uint32_t process_of(const struct timeline *timeline, const struct tl_slice *slice)
{
    return timeline->threads.at[slice->thread].process;
}

/* Forward in time, within one process. */
static bool links_well(const struct timeline *timeline, const struct tl_fwdbwd *link)
{
    uint32_t count = timeline->slices.count, threads = timeline->threads.count;
    if (link->forward >= count || link->backward >= count)
        return false;
    const struct tl_slice *forward = &timeline->slices.at[link->forward];
    const struct tl_slice *backward = &timeline->slices.at[link->backward];
    return forward->thread < threads && backward->thread < threads && forward->kind != TL_API &&
           backward->kind != TL_API && forward != backward &&
           process_of(timeline, forward) == process_of(timeline, backward) &&
           forward->start_ns <= backward->start_ns;
}

static void check_fwdbwds(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->fwdbwds.count; i++) {
        const struct tl_fwdbwd *link = &timeline->fwdbwds.at[i];
        bool ordered = i == 0 || timeline->fwdbwds.at[i - 1].backward < link->backward;
        check_add(check, CHECK_RULE_FWDBWD, CHECK_ERROR, !ordered || !links_well(timeline, link),
                  "slice %" PRIu32 " is not the backward pass of slice %" PRIu32, link->backward,
                  link->forward);
    }
}

static void check_oddities(struct check *check)
{
    for (uint32_t i = 0; i < check->timeline->processes.count; i++) {
        const struct tl_process *process = &check->timeline->processes.at[i];
        const struct tl_oddities *odd = &process->odd;
        check_add(check, CHECK_RULE_ODD_NAMES, CHECK_NOTE,
                  odd->redefined_names + odd->unknown_domains + odd->uncut_ranges,
                  "%s: %" PRIu64 " name ids that mean two things, %" PRIu64
                  " domains that are not in the file, %" PRIu64
                  " ranges ended early since too many crossed",
                  process->path, odd->redefined_names, odd->unknown_domains, odd->uncut_ranges);
    }
}

void check_nvtx(struct check *check)
{
    const struct timeline *timeline = check->timeline;
    check_labels(check);
    check_labelled(check);
    check_attrs_of(check, "mark", timeline->mark_attrs.at, timeline->mark_attrs.count,
                   timeline->marks.count);
    check_attrs_of(check, "begin/end range", timeline->async_attrs.at, timeline->async_attrs.count,
                   timeline->asyncs.count);
    check_pieces(check);
    check_fwdbwds(check);
    check_oddities(check);
}
