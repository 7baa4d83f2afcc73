#include "merge_plan.h"

#include "chrome_rows.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- places of an event ---- */

static void add_place(struct merge_event *event, enum merge_kind kind, const char *begin,
                      const char *end)
{
    if (event->count < MERGE_PLACES_MAX)
        event->places[event->count++] = (struct merge_place){kind, {begin, (size_t)(end - begin)}};
}

/* Which place a member is; false: none. `inner`: of "args" or "id2". */
typedef bool find_kind(const struct json_string *key, enum merge_kind *kind);

static bool kind_of_arg(const struct json_string *key, enum merge_kind *kind)
{
    *kind = MERGE_LINK;
    return json_string_is(key, "External id") || json_string_is(key, "external id") ||
           json_string_is(key, "correlation") || json_string_is(key, "piece of");
}

static bool kind_of_id2(const struct json_string *key, enum merge_kind *kind)
{
    *kind = MERGE_ID;
    return json_string_is(key, "global") || json_string_is(key, "local");
}

static bool kind_of_member(const struct json_string *key, enum merge_kind *kind)
{
    *kind = json_string_is(key, "ts")    ? MERGE_TIME
            : json_string_is(key, "pid") ? MERGE_PID
                                         : MERGE_ID;
    return *kind != MERGE_ID || json_string_is(key, "id") || json_string_is(key, "bind_id");
}

/* An object within the event. */
static const char *read_inner(struct merge_event *event, struct json_cursor *cursor, const char *p,
                              find_kind *find)
{
    struct json_string key;
    enum merge_kind kind;
    bool more = true;
    if (p >= cursor->end || *p != '{')
        return json_skip(cursor, p);
    p = json_space(p + 1);
    if (p < cursor->end && *p == '}')
        return p + 1;
    while (p && more) {
        p = json_key_at(cursor, p, &key);
        const char *after = p ? json_skip(cursor, p) : NULL;
        if (after && find(&key, &kind))
            add_place(event, kind, p, after);
        p = after ? json_next(cursor, after, '}', &more) : NULL;
    }
    return p;
}

static const char *read_member(struct merge_event *event, const struct json_string *key,
                               struct json_cursor *cursor, const char *p)
{
    enum merge_kind kind;
    if (json_string_is(key, "args"))
        return read_inner(event, cursor, p, kind_of_arg);
    if (json_string_is(key, "id2"))
        return read_inner(event, cursor, p, kind_of_id2);
    const char *after = json_skip(cursor, p);
    if (after && kind_of_member(key, &kind))
        add_place(event, kind, p, after);
    return after;
}

const char *merge_event_read(struct merge_event *event, struct json_cursor *cursor, const char *p)
{
    struct json_string key;
    bool more = true;
    event->count = 0;
    p = json_space(p + 1);
    if (p < cursor->end && *p == '}')
        return p + 1;
    while (p && more) {
        p = json_key_at(cursor, p, &key);
        if (p)
            p = read_member(event, &key, cursor, p);
        if (p)
            p = json_next(cursor, p, '}', &more);
    }
    return p;
}

static bool read_hex(struct text text, uint64_t *id)
{
    *id = 0;
    if (text.size > 2 && text.bytes[0] == '0' && (text.bytes[1] | 0x20) == 'x')
        text = (struct text){text.bytes + 2, text.size - 2};
    for (size_t i = 0; i < text.size; i++) {
        int digit = json_hex_digit(text.bytes[i]);
        if (digit < 0)
            return false;
        *id = *id * 16 + (unsigned)digit;
    }
    return text.size > 0 && text.size <= 13;
}

/* Up to 2^53, the precision of readers that use doubles. */
bool merge_event_id(struct text text, uint64_t *id, bool *is_text)
{
    int64_t number;
    *is_text = text.size >= 2 && text.bytes[0] == '"';
    if (*is_text)
        return read_hex((struct text){text.bytes + 1, text.size - 2}, id);
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] < '0' || text.bytes[i] > '9')
            return false;
    if (!json_text_scaled(text, 0, &number) || number >= INT64_C(1) << 53)
        return false;
    *id = (uint64_t)number;
    return true;
}

/* Digits before and after the point. */
struct parts {
    struct text whole, fraction;
    bool negative;
};

static bool split_number(struct text text, struct parts *parts)
{
    *parts = (struct parts){.negative = text.size && text.bytes[0] == '-'};
    size_t at = parts->negative, whole = at;
    while (at < text.size && text.bytes[at] >= '0' && text.bytes[at] <= '9')
        at++;
    parts->whole = (struct text){text.bytes + whole, at - whole};
    parts->fraction = (struct text){text.bytes + at, 0};
    if (at < text.size && text.bytes[at] == '.') {
        size_t fraction = ++at;
        while (at < text.size && text.bytes[at] >= '0' && text.bytes[at] <= '9')
            at++;
        parts->fraction = (struct text){text.bytes + fraction, at - fraction};
    }
    return at == text.size && parts->whole.size && parts->whole.size <= 16;
}

static void write_text(struct json_out *out, struct text text)
{
    json_out_bytes(out, text.bytes, text.size);
}

/* "123" or "123.456", and what was behind the third decimal. */
static void write_moved(struct json_out *out, int64_t ns, struct text rest, bool decimals)
{
    char number[48];
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    int length = snprintf(number, sizeof number, "%s%" PRIu64, ns < 0 ? "-" : "", size / 1000);
    if (decimals || size % 1000)
        length += snprintf(number + length, sizeof number - (size_t)length, ".%03u",
                           (unsigned)(size % 1000));
    write_text(out, (struct text){number, (size_t)length});
    write_text(out, rest);
}

bool merge_event_time(struct json_out *out, struct text text, int64_t later_ns)
{
    struct parts parts;
    int64_t ns;
    bool quoted = text.size >= 2 && text.bytes[0] == '"';
    struct text bare = quoted ? (struct text){text.bytes + 1, text.size - 2} : text;
    bool plain = split_number(bare, &parts) && json_text_scaled(bare, 3, &ns) &&
                 ns < JSON_NUMBER_MAX && ns > -JSON_NUMBER_MAX;
    size_t kept = parts.fraction.size > 3 ? parts.fraction.size - 3 : 0;
    if (!plain || (parts.negative && kept) || (kept && ns + later_ns < 0)) {
        write_text(out, text);
        return later_ns == 0;
    }
    struct text rest = {parts.fraction.bytes + parts.fraction.size - kept, kept};
    if (quoted)
        json_out_bytes(out, "\"", 1);
    write_moved(out, ns + later_ns, rest, parts.fraction.size > 0);
    if (quoted)
        json_out_bytes(out, "\"", 1);
    return true;
}

/* ---- what a file has ---- */

/* 2001: only clocks since the epoch are beyond. */
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
    if (pid.size && text_equals(pid, survey->last_pid))
        return;
    uint32_t number = text_pool_number(&survey->file->pids, pid);
    survey->failed |= number == 0;
    if (number)
        survey->last_pid = text_pool_text(&survey->file->pids, number);
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

static void see_base(struct survey *survey, struct text segment, bool first)
{
    int64_t base;
    if (first)
        survey->base_size = 0;
    if (segment.size > sizeof survey->base - survey->base_size)
        return;
    memcpy(survey->base + survey->base_size, segment.bytes, segment.size);
    survey->base_size += segment.size;
    if (json_text_scaled((struct text){survey->base, survey->base_size}, 0, &base) && base > 0) {
        survey->file->base_ns = (uint64_t)base;
        survey->file->has_base = true;
    }
}

static void see_value(struct survey *survey, struct merge_member *member, struct text segment,
                      bool first)
{
    if (first && !member->bytes)
        member->bytes = malloc(MERGE_MEMBER_MAX + JSON_PAD_BYTES);
    survey->failed |= !member->bytes;
    if (first)
        member->size = 0;
    member->large |= segment.size > MERGE_MEMBER_MAX - member->size;
    if (!member->bytes || member->large)
        return;
    memcpy(member->bytes + member->size, segment.bytes, segment.size);
    member->size += segment.size;
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

static void see_member(void *user, struct text key, struct text segment, bool first, bool last)
{
    struct survey *survey = user;
    struct merge_member *member = member_of(survey->file, key);
    (void)last;
    if (text_is(key, "baseTimeNanoseconds"))
        see_base(survey, segment, first);
    else if (member)
        see_value(survey, member, segment, first);
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

/* Reads what the file has; leaves the rest of `file` alone. False: `error` says why. */
static bool survey_file(struct merge_file *file, bool partial, struct read_error *error)
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

/* ---- what is new ---- */

/* New pids start beyond those that chrome_rows.h assigns. */
#define OWN_PIDS UINT64_C(9000000)

/* Marks the pid as used. True: it was not; the empty one, on which nothing is drawn, never is. */
static bool use_pid(struct merge_plan *plan, struct text pid)
{
    uint32_t before = plan->used_pids.count;
    if (merge_without_quotes(pid).size == 0)
        return true;
    plan->failed |= text_pool_number(&plan->used_pids, merge_without_quotes(pid)) == 0;
    return plan->used_pids.count != before;
}

static bool use_number(struct merge_plan *plan, uint64_t pid, char *text, size_t room)
{
    int size = snprintf(text, room, "%" PRIu64, pid);
    return use_pid(plan, (struct text){text, (size_t)size});
}

/* "Spans" becomes "Spans (2)", a number another one. */
static struct text new_pid(struct merge_plan *plan, struct merge_file *file, struct text pid)
{
    char text[512];
    bool is_text = pid.bytes[0] == '"';
    struct text bare = merge_without_quotes(pid);
    int64_t number;
    if (!is_text || json_text_scaled(bare, 0, &number) || bare.size > 400) {
        while (!use_number(plan, plan->next_pid++, text, sizeof text) && !plan->failed) {
        }
    } else {
        unsigned copy = 2;
        do
            snprintf(text, sizeof text, "\"%.*s (%u)\"", (int)bare.size, bare.bytes, copy++);
        while (!use_pid(plan, (struct text){text, strlen(text)}) && !plan->failed);
    }
    struct text kept = text_pool_copy(&file->pids, (struct text){text, strlen(text)});
    plan->failed |= !kept.bytes;
    return kept.bytes ? kept : pid;
}

uint32_t merge_file_pid(const struct merge_file *file, struct text bare, bool quoted)
{
    char text[512];
    if (!quoted)
        return text_pool_find_number(&file->pids, bare);
    if (bare.size + 2 > sizeof text)
        return 0;
    text[0] = text[bare.size + 1] = '"';
    memcpy(text + 1, bare.bytes, bare.size);
    return text_pool_find_number(&file->pids, (struct text){text, bare.size + 2});
}

/* A pid that is both "7" and 7 within one file stays one. 0: it is not, or the other one comes
 * later. */
static uint32_t twin_of(const struct merge_file *file, uint32_t number)
{
    struct text pid = text_pool_text(&file->pids, number);
    uint32_t twin = merge_file_pid(file, merge_without_quotes(pid), pid.bytes[0] != '"');
    return twin < number ? twin : 0;
}

static void choose_pids(struct merge_plan *plan, struct merge_file *file)
{
    file->new_pids = calloc((size_t)file->pids.count + 1, sizeof *file->new_pids);
    plan->failed |= !file->new_pids;
    file->pid_count = file->pids.count + 1;
    for (uint32_t i = 1; i < file->pid_count && !plan->failed; i++) {
        struct text pid = text_pool_text(&file->pids, i);
        uint32_t twin = twin_of(file, i);
        if (twin)
            file->new_pids[i] =
                file->new_pids[twin].bytes == text_pool_text(&file->pids, twin).bytes
                    ? pid
                    : file->new_pids[twin];
        else
            file->new_pids[i] = use_pid(plan, pid) ? pid : new_pid(plan, file, pid);
    }
}

static uint64_t timeline_base(const struct timeline *timeline)
{
    uint64_t early = timeline->start_ns < 0 ? 0 - (uint64_t)timeline->start_ns : 0;
    return early < timeline->base_realtime_ns ? timeline->base_realtime_ns - early : 0;
}

static void choose_times(struct merge_plan *plan, const struct timeline *timeline)
{
    uint64_t base = timeline ? timeline_base(timeline) : 0;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->files[i].has_base && (!base || plan->files[i].base_ns < base))
            base = plan->files[i].base_ns;
    plan->base_ns = base;
    for (size_t i = 0; i < plan->count; i++) {
        struct merge_file *file = &plan->files[i];
        if (file->has_base || (file->is_absolute && base))
            file->later_ns = (int64_t)(file->base_ns - base);
    }
}

/* The largest ids that a plan has given out so far. */
struct used_ids {
    uint64_t link, other;
};

static void use_link(struct used_ids *used, uint64_t id)
{
    used->link = id > used->link ? id : used->link;
}

/* "External id" is that of a slice: see chrome_args_external_id(). */
static struct used_ids ids_of_timeline(const struct timeline *timeline,
                                       const struct chrome_rows *rows)
{
    struct used_ids used = {timeline->slices.count,
                            (uint64_t)timeline->gpus.count + timeline->asyncs.count +
                                timeline->fwdbwds.count + timeline->timings.count +
                                timeline->migrations.count};
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        use_link(&used, chrome_rows_id(rows, timeline->gpus.at[i].process,
                                       timeline->gpus.at[i].correlation));
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (slice->kind == TL_API && slice->api < timeline->apis.count)
            use_link(&used, chrome_rows_id(rows, timeline->threads.at[slice->thread].process,
                                           timeline->apis.at[slice->api].correlation));
    }
    return used;
}

/* The pids and the largest ids that a Chrome trace of the timeline has. */
static struct used_ids use_timeline(struct merge_plan *plan, const struct timeline *timeline)
{
    struct chrome_rows rows;
    char text[32];
    if (!chrome_rows_init(&rows, timeline, CHROME_IDS_MAX)) {
        plan->failed = true;
        return (struct used_ids){0, 0};
    }
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        use_number(plan, rows.pids[i], text, sizeof text);
    for (uint32_t i = 0; i < rows.gpu_count; i++)
        use_number(plan, rows.gpus[i].pid, text, sizeof text);
    struct used_ids used = ids_of_timeline(timeline, &rows);
    chrome_rows_fini(&rows);
    return used;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Each file's ids begin after those of the files before. Kineto's flows have the ids of
 * correlations, and keep them; but where ids of flows or ranges are so large that correlations
 * would leave their 32 bits, as addresses are, the two count apart. */
static void choose_ids(struct merge_plan *plan, struct used_ids used)
{
    uint64_t all = larger(used.link, used.other);
    for (size_t i = 0; i < plan->count && all <= UINT32_MAX; i++)
        all += larger(plan->files[i].most_link, plan->files[i].most_id);
    bool together = all <= UINT32_MAX;
    if (together)
        used.link = used.other = larger(used.link, used.other);
    for (size_t i = 0; i < plan->count; i++) {
        struct merge_file *file = &plan->files[i];
        file->link_offset = used.link;
        file->id_offset = used.other;
        used.link += together ? larger(file->most_link, file->most_id) : file->most_link;
        used.other += together ? larger(file->most_link, file->most_id) : file->most_id;
    }
}

bool merge_plan_make(struct merge_plan *plan, const struct timeline *timeline)
{
    plan->next_pid = OWN_PIDS;
    struct used_ids used = {0, 0};
    if (timeline)
        used = use_timeline(plan, timeline);
    for (size_t i = 0; i < plan->count && !plan->failed; i++) {
        struct merge_file *file = &plan->files[i];
        if (!survey_file(file, plan->partial, &plan->error))
            return false;
        choose_pids(plan, file);
    }
    choose_ids(plan, used);
    choose_times(plan, timeline);
    if (plan->failed)
        snprintf(plan->error.message, sizeof plan->error.message, "out of memory");
    return !plan->failed;
}
