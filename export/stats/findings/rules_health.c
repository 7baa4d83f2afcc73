/* rules_health.c - what makes other findings less than they seem: calls that failed, operations that were
 * not recorded. Neither has a cost that can be told, so they are notes. */
#include "cuda_errors.h"
#include "failed_calls.h"
#include "finding_text.h"
#include "rules.h"
#include "run_facts.h"

static bool find_failed(const struct finding_context *context, const struct finding_rule *rule,
                        struct findings *findings)
{
    struct failed_calls calls;
    bool added = true;
    if (!failed_calls_init(&calls, context->timeline))
        return false;
    if (calls.count) {
        const struct failed_call *most = &calls.at[0];
        const struct text *names = context->timeline->names.at;
        added = findings_note(
            findings, rule, "%s failed, most often %.100s (%llu times, result %d).",
            finding_count(calls.total, "CUDA call").text,
            most->name < context->timeline->names.count ? names[most->name].bytes : "(unnamed)",
            (unsigned long long)most->count, (int)most->result);
    }
    failed_calls_fini(&calls);
    return added;
}

static bool find_losses(const struct finding_context *context, const struct finding_rule *rule,
                        struct findings *findings)
{
    struct run_facts facts;
    run_facts_init(&facts, context->timeline);
    const struct tl_ledger *ledger = &facts.ledger;
    uint64_t gone = ledger->lost_operations + ledger->missing + ledger->undelivered +
                    ledger->graph_lost + ledger->graph_undelivered;
    if (gone)
        return findings_note(findings, rule,
                             "%s of the device are not in the trace: what it seems idle for may "
                             "have been work. See profdump ledger.",
                             finding_count(gone, "operation").text);
    return !facts.lost_anything ||
           findings_note(findings, rule,
                         "Something was lost while recording, so findings may be off: see profdump "
                         "ledger.");
}

const struct finding_rule rule_failed_calls = {
    .name = "failed-calls",
    .title = "CUDA calls fail",
    .remedy =
        "See profdump ledger for all of them and the ranges they are in. A call that fails and "
        "is tried again costs its time; one that is not looked at loses its work.",
    .find = find_failed,
};

const struct finding_rule rule_losses = {
    .name = "losses",
    .title = "The trace is not complete",
    .remedy = "See profdump ledger for what was lost and why.",
    .find = find_losses,
};
