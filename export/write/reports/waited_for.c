/* waited_for.c - samples of a thread count where they lie in a gap that the thread ended with a
 * launch: what it did instead of launching is what the device waited for.
 *
 * The stacks of a device's samples are a tree. From its root the path goes to the heaviest callee,
 * as long as that has half of its caller's time: so the function is where the time splits up, or
 * the innermost one. The samples below it are then left out, and the rest is looked at in the same
 * way.
 */
#include "waited_for.h"

#include "array.h"
#include "finding_gaps.h"
#include "maps.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES_MOST 64u
#define LEAST_PERCENT 5

/* What was sampled with one stack on one thread. */
struct pile {
    char *path; /* functions, outermost first, each with a line end after it */
    uint32_t device, tid, stack;
    int64_t run_ns, wait_ns, queued_ns;
    bool counted;
};

struct piles {
    TL_ARRAY(struct pile) piles;
    struct keymap places; /* stack << 32 | tid -> piles[], of the current device */
    const struct findings *findings;
    const struct findings_report_options *options;
    char (*frames)[FINDINGS_FRAME_BYTES];
};

static int64_t pile_ns(const struct pile *pile)
{
    return pile->counted ? 0 : pile->run_ns + pile->wait_ns;
}

/* ---- samples in gaps ---- */

static uint32_t thread_that_ended(const struct timeline *timeline, const struct finding_gap *gap)
{
    uint32_t slice = timeline->gpus.at[gap->next].slice;
    return slice == TL_NONE ? TL_NONE : timeline->slices.at[slice].thread;
}

/* The first gap of the device that ends after that time. */
static uint32_t first_gap(const struct finding_gaps *gaps, uint32_t device, int64_t time_ns)
{
    uint32_t low = 0, high = gaps->gaps.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct finding_gap *gap = &gaps->gaps.at[middle];
        if (gap->device < device || (gap->device == device && gap->end_ns <= time_ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How much of a sample lies in such gaps. Of a thread that ran, a sample is a moment that stands
 * for its weight. */
static int64_t time_in_gaps(const struct piles *piles, uint32_t device,
                            const struct tl_sample *sample)
{
    const struct finding_gaps *gaps = piles->findings->context.gaps;
    const struct timeline *timeline = piles->findings->context.timeline;
    int64_t end_ns = sample->time_ns + (sample->waits ? (int64_t)sample->weight_ns : 1), sum_ns = 0;
    for (uint32_t i = first_gap(gaps, device, sample->time_ns);
         i < gaps->gaps.count && gaps->gaps.at[i].device == device; i++) {
        const struct finding_gap *gap = &gaps->gaps.at[i];
        if (gap->start_ns >= end_ns)
            break;
        if (thread_that_ended(timeline, gap) != sample->thread)
            continue;
        if (!sample->waits)
            return (int64_t)sample->weight_ns;
        sum_ns += (end_ns < gap->end_ns ? end_ns : gap->end_ns) -
                  (sample->time_ns > gap->start_ns ? sample->time_ns : gap->start_ns);
    }
    return sum_ns;
}

static bool add_to_pile(struct piles *piles, uint32_t device, const struct tl_sample *sample,
                        int64_t ns)
{
    uint64_t key = (uint64_t)sample->stack << 32 | sample->tid;
    uint32_t place = keymap_find(&piles->places, key);
    if (place >= piles->piles.count) { /* KEYMAP_NONE */
        struct pile *added = ARRAY_ADD(&piles->piles);
        place = piles->piles.count - 1;
        if (!added || !keymap_set(&piles->places, key, place))
            return false;
        *added = (struct pile){.device = device, .tid = sample->tid, .stack = sample->stack};
    }
    struct pile *pile = &piles->piles.at[place];
    *(sample->waits ? &pile->wait_ns : &pile->run_ns) += ns;
    pile->queued_ns += (int64_t)sample->queued_ns;
    return true;
}

static bool find_piles_of(struct piles *piles, uint32_t device)
{
    const struct timeline *timeline = piles->findings->context.timeline;
    uint32_t process = piles->findings->context.gaps->devices.at[device].process;
    bool good = true;
    for (uint32_t i = 0; i < timeline->samples.count && good; i++) {
        const struct tl_sample *sample = &timeline->samples.at[i];
        if (sample->process != process || sample->stack == TL_NONE || sample->thread == TL_NONE)
            continue;
        int64_t ns = time_in_gaps(piles, device, sample);
        good = ns <= 0 || add_to_pile(piles, device, sample, ns);
    }
    keymap_fini(&piles->places);
    piles->places = (struct keymap){0};
    return good;
}

static bool find_piles(struct piles *piles)
{
    bool good = true;
    for (uint32_t device = 0; device < piles->findings->context.gaps->devices.count && good;
         device++)
        good = find_piles_of(piles, device);
    return good;
}

/* ---- the tree: piles in the order of their paths ---- */

static bool name_path(struct piles *piles, struct pile *pile)
{
    uint32_t count =
        piles->options->functions(piles->options->user, pile->stack, piles->frames, FRAMES_MOST);
    size_t size = 1;
    for (uint32_t i = 0; i < count; i++)
        size += strlen(piles->frames[i]) + 1;
    char *to = pile->path = malloc(size);
    if (!to)
        return false;
    for (uint32_t i = count; i-- > 0;) {
        to = stpcpy(to, piles->frames[i]);
        *to++ = '\n';
    }
    *to = '\0';
    return true;
}

static int by_path(const void *left, const void *right)
{
    const struct pile *a = left, *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return strcmp(a->path, b->path);
}

/* Piles side by side whose paths have the same first `bytes`. */
struct branch {
    uint32_t first, end;
    size_t bytes; /* up to and with the line end after its function */
    int64_t ns;
};

/* The heaviest branch that begins with `of`; bytes 0: there is none, since paths end. */
static struct branch heaviest(const struct piles *piles, const struct branch *of)
{
    struct branch best = {0}, next = {0};
    for (uint32_t i = of->first; i < of->end; i = next.end) {
        const char *path = piles->piles.at[i].path, *line = strchr(path + of->bytes, '\n');
        next = (struct branch){.first = i, .end = i + 1, .ns = pile_ns(&piles->piles.at[i])};
        if (!line)
            continue;
        next.bytes = (size_t)(line + 1 - path);
        for (; next.end < of->end && strncmp(piles->piles.at[next.end].path, path, next.bytes) == 0;
             next.end++)
            next.ns += pile_ns(&piles->piles.at[next.end]);
        if (next.ns > best.ns)
            best = next;
    }
    return best;
}

static void name_of(const struct piles *piles, const struct branch *branch, char *to, size_t size)
{
    const char *path = piles->piles.at[branch->first].path;
    size_t begin = branch->bytes - 1;
    while (begin && path[begin - 1] != '\n')
        begin--;
    snprintf(to, size, "%.*s", (int)(branch->bytes - 1 - begin), path + begin);
}

/* Where every program begins: no answer. */
static bool is_beginning(const char *name)
{
    static const char *const names[] = {"main", "<module>", "run"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return *name == '_' || *name == '?';
}

/* The function at which the branch is to be called: names that C reserves are of libc and the
 * interpreter. */
static struct branch find_branch(const struct piles *piles, struct branch all)
{
    struct branch branch = all, named = all;
    for (;;) {
        char name[FINDINGS_FRAME_BYTES];
        struct branch next = heaviest(piles, &branch);
        bool splits = named.bytes && next.ns * 2 < named.ns;
        if (!next.bytes || splits)
            return named.bytes ? named : branch;
        branch = next;
        name_of(piles, &branch, name, sizeof name);
        if (!is_beginning(name))
            named = branch;
    }
}

static bool add_function(struct waited_list *list, struct piles *piles, const struct branch *branch,
                         int64_t sampled_ns)
{
    struct waited_for *function = ARRAY_ADD(&list->functions);
    const struct pile *largest = &piles->piles.at[branch->first];
    if (!function)
        return false;
    *function = (struct waited_for){.gap_device = largest->device, .sampled_ns = sampled_ns};
    name_of(piles, branch, function->function, sizeof function->function);
    for (uint32_t i = branch->first; i < branch->end; i++) {
        struct pile *pile = &piles->piles.at[i];
        if (pile->counted)
            continue;
        if (pile_ns(pile) > pile_ns(largest) || largest->counted)
            largest = pile;
        function->run_ns += pile->run_ns;
        function->wait_ns += pile->wait_ns;
        function->queued_ns += pile->queued_ns;
    }
    function->tid = largest->tid;
    function->stack = largest->stack;
    for (uint32_t i = branch->first; i < branch->end; i++)
        piles->piles.at[i].counted = true;
    return true;
}

static bool split_up(struct waited_list *list, struct piles *piles, struct branch all)
{
    int64_t left_ns = all.ns;
    for (unsigned i = 0; i < WAITED_FOR_MOST && left_ns * 100 >= all.ns * LEAST_PERCENT; i++) {
        struct branch branch = find_branch(piles, all);
        if (!branch.bytes || branch.ns * 100 < all.ns * LEAST_PERCENT)
            break;
        left_ns -= branch.ns;
        if (!add_function(list, piles, &branch, all.ns))
            return false;
    }
    return true;
}

bool waited_for_init(struct waited_list *list, const struct findings *findings,
                     const struct findings_report_options *options)
{
    struct piles piles = {.findings = findings, .options = options};
    *list = (struct waited_list){0};
    if (!findings->context.timeline->samples.count || !options->functions)
        return true;
    piles.frames = malloc(FRAMES_MOST * sizeof *piles.frames);
    bool good = piles.frames && find_piles(&piles);
    for (uint32_t i = 0; i < piles.piles.count && good; i++)
        good = name_path(&piles, &piles.piles.at[i]);
    if (piles.piles.count && good)
        qsort(piles.piles.at, piles.piles.count, sizeof *piles.piles.at, by_path);
    for (uint32_t i = 0; i < piles.piles.count && good;) {
        struct branch all = {.first = i, .end = i};
        for (; all.end < piles.piles.count &&
               piles.piles.at[all.end].device == piles.piles.at[i].device;
             all.end++)
            all.ns += pile_ns(&piles.piles.at[all.end]);
        good = split_up(list, &piles, all);
        i = all.end;
    }
    for (uint32_t i = 0; i < piles.piles.count; i++)
        free(piles.piles.at[i].path);
    free(piles.piles.at);
    free(piles.frames);
    return good;
}

void waited_for_fini(struct waited_list *list)
{
    free(list->functions.at);
}
