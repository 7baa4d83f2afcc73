/* accounts_text.c - a line per device, and one for all of several. */
#include "accounts_text.h"

#include "device_time.h"
#include "units.h"

#define DEVICES_SHOWN 8u

static void print_line(const struct device_time *time, FILE *stream)
{
    const int64_t terms[] = {time->sum_ns,  time->busy_ns, time->overlap_ns,
                             time->busy_ns, time->idle_ns, time->window_ns};
    char texts[6][TIME_TEXT_BYTES];
    enum time_unit unit =
        time_text_unit((double)(time->sum_ns > time->window_ns ? time->sum_ns : time->window_ns));
    for (unsigned i = 0; i < 6; i++)
        time_text_exact(terms[i], unit, texts[i]);
    fprintf(stream, ": self device time %s = busy %s + overlap %s; busy %s + idle %s = window %s\n",
            texts[0], texts[1], texts[2], texts[3], texts[4], texts[5]);
}

bool accounts_text_print(const struct timeline *timeline, FILE *stream)
{
    struct device_times times;
    if (!device_times_init(&times, timeline))
        return false;
    for (uint32_t i = 0; i < times.count && i < DEVICES_SHOWN; i++) {
        const struct device_time *time = &times.at[i];
        fprintf(stream, "Device %u", time->device);
        if (timeline->processes.count > 1)
            fprintf(stream, " of pid %u", timeline->processes.at[time->process].info.pid);
        print_line(time, stream);
    }
    if (times.count > 1) {
        fprintf(stream, "%u devices", times.count);
        print_line(&times.total, stream);
    }
    device_times_fini(&times);
    return true;
}
