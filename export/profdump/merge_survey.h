/* merge_survey.h - what must be known of a Chrome trace before it is merged with others. */
#ifndef PROF_MERGE_SURVEY_H
#define PROF_MERGE_SURVEY_H

#include "kineto_file.h"
#include "kineto_groups.h"
#include "merge_event.h"
#include "text_pool.h"

/* Members that are larger are not merged, but kept. */
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
    /* the largest ids, and what is added to them: of those in args, which readers have 32 bits for, and of
     * flows and ranges, which can be addresses */
    uint64_t most_link, most_id;
    uint64_t link_offset, id_offset;
    struct text_pool pids; /* as they are in the file: with quotes, if any */
    struct text *new_pids; /* by number in `pids`, below pid_count */
    uint32_t pid_count;
    struct merge_member devices;      /* "deviceProperties" */
    struct merge_member distributed;  /* "distributedInfo" */
    struct merge_member host;         /* "host_name" */
    struct merge_member processes[2]; /* see kineto_groups.h */
    int64_t later_ns;
    struct kineto_walked walked;
};

/* Frees what the file has but its path. */
void merge_file_fini(struct merge_file *file);

/* Fills in what the file tells; the rest of `file` stays. False: `error` says why. */
bool merge_survey(struct merge_file *file, bool partial, struct read_error *error);

#endif
