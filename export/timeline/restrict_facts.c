/* restrict_facts.c - what of a process has a time: when recording was on, what was left out, children. */
#include "restrict.h"

static void move_windows(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->windows.count; i++) {
        struct tl_window window = timeline->windows.at[i];
        bool ended = window.end_ns != TL_NO_TIME;
        if (window.start_ns >= with->to_ns || (ended && window.end_ns <= with->from_ns))
            continue;
        if (window.start_ns < with->from_ns)
            window.start_ns = with->from_ns;
        if (ended && window.end_ns > with->to_ns) {
            window.end_ns = TL_NO_TIME;
            window.stop_reason = PROF_CONTROL_UNKNOWN;
        }
        timeline->windows.at[next++] = window;
    }
    timeline->windows.count = next;
}

/* What was left out when the window began still says so: things come back in the opposite order, so what is out is a
 * stack, which grows in place. */
static void move_sheds(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0, process = TL_NONE, bottom = 0;
    for (uint32_t i = 0; i < timeline->sheds.count; i++) {
        struct tl_shed shed = timeline->sheds.at[i];
        if (shed.process != process)
            bottom = next;
        process = shed.process;
        if (shed.time_ns >= with->to_ns)
            continue;
        bool earlier = shed.time_ns < with->from_ns;
        shed.time_ns = earlier ? with->from_ns : shed.time_ns;
        if (earlier && shed.on)
            next -= next > bottom;
        else
            timeline->sheds.at[next++] = shed;
    }
    timeline->sheds.count = next;
}

/* Those that were there before the recording belong to its begin. */
static void move_children(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->children.count; i++) {
        struct tl_child child = timeline->children.at[i];
        int64_t time_ns = child.time_ns == TL_NO_TIME ? timeline->start_ns : child.time_ns;
        if (restrict_has(with, time_ns))
            timeline->children.at[next++] = child;
    }
    timeline->children.count = next;
}

void restrict_facts(struct restriction *with)
{
    move_windows(with);
    move_sheds(with);
    move_children(with);
}
