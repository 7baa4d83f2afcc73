/* build_backward.c - from a forward range to the backward passes that it makes necessary; their
 * call stacks.
 *
 * PyTorch numbers the functions that it will have to differentiate. The number is an attribute of
 * ranges: of the operations that run while it is the next number, the last of which makes the
 * function; and of its evaluation later, with all that is inside. So, among the ranges of one
 * number, the origin of an evaluation is the one that began last before it and is not a part of an
 * evaluation. What an evaluation is called depends on the version: its name begins with the words
 * below, or it has the number as "stashed_seq". Other ranges on another thread are taken for one
 * when their name says so, as those of PyTorch's functions do.
 *
 * Each thread counts for itself. Where several run forward passes, an evaluation has the origin's
 * thread as "forward_tid", and only ranges of that thread are its origin.
 */
#include "array.h"
#include "build.h"

#include <stdlib.h>
#include <string.h>

enum role {
    ROLE_FORWARD,
    ROLE_BACKWARD,
    ROLE_EITHER, /* backward if it is on another thread than the forward range, else neither */
    ROLE_INSIDE, /* part of an evaluation of the same number */
};

/* A range that has a sequence number. */
struct numbered {
    uint64_t number;
    uint32_t slice;
    uint32_t forward_tid; /* TL_NONE: not said */
    enum role role;
};

/* A thread's latest forward range of the number in `group`, which is the place of its first range,
 * from 1. */
struct latest_forward {
    uint32_t group, slice;
};

/* Names of attributes; TL_NONE: none has it. */
struct attribute_keys {
    uint32_t seq, sequence_number, stashed_seq, forward_tid;
};

struct search {
    struct builder *builder;
    TL_ARRAY(struct numbered) found; /* by slice */
    struct radix_item *items;        /* places in `found` */
    struct keymap after;             /* slice -> the segment that continues it */
    struct keymap thread_of_tid;     /* the first of that number in the process, from 0 */
    struct latest_forward *latest;   /* by such a thread */
    bool failed;
};

static bool text_holds(struct text text, const char *word)
{
    const char *end = text.bytes + text.size;
    while (text.size) {
        const char *next = memchr(text.bytes, *word, text.size);
        if (!next)
            return false;
        if (text_begins((struct text){next, (size_t)(end - next)}, word))
            return true;
        text = (struct text){next + 1, (size_t)(end - next - 1)};
    }
    return false;
}

static enum role role_of(struct text name)
{
    if (text_begins(name, TL_EVALUATION))
        return ROLE_BACKWARD;
    return text_holds(name, "Backward") ? ROLE_EITHER : ROLE_FORWARD;
}

static bool is_number(const struct tl_attr *attr)
{
    return (attr->type == PROF_ATTR_INT || attr->type == PROF_ATTR_UINT) &&
           attr->value <= INT64_MAX;
}

static uint32_t name_of(const struct timeline *timeline, const char *text)
{
    return text_pool_find(&timeline->names, (struct text){text, strlen(text)});
}

/* Reads the attributes of one slice. */
static void read_slice(struct search *search, const struct attribute_keys *keys,
                       const struct tl_attr *attrs, uint32_t count)
{
    const struct timeline *timeline = search->builder->timeline;
    const struct text *names = timeline->names.at;
    const struct tl_attr *number = NULL, *stashed = NULL;
    uint32_t forward_tid = TL_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t key = attrs[i].key;
        if (!is_number(&attrs[i]))
            continue;
        if (key == keys->seq || key == keys->sequence_number)
            number = &attrs[i];
        else if (key == keys->stashed_seq)
            stashed = &attrs[i];
        else if (key == keys->forward_tid)
            forward_tid = (uint32_t)attrs[i].value;
    }
    struct numbered *found = number || stashed ? ARRAY_ADD(&search->found) : NULL;
    if (found)
        *found = (struct numbered){
            .number = stashed ? stashed->value : number->value,
            .slice = attrs->slice,
            .forward_tid = forward_tid,
            .role =
                stashed ? ROLE_BACKWARD : role_of(names[timeline->slices.at[attrs->slice].name]),
        };
    search->failed |= (number || stashed) && !found;
}

static void find_numbered(struct search *search)
{
    const struct timeline *timeline = search->builder->timeline;
    struct attribute_keys keys = {name_of(timeline, "seq"), name_of(timeline, "Sequence number"),
                                  name_of(timeline, "stashed_seq"),
                                  name_of(timeline, "forward_tid")};
    for (uint32_t i = search->builder->first.attrs, end; i < timeline->attrs.count; i = end) {
        end = i + 1;
        while (end < timeline->attrs.count &&
               timeline->attrs.at[end].slice == timeline->attrs.at[i].slice)
            end++;
        read_slice(search, &keys, &timeline->attrs.at[i], end - i);
    }
}

static void index_segments(struct search *search)
{
    const struct timeline *timeline = search->builder->timeline;
    for (uint32_t i = search->builder->first.segments; i < timeline->segments.count; i++)
        search->failed |= !keymap_set(&search->after, timeline->segments.at[i].before,
                                      timeline->segments.at[i].slice);
}

/* When the whole call ended whose first segment this is. */
static int64_t call_end(const struct search *search, uint32_t slice)
{
    for (uint32_t next = slice; next != KEYMAP_NONE; next = keymap_find(&search->after, next))
        slice = next;
    return search->builder->timeline->slices.at[slice].end_ns;
}

/* Among the ranges of one number, `first` to `end` in the order of their slices, those inside of an
 * evaluation. */
static void mark_inside(struct search *search, uint32_t first, uint32_t end)
{
    const struct tl_slice *slices = search->builder->timeline->slices.at;
    const struct tl_slice *outer = NULL;
    int64_t outer_end_ns = 0;
    for (uint32_t i = first; i < end; i++) {
        struct numbered *numbered = &search->found.at[search->items[i].value];
        const struct tl_slice *slice = &slices[numbered->slice];
        if (outer && slice->thread == outer->thread && slice->start_ns < outer_end_ns) {
            numbered->role = ROLE_INSIDE;
        } else if (numbered->role != ROLE_FORWARD) {
            outer = slice;
            outer_end_ns = call_end(search, numbered->slice);
        }
    }
}

static void sort_by_number(struct search *search)
{
    for (uint32_t i = 0; i < search->found.count; i++)
        search->items[i].key = search->found.at[search->items[i].value].number;
    search->failed |= !radix_sort(search->items, search->found.count);
}

static void sort_by_start(struct search *search)
{
    const struct tl_slice *slices = search->builder->timeline->slices.at;
    for (uint32_t i = 0; i < search->found.count; i++)
        search->items[i].key =
            radix_key(slices[search->found.at[search->items[i].value].slice].start_ns);
    search->failed |= !radix_sort(search->items, search->found.count);
}

/* Calls `each` for the ranges of every number. */
static void for_each_number(struct search *search,
                            void (*each)(struct search *search, uint32_t first, uint32_t end))
{
    for (uint32_t i = 0, end; i < search->found.count && !search->failed; i = end) {
        end = i + 1;
        while (end < search->found.count && search->items[end].key == search->items[i].key)
            end++;
        each(search, i, end);
    }
}

static void add_link(struct search *search, uint32_t forward, uint32_t backward)
{
    struct tl_fwdbwd *link = ARRAY_ADD(&search->builder->timeline->fwdbwds);
    if (link)
        *link = (struct tl_fwdbwd){forward, backward};
    else
        search->failed = true;
}

static void index_threads(struct search *search)
{
    const struct builder *builder = search->builder;
    uint32_t first = builder->first.threads, count = builder->timeline->threads.count - first;
    search->latest = calloc((size_t)count + 1, sizeof *search->latest);
    search->failed |= !search->latest;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t tid = builder->timeline->threads.at[first + i].tid;
        if (keymap_find(&search->thread_of_tid, tid) == KEYMAP_NONE)
            search->failed |= !keymap_set(&search->thread_of_tid, tid, i);
    }
}

/* NULL: the process has no such thread. */
static struct latest_forward *latest_of(struct search *search, uint64_t tid)
{
    uint32_t thread = keymap_find(&search->thread_of_tid, tid);
    return thread == KEYMAP_NONE ? NULL : &search->latest[thread];
}

/* Where an evaluation comes from; `forward`: the latest forward range of all threads. */
static uint32_t origin_of(struct search *search, const struct numbered *numbered, uint32_t group,
                          uint32_t forward)
{
    if (numbered->forward_tid == TL_NONE)
        return forward;
    const struct latest_forward *latest = latest_of(search, numbered->forward_tid);
    return latest && latest->group == group ? latest->slice : TL_NONE;
}

/* The ranges of one number in the order in which they began. */
static void link_number(struct search *search, uint32_t first, uint32_t end)
{
    const struct timeline *timeline = search->builder->timeline;
    const struct tl_slice *slices = timeline->slices.at;
    uint32_t latest = TL_NONE;
    for (uint32_t i = first; i < end; i++) {
        const struct numbered *numbered = &search->found.at[search->items[i].value];
        uint32_t thread = slices[numbered->slice].thread;
        uint32_t forward = origin_of(search, numbered, first + 1, latest);
        bool elsewhere = forward != TL_NONE && thread != slices[forward].thread;
        if (numbered->role == ROLE_FORWARD) {
            latest = numbered->slice;
            *latest_of(search, timeline->threads.at[thread].tid) =
                (struct latest_forward){first + 1, latest};
        } else if (forward != TL_NONE && (numbered->role == ROLE_BACKWARD ||
                                          (numbered->role == ROLE_EITHER && elsewhere))) {
            add_link(search, forward, numbered->slice);
        }
    }
}

static int by_backward(const void *left, const void *right)
{
    const struct tl_fwdbwd *a = left, *b = right;
    return (a->backward > b->backward) - (a->backward < b->backward);
}

static void link_all(struct search *search)
{
    struct timeline *timeline = search->builder->timeline;
    uint32_t first = timeline->fwdbwds.count;
    for (uint32_t i = 0; i < search->found.count; i++)
        search->items[i].value = i;
    sort_by_number(search);
    for_each_number(search, mark_inside);
    sort_by_start(search);
    sort_by_number(search);
    for_each_number(search, link_number);
    if (timeline->fwdbwds.count > first)
        qsort(timeline->fwdbwds.at + first, timeline->fwdbwds.count - first,
              sizeof *timeline->fwdbwds.at, by_backward);
}

static bool build_fwdbwd(struct builder *builder)
{
    struct search search = {.builder = builder};
    find_numbered(&search);
    if (search.found.count && !search.failed) {
        index_segments(&search);
        index_threads(&search);
        search.items = calloc(search.found.count, sizeof *search.items);
        search.failed |= !search.items;
        if (!search.failed)
            link_all(&search);
    }
    free(search.found.at);
    free(search.items);
    free(search.latest);
    keymap_fini(&search.thread_of_tid);
    keymap_fini(&search.after);
    return !search.failed;
}

/* ---- their call stacks ----
 *
 * PyTorch's engine calls backward functions, often on a thread without Python functions. Why they
 * run is known from the forward range: so its Python functions take the place of theirs, for all
 * that happens in them. Addresses remain their own. torch.profiler's events have the same stacks.
 * The evaluation around a backward function has them only where it has no functions of its own.
 */

/* Where Python functions come from a forward range. A slice has those of the link that came last of
 * all whose backward ranges it is in, so the tree has the numbers of links (0 none) for ranges of
 * slices: at leaf `size` + i what was said of slice i alone, and at node k what was said of all
 * below it. */
struct borrowed {
    struct builder *builder;
    uint32_t first_link, size; /* of the process */
    uint32_t *last;            /* by slice: after the last one that is inside */
    uint32_t *tree;
    uint32_t *path; /* by link: TL_NONE none */
};

/* Inside of a slice are those that follow, up to its end. */
static void find_last(const struct borrowed *borrowed)
{
    const struct builder *builder = borrowed->builder;
    const struct tl_slice *slices = builder->timeline->slices.at + builder->first.slices;
    for (uint32_t i = 0; i < borrowed->size; i++)
        borrowed->last[i] = i + 1;
    for (uint32_t i = borrowed->size; i-- > 0;) {
        uint32_t *around = slices[i].parent == TL_NONE
                               ? NULL
                               : &borrowed->last[slices[i].parent - builder->first.slices];
        if (around && *around < borrowed->last[i])
            *around = borrowed->last[i];
    }
}

/* A backward range with all that is inside. */
static void borrow(struct borrowed *borrowed, uint32_t outer, uint32_t number)
{
    uint32_t from = outer - borrowed->builder->first.slices + borrowed->size,
             to = borrowed->last[outer - borrowed->builder->first.slices] + borrowed->size;
    for (; from < to; from /= 2, to /= 2) {
        if (from & 1)
            borrowed->tree[from++] = number;
        if (to & 1)
            borrowed->tree[--to] = number;
    }
}

/* What the link with such a number gives; TL_NONE: nothing. */
static uint32_t path_of_link(const struct borrowed *borrowed, uint32_t number)
{
    return number ? borrowed->path[number - 1] : TL_NONE;
}

/* What a slice borrows; TL_NONE: nothing. */
static uint32_t borrowed_path(const struct borrowed *borrowed, uint32_t slice)
{
    uint32_t number = 0;
    for (uint32_t i = slice - borrowed->builder->first.slices + borrowed->size; i; i /= 2)
        if (borrowed->tree[i] > number)
            number = borrowed->tree[i];
    return path_of_link(borrowed, number);
}

static uint32_t path_of(const struct borrowed *borrowed, uint32_t slice)
{
    const struct timeline *timeline = borrowed->builder->timeline;
    uint32_t path = borrowed_path(borrowed, slice);
    uint32_t stack = path == TL_NONE ? stack_of_slice(timeline, slice) : TL_NONE;
    return stack == TL_NONE ? path : timeline->stacks.at[stack].frames;
}

static void borrow_all(struct borrowed *borrowed)
{
    const struct timeline *timeline = borrowed->builder->timeline;
    for (uint32_t i = borrowed->first_link; i < timeline->fwdbwds.count; i++) {
        const struct tl_fwdbwd *link = &timeline->fwdbwds.at[i];
        uint32_t path = path_of(borrowed, link->forward), outer = link->backward;
        uint32_t around = timeline->slices.at[outer].parent;
        if (path != TL_NONE && tl_is_evaluation(timeline, around) &&
            path_of(borrowed, around) == TL_NONE)
            outer = around;
        borrowed->path[i - borrowed->first_link] = path;
        if (path != TL_NONE)
            borrow(borrowed, outer, i - borrowed->first_link + 1);
    }
}

/* The stack that a slice had, TL_NONE none, with other Python functions. */
static uint32_t stack_with(struct builder *builder, uint32_t stack, uint32_t path)
{
    bool has_addresses = stack != TL_NONE && builder->timeline->stacks.at[stack].count;
    return build_stack_on_path(builder, has_addresses ? stack : TL_NONE, path);
}

/* Gives every leaf the latest of the numbers above it. Called after the last borrow(). */
static void settle(struct borrowed *borrowed)
{
    for (uint32_t i = 2; i < 2 * borrowed->size; i++)
        if (borrowed->tree[i] < borrowed->tree[i / 2])
            borrowed->tree[i] = borrowed->tree[i / 2];
}

/* Both lists are by slice. */
static uint32_t merge_stacks(struct borrowed *borrowed, struct tl_stack_of *to)
{
    struct builder *builder = borrowed->builder;
    struct timeline *timeline = builder->timeline;
    uint32_t next = builder->first.slice_stacks, made = 0;
    for (uint32_t i = builder->first.slices; i < timeline->slices.count; i++) {
        bool has_own =
            next < timeline->slice_stacks.count && timeline->slice_stacks.at[next].owner == i;
        uint32_t stack = has_own ? timeline->slice_stacks.at[next++].stack : TL_NONE;
        uint32_t leaf = i - builder->first.slices + borrowed->size;
        uint32_t path = path_of_link(borrowed, borrowed->tree[leaf]);
        if (path != TL_NONE) {
            timeline->slices.at[i].flags |= TL_FORWARD_STACK;
            stack = stack_with(builder, stack, path);
        }
        if (stack != TL_NONE)
            to[made++] = (struct tl_stack_of){i, stack};
    }
    return made;
}

static void replace_stacks(struct builder *builder, const struct tl_stack_of *by, uint32_t count)
{
    builder->timeline->slice_stacks.count = builder->first.slice_stacks;
    for (uint32_t i = 0; i < count; i++) {
        struct tl_stack_of *kept = ARRAY_ADD(&builder->timeline->slice_stacks);
        if (kept)
            *kept = by[i];
        builder->failed |= !kept;
    }
}

/* False: no memory. */
static bool borrowed_init(struct borrowed *borrowed, struct builder *builder, uint32_t first_link)
{
    const struct timeline *timeline = builder->timeline;
    uint32_t links = timeline->fwdbwds.count - first_link;
    *borrowed = (struct borrowed){.builder = builder, .first_link = first_link};
    borrowed->size = timeline->slices.count - builder->first.slices;
    borrowed->last = malloc(borrowed->size * sizeof *borrowed->last);
    borrowed->tree = calloc((size_t)borrowed->size * 2, sizeof *borrowed->tree);
    borrowed->path = malloc(links * sizeof *borrowed->path);
    return borrowed->last && borrowed->tree && borrowed->path;
}

/* `first_link`: of the process. False: no memory. */
static bool borrow_stacks(struct builder *builder, uint32_t first_link)
{
    const struct timeline *timeline = builder->timeline;
    struct borrowed borrowed;
    if (first_link == timeline->fwdbwds.count || !timeline->frame_paths.count)
        return true;
    bool ready = borrowed_init(&borrowed, builder, first_link);
    struct tl_stack_of *merged = ready ? malloc(borrowed.size * sizeof *merged) : NULL;
    if (merged) {
        find_last(&borrowed);
        borrow_all(&borrowed);
        settle(&borrowed);
        replace_stacks(builder, merged, merge_stacks(&borrowed, merged));
    }
    free(borrowed.last);
    free(borrowed.tree);
    free(borrowed.path);
    free(merged);
    return merged;
}

/* ---- what is around them ---- */

static int by_slice(const void *left, const void *right)
{
    const struct tl_evaluation *a = left, *b = right;
    if (a->slice != b->slice)
        return a->slice < b->slice ? -1 : 1;
    return (a->link.backward > b->link.backward) - (a->link.backward < b->link.backward);
}

/* `first_link`: of the process. False: no memory. */
static bool find_evaluations(struct builder *builder, uint32_t first_link)
{
    struct timeline *timeline = builder->timeline;
    uint32_t first = timeline->evaluations.count, kept = first;
    for (uint32_t i = first_link; i < timeline->fwdbwds.count; i++) {
        uint32_t around = timeline->slices.at[timeline->fwdbwds.at[i].backward].parent;
        if (!tl_is_evaluation(timeline, around))
            continue;
        struct tl_evaluation *found = ARRAY_ADD(&timeline->evaluations);
        if (!found)
            return false;
        *found = (struct tl_evaluation){around, timeline->fwdbwds.at[i]};
    }
    struct tl_evaluation *all = timeline->evaluations.at;
    if (timeline->evaluations.count > first)
        qsort(all + first, timeline->evaluations.count - first, sizeof *all, by_slice);
    for (uint32_t i = first; i < timeline->evaluations.count; i++)
        if (kept == first || all[kept - 1].slice != all[i].slice)
            all[kept++] = all[i];
    timeline->evaluations.count = kept;
    return true;
}

bool build_backward(struct builder *builder)
{
    uint32_t first_link = builder->timeline->fwdbwds.count;
    return build_fwdbwd(builder) && find_evaluations(builder, first_link) &&
           borrow_stacks(builder, first_link) && !builder->failed;
}
