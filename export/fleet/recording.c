#include "recording.h"

#include "kernel_class.h"
#include "md5.h"
#include "step_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#define RANK_MAX 10000000

/* ---- names ---- */

struct text name_text(const struct recording *recording, uint32_t place)
{
    static const char unnamed[] = "(unnamed)";
    const struct text_pool *names = &recording->timeline->names;
    return place < names->count ? names->at[place] : (struct text){unnamed, sizeof unnamed - 1};
}

int64_t content_id(struct text text)
{
    if (utf8_is_valid(text))
        return (int64_t)(md5_lower(text) / 2);
    char *mended = malloc(UTF8_MENDED_BYTES(text.size));
    int64_t id = 0;
    if (mended)
        id = (int64_t)(md5_lower((struct text){mended, utf8_mend(text, mended)}) / 2);
    free(mended);
    return id;
}

static void use_name(struct recording *recording, uint32_t name)
{
    recording->names[name_place(recording, name)].used = true;
}

static void use_names_of_events(struct recording *recording)
{
    const struct timeline *timeline = recording->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++)
        if (slice_is_shown(timeline, &timeline->slices.at[i]))
            use_name(recording, slice_name(timeline, &timeline->slices.at[i]));
    for (uint32_t i = 0; i < timeline->asyncs.count; i++)
        use_name(recording, tl_shown_name(timeline, timeline->asyncs.at[i].name,
                                          timeline->asyncs.at[i].label));
    for (uint32_t i = 0; i < timeline->marks.count; i++)
        use_name(recording,
                 tl_shown_name(timeline, timeline->marks.at[i].name, timeline->marks.at[i].label));
}

static void use_names_of_operations(struct recording *recording)
{
    const struct timeline *timeline = recording->timeline;
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (!tl_is_work(gpu))
            continue;
        uint32_t range = tl_range_name(timeline, gpu->slice);
        use_name(recording, gpu->name);
        if (range != TL_NONE)
            use_name(recording, range);
    }
}

static void use_names_of_summaries(struct recording *recording)
{
    const struct timeline *timeline = recording->timeline;
    for (uint32_t i = 0; i < timeline->summaries.count; i++)
        if (timeline->summaries.at[i].name != TL_NONE)
            use_name(recording, timeline->summaries.at[i].name);
}

static const char *const nccl_key_names[NCCL_KEYS] = {
    [NCCL_COMMUNICATOR] = "NCCL communicator ID",
    [NCCL_BYTES] = "Message size [bytes]",
    [NCCL_CALL] = "NCCL call",
    [NCCL_COUNTED] = "NCCL sequence number",
    [NCCL_ALGORITHM] = "Algorithm",
    [NCCL_PROTOCOL] = "Protocol",
    [NCCL_CHANNELS] = "Channels",
    [NCCL_TYPE] = "Data type",
    [NCCL_GROUP] = "NCCL group",
    [NCCL_CAPTURED] = "Graph captured",
    [NCCL_PEER] = "Peer rank",
    [NCCL_RANK] = "Rank",
    [TORCH_FUNCTION] = "Collective name",
    [TORCH_GROUP] = "Process Group Name",
    [TORCH_GROUP_RANKS] = "Process Group Ranks",
    [TORCH_SEQUENCE] = "Seq",
    [TORCH_TYPE] = "dtype",
    [TORCH_IN] = "In msg nelems",
    [TORCH_OUT] = "Out msg nelems",
};

static void read_name(struct recording *recording, uint32_t place)
{
    struct text text = name_text(recording, place);
    recording->names[place].id = content_id(text);
    recording->names[place].communicates = kernel_class_communicates(text.bytes, text.size);
    for (unsigned i = 0; i < NCCL_KEYS; i++)
        if (text_is(text, nccl_key_names[i]))
            recording->nccl_keys[i] = place;
    if (text_is(text, "Call stack"))
        recording->stack_key = place;
}

static bool find_names(struct recording *recording)
{
    const struct timeline *timeline = recording->timeline;
    recording->names = calloc(timeline->names.count + (size_t)1, sizeof *recording->names);
    recording->stack_key = TL_NONE;
    for (unsigned i = 0; i < NCCL_KEYS; i++)
        recording->nccl_keys[i] = TL_NONE;
    if (!recording->names)
        return false;
    if (recording->source.summaries) {
        use_names_of_summaries(recording);
    } else {
        use_names_of_events(recording);
        use_names_of_operations(recording);
    }
    for (uint32_t i = 0; i <= timeline->names.count; i++)
        read_name(recording, i);
    return true;
}

/* ---- ranks ---- */

static uint32_t find_unit(const struct recording *recording, int32_t rank)
{
    uint32_t i = 0;
    while (i < recording->units.count && recording->units.at[i].rank != rank)
        i++;
    return i;
}

/* The number after a word that begins there, after '-', '_' or '.' if `separated`. -1: none. */
static int32_t number_after(const char *at, const char *word, bool separated)
{
    const char *digits = at + strlen(word);
    if (strncasecmp(at, word, strlen(word)) != 0)
        return -1;
    if (separated && *digits && strchr("-_.", *digits))
        digits++;
    if (!isdigit((unsigned char)*digits))
        return -1;
    char *end;
    long rank = strtol(digits, &end, 10);
    return !isalnum((unsigned char)*end) && rank <= RANK_MAX ? (int32_t)rank : -1;
}

/* The last number after "rank" in the name of a file, else the last one after "_r": rank0, rank-3,
 * _r12. -1: none. */
static int32_t rank_in_name(const char *name)
{
    int32_t after_rank = -1, after_r = -1;
    for (const char *p = name; *p; p++) {
        bool begins = p == name || !isalnum((unsigned char)p[-1]);
        int32_t rank = begins ? number_after(p, "rank", true) : -1;
        int32_t r = number_after(p, "_r", false);
        after_rank = rank >= 0 ? rank : after_rank;
        after_r = r >= 0 ? r : after_r;
    }
    return after_rank >= 0 ? after_rank : after_r;
}

/* Derived from the recording, so that ranks differ between parts packed at different times. */
static int32_t unknown_rank(const struct recording *recording, uint32_t process)
{
    uint64_t pid = recording->timeline->processes.at[process].info.pid;
    return -1 - (int32_t)(((uint64_t)recording->id + pid * 7919 + process) % INT32_MAX);
}

static bool find_units(struct recording *recording)
{
    const struct timeline *timeline = recording->timeline;
    recording->unit_of = calloc(timeline->processes.count + (size_t)1, sizeof *recording->unit_of);
    recording->named_rank = -1;
    if (timeline->processes.count == 1 && timeline->processes.at[0].info.rank < 0)
        recording->named_rank = rank_in_name(recording->file);
    for (uint32_t i = 0; i < timeline->processes.count && recording->unit_of; i++) {
        int32_t stated = timeline->processes.at[i].info.rank;
        int32_t rank = stated < 0 ? recording->named_rank : stated;
        bool known = rank >= 0;
        if (!known)
            rank = unknown_rank(recording, i);
        uint32_t at = known ? find_unit(recording, rank) : recording->units.count;
        if (at == recording->units.count) {
            struct unit *unit = ARRAY_ADD(&recording->units);
            if (!unit)
                return false;
            *unit = (struct unit){.rank = rank, .known = known};
        }
        recording->unit_of[i] = at;
    }
    return recording->unit_of != NULL;
}

static bool run_together(const struct recording *one, const struct recording *other)
{
    const struct tl_process *a = one->timeline->processes.at, *b = other->timeline->processes.at;
    return since_epoch(one, a->start_ns) < since_epoch(other, b->end_ns) &&
           since_epoch(other, b->start_ns) < since_epoch(one, a->end_ns);
}

static bool are_of_one_process(const struct recording *one, const struct recording *other)
{
    const struct tl_process_info *a = &one->timeline->processes.at[0].info;
    const struct tl_process_info *b = &other->timeline->processes.at[0].info;
    return a->pid == b->pid && text_equals(a->host, b->host);
}

static void forget_rank(struct recording *recording)
{
    recording->units.at[0].rank = unknown_rank(recording, 0);
    recording->units.at[0].known = false;
}

bool recordings_share_name_rank(struct recording *one, struct recording *other)
{
    if (one->named_rank < 0 || one->named_rank != other->named_rank || !run_together(one, other) ||
        are_of_one_process(one, other))
        return false;
    forget_rank(one);
    forget_rank(other);
    return true;
}

/* ---- steps ---- */

static bool add_step(struct recording *recording, uint32_t index)
{
    const struct timeline *timeline = recording->timeline;
    const struct tl_slice *slice = &timeline->slices.at[index];
    struct step step = {slice->start_ns, recording->ends[index], 0,
                        timeline->threads.at[slice->thread].tid, 0};
    const int64_t number = tl_step_number(timeline->names.at[slice->name]);
    if (number > INT32_MAX)
        return true;
    step.number = (int32_t)number;
    struct step *added = ARRAY_ADD(&unit_of_thread(recording, slice->thread)->steps);
    if (added)
        *added = step;
    return added != NULL;
}

static bool sort_steps(struct unit *unit)
{
    uint32_t count = unit->steps.count;
    struct radix_item *order = malloc((count + (size_t)1) * sizeof *order);
    struct step *sorted = malloc((count + (size_t)1) * sizeof *sorted);
    for (uint32_t i = 0; i < count && order; i++)
        order[i] = (struct radix_item){radix_key(unit->steps.at[i].start_ns), i};
    bool ready = order && sorted && radix_sort(order, count);
    for (uint32_t i = 0; i < count && ready; i++)
        sorted[i] = unit->steps.at[order[i].value];
    free(order);
    if (!ready) {
        free(sorted);
        return false;
    }
    free(unit->steps.at);
    unit->steps.at = sorted;
    unit->steps.capacity = count;
    return true;
}

static int compare_numbers(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

static bool number_steps(struct unit *unit)
{
    if (!ARRAY_RESERVE_MORE(&unit->numbers, unit->steps.count))
        return false;
    for (uint32_t i = 0; i < unit->steps.count; i++)
        unit->numbers.at[i] = unit->steps.at[i].number;
    if (unit->steps.count)
        qsort(unit->numbers.at, unit->steps.count, sizeof *unit->numbers.at, compare_numbers);
    for (uint32_t i = 0; i < unit->steps.count; i++)
        if (i == 0 || unit->numbers.at[i] != unit->numbers.at[unit->numbers.count - 1])
            unit->numbers.at[unit->numbers.count++] = unit->numbers.at[i];
    for (uint32_t i = 0; i < unit->steps.count; i++)
        unit->steps.at[i].sums =
            array_lower_bound(unit->numbers.at, unit->numbers.count, sizeof *unit->numbers.at, 0,
                              (uint32_t)unit->steps.at[i].number);
    return true;
}

static bool find_steps(struct recording *recording)
{
    const struct timeline *timeline = recording->timeline;
    bool complete = true;
    for (uint32_t i = 0; i < timeline->slices.count && complete; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (slice->kind == TL_STEP && recording_counts(recording, slice))
            complete = add_step(recording, i);
    }
    for (uint32_t i = 0; i < recording->units.count && complete; i++)
        complete = sort_steps(&recording->units.at[i]) && number_steps(&recording->units.at[i]);
    return complete;
}

const struct step *step_search(struct unit *unit, int64_t ns)
{
    uint32_t first = 0, end = unit->steps.count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (unit->steps.at[middle].start_ns <= ns)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == 0)
        return NULL;
    unit->hint = first - 1;
    const struct step *step = &unit->steps.at[first - 1];
    return ns < step->end_ns ? step : NULL;
}

/* ---- all of it ---- */

bool recording_init(struct recording *recording, const struct fleet_source *source)
{
    *recording = (struct recording){.timeline = source->timeline, .source = *source};
    recording->file = strdup(source->file);
    recording->identity = strdup(source->identity);
    recording->id = content_id((struct text){source->identity, strlen(source->identity)});
    recording->ends = slice_ends_create(source->timeline);
    return recording->file && recording->identity && recording->ends && find_names(recording) &&
           find_units(recording) && find_steps(recording);
}

void recording_fini(struct recording *recording)
{
    for (uint32_t i = 0; i < recording->units.count; i++) {
        free(recording->units.at[i].steps.at);
        free(recording->units.at[i].numbers.at);
        step_parts_destroy(recording->units.at[i].parts);
    }
    free(recording->units.at);
    free(recording->unit_of);
    free(recording->ends);
    free(recording->names);
    free(recording->file);
    free(recording->identity);
    if (recording->source.done)
        recording->source.done(recording->source.owner);
    *recording = (struct recording){0};
}
