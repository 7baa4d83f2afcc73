/* control_sessions.c - recording sessions of profdump ctl: each one has recording on from its start
 * to its own end, beside the others and beside what else has switched recording on. CUPTI records
 * the most that any of them wants. A stop without a number, or by anything else, ends all.
 *
 * All of it is the control thread's own. A forked child has a copy, whose sessions its own control
 * thread ends.
 */
#include "control_thread.h"

#include "clock.h"
#include "config.h"
#include "session.h"

#define SESSIONS_MAX 16u

static struct control_session sessions[SESSIONS_MAX]; /* number 0: free */
static uint32_t sessions_started;

/* What the level is to be now that one has begun or ended. */
static void sessions_set_detail(void)
{
    uint32_t holds = 0, level = 0;
    for (unsigned i = 0; i < SESSIONS_MAX; i++) {
        const struct control_session *session = &sessions[i];
        if (!session->number || !session->has_detail)
            continue;
        holds++;
        level = session->detail > level ? session->detail : level;
    }
    session_set_gpu_detail(holds, level);
}

static void sessions_end(struct control_session *session)
{
    uint64_t hold = session->hold;
    *session = (struct control_session){0};
    sessions_set_detail();
    session_release(hold, PROF_CONTROL_CTL);
}

/* A stop by anything else has ended some of them. */
static void sessions_forget_ended(void)
{
    for (unsigned i = 0; i < SESSIONS_MAX; i++)
        if (sessions[i].number && !session_holds(sessions[i].hold))
            sessions_end(&sessions[i]);
}

uint32_t control_sessions_start(uint64_t for_ms, const uint64_t *detail)
{
    struct control_session *place = NULL;
    sessions_forget_ended();
    for (unsigned i = 0; i < SESSIONS_MAX && !place; i++)
        place = sessions[i].number ? NULL : &sessions[i];
    if (!place)
        return 0;
    *place = (struct control_session){.number = ++sessions_started,
                                      .has_detail = detail != NULL,
                                      .detail = detail ? (uint32_t)*detail : 0,
                                      .end_ns = for_ms ? clock_monotonic_ns() + for_ms * 1000000u
                                                       : UINT64_MAX};
    sessions_set_detail(); /* before recording begins */
    place->hold = session_hold(PROF_CONTROL_CTL);
    if (place->hold)
        return place->number;
    sessions_end(place);
    return 0;
}

bool control_sessions_stop(uint32_t number)
{
    sessions_forget_ended();
    for (unsigned i = 0; i < SESSIONS_MAX; i++)
        if (number && sessions[i].number == number) {
            sessions_end(&sessions[i]);
            return true;
        }
    return false;
}

const struct control_session *control_sessions_next(const struct control_session *before)
{
    if (!before)
        sessions_forget_ended();
    for (const struct control_session *at = before ? before + 1 : sessions;
         at < sessions + SESSIONS_MAX; at++)
        if (at->number)
            return at;
    return NULL;
}

uint64_t control_sessions_due_ns(void)
{
    uint64_t due_ns = UINT64_MAX;
    for (unsigned i = 0; i < SESSIONS_MAX; i++)
        if (sessions[i].number && sessions[i].end_ns < due_ns)
            due_ns = sessions[i].end_ns;
    return due_ns;
}

/* Whoever waits for the end reads the file next. */
void control_sessions_tick(void)
{
    uint64_t now = clock_monotonic_ns();
    bool ended = false;
    sessions_forget_ended();
    for (unsigned i = 0; i < SESSIONS_MAX; i++)
        if (sessions[i].number && now >= sessions[i].end_ns) {
            sessions_end(&sessions[i]);
            ended = true;
        }
    if (ended && !recorder_on())
        session_flush((unsigned)config_get()->exit_ms);
}
