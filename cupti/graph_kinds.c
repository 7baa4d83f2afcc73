#include "graph_kinds.h"

#include "abi.h"
#include "atomic.h"
#include "config.h"
#include "facts.h"
#include "log.h"
#include "subscription.h"

#include <stdio.h>

static bool shed;            /* nodes are left out for now; graph_kinds_keep_nodes stores */
static bool whole;           /* the kind is on; stored by whoever may call CUPTI */
static bool kinds_are_on;    /* the same */
static bool is_refused;      /* the same: asking again would not help */
static uint32_t whole_bytes; /* of a record; 0: this CUPTI has none */

static bool wants_whole(void)
{
    return !is_refused && (load_relaxed(&shed) || config_get()->graphs == CONFIG_GRAPHS_GRAPH);
}

static void note_refusal(int result)
{
    static uint32_t said;
    char text[160];
    if (exchange_acquire(&said, 1u))
        return;
    snprintf(text, sizeof text,
             "CUPTI has no records of whole graphs (error %d; it takes CUDA 11.7 and driver 515): "
             "their nodes are recorded",
             result);
    log_line(LOG_ERROR, "%s", text);
    facts_info(PROF_INFO_NOTE, text);
}

static void switch_on(void)
{
    int result = whole_bytes ? subscription_enable(ABI_KIND_GRAPH_TRACE) : ABI_INVALID_KIND;
    store_release(&whole, result == ABI_OK);
    is_refused = result != ABI_OK;
    if (is_refused)
        note_refusal(result);
}

static void switch_off(void)
{
    if (load_relaxed(&whole))
        subscription_disable(ABI_KIND_GRAPH_TRACE);
    store_release(&whole, false);
}

void graph_kinds_prepare(const struct oracle *oracle)
{
    whole_bytes = oracle_size(oracle, ABI_KIND_GRAPH_TRACE);
    is_refused = false;
    if (subscription_form() == SUBSCRIPTION_SECOND && wants_whole())
        subscription_set(ABI_ATTRIBUTE_GRAPH_TRACE, 1);
}

void graph_kinds_enable(void)
{
    kinds_are_on = true;
    if (wants_whole())
        switch_on();
}

void graph_kinds_disable(void)
{
    kinds_are_on = false;
    switch_off();
}

bool graph_kinds_can_shed(void)
{
    return whole_bytes && config_get()->graphs != CONFIG_GRAPHS_GRAPH &&
           subscription_form() == SUBSCRIPTION_FIRST;
}

void graph_kinds_keep_nodes(bool on)
{
    store_relaxed(&shed, !on);
}

void graph_kinds_settle(void)
{
    if (!kinds_are_on || wants_whole() == load_relaxed(&whole))
        return;
    if (wants_whole())
        switch_on();
    else
        switch_off();
}

bool graph_kinds_whole(void)
{
    return load_acquire(&whole);
}
