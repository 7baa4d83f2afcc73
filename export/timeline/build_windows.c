/* build_windows.c - when recording was on, and who switched it. */
#include "build.h"

/* The one that a stop ends: the latest of that epoch in this file. */
static struct tl_window *find_window(struct builder *builder, uint32_t epoch)
{
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = timeline->windows.count; i-- > 0;) {
        struct tl_window *window = &timeline->windows.at[i];
        if (window->process != builder->process)
            return NULL;
        if (window->epoch == epoch)
            return window;
    }
    return NULL;
}

static void open_window(struct builder *builder, uint32_t epoch, enum prof_control_reason reason,
                        int64_t time_ns)
{
    struct tl_window *window = ARRAY_ADD(&builder->timeline->windows);
    if (!window) {
        builder->failed = true;
        return;
    }
    *window = (struct tl_window){
        .start_ns = time_ns,
        .end_ns = TL_NO_TIME,
        .process = builder->process,
        .epoch = epoch,
        .start_reason = (uint8_t)reason,
    };
}

/* Epoch 0 is none: the file was made just when recording went off. */
void timeline_append_control(struct builder *builder, bool on, uint32_t epoch,
                             enum prof_control_reason reason, int64_t time_ns)
{
    if (builder->failed || epoch == 0)
        return;
    struct tl_window *window = find_window(builder, epoch);
    int64_t at_ns = build_time(builder, time_ns);
    if (on && !window)
        open_window(builder, epoch, reason, at_ns);
    if (!on && window) {
        window->end_ns = at_ns;
        window->stop_reason = (uint8_t)reason;
    }
}
