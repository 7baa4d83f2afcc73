/* stack_sheet.c - see stack_sheet.h. */
#include "stack_sheet.h"

#include "sheet.h"
#include "stack_text.h"

#include <errno.h>

#define STACK_WIDTH 400u

struct stack_sheet {
    const struct timeline *timeline;
    const struct stack_totals *totals;
    char **lines; /* by stack */
};

static void add_stack(struct sheet *sheet, const struct stack_sheet *of, uint32_t stack)
{
    const struct stack_total *total = &of->totals->at[stack];
    sheet_count(sheet, total->calls), sheet_count(sheet, total->ranges);
    sheet_ns(sheet, total->device_ns);
    sheet_share(sheet, total->device_ns, of->totals->device_ns);
    sheet_ns(sheet, total->cpu_ns);
    sheet_string(sheet, of->timeline->stacks.at[stack].cut ? "yes" : "no");
    sheet_string(sheet, of->lines[stack]);
}

static bool add_stacks(struct sheet *sheet, void *user)
{
    static const struct sheet_column columns[] = {
        {"calls", "Calls"},          {"ranges", "Ranges"},
        {"device_ns", "On devices"}, {"device_percent", "Share"},
        {"cpu_ns", "On the CPU"},    {"cut", "Cut at the limit"},
        {"stack", "Stack"},          {0}};
    const struct stack_sheet *of = user;
    sheet_begin(sheet, "stacks", "Call stacks", columns);
    for (uint32_t i = 0; i < of->totals->count; i++)
        if (sheet_row(sheet))
            add_stack(sheet, of, of->totals->order[i]);
    sheet_end(sheet);
    return !sheet->failed;
}

bool stack_sheet(const struct profdump_options *options, const struct timeline *timeline,
                 struct symbols *symbols, const struct stack_totals *totals)
{
    struct stack_sheet of = {timeline, totals, stack_text_lines(symbols, timeline)};
    struct sheet sheet = {.format = options->format,
                          .stream = options->out,
                          .most = options->write.rows,
                          .width = STACK_WIDTH,
                          .unit = options->write.unit};
    errno = ENOMEM;
    bool done = of.lines && sheet_write(&sheet, add_stacks, &of);
    if (of.lines)
        stack_text_free(of.lines, timeline->stacks.count);
    return done;
}
