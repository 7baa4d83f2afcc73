/* merge_event.h - the places of an event of a Chrome trace that differ when traces are merged. */
#ifndef PROF_MERGE_EVENT_H
#define PROF_MERGE_EVENT_H

#include "json_out.h"
#include "json_text.h"

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

/* The id as a number, and whether it is a text; false: it is none that can be counted on from. */
bool merge_event_id(struct text text, uint64_t *id, bool *is_text);

/* Writes microseconds that are later by so many nanoseconds, exactly. What is no number in decimals
 * stays as it is, and false is returned. */
bool merge_event_time(struct json_out *out, struct text text, int64_t later_ns);

#endif
