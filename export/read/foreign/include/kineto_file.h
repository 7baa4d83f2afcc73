/* kineto_file.h - a Chrome trace as a file: an array of events, or an object that has one under
 * "traceEvents" beside other members.
 *
 * The array may lack its end, as the format allows: this is reported, not refused.
 */
#ifndef PROF_KINETO_FILE_H
#define PROF_KINETO_FILE_H

#include "kineto_event.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kineto_visitor {
    void *user;
    /* An event, which may be changed. */
    void (*take)(void *user, struct kineto_event *event);
    /* Without `take`, for those who look at an event's bytes: `p` is at the brace of an event.
     * Returns the place after it; NULL as in json_text.h, and then nothing may have come of it:
     * the event may be seen again, when more of it is there. */
    const char *(*event)(void *user, struct json_cursor *cursor, const char *p);
    /* Begin and end of an array of events. May be NULL. */
    void (*events)(void *user, bool begin);
    /* Another member, its value in segments as they are in the file. May be NULL. */
    void (*member)(void *user, struct text key, struct text segment, bool first, bool last);
};

struct kineto_walked {
    uint64_t bytes;         /* unpacked */
    uint64_t cut_arrays;    /* without their end */
    uint64_t cut_events;    /* the file ends within one: only with `partial` */
    uint64_t strange_items; /* of the array, that are not objects: left out */
    uint64_t large_events;  /* of more than KINETO_WINDOW_MAX bytes: left out */
    bool is_array;
    bool has_events;
};

/* Whether a file that begins so can be one. */
bool kineto_file_recognise(struct text head);

/* False: the file is damaged, or memory is short; `error` says where and what. `partial`: a file
 * that ends within an event is read up to there. */
bool kineto_file_walk(struct source *source, bool partial, const struct kineto_visitor *visitor,
                      struct kineto_walked *walked, struct read_error *error);

#ifdef __cplusplus
}
#endif
#endif
