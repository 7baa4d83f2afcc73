/* check_ledger.c - launched = recorded + every way of not being recorded, in each row and in all. */
#include "check_find.h"

#include <inttypes.h>

static uint64_t sum_of(const struct tl_ledger_row *row)
{
    uint64_t sum =
        row->recorded + row->recycled + row->undelivered + row->unobserved + row->missing;
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        sum += row->lost[cause];
    return sum;
}

static void check_rows(struct check *check, struct tl_ledger_row *total)
{
    const struct timeline *timeline = check->timeline;
    for (uint32_t i = 0; i < timeline->ledger_rows.count; i++) {
        const struct tl_ledger_row *row = &timeline->ledger_rows.at[i];
        const struct tl_stream *stream =
            row->stream < timeline->streams.count ? &timeline->streams.at[row->stream] : NULL;
        check_add(check, CHECK_RULE_LEDGER, CHECK_ERROR, row->launched != sum_of(row),
                  "on stream %u of context %u %" PRIu64 " operations were launched, %" PRIu64
                  " are accounted for",
                  stream ? stream->stream : 0, stream ? stream->context : 0, row->launched,
                  sum_of(row));
        if (row->kind == TL_LEDGER_GRAPH)
            continue;
        total->launched += row->launched;
        total->recorded += row->recorded;
        total->missing += row->missing;
    }
}

void check_ledger(struct check *check)
{
    const struct tl_ledger *ledger = &check->timeline->ledger;
    struct tl_ledger_row total = {0};
    uint64_t accounted = ledger->recorded + ledger->lost_operations + ledger->undelivered +
                         ledger->unobserved + ledger->missing;
    check_rows(check, &total);
    check_add(check, CHECK_RULE_LEDGER, CHECK_ERROR, accounted != ledger->launched,
              "%" PRIu64 " operations were launched, %" PRIu64 " are accounted for",
              ledger->launched, accounted);
    check_add(check, CHECK_RULE_LEDGER, CHECK_ERROR,
              total.launched != ledger->launched || total.recorded != ledger->recorded ||
                  total.missing != ledger->missing,
              "the streams' ledgers add up to %" PRIu64 " launched operations, not to %" PRIu64,
              total.launched, ledger->launched);
    check_add(check, CHECK_RULE_MISSING, CHECK_ERROR, ledger->missing,
              "%" PRIu64 " of %" PRIu64
              " launched operations are neither recorded nor counted as lost",
              ledger->missing, ledger->launched);
    check_add(check, CHECK_RULE_ORPHANS, CHECK_WARNING, ledger->orphans,
              "%" PRIu64 " device operations whose launch is not in the trace", ledger->orphans);
    check_add(check, CHECK_RULE_AMBIGUOUS, CHECK_WARNING, ledger->ambiguous,
              "%" PRIu64 " device operations that calls of several processes can have launched",
              ledger->ambiguous);
}
