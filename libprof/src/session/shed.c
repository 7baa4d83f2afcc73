#include "shed.h"

#include "atomic.h"
#include "clock.h"
#include "config.h"
#include "cost.h"
#include "governor.h"
#include "log.h"
#include "meta.h"

/* What can be left out, in the order in which it is. NULL: it is not recorded anyway. */
static void (*shed_keep[PROF_SHED_COUNT])(bool on); /* any thread registers -> writer thread */

static struct {
    struct governor governor;
    struct cost_sums last;
    uint32_t shed[PROF_SHED_COUNT]; /* in order: the latest last */
    unsigned count;
} shed; /* writer thread only */

void recorder_sheddable(enum prof_shed_thing what, void (*keep)(bool on))
{
    store_release(&shed_keep[what], keep);
}

void shed_begin(void)
{
    governor_init(&shed.governor, config_get()->budget_ppm);
    shed.count = 0;
    cost_sum(&shed.last);
}

static bool shed_is(uint32_t what)
{
    for (unsigned i = 0; i < shed.count; i++)
        if (shed.shed[i] == what)
            return true;
    return false;
}

/* PROF_SHED_COUNT: nothing is left. */
static uint32_t shed_next(void)
{
    uint32_t what = 0;
    while (what < PROF_SHED_COUNT && (shed_is(what) || !load_acquire(&shed_keep[what])))
        what++;
    return what;
}

static const char *shed_name(uint32_t what)
{
#define SHED_NAME(symbol, name, sentence) sentence,
    static const char *const names[] = {PROF_SHED_THINGS(SHED_NAME)};
#undef SHED_NAME
    return what < PROF_SHED_COUNT ? names[what] : "?";
}

static void shed_apply(uint32_t what, bool on, const struct governor_period *period)
{
    void (*keep)(bool) = load_acquire(&shed_keep[what]);
    struct prof_rec_shed record = {
        .ticks = clock_read(),
        .what = what,
        .on = on,
        .cost_ppm = (uint32_t)((double)period->cost_ns * 1e6 / (double)period->base_ns),
        .budget_ppm = (uint32_t)shed.governor.budget_ppm};
    if (keep)
        keep(on);
    meta_append(PROF_REC_SHED, &record, sizeof record, NULL, 0);
    /* in integers: %f has the locale's decimal point */
    log_line(LOG_PROCESS, "recording cost %u.%02u %% of wall, the budget is %u.%02u %%: %s are %s",
             record.cost_ppm / 10000, record.cost_ppm / 100 % 100, record.budget_ppm / 10000,
             record.budget_ppm / 100 % 100, shed_name(what),
             on ? "recorded again" : "not recorded any more");
}

static struct governor_period shed_period(void)
{
    struct cost_sums now;
    cost_sum(&now);
    const struct cost_sums *last = &shed.last;
    struct governor_period period = {
        .base_ns = cost_base_ns(now.recorded_ns - last->recorded_ns,
                                now.cpu_ns > last->cpu_ns ? now.cpu_ns - last->cpu_ns : 0),
        .cost_ns = now.taken_ns > last->taken_ns ? now.taken_ns - last->taken_ns : 0,
        .activity = now.activity > last->activity ? now.activity - last->activity : 0};
    shed.last = now;
    return period;
}

void shed_tick(void)
{
    if (!shed.governor.budget_ppm)
        return;
    struct governor_period period = shed_period();
    uint32_t next = shed_next();
    switch (governor_decide(&shed.governor, &period, next < PROF_SHED_COUNT)) {
    case GOVERNOR_SHED:
        shed.shed[shed.count++] = next;
        shed_apply(next, false, &period);
        break;
    case GOVERNOR_RESTORE:
        shed_apply(shed.shed[--shed.count], true, &period);
        break;
    case GOVERNOR_KEEP:
        break;
    }
}

void shed_fork_child(void)
{
    while (shed.count) {
        void (*keep)(bool) = load_acquire(&shed_keep[shed.shed[--shed.count]]);
        if (keep)
            keep(true);
    }
}
