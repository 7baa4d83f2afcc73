/* diff_gate.c - see diff_gate.h. */
#include "diff_gate.h"

#include <math.h>

/* A kernel with less of the right run's device time cannot fail it. */
#define KERNEL_SHARE 0.01

static enum diff_gate_result judge(const struct bootstrap_interval *ratio, double limit)
{
    if (!ratio->known)
        return DIFF_GATE_UNKNOWN;
    return ratio->ratio > 1 + limit && ratio->low > 1 ? DIFF_GATE_FAILED : DIFF_GATE_PASSED;
}

static void judge_total(struct diff *diff, const struct diff_total *total)
{
    diff->gate.ratio = total->ratio;
    diff->gate.result = judge(&total->ratio, diff->gate.limit);
}

/* The kernel that is slower by the largest ratio decides; one that fails before all that pass. */
static void judge_kernels(struct diff *diff)
{
    const struct diff_table *table = &diff->tables[DIFF_BY_KERNEL];
    struct diff_gate *gate = &diff->gate;
    gate->result = DIFF_GATE_UNKNOWN;
    for (uint32_t i = 0; i < table->rows.count; i++) {
        const struct diff_row *row = &table->rows.at[i];
        enum diff_gate_result result = judge(&row->time.ratio, gate->limit);
        bool is_small = !(row->time.total_ns[1] >= KERNEL_SHARE * diff->device.value_ns[1]);
        bool is_worse = gate->result == DIFF_GATE_UNKNOWN ||
                        (result == DIFF_GATE_FAILED && gate->result == DIFF_GATE_PASSED) ||
                        (result == gate->result && row->time.ratio.ratio > gate->ratio.ratio);
        if (result == DIFF_GATE_UNKNOWN || is_small || !is_worse)
            continue;
        gate->result = result;
        gate->ratio = row->time.ratio;
        gate->table = table;
        gate->row = i;
    }
}

void diff_gate(struct diff *diff)
{
    struct diff_gate *gate = &diff->gate;
    *gate = (struct diff_gate){.of = diff->options.gate_of,
                               .limit = diff->options.gate_limit,
                               .ratio = {NAN, NAN, NAN, false}};
    if (!diff->options.gate)
        return;
    if (gate->of == DIFF_GATE_AUTO)
        gate->of = diff->step.ratio.known ? DIFF_GATE_STEP : DIFF_GATE_DEVICE;
    if (gate->of == DIFF_GATE_KERNEL)
        judge_kernels(diff);
    else
        judge_total(diff, gate->of == DIFF_GATE_STEP ? &diff->step : &diff->device);
}
