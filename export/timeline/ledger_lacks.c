/* ledger_lacks.c - see ledger_lacks.h.
 *
 * A row knows how many of its operations which cause took, not which. They are dealt out in the order of time, from
 * what takes the earliest (enum tl_lack_cause has that in front of all) to what takes the latest (behind all). */
#include "ledger_lacks.h"

#include "radix.h"

#include <stdlib.h>

static bool add(struct ledger_lacks *lacks, uint32_t slice, uint32_t place, uint32_t count,
                uint32_t cause)
{
    struct tl_lack *lack = ARRAY_ADD(&lacks->timeline->lacks);
    if (lack)
        *lack = (struct tl_lack){slice, place, count, cause};
    lacks->failed |= !lack;
    return lack != NULL;
}

void ledger_lacks_add(struct ledger_lacks *lacks, uint32_t slice, uint32_t row, uint64_t count,
                      uint32_t cause)
{
    for (uint32_t part; count; count -= part) {
        part = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
        if (!add(lacks, slice, row, part, cause))
            return;
    }
}

/* What of each row is not dealt out yet. */
struct shares {
    struct ledger_lacks *lacks;
    const struct ledger_rows *rows;
    struct tl_ledger_row *left; /* by row, from rows->first on */
};

static uint64_t *share_of(const struct shares *shares, uint32_t row, uint32_t cause)
{
    return ledger_row_count(&shares->left[row - shares->rows->first], cause);
}

/* The causes in the order in which they are dealt out. */
static uint32_t nth_cause(uint32_t n)
{
    if (n == 0)
        return TL_LACK_RECYCLED;
    return n <= PROF_LOSS_COUNT ? n - 1 : n;
}

static uint32_t next_cause(const struct shares *shares, uint32_t row)
{
    for (uint32_t n = 0; n < TL_LACK_CAUSES; n++)
        if (*share_of(shares, row, nth_cause(n)))
            return nth_cause(n);
    return TL_LACK_MISSING;
}

/* The first cause that is left, as far as it goes; what goes beyond becomes another item. */
static bool deal(const struct shares *shares, uint32_t index)
{
    struct timeline *timeline = shares->lacks->timeline;
    for (;;) {
        struct tl_lack *lack = &timeline->lacks.at[index];
        uint32_t row = lack->place, cause = next_cause(shares, row);
        uint64_t *share = share_of(shares, row, cause);
        uint32_t rest = *share && *share < lack->count ? lack->count - (uint32_t)*share : 0;
        lack->cause = cause;
        lack->count -= rest;
        *share -= *share < lack->count ? *share : lack->count;
        if (!rest)
            return true;
        index = timeline->lacks.count;
        if (!add(shares->lacks, lack->slice, row, rest, TL_LACK_MISSING))
            return false;
    }
}

/* Those that came and could not be kept said why. */
static void take_known(const struct shares *shares, const struct radix_item *order, uint32_t count)
{
    const struct tl_lack *lacks = shares->lacks->timeline->lacks.at;
    for (uint32_t i = 0; i < count; i++) {
        const struct tl_lack *lack = &lacks[order[i].value];
        if (lack->cause != TL_LACK_MISSING)
            *share_of(shares, lack->place, lack->cause) -= lack->count;
    }
}

static bool deal_all(const struct shares *shares, const struct radix_item *order, uint32_t count)
{
    bool dealt = true;
    take_known(shares, order, count);
    for (uint32_t i = 0; i < count && dealt; i++)
        if (shares->lacks->timeline->lacks.at[order[i].value].cause == TL_LACK_MISSING)
            dealt = deal(shares, order[i].value);
    return dealt;
}

static struct radix_item *sort_by_time(const struct ledger_lacks *lacks, uint32_t count)
{
    const struct timeline *timeline = lacks->timeline;
    struct radix_item *order = malloc(count * sizeof *order);
    for (uint32_t i = 0; i < count && order; i++) {
        const struct tl_lack *lack = &timeline->lacks.at[lacks->first + i];
        int64_t time_ns = timeline->slices.at[lack->slice].start_ns;
        order[i] = (struct radix_item){radix_key(time_ns), lacks->first + i};
    }
    if (order && radix_sort(order, count))
        return order;
    free(order);
    return NULL;
}

/* From rows to what they are of. */
static void place_all(const struct ledger_lacks *lacks)
{
    struct timeline *timeline = lacks->timeline;
    for (uint32_t i = lacks->first; i < timeline->lacks.count; i++) {
        struct tl_lack *lack = &timeline->lacks.at[i];
        const struct tl_ledger_row *row = &timeline->ledger_rows.at[lack->place];
        lack->place = row->kind == TL_LEDGER_GRAPH ? row->graph : row->stream;
    }
}

static bool explain(struct ledger_lacks *lacks, const struct ledger_rows *rows, uint32_t count)
{
    const struct timeline *timeline = lacks->timeline;
    uint32_t row_count = timeline->ledger_rows.count - rows->first;
    struct radix_item *order = sort_by_time(lacks, count);
    struct shares shares = {lacks, rows, malloc((row_count + (size_t)1) * sizeof *shares.left)};
    bool done = order && shares.left;
    for (uint32_t i = 0; i < row_count && done; i++)
        shares.left[i] = timeline->ledger_rows.at[rows->first + i];
    done = done && deal_all(&shares, order, count);
    free(order);
    free(shares.left);
    return done;
}

bool ledger_lacks_explain(struct ledger_lacks *lacks, const struct ledger_rows *rows)
{
    uint32_t count = lacks->timeline->lacks.count - lacks->first;
    if (lacks->failed || (count && !explain(lacks, rows, count)))
        return false;
    place_all(lacks);
    return true;
}
