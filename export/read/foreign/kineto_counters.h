/* kineto_counters.h - counters of a Chrome trace:
 *
 *     {"ph":"C","name":"heap","id":"0x1","args":{"used":1,"free":2}}
 *
 * An event gives some series of a counter a new value. Name and id name the counter. It is called
 * "heap", with an id "heap[0x1]"; its series "heap: used", where any event of the file has a second
 * one.
 */
#ifndef PROF_KINETO_COUNTERS_H
#define PROF_KINETO_COUNTERS_H

#include "kineto_rows.h"
#include "maps.h"

/* The value of a series, by the numbers of its names. */
struct kineto_value {
    int64_t time_ns;
    double value;
    uint32_t thread, counter, series;
};

/* Zeroed is empty. */
struct kineto_counters {
    KINETO_ARRAY(struct kineto_value) values;
    struct keymap only; /* counter -> its series; 0: it has several */
};

void kineto_counters_fini(struct kineto_counters *counters);

/* The number of a counter's name with its id as it stands in the file, which may be empty or in
 * quotes. 0: no memory. */
uint32_t kineto_counters_name(struct unordered *events, uint32_t name, struct text id);

/* Keeps a value until all are known. False: no memory. */
bool kineto_counters_add(struct kineto_counters *counters, const struct kineto_value *value);

/* Appends all values under the names above. False: no memory. */
bool kineto_counters_finish(const struct kineto_counters *counters, struct unordered *events);

#endif
