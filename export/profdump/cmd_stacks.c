/* cmd_stacks.c - profdump stacks FILE...: from where CUDA was called, and what that cost. */
#include "profdump.h"

#include "stack_sheet.h"
#include "stack_text.h"
#include "stack_totals.h"
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_stack(FILE *out, const struct timeline *timeline, struct symbols *symbols,
                        const struct stack_totals *totals, uint32_t place)
{
    uint32_t stack = totals->order[place];
    const struct stack_total *total = &totals->at[stack];
    char device[TIME_TEXT_BYTES], share[TIME_TEXT_BYTES], cpu[TIME_TEXT_BYTES];
    struct symbol_stack frames = symbols_stack(symbols, stack);
    time_text((double)total->device_ns, device);
    time_text_share(total->device_ns, totals->device_ns, share);
    time_text((double)total->cpu_ns, cpu);
    fprintf(out, "\nStack %u: %" PRIu64 " call%s, %s on the device", place + 1, total->calls,
            plural(total->calls), device);
    if (totals->device_ns > 0)
        fprintf(out, " (%s)", share);
    fprintf(out, ", %s on the CPU", cpu);
    if (total->ranges)
        fprintf(out, "; %" PRIu64 " range%s", total->ranges, plural(total->ranges));
    fputc('\n', out);
    stack_text_print(out, frames);
    if (timeline->stacks.at[stack].cut)
        fputs("    ... (deeper than the limit)\n", out);
}

static void print_head(FILE *out, const struct timeline *timeline)
{
    static const struct {
        const char *method, *words;
    } methods[] = {{"tables", "by unwind tables"},
                   {"frames", "by frame pointers"},
                   {"mixed", "by unwind tables and frame pointers"}};
    struct stack_facts facts;
    stack_facts_init(&facts, timeline);
    fprintf(out, "%" PRIu64 " call stack%s into %" PRIu64 " module%s", facts.stacks,
            plural(facts.stacks), facts.modules, plural(facts.modules));
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (strcmp(methods[i].method, facts.method) == 0)
            fprintf(out, ", found %s", methods[i].words);
    fprintf(out, "; %" PRIu64 " cut at the limit", facts.cut);
    if (facts.untaken)
        fprintf(out, "; %" PRIu64 " could not be taken", facts.untaken);
    if (facts.missing)
        fprintf(out, "; %" PRIu64 " are not in the file", facts.missing);
    fputs(symbols_has_lines() ? "\n" : "; no source lines (profdump was built without libdw)\n",
          out);
}

static void print_all(const struct profdump_options *options, const struct timeline *timeline,
                      struct symbols *symbols, const struct stack_totals *totals)
{
    int64_t rows = options->write.rows;
    print_head(options->out, timeline);
    for (uint32_t i = 0; i < totals->count && (rows < 0 || i < rows); i++)
        print_stack(options->out, timeline, symbols, totals, i);
    if (rows >= 0 && totals->count > rows)
        fprintf(options->out, "\n%" PRId64 " of %u stacks\n", rows, totals->count);
}

/* What put nothing on a device has no width. */
static void print_folded(FILE *out, struct symbols *symbols, const struct stack_totals *totals)
{
    for (uint32_t i = 0; i < totals->count; i++) {
        uint32_t stack = totals->order[i];
        if (totals->at[stack].device_ns <= 0)
            continue;
        stack_text_folded(out, symbols_stack(symbols, stack));
        fprintf(out, " %" PRId64 "\n", totals->at[stack].device_ns);
    }
}

static int show(const struct profdump_options *options, const struct timeline *timeline,
                struct symbols *symbols)
{
    struct stack_totals totals;
    if (!stack_totals_init(&totals, timeline)) {
        complain("call stacks: %s", strerror(ENOMEM));
        return EXIT_FAILURE;
    }
    errno = 0;
    bool written = true;
    if (options->format != WRITE_TEXT)
        written = stack_sheet(options, timeline, symbols, &totals);
    else if (options->folded)
        print_folded(options->out, symbols, &totals);
    else
        print_all(options, timeline, symbols, &totals);
    stack_totals_fini(&totals);
    stack_text_complain(symbols);
    return finish(options, timeline, written);
}

int cmd_stacks(const struct profdump_options *options, const struct timeline *timeline)
{
    struct symbols *symbols = stack_text_symbols(options, timeline);
    int status = symbols ? show(options, timeline, symbols) : EXIT_FAILURE;
    stack_text_complain_of_none(timeline);
    symbols_destroy(symbols);
    return status;
}
