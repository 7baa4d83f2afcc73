/* kineto_rows.c - see kineto_rows.h.
 *
 * A key is the number, or the id of the text as a name, beyond all numbers: in the dialect of 2021
 * a thread is both "4711" and 4711, and those are one. Numbers of 64 bits are such texts, too.
 */
#include "kineto_rows.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEXT_KEY (UINT64_C(1) << 63)
#define FIRST_SLOTS 64u

void kineto_rows_fini(struct kineto_rows *rows)
{
    free(rows->rows.at);
    free(rows->pids.at);
    free(rows->names.at);
    free(rows->groups.at);
    free(rows->process_groups.at);
    free(rows->row_slots);
    free(rows->pid_slots);
    memset(rows, 0, sizeof *rows);
}

static uint64_t key_of(struct kineto_rows *rows, const struct kineto_id *id)
{
    struct text text = {id->text.bytes, id->text.size};
    char digits[24];
    if (!id->text.bytes && id->number < TEXT_KEY)
        return id->number;
    if (!id->text.bytes) {
        int size = snprintf(digits, sizeof digits, "%" PRIu64, id->number);
        text = (struct text){digits, (size_t)size};
    }
    return TEXT_KEY | unordered_name(rows->events, text);
}

static bool is_text(uint64_t key)
{
    return key >> 32 == TEXT_KEY >> 32;
}

/* The number that the key stands for; 0 for a text, which is then in `*name`, else empty. */
static uint64_t number_of(const struct kineto_rows *rows, uint64_t key, struct text *name)
{
    *name = (struct text){"", 0};
    if (!is_text(key))
        return key;
    struct text text = unordered_name_text(rows->events, (uint32_t)key);
    struct kineto_id id = kineto_id_of(text);
    if (id.text.bytes)
        *name = text;
    return id.number;
}

static uint64_t hash_of(uint64_t pid, uint64_t tid)
{
    uint64_t hash = (pid * UINT64_C(0x9e3779b97f4a7c15) ^ tid) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ hash >> 32;
}

/* Twice as many slots, empty; NULL: no memory. */
static uint32_t *more_slots(uint32_t **slots, uint32_t *slot_count)
{
    uint32_t count = *slot_count ? *slot_count * 2 : FIRST_SLOTS;
    uint32_t *grown = count ? calloc(count, sizeof *grown) : NULL;
    if (!grown)
        return NULL;
    free(*slots);
    *slots = grown;
    *slot_count = count;
    return grown;
}

static void place(uint32_t *slots, uint32_t slot_count, uint64_t hash, uint32_t index)
{
    uint32_t at = (uint32_t)hash & (slot_count - 1);
    while (slots[at])
        at = (at + 1) & (slot_count - 1);
    slots[at] = index + 1;
}

static bool room_for_pid(struct kineto_rows *rows)
{
    if (rows->pids.count < rows->pid_slot_count / 2)
        return true;
    if (!more_slots(&rows->pid_slots, &rows->pid_slot_count))
        return false;
    for (uint32_t i = 0; i < rows->pids.count; i++)
        place(rows->pid_slots, rows->pid_slot_count, hash_of(rows->pids.at[i].key, 0), i);
    return true;
}

/* Index into pids; UINT32_MAX: no memory. */
static uint32_t pid_slot(struct kineto_rows *rows, uint64_t key)
{
    if (!room_for_pid(rows)) {
        rows->failed = true;
        return UINT32_MAX;
    }
    uint64_t hash = hash_of(key, 0);
    uint32_t mask = rows->pid_slot_count - 1;
    for (uint32_t at = (uint32_t)hash & mask; rows->pid_slots[at]; at = (at + 1) & mask)
        if (rows->pids.at[rows->pid_slots[at] - 1].key == key)
            return rows->pid_slots[at] - 1;
    struct kineto_pid *pid = ARRAY_ADD(&rows->pids);
    if (!pid) {
        rows->failed = true;
        return UINT32_MAX;
    }
    *pid = (struct kineto_pid){.key = key};
    place(rows->pid_slots, rows->pid_slot_count, hash, rows->pids.count - 1);
    return rows->pids.count - 1;
}

static bool room_for_row(struct kineto_rows *rows)
{
    if (rows->rows.count < rows->row_slot_count / 2)
        return true;
    if (!more_slots(&rows->row_slots, &rows->row_slot_count))
        return false;
    for (uint32_t i = 0; i < rows->rows.count; i++)
        place(rows->row_slots, rows->row_slot_count,
              hash_of(rows->rows.at[i].pid, rows->rows.at[i].tid), i);
    return true;
}

/* Index into rows; UINT32_MAX: not there. */
static uint32_t find_row(const struct kineto_rows *rows, uint64_t pid, uint64_t tid)
{
    if (!rows->row_slot_count)
        return UINT32_MAX;
    uint32_t mask = rows->row_slot_count - 1;
    for (uint32_t at = (uint32_t)hash_of(pid, tid) & mask; rows->row_slots[at];
         at = (at + 1) & mask) {
        const struct kineto_row *row = &rows->rows.at[rows->row_slots[at] - 1];
        if (row->pid == pid && row->tid == tid)
            return rows->row_slots[at] - 1;
    }
    return UINT32_MAX;
}

static uint32_t add_row(struct kineto_rows *rows, uint64_t pid, uint64_t tid)
{
    uint32_t slot = pid_slot(rows, pid);
    struct kineto_row *row =
        slot == UINT32_MAX || !room_for_row(rows) ? NULL : ARRAY_ADD(&rows->rows);
    if (!row) {
        rows->failed = true;
        return UINT32_MAX;
    }
    struct text name;
    uint64_t number = number_of(rows, tid, &name);
    uint32_t thread = unordered_add_thread(rows->events, 0, number);
    if (thread && name.size)
        unordered_name_thread(rows->events, thread, name);
    *row = (struct kineto_row){.pid = pid, .tid = tid, .slot = slot, .thread = thread};
    place(rows->row_slots, rows->row_slot_count, hash_of(pid, tid), rows->rows.count - 1);
    return rows->rows.count - 1;
}

uint32_t kineto_rows_thread(struct kineto_rows *rows, const struct kineto_id *pid,
                            const struct kineto_id *tid, uint64_t events)
{
    uint64_t pid_key = key_of(rows, pid), tid_key = key_of(rows, tid);
    const struct kineto_row *row =
        rows->last < rows->rows.count ? &rows->rows.at[rows->last] : NULL;
    if (!row || row->pid != pid_key || row->tid != tid_key) {
        uint32_t index = find_row(rows, pid_key, tid_key);
        if (index == UINT32_MAX)
            index = add_row(rows, pid_key, tid_key);
        if (index == UINT32_MAX || !rows->rows.at)
            return 0;
        rows->last = index;
    }
    rows->rows.at[rows->last].events += events;
    row = &rows->rows.at[rows->last];
    rows->pids.at[row->slot].events += events;
    return row->thread;
}

void kineto_rows_name_process(struct kineto_rows *rows, const struct kineto_id *pid, uint32_t name)
{
    uint32_t slot = pid_slot(rows, key_of(rows, pid));
    if (slot != UINT32_MAX)
        rows->pids.at[slot].name = name;
}

void kineto_rows_name_thread(struct kineto_rows *rows, const struct kineto_id *pid,
                             const struct kineto_id *tid, uint32_t name)
{
    struct kineto_row_name *added = ARRAY_ADD(&rows->names);
    rows->failed |= !added;
    if (added)
        *added = (struct kineto_row_name){key_of(rows, pid), key_of(rows, tid), name};
}

/* As a word, or a part of one that goes on with digits. `numbered`: a digit follows, as in "GPU 0"
 * and "GPU:0", but not in "GPU Process". */
static bool has_word(struct text text, const char *word, bool numbered)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++) {
        unsigned char before = i ? (unsigned char)text.bytes[i - 1] : ' ';
        unsigned char after = i + size < text.size ? (unsigned char)text.bytes[i + size] : ' ';
        unsigned char next =
            i + size + 1 < text.size ? (unsigned char)text.bytes[i + size + 1] : ' ';
        if (numbered && !isdigit(after) && !isdigit(next))
            continue;
        if (strncasecmp(text.bytes + i, word, size) == 0 && !isalnum(before) && !isalpha(after))
            return true;
    }
    return false;
}

/* What makers call accelerators. */
static bool names_device(struct text text)
{
    static const char *const words[] = {"NPU",    "AIU", "TPU",         "HPU",
                                        "IPU",    "XPU", "MTIA",        "MLU",
                                        "DCU",    "GCU", "accelerator", "Ascend Hardware",
                                        "AI Core"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(text, words[i], false))
            return true;
    return has_word(text, "GPU", true);
}

void kineto_rows_describe(struct kineto_rows *rows, const struct kineto_id *pid, struct text text)
{
    uint32_t slot = names_device(text) ? pid_slot(rows, key_of(rows, pid)) : UINT32_MAX;
    if (slot != UINT32_MAX)
        rows->pids.at[slot].is_device_like = true;
}

void kineto_rows_categorize(struct kineto_rows *rows, uint32_t thread, struct text category)
{
    if (rows->last < rows->rows.count && rows->rows.at[rows->last].thread == thread &&
        names_device(category))
        rows->rows.at[rows->last].is_device_like = true;
}

static uint32_t count_device_like(const struct kineto_rows *rows)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows->rows.count && !rows->is_libprofs; i++) {
        const struct kineto_row *row = &rows->rows.at[i];
        count += row->events && (row->is_device_like || rows->pids.at[row->slot].is_device_like);
    }
    return count;
}

/* A device of a maker that this reader does not know: its rows cannot be told from those of
 * threads. */
void kineto_rows_note_devices(const struct kineto_rows *rows)
{
    char text[160];
    uint32_t count = count_device_like(rows);
    if (!count)
        return;
    snprintf(
        text, sizeof text,
        count == 1
            ? "%u row looks like a device row and is counted as a thread: what that device did "
              "cannot be judged"
            : "%u rows look like device rows and are counted as threads: what that device did "
              "cannot be judged",
        count);
    unordered_note(rows->events, (struct text){text, strlen(text)});
}

uint32_t kineto_rows_pid(struct kineto_rows *rows, const struct kineto_id *pid)
{
    return pid_slot(rows, key_of(rows, pid));
}

uint32_t kineto_rows_device(struct kineto_rows *rows, const struct kineto_id *pid)
{
    uint32_t slot = kineto_rows_pid(rows, pid);
    if (slot != UINT32_MAX)
        rows->pids.at[slot].operates = true;
    return slot;
}

uint64_t kineto_rows_tid(struct kineto_rows *rows, const struct kineto_id *tid)
{
    return key_of(rows, tid);
}

static bool room_for_group(struct kineto_rows *rows, uint32_t group)
{
    while (rows->groups.count <= group) {
        struct kineto_group_rows *added = ARRAY_ADD(&rows->groups);
        if (!added)
            return false;
        *added = (struct kineto_group_rows){.main = EVENT_NO_PROCESS};
    }
    return true;
}

static void group_pid(struct kineto_rows *rows, uint64_t key, uint32_t group,
                      const struct kineto_id *own)
{
    uint32_t slot = pid_slot(rows, key);
    if (slot == UINT32_MAX || !room_for_group(rows, group)) {
        rows->failed = true;
        return;
    }
    struct kineto_pid *pid = &rows->pids.at[slot];
    pid->group = group;
    pid->renumbered = own->present && !own->text.bytes;
    pid->own = pid->renumbered ? own->number : 0;
    if (!rows->groups.at[group].first)
        rows->groups.at[group].first = slot + 1;
}

void kineto_rows_group(struct kineto_rows *rows, struct text pid, uint32_t group,
                       const struct kineto_id *own)
{
    struct kineto_id id = kineto_id_of(pid);
    group_pid(rows, key_of(rows, &id), group, own);
}

/* After kineto_rows_finish(): the process with that pid; EVENT_NO_PROCESS: it is not one. */
static uint32_t process_with(const struct kineto_rows *rows, uint32_t pid)
{
    return pid < rows->pids.count && rows->pids.at[pid].events ? rows->pids.at[pid].process
                                                               : EVENT_NO_PROCESS;
}

/* The process that comes next. */
static void put_in_group(struct kineto_rows *rows, uint32_t group)
{
    uint32_t *added = ARRAY_ADD(&rows->process_groups);
    rows->failed |= !added;
    if (added)
        *added = group;
}

static void add_process(struct kineto_rows *rows, struct kineto_pid *pid)
{
    pid->process = unordered_add_process(rows->events);
    if (unordered_failed(rows->events))
        return;
    struct tl_process_info *process = unordered_process_info(rows->events, pid->process);
    struct text text;
    uint64_t number = number_of(rows, pid->key, &text);
    process->pid = pid->renumbered ? pid->own : number;
    process->program = pid->name ? unordered_name_text(rows->events, pid->name) : text;
    put_in_group(rows, pid->group);
}

/* A process of which the file says nothing. */
static uint32_t add_unknown(struct kineto_rows *rows)
{
    put_in_group(rows, 0);
    return unordered_add_process(rows->events);
}

static uint32_t most_events(const struct kineto_rows *rows)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < rows->pids.count; i++)
        if (rows->pids.at[i].events > rows->pids.at[most].events)
            most = i;
    return most;
}

/* "thread 51 (python)", as Kineto and libprof call the thread 51 whose name is "python": sets the
 * number, and returns the name. Others are returned as they are. */
static struct text own_name(struct text name, uint64_t *tid)
{
    static const char begin[] = "thread ";
    size_t at = sizeof begin - 1, digits = at;
    if (!text_begins(name, begin))
        return name;
    while (digits < name.size && (unsigned char)(name.bytes[digits] - '0') < 10)
        digits++;
    struct kineto_id id = kineto_id_of((struct text){name.bytes + at, digits - at});
    if (id.text.bytes || name.size < digits + 3 || memcmp(name.bytes + digits, " (", 2) != 0 ||
        name.bytes[name.size - 1] != ')')
        return name;
    *tid = id.number;
    return (struct text){name.bytes + digits + 2, name.size - digits - 3};
}

/* The row's tid is its thread's, but where the file could not hold that one: such a file is
 * libprof's, and the name has the true one. */
static void name_thread(struct kineto_rows *rows, const struct kineto_row *row, struct text name)
{
    struct text text;
    uint64_t tid = number_of(rows, row->tid, &text), named = tid;
    struct text own = own_name(name, &named);
    if (named != tid && rows->is_libprofs)
        unordered_number_thread(rows->events, row->thread, named);
    own = named == tid || rows->is_libprofs ? own : name;
    /* where the tid is a text, two threads may differ in nothing else */
    char both[256];
    if (text.size && !memmem(own.bytes, own.size, text.bytes, text.size)) {
        snprintf(both, sizeof both, "%.*s (%.*s)", (int)(own.size < 120 ? own.size : 120),
                 own.bytes, (int)(text.size < 120 ? text.size : 120), text.bytes);
        own = (struct text){both, strlen(both)};
    }
    unordered_name_thread(rows->events, row->thread, own);
}

static void name_threads(struct kineto_rows *rows)
{
    for (uint32_t i = 0; i < rows->names.count; i++) {
        const struct kineto_row_name *named = &rows->names.at[i];
        uint32_t row = find_row(rows, named->pid, named->tid);
        if (row != UINT32_MAX &&
            text_begins(unordered_name_text(rows->events, named->name), "Stream "))
            rows->rows.at[row].is_device_like = true;
        if (row != UINT32_MAX)
            name_thread(rows, &rows->rows.at[row], unordered_name_text(rows->events, named->name));
    }
}

/* The process for what is on rows of a pid that is none. */
static uint32_t main_of(const struct kineto_rows *rows, const struct kineto_pid *pid)
{
    uint32_t main = pid->group ? rows->groups.at[pid->group].main : EVENT_NO_PROCESS;
    return main != EVENT_NO_PROCESS ? main : rows->main;
}

uint32_t kineto_rows_of_thread(const struct kineto_rows *rows, uint32_t pid)
{
    if (pid >= rows->pids.count)
        return rows->main;
    return rows->pids.at[pid].events ? rows->pids.at[pid].process
                                     : main_of(rows, &rows->pids.at[pid]);
}

struct event_row kineto_rows_of_device(const struct kineto_rows *rows, uint32_t pid)
{
    if (pid >= rows->pids.count)
        return (struct event_row){EVENT_NO_PROCESS, 0, rows->main};
    const struct kineto_pid *row = &rows->pids.at[pid];
    return (struct event_row){process_with(rows, pid), row->group, main_of(rows, row)};
}

/* Of each group, the process that has most of its events. */
static void find_group_mains(struct kineto_rows *rows)
{
    uint64_t *most = calloc(rows->groups.count + (size_t)1, sizeof *most);
    rows->failed |= !most;
    for (uint32_t i = 0; i < rows->pids.count && most; i++) {
        const struct kineto_pid *pid = &rows->pids.at[i];
        if (!pid->group)
            continue;
        rows->groups.at[pid->group].operates |= pid->operates;
        if (pid->events > most[pid->group]) {
            most[pid->group] = pid->events;
            rows->groups.at[pid->group].main = pid->process;
        }
    }
    free(most);
}

static bool is_full(const struct kineto_rows *rows)
{
    return unordered_process_count(rows->events) + 1 >= KINETO_PROCESSES_MAX;
}

/* A group that has nothing but operations of devices is a process nonetheless. */
static void add_group_processes(struct kineto_rows *rows)
{
    for (uint32_t i = 1; i < rows->groups.count && !rows->failed; i++) {
        struct kineto_group_rows *group = &rows->groups.at[i];
        if (group->main != EVENT_NO_PROCESS || !group->operates)
            continue;
        struct kineto_pid *first = &rows->pids.at[group->first - 1];
        rows->surplus_pids += is_full(rows);
        if (is_full(rows) || first->group != i)
            continue;
        add_process(rows, first);
        group->main = first->process;
    }
}

uint32_t kineto_rows_finish(struct kineto_rows *rows, bool needed)
{
    uint32_t most = most_events(rows);
    bool any = rows->pids.count && rows->pids.at[most].events;
    for (uint32_t i = 0; i < rows->pids.count; i++) {
        struct kineto_pid *pid = &rows->pids.at[i];
        bool surplus = i != most && is_full(rows);
        rows->surplus_pids += surplus && pid->events;
        pid->events = surplus ? 0 : pid->events;
        if (pid->events)
            add_process(rows, pid);
    }
    find_group_mains(rows);
    add_group_processes(rows);
    rows->main = UINT32_MAX;
    if (unordered_failed(rows->events) || rows->failed || (!any && !needed && !rows->rows.count))
        return UINT32_MAX;
    if (any)
        rows->main = rows->pids.at[most].process;
    else if (unordered_process_count(rows->events))
        rows->main = 0;
    else
        rows->main = add_unknown(rows);
    for (uint32_t i = 0; i < rows->rows.count; i++)
        unordered_move_thread(rows->events, rows->rows.at[i].thread,
                              kineto_rows_of_thread(rows, rows->rows.at[i].slot));
    name_threads(rows);
    return rows->main;
}

/* ---- arrows ---- */

void kineto_flows_fini(struct kineto_flows *flows)
{
    free(flows->ends.at);
    free(flows->operations.at);
    memset(flows, 0, sizeof *flows);
}

bool kineto_flows_is(const struct kineto_event *event)
{
    const struct json_string *category = &event->category_text;
    return (event->flags & KINETO_EVENT_TIME) &&
           (json_string_is(category, "ac2g") || json_string_is(category, "async_cpu_to_gpu") ||
            json_string_is(category, "async"));
}

/* A number as it is, another text by its bytes. */
static uint64_t id_of(const struct json_string *id)
{
    int64_t number;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    if (json_text_scaled((struct text){id->bytes, id->size}, 0, &number))
        return (uint64_t)number;
    for (uint32_t i = 0; i < id->size; i++)
        hash = (hash ^ (unsigned char)id->bytes[i]) * UINT64_C(0x100000001b3);
    return hash | UINT64_C(1) << 63;
}

bool kineto_flows_add(struct kineto_flows *flows, const struct kineto_event *event,
                      struct kineto_place place)
{
    struct kineto_flow_end *end = ARRAY_ADD(&flows->ends);
    if (end)
        *end = (struct kineto_flow_end){id_of(&event->id), place};
    return end != NULL;
}

bool kineto_flows_operation(struct kineto_flows *flows, struct kineto_place place)
{
    struct kineto_place *operation = ARRAY_ADD(&flows->operations);
    if (operation)
        *operation = place;
    return operation != NULL;
}

/* An end on the row of a device, and where its arrow begins. */
struct target {
    struct kineto_place place;
    uint32_t process;
};

static int by_id(const void *left, const void *right)
{
    const struct kineto_flow_end *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

static int compare_places(const struct kineto_place *a, const struct kineto_place *b)
{
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->tid != b->tid)
        return a->tid < b->tid ? -1 : 1;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static int by_place(const void *left, const void *right)
{
    return compare_places(&((const struct target *)left)->place,
                          &((const struct target *)right)->place);
}

/* The one process on whose rows some of the ends are; EVENT_NO_PROCESS: none, or several. */
static uint32_t process_of(const struct kineto_rows *rows, const struct kineto_flow_end *ends,
                           uint32_t count)
{
    uint32_t process = EVENT_NO_PROCESS;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = process_with(rows, ends[i].place.pid);
        if (other != EVENT_NO_PROCESS && process != EVENT_NO_PROCESS && other != process)
            return EVENT_NO_PROCESS;
        process = other != EVENT_NO_PROCESS ? other : process;
    }
    return process;
}

/* Sorts the ends on rows of devices by place. Returns how many of them are useful. */
static uint32_t find_targets(struct kineto_flows *flows, const struct kineto_rows *rows,
                             struct target *targets)
{
    struct kineto_flow_end *ends = flows->ends.at;
    uint32_t found = 0;
    if (flows->ends.count)
        qsort(ends, flows->ends.count, sizeof *ends, by_id);
    for (uint32_t first = 0, end = 0; first < flows->ends.count; first = end) {
        while (end < flows->ends.count && ends[end].id == ends[first].id)
            end++;
        uint32_t process = process_of(rows, ends + first, end - first);
        for (uint32_t i = first; i < end && process != EVENT_NO_PROCESS; i++)
            if (process_with(rows, ends[i].place.pid) == EVENT_NO_PROCESS)
                targets[found++] = (struct target){ends[i].place, process};
    }
    if (found)
        qsort(targets, found, sizeof *targets, by_place);
    return found;
}

/* The one process whose arrows end in that place; EVENT_NO_PROCESS: none, or several. */
static uint32_t process_at(const struct target *targets, uint32_t count,
                           const struct kineto_place *place)
{
    uint32_t first = 0;
    for (uint32_t end = count; first < end;) {
        uint32_t middle = first + (end - first) / 2;
        if (compare_places(&targets[middle].place, place) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    uint32_t process = EVENT_NO_PROCESS;
    for (; first < count && compare_places(&targets[first].place, place) == 0; first++) {
        if (process != EVENT_NO_PROCESS && targets[first].process != process)
            return EVENT_NO_PROCESS;
        process = targets[first].process;
    }
    return process;
}

/* An arrow ends where the operation begins, or one nanosecond into it: see chrome_arrows.c. */
static uint32_t process_to(const struct target *targets, uint32_t count, struct kineto_place place)
{
    uint32_t process = process_at(targets, count, &place);
    if (process != EVENT_NO_PROCESS)
        return process;
    place.time_ns++;
    return process_at(targets, count, &place);
}

uint32_t *kineto_flows_processes(struct kineto_flows *flows, const struct kineto_rows *rows)
{
    uint32_t *processes = malloc((flows->operations.count + (size_t)1) * sizeof *processes);
    struct target *targets = malloc((flows->ends.count + (size_t)1) * sizeof *targets);
    uint32_t count = processes && targets ? find_targets(flows, rows, targets) : 0;
    for (uint32_t i = 0; processes && targets && i < flows->operations.count; i++)
        processes[i] = process_to(targets, count, flows->operations.at[i]);
    bool ready = processes && targets;
    free(targets);
    if (ready)
        return processes;
    free(processes);
    return NULL;
}
