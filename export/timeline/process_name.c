#include "process_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_called_like(const struct tl_process_info *one, const struct tl_process_info *other)
{
    return one->rank == other->rank && (one->rank >= 0 || one->pid == other->pid);
}

/* Its place among the processes with operations that are called alike, from 1; 0: there are no
 * others. */
static uint32_t number_of(const struct timeline *timeline, uint32_t process)
{
    const struct tl_process_info *info = &timeline->processes.at[process].info;
    uint32_t alike = 0, place = 0, last = TL_NONE;
    for (uint32_t i = 0; i < timeline->streams.count; i++) {
        uint32_t other = timeline->streams.at[i].process;
        if (other == last || !is_called_like(&timeline->processes.at[other].info, info))
            continue;
        last = other;
        alike++;
        place = other == process ? alike : place;
    }
    return alike > 1 ? place : 0;
}

struct process_name process_short_name(const struct timeline *timeline, uint32_t process)
{
    const struct tl_process_info *info = &timeline->processes.at[process].info;
    uint32_t number = number_of(timeline, process);
    struct process_name to;
    int used = info->rank >= 0 ? snprintf(to.text, sizeof to.text, "rank %d", (int)info->rank)
                               : snprintf(to.text, sizeof to.text, "pid %" PRIu64, info->pid);
    if (number)
        snprintf(to.text + used, sizeof to.text - (size_t)used, " #%u", number);
    return to;
}

struct process_name process_full_name(const struct timeline *timeline, uint32_t process)
{
    const struct tl_process_info *info = &timeline->processes.at[process].info;
    struct process_name to = process_short_name(timeline, process);
    size_t used = strlen(to.text);
    if (info->rank >= 0)
        snprintf(to.text + used, sizeof to.text - used, " (pid %" PRIu64 ")", info->pid);
    return to;
}
