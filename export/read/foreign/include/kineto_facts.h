/* kineto_facts.h - what a Chrome trace says beside its events: its members. */
#ifndef PROF_KINETO_FACTS_H
#define PROF_KINETO_FACTS_H

#include "json_text.h"
#include "kineto_event.h"
#include "kineto_rows.h"
#include "unordered.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- which pids belong together: the members "traceProcesses" and "mergedProcesses" ----
 *
 * A device's row has a pid, too, and nothing else in a trace tells whose operations are on it when
 * their launch is not in the trace. Where several processes are in one trace, libprof writes a
 * group of pids for each of them, or for each file that was merged:
 *
 *     [{"rank":1,"world_size":2,"host_name":"node7","pids":{"9000000":4711,"9000001":0}}, ...]
 *
 * "pids" maps each pid of the trace to what it was before it was renumbered: a process's pid or a
 * device. The first is the process's, where the group is one process.
 */

#define KINETO_PROCESSES_OF_TRACE "traceProcesses"
#define KINETO_PROCESSES_MERGED "mergedProcesses"

struct kineto_group {
    int32_t rank, world_size; /* -1 unknown */
    struct text host, clock;  /* as in the file, with its quotes; empty: unknown */
    struct text pids;         /* the object */
};

static inline bool kineto_groups_is(struct text key)
{
    return text_is(key, KINETO_PROCESSES_OF_TRACE) || text_is(key, KINETO_PROCESSES_MERGED);
}

typedef void kineto_read_group(void *user, const struct kineto_group *group);
/* `value` is followed by the quotes that json_text.h asks for. */
void kineto_groups_each(struct text value, kineto_read_group *take, void *user);

/* `now`: the pid, without quotes; `before`: a value as in the file. */
typedef void kineto_read_pid(void *user, struct text now, struct text before);
void kineto_group_pids(const struct kineto_group *group, kineto_read_pid *take, void *user);

/* "rank" and "world_size" of a group or of "distributedInfo". */
void kineto_group_rank(struct kineto_group *group, const struct json_string *key,
                       struct text value);

/* ---- what is said of the whole file ---- */

/* A larger value says nothing that is wanted. */
#define KINETO_FACT_BYTES (UINT32_C(1) << 20)
#define KINETO_DEVICES_MAX 64u /* as many as unordered_busy_devices() returns */

struct kineto_facts {
    struct unordered *events;
    uint64_t
        base_ns; /* since the epoch: what all times count from; 0 the epoch itself, or unknown */
    struct kineto_rows *rows;
    struct kineto_group own;                  /* of the file as a whole; the events keep its host */
    KINETO_ARRAY(struct kineto_group) groups; /* the events keep their texts */
    KINETO_ARRAY(char) members;  /* of the top-level object, as JSON: those that are passed on */
    struct text format;          /* of the file that libprof converted; empty: a recording */
    int64_t span_ns;             /* see struct tl_process_info */
    bool is_libprofs, simulated; /* libprof wrote the file; its device was simulated */
    uint32_t large_groups;       /* members that were too large to be read */
    bool failed;
    struct tl_device_info devices[KINETO_DEVICES_MAX];
    uint32_t device_count;
    bool cuda_calls, amd_calls,
        other_calls;    /* which makers' runtimes were called, by names, or had memory */
    bool unnamed_calls; /* of a category of CUDA's, which AMD's calls have too; names say nothing */
    char *value;        /* of the current member */
    size_t size;
    bool skipping;
};

/* False: no memory. */
bool kineto_facts_init(struct kineto_facts *facts, struct unordered *events,
                       struct kineto_rows *rows);
void kineto_facts_fini(struct kineto_facts *facts);

/* As kineto_visitor.member. */
void kineto_facts_member(struct kineto_facts *facts, struct text key, struct text segment,
                         bool first, bool last);

/* Notes whose runtime or driver the call is of. */
void kineto_facts_call(struct kineto_facts *facts, const struct kineto_event *event);
/* Notes to which maker's device the event's memory belongs. */
void kineto_facts_memory(struct kineto_facts *facts, const struct kineto_event *event);
/* Whose devices these are: how they were timed. */
void kineto_facts_mode(const struct kineto_facts *facts, struct tl_process_info *process);
/* Emits the listed devices, and those that ran operations of the process but are not listed. AMD
 * numbers devices together with processors, so unlisted ones get the facts on which all listed ones
 * agree. */
void kineto_facts_devices(const struct kineto_facts *facts, uint32_t process);

#ifdef __cplusplus
}
#endif
#endif
