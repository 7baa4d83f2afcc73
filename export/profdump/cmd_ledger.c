/* cmd_ledger.c - profdump ledger FILE...: what was launched, on which stream, and where it is. */
#include "profdump.h"

#include "failed_calls.h"
#include "failed_text.h"
#include "stack_of.h"
#include "stack_text.h"
#include "table_sheets.h"

#include <stdlib.h>

static void print_stacks(FILE *out, const struct timeline *timeline, struct symbols *symbols,
                         const struct failed_calls *calls)
{
    for (uint32_t i = 0; i < calls->count; i++) {
        uint32_t stack = stack_of_slice(timeline, calls->at[i].first);
        if (stack == TL_NONE)
            continue;
        fputc('\n', out);
        failed_text_line(out, timeline, &calls->at[i]);
        stack_text_print(out, symbols_stack(symbols, stack));
    }
}

/* From where the first of each was made. False: no memory. */
static bool show_stacks(const struct profdump_options *options, const struct timeline *timeline)
{
    struct failed_calls calls;
    if (timeline->stacks.count == 0)
        return true;
    if (!failed_calls_init(&calls, timeline))
        return false;
    struct symbols *symbols = calls.count ? stack_text_symbols(options, timeline) : NULL;
    bool known = symbols || calls.count == 0;
    if (symbols) {
        print_stacks(options->out, timeline, symbols, &calls);
        stack_text_complain(symbols);
        symbols_destroy(symbols);
    }
    failed_calls_fini(&calls);
    return known;
}

int cmd_ledger(const struct profdump_options *options, const struct timeline *timeline)
{
    bool is_text = options->format == WRITE_TEXT;
    bool written = options->json ? write_ledger_json(timeline, &options->write, options->out)
                   : is_text
                       ? write_ledger(timeline, &options->write, options->out)
                       : ledger_sheet(timeline, &options->write, options->format, options->out);
    if (written && is_text)
        written = show_stacks(options, timeline);
    return finish(options, timeline, written);
}
