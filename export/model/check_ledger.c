/* check_ledger.c - launched = recorded + every way of not being recorded. */
#include "check_find.h"

#include <inttypes.h>

void check_ledger(struct check *check)
{
    const struct tl_ledger *ledger = &check->timeline->ledger;
    uint64_t accounted = ledger->recorded + ledger->lost_operations + ledger->undelivered +
                         ledger->unobserved + ledger->missing;
    check_add(check, CHECK_RULE_LEDGER, CHECK_ERROR, accounted != ledger->launched,
              "%" PRIu64 " operations were launched, %" PRIu64 " are accounted for",
              ledger->launched, accounted);
    check_add(check, CHECK_RULE_MISSING, CHECK_ERROR, ledger->missing,
              "%" PRIu64 " of %" PRIu64
              " launched operations are neither recorded nor counted as lost",
              ledger->missing, ledger->launched);
    check_add(check, CHECK_RULE_ORPHANS, CHECK_WARNING, ledger->orphans,
              "%" PRIu64 " device operations whose launch is not in the trace", ledger->orphans);
}
