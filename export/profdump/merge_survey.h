/* merge_survey.h - what must be known of a Chrome trace before it is merged with others. */
#ifndef PROF_MERGE_SURVEY_H
#define PROF_MERGE_SURVEY_H

#include "kineto_file.h"
#include "merge_event.h"
#include "text_pool.h"

/* "deviceProperties" that are larger are not merged, but kept. */
#define MERGE_DEVICES_MAX (UINT32_C(1) << 20)

struct merge_file {
    const char *path;
    uint64_t base_ns; /* baseTimeNanoseconds */
    bool has_base;
    bool has_time;
    bool is_absolute;      /* has times since the epoch, and no base */
    uint64_t most_id;      /* of all kinds of ids */
    struct text_pool pids; /* as they are in the file: with quotes, if any */
    struct text *new_pids; /* by number in `pids` */
    char *devices;         /* the value of "deviceProperties"; NULL none */
    size_t device_bytes;
    bool many_devices; /* more than MERGE_DEVICES_MAX bytes of them */
    uint64_t id_offset;
    int64_t later_ns;
    struct kineto_walked walked;
};

/* Fills in what the file tells; the rest of `file` stays. False: `error` says why. */
bool merge_survey(struct merge_file *file, bool partial, struct read_error *error);

#endif
