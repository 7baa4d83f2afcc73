/* merge_plan.h - how Chrome traces are kept apart in one: new pids, how far ids and times move.
 *
 * merge_event.. finds the places of an event that change, merge_plan_make() reads what must be
 * known of each file and chooses what is new.
 */
#ifndef PROF_MERGE_PLAN_H
#define PROF_MERGE_PLAN_H

#include "json_out.h"
#include "json_text.h"
#include "kineto_facts.h"
#include "kineto_file.h"
#include "text_pool.h"
#include "timeline.h"

enum merge_kind {
    MERGE_TIME, /* "ts" */
    MERGE_PID,
    MERGE_ID,   /* of flows and ranges: a number, or a text with or without 0x */
    MERGE_LINK, /* args: "External id", "correlation": positive numbers */
};

struct merge_place {
    enum merge_kind kind;
    struct text text; /* as it is in the file */
};

/* Of members that come several times, the first ones count. */
#define MERGE_PLACES_MAX 16u

struct merge_event {
    struct merge_place places[MERGE_PLACES_MAX]; /* in the order of the file */
    unsigned count;
};

/* `p` is at the brace. Returns as in json_text.h. */
const char *merge_event_read(struct merge_event *event, struct json_cursor *cursor, const char *p);

/* Parses an id, and whether it is a string; false: it cannot be shifted. */
bool merge_event_id(struct text text, uint64_t *id, bool *is_text);

/* Writes microseconds, shifted exactly by nanoseconds. Copies anything but decimal numbers, and
 * returns false. */
bool merge_event_time(struct json_out *out, struct text text, int64_t later_ns);

/* Larger members are copied, not merged. */
#define MERGE_MEMBER_MAX (UINT32_C(1) << 20)

/* The value of a member, followed by the quotes that json_text.h asks for. */
struct merge_member {
    char *bytes; /* NULL: the file does not have it */
    size_t size;
    bool large; /* more than MERGE_MEMBER_MAX bytes */
};

static inline struct text merge_member_text(const struct merge_member *member)
{
    bool known = member->bytes && !member->large;
    return known ? (struct text){member->bytes, member->size} : (struct text){"", 0};
}

struct merge_file {
    const char *path;
    uint64_t base_ns; /* baseTimeNanoseconds */
    bool has_base;
    bool has_time;
    bool is_absolute; /* has times since the epoch, and no base */
    /* the largest ids and their offsets: of those in args, for which readers have 32 bits, and of
     * flows and ranges, which can be addresses */
    uint64_t most_link, most_id;
    uint64_t link_offset, id_offset;
    struct text_pool pids; /* as in the file: with quotes */
    struct text *new_pids; /* by number in `pids`, below pid_count */
    uint32_t pid_count;
    struct merge_member devices;      /* "deviceProperties" */
    struct merge_member distributed;  /* "distributedInfo" */
    struct merge_member host;         /* "host_name" */
    struct merge_member processes[2]; /* see kineto_facts.h */
    int64_t later_ns;
    struct kineto_walked walked;
};

/* Frees all but the path. */
void merge_file_fini(struct merge_file *file);

struct merge_plan {
    struct merge_file *files;
    size_t count;
    bool partial;
    uint64_t base_ns; /* of the merged trace, since the epoch; 0 none */
    uint64_t next_pid;
    struct text_pool used_pids; /* without quotes */
    bool failed;
    struct read_error error;
};

/* Reads all files and chooses new pids, ids and times. `timeline` is what else the trace will
 * contain, or NULL. False: `error` says why. */
bool merge_plan_make(struct merge_plan *plan, const struct timeline *timeline);

/* The number of the file's pid written like that, with or without quotes; 0: none. */
uint32_t merge_file_pid(const struct merge_file *file, struct text bare, bool quoted);

static inline struct text merge_without_quotes(struct text text)
{
    bool quoted = text.size >= 2 && text.bytes[0] == '"';
    return quoted ? (struct text){text.bytes + 1, text.size - 2} : text;
}

#endif
