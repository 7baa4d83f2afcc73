/* merge_survey.c - see merge_survey.h. */
#include "merge_survey.h"

#include <stdlib.h>

/* 2001: no clock but one that counts from the epoch is beyond. */
#define ABSOLUTE_NS INT64_C(1000000000000000000)

struct survey {
    struct merge_file *file;
    struct merge_event event;
    struct text last_pid; /* the pool's */
    char base[32];
    size_t base_size;
    bool failed;
};

static void see_pid(struct survey *survey, struct text pid)
{
    if (pid.size == survey->last_pid.size && pid.size &&
        memcmp(pid.bytes, survey->last_pid.bytes, pid.size) == 0)
        return;
    uint32_t number = text_pool_number(&survey->file->pids, pid);
    survey->failed |= number == 0;
    if (number)
        survey->last_pid = survey->file->pids.texts[number];
}

static void see_time(struct survey *survey, struct text text)
{
    int64_t ns;
    if (survey->file->has_time || !json_text_scaled(text, 3, &ns) || ns == 0)
        return;
    survey->file->has_time = true;
    survey->file->is_absolute = ns >= ABSOLUTE_NS;
}

static void see_id(const struct merge_place *place, uint64_t *most)
{
    uint64_t id;
    bool is_text;
    if (merge_event_id(place->text, &id, &is_text) && id > *most)
        *most = id;
}

static const char *see_event(void *user, struct json_cursor *cursor, const char *p)
{
    struct survey *survey = user;
    p = merge_event_read(&survey->event, cursor, p);
    for (unsigned i = 0; p && i < survey->event.count; i++) {
        const struct merge_place *place = &survey->event.places[i];
        if (place->kind == MERGE_PID)
            see_pid(survey, place->text);
        else if (place->kind == MERGE_TIME)
            see_time(survey, place->text);
        else if (place->kind == MERGE_LINK)
            see_id(place, &survey->file->most_link);
        else
            see_id(place, &survey->file->most_id);
    }
    return p;
}

static void see_base(struct survey *survey, struct text piece, bool first)
{
    int64_t base;
    if (first)
        survey->base_size = 0;
    if (piece.size > sizeof survey->base - survey->base_size)
        return;
    memcpy(survey->base + survey->base_size, piece.bytes, piece.size);
    survey->base_size += piece.size;
    if (json_text_scaled((struct text){survey->base, survey->base_size}, 0, &base) && base > 0) {
        survey->file->base_ns = (uint64_t)base;
        survey->file->has_base = true;
    }
}

static void see_value(struct survey *survey, struct merge_member *member, struct text piece,
                      bool first)
{
    if (first && !member->bytes)
        member->bytes = malloc(MERGE_MEMBER_MAX + JSON_PAD_BYTES);
    survey->failed |= !member->bytes;
    if (first)
        member->size = 0;
    member->large |= piece.size > MERGE_MEMBER_MAX - member->size;
    if (!member->bytes || member->large)
        return;
    memcpy(member->bytes + member->size, piece.bytes, piece.size);
    member->size += piece.size;
    memset(member->bytes + member->size, '"', JSON_PAD_BYTES);
}

static struct merge_member *member_of(struct merge_file *file, struct text key)
{
    return text_is(key, "deviceProperties")          ? &file->devices
           : text_is(key, "distributedInfo")         ? &file->distributed
           : text_is(key, "host_name")               ? &file->host
           : text_is(key, KINETO_PROCESSES_OF_TRACE) ? &file->processes[0]
           : text_is(key, KINETO_PROCESSES_MERGED)   ? &file->processes[1]
                                                     : NULL;
}

static void see_member(void *user, struct text key, struct text piece, bool first, bool last)
{
    struct survey *survey = user;
    struct merge_member *member = member_of(survey->file, key);
    (void)last;
    if (text_is(key, "baseTimeNanoseconds"))
        see_base(survey, piece, first);
    else if (member)
        see_value(survey, member, piece, first);
}

void merge_file_fini(struct merge_file *file)
{
    text_pool_fini(&file->pids);
    free(file->new_pids);
    free(file->devices.bytes);
    free(file->distributed.bytes);
    free(file->host.bytes);
    free(file->processes[0].bytes);
    free(file->processes[1].bytes);
}

bool merge_survey(struct merge_file *file, bool partial, struct read_error *error)
{
    struct survey survey = {.file = file};
    const struct kineto_visitor visitor = {
        .user = &survey, .event = see_event, .member = see_member};
    struct source *source = source_open(file->path, error);
    bool seen = source && kineto_file_walk(source, partial, &visitor, &file->walked, error);
    source_close(source);
    if (seen && survey.failed)
        snprintf(error->message, sizeof error->message, "%.400s: out of memory", file->path);
    return seen && !survey.failed;
}
