#include "throttle.h"

#include "atomic.h"
#include "clock.h"
#include "config.h"
#include "cost.h"
#include "log.h"
#include "meta.h"

#include <stddef.h>

/* What can be left out. NULL: it is not recorded anyway. */
static void (*throttle_set[PROF_THROTTLE_COUNT])(
    bool on); /* any thread registers -> writer thread */

static struct {
    struct governor governor;
    struct cost_sums last;
    uint32_t throttle[PROF_THROTTLE_COUNT]; /* in order: the latest last */
    unsigned count;
} throttle GUEST_DATA; /* writer thread only */

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

GUEST_PATH void throttle_fork_child(void)
{
    while (throttle.count) {
        void (*keep)(bool) = load_acquire(&throttle_set[throttle.throttle[--throttle.count]]);
        if (keep)
            keep(true);
    }
}

/* ---- the governor ---- */

void governor_init(struct governor *governor, uint64_t budget_ppm)
{
    *governor = (struct governor){.budget_ppm = budget_ppm, .wait = GOVERNOR_CALM};
}

static double governor_share_ns(const struct governor *governor, uint64_t base_ns)
{
    return (double)base_ns * (double)governor->budget_ppm / 1e6;
}

static void governor_window_begin(struct governor *governor)
{
    governor->window = (struct governor_period){0};
    governor->window_periods = 0;
    governor->over = governor->calm = 0;
}

static void governor_window_add(struct governor *governor, const struct governor_period *period)
{
    governor->window.base_ns += period->base_ns;
    governor->window.cost_ns += period->cost_ns;
    governor->window.activity += period->activity;
    governor->window_periods++;
}

static double governor_each_ns(const struct governor_period *window)
{
    return window->activity ? (double)window->cost_ns / (double)window->activity : 0;
}

static struct governor_level *governor_latest(struct governor *governor)
{
    return governor->depth ? &governor->levels[governor->depth - 1] : NULL;
}

/* The savings of throttling are known once enough time has passed. */
static void governor_learn(struct governor *governor)
{
    struct governor_level *level = governor_latest(governor);
    if (!level || level->saved >= 0 || governor->window_periods < GOVERNOR_LEARN)
        return;
    double saved = level->before - governor_each_ns(&governor->window);
    level->saved = saved > 0 ? saved : 0;
}

static bool governor_throttle(struct governor *governor, double each_ns)
{
    if (governor->depth == GOVERNOR_DEPTH_MAX)
        return false;
    governor->levels[governor->depth++] = (struct governor_level){each_ns, -1};
    governor->settle = GOVERNOR_SETTLE;
    governor_window_begin(governor);
    return true;
}

static void governor_restore(struct governor *governor)
{
    governor->depth--;
    governor->wait =
        governor->wait * 2 < GOVERNOR_CALM_MAX ? governor->wait * 2 : GOVERNOR_CALM_MAX;
    governor->settle = GOVERNOR_SETTLE;
    governor_window_begin(governor);
}

/* The window holds nothing but calm periods. */
static bool governor_may_restore(struct governor *governor)
{
    const struct governor_level *level = governor_latest(governor);
    if (!level || level->saved < 0 || governor->calm < governor->wait)
        return false;
    const struct governor_period *window = &governor->window;
    double then_ns = (double)window->cost_ns + level->saved * (double)window->activity;
    return then_ns * 100 < governor_share_ns(governor, window->base_ns) * GOVERNOR_CALM_PERCENT;
}

enum governor_decision governor_decide(struct governor *governor,
                                       const struct governor_period *period, bool can_throttle)
{
    if (!governor->budget_ppm || !period->base_ns || !period->activity)
        return GOVERNOR_KEEP;
    if (governor->settle) {
        governor->settle--;
        return GOVERNOR_KEEP;
    }
    bool over = (double)period->cost_ns > governor_share_ns(governor, period->base_ns);
    if (over != (governor->over > 0))
        governor_window_begin(governor);
    governor_window_add(governor, period);
    governor->over += over;
    governor->calm += !over;
    governor_learn(governor);
    if (governor->over >= GOVERNOR_OVER && can_throttle &&
        governor_throttle(governor, governor_each_ns(&governor->window)))
        return GOVERNOR_THROTTLE;
    if (governor->calm && governor_may_restore(governor)) {
        governor_restore(governor);
        return GOVERNOR_RESTORE;
    }
    return GOVERNOR_KEEP;
}
