#include "triggers.h"

#include "atomic.h"
#include "config.h"
#include "number.h"
#include "process.h"
#include "session.h"
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define TRIGGERS_NEVER UINT64_MAX
#define TRIGGERS_NO_WINDOW (UINT64_MAX >> 2) /* after PROF_STOP */

enum triggers_state { TRIGGERS_OFF, TRIGGERS_WARM, TRIGGERS_ON };

/* A state and the window it belongs to, in one word. */
#define TRIGGERS_WANT(state, window) ((uint64_t)(window) << 2 | (uint64_t)(state))
#define TRIGGERS_STATE(want) ((enum triggers_state)((want)&3u))

static struct {
    bool scheduled; /* fixed after triggers_init(), like the next three */
    struct schedule schedule;
    uint64_t start_step, stop_step; /* TRIGGERS_NEVER: not by steps */
    uint64_t latest;                /* step seen; stored by the thread that steps */
    pthread_mutex_t lock;           /* held to switch; the session's lock nests inside */
    uint64_t applied; /* TRIGGERS_WANT; under the lock, read by the thread that steps */
} triggers = {
    .start_step = TRIGGERS_NEVER, .stop_step = TRIGGERS_NEVER, .lock = PTHREAD_MUTEX_INITIALIZER};

static bool triggers_any(void)
{
    return triggers.scheduled || triggers.start_step != TRIGGERS_NEVER ||
           triggers.stop_step != TRIGGERS_NEVER;
}

bool triggers_start(void)
{
    return triggers.scheduled || triggers.start_step != TRIGGERS_NEVER;
}

static void triggers_begin(void)
{
    store_relaxed(&triggers.latest, (uint64_t)0);
    store_relaxed(&triggers.applied, TRIGGERS_WANT(TRIGGERS_OFF, 0));
    if (triggers_any())
        session_enable_steps(SESSION_STEPS_TRIGGERS, true);
}

GUEST_PATH void triggers_init(void)
{
    const struct config *config = config_get();
    triggers.scheduled = *config->schedule && schedule_parse(config->schedule, &triggers.schedule);
    if (!triggers.scheduled && CONFIG_MOMENT(config->start) == CONFIG_START_STEP)
        triggers.start_step = CONFIG_AMOUNT(config->start);
    if (CONFIG_MOMENT(config->stop) == CONFIG_STOP_STEP)
        triggers.stop_step = CONFIG_AMOUNT(config->stop);
    triggers_begin();
}

static bool triggers_are_over(uint64_t step)
{
    return step >= triggers.stop_step ||
           (triggers.scheduled
                ? schedule_is_over(&triggers.schedule, step)
                : triggers.stop_step == TRIGGERS_NEVER && step >= triggers.start_step);
}

static uint64_t triggers_scheduled(uint64_t step)
{
    uint64_t window;
    switch (schedule_at(&triggers.schedule, step, &window)) {
    case SCHEDULE_RECORD:
        return TRIGGERS_WANT(TRIGGERS_ON, window);
    case SCHEDULE_WARMUP:
        return TRIGGERS_WANT(TRIGGERS_WARM, window);
    default:
        return TRIGGERS_WANT(TRIGGERS_OFF, window);
    }
}

static uint64_t triggers_wanted_mode(uint64_t step)
{
    if (step >= triggers.stop_step)
        return TRIGGERS_WANT(TRIGGERS_OFF, TRIGGERS_NO_WINDOW);
    if (triggers.scheduled)
        return triggers_scheduled(step);
    bool on = step >= triggers.start_step && triggers.start_step != TRIGGERS_NEVER;
    return TRIGGERS_WANT(on ? TRIGGERS_ON : TRIGGERS_OFF, 0);
}

/* Recording that was switched on by other means stays on through steps that do not record. It ends
 * with the next window, and at the end of all. */
static void triggers_apply(uint64_t before, uint64_t want, bool stop)
{
    enum prof_control_reason reason =
        triggers.scheduled && !stop ? PROF_CONTROL_SCHEDULE : PROF_CONTROL_STEP;
    if (TRIGGERS_STATE(before) == TRIGGERS_ON || stop)
        session_switch(false, reason);
    if (TRIGGERS_STATE(want) == TRIGGERS_WARM || TRIGGERS_STATE(before) == TRIGGERS_WARM)
        session_warm(TRIGGERS_STATE(want) != TRIGGERS_OFF);
    if (TRIGGERS_STATE(want) == TRIGGERS_ON)
        session_switch(true, reason);
}

/* False for a step that another thread's later one has overtaken. */
static bool triggers_is_latest(uint64_t step)
{
    uint64_t latest = load_relaxed(&triggers.latest);
    while (latest < step)
        if (cas_acq_rel(&triggers.latest, &latest, step))
            return true;
    return latest == step;
}

/* Until the state is that of the latest step. A thread that raises `latest` too late to be seen
 * here reads `applied` after this has changed it, and comes here itself: both are
 * read-modify-writes of it. */
static void triggers_update(void)
{
    struct signals_saved saved;
    uint64_t latest;
    signals_block(&saved); /* a handler may step too */
    pthread_mutex_lock(&triggers.lock);
    do {
        latest = load_acquire(&triggers.latest);
        uint64_t want = triggers_wanted_mode(latest);
        uint64_t before = exchange_seq_cst(&triggers.applied, want);
        if (before != want)
            triggers_apply(before, want, latest >= triggers.stop_step);
        if (triggers_are_over(latest))
            session_enable_steps(SESSION_STEPS_TRIGGERS, false);
    } while (latest != load_acquire(&triggers.latest));
    pthread_mutex_unlock(&triggers.lock);
    signals_restore(&saved);
}

void triggers_step(uint64_t number)
{
    if (triggers_any() && triggers_is_latest(number) &&
        fetch_add_seq_cst(&triggers.applied, 0u) != triggers_wanted_mode(number))
        triggers_update();
}

GUEST_PATH void triggers_fork_child(void)
{
    process_free_lock(&triggers.lock);
    if (!triggers_any())
        return;
    int saved_errno = errno;
    if (triggers_start())
        session_switch(false, PROF_CONTROL_STEP);
    triggers_begin();
    errno = saved_errno;
}

/* ---- torch.profiler.schedule's rule ---- */

#define SCHEDULE_NUMBER_MAX 1000000000ull /* so that no sum or product overflows */

static const struct schedule_word {
    const char *name; /* with its '=' */
    size_t offset;
} schedule_words[] = {
    {"skip_first=", offsetof(struct schedule, skip_first)},
    {"wait=", offsetof(struct schedule, wait)},
    {"warmup=", offsetof(struct schedule, warmup)},
    {"active=", offsetof(struct schedule, active)},
    {"repeat=", offsetof(struct schedule, repeat)},
    {"skip_first_wait=", offsetof(struct schedule, skip_first_wait)},
};
#define SCHEDULE_WORDS (sizeof schedule_words / sizeof *schedule_words)

/* Place in schedule_words of the word that `text` begins with; SCHEDULE_WORDS: none. */
static size_t schedule_find_word(const char *text)
{
    size_t place = 0;
    while (place < SCHEDULE_WORDS &&
           strncmp(text, schedule_words[place].name, strlen(schedule_words[place].name)) != 0)
        place++;
    return place;
}

/* Behind the number, NULL when there is none. */
static const char *schedule_number(const char *text, uint64_t *number)
{
    const char *end = number_parse(text, number);
    return *number <= SCHEDULE_NUMBER_MAX ? end : NULL;
}

bool schedule_parse(const char *text, struct schedule *schedule)
{
    unsigned seen = 0;
    *schedule = (struct schedule){0};
    for (;;) {
        size_t place = schedule_find_word(text);
        if (place == SCHEDULE_WORDS || (seen & 1u << place))
            return false;
        seen |= 1u << place;
        uint64_t *field = (uint64_t *)(void *)((char *)schedule + schedule_words[place].offset);
        text = schedule_number(text + strlen(schedule_words[place].name), field);
        if (!text || (*text && *text != ','))
            return false;
        if (!*text++)
            return schedule->active > 0 && schedule->skip_first_wait <= 1;
    }
}

static uint64_t schedule_cycle(const struct schedule *schedule)
{
    return schedule->wait + schedule->warmup + schedule->active;
}

/* Steps since the first cycle began, which was `wait` ago where its waiting is skipped. */
static uint64_t schedule_place(const struct schedule *schedule, uint64_t step)
{
    return step - schedule->skip_first + (schedule->skip_first_wait ? schedule->wait : 0);
}

bool schedule_is_over(const struct schedule *schedule, uint64_t step)
{
    return schedule->repeat && step >= schedule->skip_first &&
           schedule_place(schedule, step) >= schedule->repeat * schedule_cycle(schedule);
}

enum schedule_action schedule_at(const struct schedule *schedule, uint64_t step, uint64_t *window)
{
    *window = 0;
    if (step < schedule->skip_first || schedule_is_over(schedule, step))
        return SCHEDULE_NONE;
    uint64_t place = schedule_place(schedule, step);
    uint64_t in_cycle = place % schedule_cycle(schedule);
    *window = place / schedule_cycle(schedule);
    if (in_cycle < schedule->wait)
        return SCHEDULE_NONE;
    return in_cycle < schedule->wait + schedule->warmup ? SCHEDULE_WARMUP : SCHEDULE_RECORD;
}
