/* governor.h - when to stop recording something because recording costs too much, and when to begin
 * again: a function of costs, without a clock and without effects.
 *
 *     cost above the budget in GOVERNOR_OVER periods in a row -> throttled the next thing
 *     cost, and what the latest thing throttled would add, below GOVERNOR_CALM_PERCENT of the budget for
 *     a while -> that thing is recorded again; each time the while doubles
 *
 * What a thing would add is what it took per activity when it was throttled, times the activity now: so a
 * load that stays the same never brings back what it made too expensive. Periods in which nothing
 * happened prove nothing and are passed over.
 */
#ifndef PROF_GOVERNOR_H
#define PROF_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

#define GOVERNOR_OVER 3u
#define GOVERNOR_SETTLE 2u /* periods after a decision that still show what was before it */
#define GOVERNOR_LEARN 10u /* periods from which it is learnt what shedding has saved */
#define GOVERNOR_CALM 50u
#define GOVERNOR_CALM_MAX 3200u
#define GOVERNOR_CALM_PERCENT 75u
#define GOVERNOR_DEPTH_MAX 8u

struct governor_period {
    uint64_t base_ns; /* of what the cost is a share; 0: recording was off */
    uint64_t cost_ns;
    uint64_t activity; /* things that happened, of whatever kind */
};

struct governor_level {
    double before; /* ns per activity when it was throttled */
    double saved;  /* ns per activity that shedding it has saved; below 0: not known yet */
};

struct governor {
    uint64_t budget_ppm; /* 0: nothing is ever throttled */
    unsigned depth;      /* things throttled */
    unsigned over, calm, settle;
    unsigned wait;                 /* calm periods before something is recorded again */
    struct governor_period window; /* sum of the periods since the latest decision, or of a row over
                                    * the budget */
    unsigned window_periods;
    struct governor_level levels[GOVERNOR_DEPTH_MAX];
};

enum governor_decision { GOVERNOR_KEEP, GOVERNOR_THROTTLE, GOVERNOR_RESTORE };

void governor_init(struct governor *governor, uint64_t budget_ppm);

/* One more period is over. `can_throttle`: there is something left to throttled. The decision counts as
 * carried out. */
enum governor_decision governor_decide(struct governor *governor,
                                       const struct governor_period *period, bool can_throttle);

#endif
