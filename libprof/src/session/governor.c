#include "governor.h"

#include <stddef.h>

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
