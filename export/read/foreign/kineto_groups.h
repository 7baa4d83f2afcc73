/* kineto_groups.h - which pids of a Chrome trace belong together: the members "traceProcesses" and
 * "mergedProcesses".
 *
 * A device's row has a pid, too, and nothing else in a trace tells whose operations are on it when their launch
 * is not in the trace. Where several processes are in one trace, libprof writes a group of pids for each of
 * them, or for each file that was merged:
 *
 *     [{"rank":1,"world_size":2,"host_name":"node7","pids":{"9000000":4711,"9000001":0}}, ...]
 *
 * "pids" maps each pid of the trace to what it was before it was renumbered: a process's pid or a
 * device. The first is the process's, where the group is one process.
 */
#ifndef PROF_KINETO_GROUPS_H
#define PROF_KINETO_GROUPS_H

#include "json_text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KINETO_PROCESSES_OF_TRACE "traceProcesses"
#define KINETO_PROCESSES_MERGED "mergedProcesses"

struct kineto_group {
    int32_t rank, world_size; /* -1 unknown */
    struct text host;         /* as in the file, with its quotes; empty: unknown */
    struct text pids;         /* the object */
};

static inline bool kineto_groups_is(struct text key)
{
    return text_is(key, KINETO_PROCESSES_OF_TRACE) || text_is(key, KINETO_PROCESSES_MERGED);
}

typedef void kineto_take_group(void *user, const struct kineto_group *group);
/* `value` is followed by the quotes that json_text.h asks for. */
void kineto_groups_each(struct text value, kineto_take_group *take, void *user);

/* `now`: the pid, without quotes; `before`: a value as in the file. */
typedef void kineto_take_pid(void *user, struct text now, struct text before);
void kineto_group_pids(const struct kineto_group *group, kineto_take_pid *take, void *user);

/* "rank" and "world_size" of a group or of "distributedInfo". */
void kineto_group_rank(struct kineto_group *group, const struct json_string *key,
                       struct text value);

#ifdef __cplusplus
}
#endif
#endif
