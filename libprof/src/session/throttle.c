#include "throttle.h"

#include "atomic.h"
#include "clock.h"
#include "config.h"
#include "cost.h"
#include "governor.h"
#include "log.h"
#include "meta.h"

/* What can be left out. NULL: it is not recorded anyway. */
static void (*throttle_set[PROF_THROTTLE_COUNT])(
    bool on); /* any thread registers -> writer thread */

static struct {
    struct governor governor;
    struct cost_sums last;
    uint32_t throttle[PROF_THROTTLE_COUNT]; /* in order: the latest last */
    unsigned count;
} throttle; /* writer thread only */

void recorder_throttleable(enum prof_throttle_thing what, void (*keep)(bool on))
{
    store_release(&throttle_set[what], keep);
}

void throttle_begin(void)
{
    governor_init(&throttle.governor, config_get()->budget_ppm);
    throttle.count = 0;
    cost_sum(&throttle.last);
}

static bool throttle_is(uint32_t what)
{
    for (unsigned i = 0; i < throttle.count; i++)
        if (throttle.throttle[i] == what)
            return true;
    return false;
}

/* PROF_THROTTLE_COUNT: nothing is left. */
static uint32_t throttle_next(void)
{
    uint32_t next = PROF_THROTTLE_COUNT;
    for (uint32_t what = 0; what < PROF_THROTTLE_COUNT; what++)
        if (prof_throttle_place(what) < prof_throttle_place(next) && !throttle_is(what) &&
            load_acquire(&throttle_set[what]))
            next = what;
    return next;
}

static const char *throttle_name(uint32_t what)
{
#define THROTTLE_NAME(symbol, name, sentence) sentence,
    static const char *const names[] = {PROF_THROTTLE_THINGS(THROTTLE_NAME)};
#undef THROTTLE_NAME
    return what < PROF_THROTTLE_COUNT ? names[what] : "?";
}

static void throttle_apply(uint32_t what, bool on, const struct governor_period *period)
{
    void (*keep)(bool) = load_acquire(&throttle_set[what]);
    struct prof_rec_throttle record = {
        .ticks = clock_read(),
        .what = what,
        .on = on,
        .cost_ppm = (uint32_t)((double)period->cost_ns * 1e6 / (double)period->base_ns),
        .budget_ppm = (uint32_t)throttle.governor.budget_ppm};
    if (keep)
        keep(on);
    meta_append(PROF_REC_THROTTLE, &record, sizeof record, NULL, 0);
    /* in integers: %f has the locale's decimal point */
    log_line(LOG_PROCESS, "recording cost %u.%02u %% of wall time, budget %u.%02u %%: %s are %s",
             record.cost_ppm / 10000, record.cost_ppm / 100 % 100, record.budget_ppm / 10000,
             record.budget_ppm / 100 % 100, throttle_name(what),
             on ? "recorded again" : "not recorded any more");
}

static struct governor_period throttle_period(void)
{
    struct cost_sums now;
    cost_sum(&now);
    const struct cost_sums *last = &throttle.last;
    struct governor_period period = {
        .base_ns = cost_base_ns(now.recorded_ns - last->recorded_ns,
                                now.cpu_ns > last->cpu_ns ? now.cpu_ns - last->cpu_ns : 0),
        .cost_ns = now.taken_ns > last->taken_ns ? now.taken_ns - last->taken_ns : 0,
        .activity = now.activity > last->activity ? now.activity - last->activity : 0};
    throttle.last = now;
    return period;
}

void throttle_tick(void)
{
    if (!throttle.governor.budget_ppm)
        return;
    struct governor_period period = throttle_period();
    uint32_t next = throttle_next();
    switch (governor_decide(&throttle.governor, &period, next < PROF_THROTTLE_COUNT)) {
    case GOVERNOR_THROTTLE:
        throttle.throttle[throttle.count++] = next;
        throttle_apply(next, false, &period);
        break;
    case GOVERNOR_RESTORE:
        throttle_apply(throttle.throttle[--throttle.count], true, &period);
        break;
    case GOVERNOR_KEEP:
        break;
    }
}

void throttle_fork_child(void)
{
    while (throttle.count) {
        void (*keep)(bool) = load_acquire(&throttle_set[throttle.throttle[--throttle.count]]);
        if (keep)
            keep(true);
    }
}
