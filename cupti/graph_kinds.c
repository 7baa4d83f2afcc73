#include "graph_kinds.h"

#include "abi.h"
#include "atomic.h"
#include "config.h"
#include "facts.h"
#include "log.h"
#include "subscription.h"

#include <stdio.h>

enum wish { WISH_CONFIG, WISH_NODES, WISH_WHOLE };

static uint32_t wish;        /* enum wish; graph_kinds_nodes stores */
static bool whole;           /* the kind is on; stored by whoever may call CUPTI */
static bool kinds_are_on;    /* the same */
static uint32_t whole_bytes; /* of a record; 0: this CUPTI has none */

static bool wants_whole(void)
{
    if (load_relaxed(&wish) == WISH_CONFIG)
        return config_get()->graphs == CONFIG_GRAPHS_GRAPH;
    return load_relaxed(&wish) == WISH_WHOLE;
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
    if (result != ABI_OK)
        note_refusal(result);
}

static void switch_off(void)
{
    if (load_relaxed(&whole))
        subscription_disable(ABI_KIND_GRAPH_TRACE);
    store_release(&whole, false);
}

void graph_kinds_prepare(void)
{
    if (subscription_form() == SUBSCRIPTION_SECOND && wants_whole())
        subscription_set(ABI_ATTRIBUTE_GRAPH_TRACE, 1);
}

void graph_kinds_enable(const struct oracle *oracle)
{
    whole_bytes = oracle_size(oracle, ABI_KIND_GRAPH_TRACE);
    kinds_are_on = true;
    if (wants_whole())
        switch_on();
}

void graph_kinds_disable(void)
{
    kinds_are_on = false;
    switch_off();
}

bool graph_kinds_nodes(bool on)
{
    store_relaxed(&wish, on ? (uint32_t)WISH_NODES : (uint32_t)WISH_WHOLE);
    if (kinds_are_on && on)
        switch_off();
    else if (kinds_are_on && !load_relaxed(&whole))
        switch_on();
    return !kinds_are_on || load_relaxed(&whole) == !on;
}

bool graph_kinds_whole(void)
{
    return load_acquire(&whole);
}
