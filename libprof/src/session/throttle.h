/* throttle.h - carries out the governor's decisions: calls the functions registered with
 * recorder_throttleable(), and records what was throttled in the file. */
#ifndef PROF_THROTTLE_H
#define PROF_THROTTLE_H

#include "recorder.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- the governor ---- */

/* Decides when to throttle because recording costs too much, and when to restore. A pure function
 * of the costs, without a clock and without side effects.
 *
 *     cost above the budget in GOVERNOR_OVER consecutive periods -> throttle the next thing
 *     cost plus the estimated cost of the last throttled thing below GOVERNOR_CALM_PERCENT of the
 *     budget for a waiting time -> restore that thing; the waiting time doubles each time
 *
 * The estimate is the thing's cost per activity when it was throttled, times the current activity.
 * A constant load therefore never restores what it made too expensive. Periods without activity are
 * ignored.
 */

#define GOVERNOR_OVER 3u
#define GOVERNOR_SETTLE 2u /* periods after a decision that still include earlier costs */
#define GOVERNOR_LEARN 10u /* periods over which the savings of throttling are measured */
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
    double saved;  /* ns per activity saved by throttling it; negative: not known yet */
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

/* Evaluates one more period. `can_throttle`: something is left to throttle. The caller must carry
 * out the decision. */
enum governor_decision governor_decide(struct governor *governor,
                                       const struct governor_period *period, bool can_throttle);

/* ---- throttling ---- */

/* On the writer thread, after config_load(). */
void throttle_begin(void);

/* A period is over: every THROTTLE_PERIOD_NS, on the writer thread. */
#define THROTTLE_PERIOD_NS 100000000u
void throttle_tick(void);

/* Everything is recorded again, as at the beginning. */
void throttle_fork_child(void);

#endif
