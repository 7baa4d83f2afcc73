/* html_findings.c - what each step has of findings: see html_page.h. */
#include "finding_gaps.h"
#include "html_page.h"

#include <stdlib.h>

static bool add_parts(struct html_step_sums *sums, const struct finding_steps *steps,
                      const struct finding_parts *parts, uint32_t item)
{
    const struct finding_part *part = NULL;
    while ((part = finding_parts_next(steps, parts, part))) {
        struct html_step_sum *sum =
            part->step == TL_NONE ? NULL : html_step_sums_add(sums, item, part->step);
        if (part->step == TL_NONE)
            continue;
        if (!sum)
            return false;
        const int64_t values[] = {part->amounts.count, part->amounts.cost_ns,
                                  part->amounts.saved_ns, part->amounts.most_ns};
        for (unsigned value = 0; value < sums->values; value++)
            sum->values[value] = values[value];
    }
    return true;
}

static bool write_amounts(struct json_out *out, const struct findings *findings, uint32_t count)
{
    struct html_step_sums sums = {.values = 4};
    bool written = true;
    json_newline(out), json_key(out, "finding_steps");
    for (uint32_t i = 0; i < count && written; i++)
        written = add_parts(&sums, findings->context.steps, &findings->found.at[i].parts, i);
    written = written && html_step_sums_write(out, &sums, html_step_sums_fit(&sums, count));
    html_step_sums_fini(&sums);
    return written;
}

/* The cost is the second value of four, and the only one of idle time. */
static bool add_idle(struct html_step_sums *sums, const struct finding_steps *steps,
                     const struct finding_idle *idle, uint32_t finding)
{
    for (uint32_t cause = 0; cause < GAP_CAUSES; cause++) {
        const struct finding_part *part = NULL;
        while ((part = finding_parts_next(steps, &idle->parts[cause], part))) {
            if (part->step == TL_NONE || !part->amounts.cost_ns)
                continue;
            struct html_step_sum *sum =
                html_step_sums_add(sums, finding * GAP_CAUSES + cause, part->step);
            if (!sum)
                return false;
            sum->values[0] = part->amounts.cost_ns;
        }
    }
    return true;
}

static bool write_idle(struct json_out *out, const struct findings *findings, uint32_t count)
{
    struct html_step_sums sums = {.values = 1};
    struct finding_idle *idle = calloc((size_t)findings->found.count + 1, sizeof *idle);
    bool written = idle && findings_idle(findings, idle);
    json_newline(out), json_key(out, "finding_idle_steps");
    for (uint32_t i = 0; i < count && written; i++)
        written = add_idle(&sums, findings->context.steps, &idle[i], i);
    uint32_t items = count * GAP_CAUSES;
    written = written && html_step_sums_write(out, &sums, html_step_sums_fit(&sums, items));
    html_step_sums_fini(&sums);
    free(idle);
    return written;
}

bool html_finding_steps(struct json_out *out, const struct findings *findings)
{
    static const char *const savings[] = {"sum", "idle", "least"};
    uint32_t count = findings->found.count;
    count = count < HTML_FINDINGS ? count : HTML_FINDINGS;
    json_newline(out), json_key(out, "finding_savings"), json_array_begin(out);
    for (uint32_t i = 0; i < count; i++)
        if (findings->found.at[i].parts.first)
            json_string(out, savings[findings->found.at[i].saving]);
        else
            json_null(out);
    json_array_end(out);
    return write_amounts(out, findings, count) && write_idle(out, findings, count);
}
