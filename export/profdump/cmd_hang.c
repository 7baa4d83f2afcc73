/* cmd_hang.c - profdump hang FILE...: which rank hangs, where, and whom the others wait for. */
#include "commands.h"
#include "demangle.h"
#include "envelope.h"
#include "evidence.h"
#include "flight_dump.h"
#include "hang_lines.h"
#include "hang_ranks.h"
#include "json_out.h"
#include "options.h"
#include "place_names.h"
#include "process_name.h"
#include "profdump.h"
#include "read.h"
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_SHOWN 12u

/* ---- stacks, from the text that PROF_HANG wrote ---- */

/* libc's and libprof's own frames differ from moment to moment. */
static bool is_runtime(const char *path)
{
    static const char *const names[] = {"/libc.so", "/libprof.so", "/ld-linux", "/libpthread",
                                        "[vdso]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(path, names[i]))
            return true;
    return false;
}

/* "  PATH+0xOFFSET" becomes "function (module)". */
static void print_frame(struct place_names *names, const char *line, FILE *out)
{
    char path[4096];
    const char *plus = strrchr(line, '+');
    if (!plus || (size_t)(plus - line) >= sizeof path)
        return;
    memcpy(path, line, (size_t)(plus - line));
    path[plus - line] = '\0';
    if (is_runtime(path))
        return;
    const char *function = place_names_find(names, path, strtoull(plus + 1, NULL, 16) - 1);
    const char *module = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    size_t size = 0;
    char *demangled = function ? demangle_name(function, strlen(function), &size) : NULL;
    fprintf(out, "%s (%s)\n", demangled ? demangled : function ? function : "??", module);
    free(demangled);
}

/* The line of the thread `tid`; NULL: there is none. */
static const char *find_thread(const char *text, uint64_t tid)
{
    const char *line = hang_lines_of_last(text);
    while ((line = hang_lines_find(line, "thread")) && hang_line_number(line, "tid") != tid)
        line = hang_lines_next(line);
    return line;
}

/* Native frames of the thread whose line this is. */
static void print_native(struct place_names *names, const char *thread, FILE *out)
{
    const char *at = thread ? strchr(thread, '\n') : NULL;
    for (unsigned i = 0; at && strncmp(at, "\n  ", 3) == 0 && i < FRAMES_SHOWN; i++) {
        char line[4352];
        const char *end = strchrnul(at + 1, '\n');
        snprintf(line, sizeof line, "%.*s", (int)(end - at - 3), at + 3);
        print_frame(names, line, out);
        at = *end ? end : NULL;
    }
}

#define PYTHON_HEAD_END "(most recent call first):\n"

/* `head`: the end of the line before the frames; NULL: there is none. */
static void print_python_frames(const char *head, FILE *out)
{
    const char *at = head ? strchr(head, '\n') : NULL;
    for (unsigned i = 0; at && strncmp(at, "\n  File ", 8) == 0 && i < FRAMES_SHOWN; i++) {
        const char *end = strchrnul(at + 1, '\n');
        fprintf(out, "%.*s\n", (int)(end - at - 8), at + 8);
        at = *end ? end : NULL;
    }
}

/* "Thread 0x00007f... (most recent call first):", with a name before the parenthesis from 3.14 on.
 * False: the interpreter did not list the thread. */
static bool print_python_of(const char *text, uint64_t thread, FILE *out)
{
    const char *line = strstr(hang_lines_of_last(text), "\npython\n");
    for (; line && *line; line = hang_lines_next(line)) {
        line += *line == '\n';
        const char *number = strncmp(line, "Thread 0x", 9) == 0            ? line + 7
                             : strncmp(line, "Current thread 0x", 17) == 0 ? line + 15
                                                                           : NULL;
        if (!number || strtoull(number, NULL, 16) != thread)
            continue;
        print_python_frames(strstr(line, PYTHON_HEAD_END), out);
        return true;
    }
    return false;
}

/* Prints the mutex that the main thread waits for and its owner's stack, then the stacks of other
 * deadlocked threads. Names threads, since thread ids differ between ranks. */
static void print_locks(struct place_names *names, const struct hang_rank *rank, FILE *out)
{
    uint32_t tid = (uint32_t)rank->process->info.pid;
    const char *thread = find_thread(rank->text, tid);
    uint32_t owner = thread ? (uint32_t)hang_line_number(thread, "owner") : 0;
    uint64_t python = thread ? hang_line_number(thread, "rlock") : 0;
    const char *holder = owner ? find_thread(rank->text, owner) : NULL;
    const char *lock = python ? "Python RLock" : "mutex";
    struct text name;
    if (owner == tid && tid)
        fprintf(out, "it waits for a %s that it holds itself\n", lock);
    else if (holder && hang_line_field(holder, "name", &name)) {
        fprintf(out, "it waits for a %s that thread \"%.*s\" holds, which is in\n", lock,
                (int)name.size, name.bytes);
        if (!python || !print_python_of(rank->text, python, out))
            print_native(names, holder, out);
    }
    for (uint32_t i = 0; i < rank->locks.waits.count; i++) {
        const struct hang_wait *wait = &rank->locks.waits.at[i];
        if (wait->tid == tid || wait->tid == owner)
            continue;
        fprintf(out, "thread \"%.*s\", which is in a deadlock, is in\n", (int)wait->name.size,
                wait->name.bytes);
        print_native(names, find_thread(rank->text, wait->tid), out);
    }
}

/* The interpreter lists the main thread last. */
static void print_python(const char *text, FILE *out)
{
    const char *at = strstr(text, "\npython\n"), *last = NULL;
    for (; at && (at = strstr(at, PYTHON_HEAD_END)); at++)
        last = at;
    print_python_frames(last, out);
}

static uint64_t read_resident(const char *text)
{
    const char *at = strstr(text, "\nmemory "), *resident = at ? strstr(at, "VmRSS:") : NULL;
    return resident ? strtoull(resident + strlen("VmRSS:"), NULL, 10) * 1024 : 0;
}

static bool has_resumed(const char *text)
{
    return strstr(text, "\nresumed ") || strncmp(text, "resumed ", 8) == 0;
}

/* The stack of the main thread, a line for each frame, innermost first: Python's where it is known.
 * "" unknown; NULL: no memory. */
static char *read_stack(struct place_names *names, struct hang_rank *rank)
{
    const struct tl_process *process = rank->process;
    char *bytes = NULL, *text = NULL;
    size_t size;
    bool complete = true;
    struct read_error error;
    FILE *out = open_memstream(&bytes, &size);
    if (!out)
        return NULL;
    struct trace_file *file = trace_file_open(process->path, true, &error);
    if (file && trace_file_hang_text(file, &text) && text && !has_resumed(text)) {
        rank->text = text;
        complete = hang_locks_read(&rank->locks, text);
        print_python(text, out);
        if (ftell(out) == 0)
            print_native(names, find_thread(text, process->info.pid), out);
        print_locks(names, rank, out);
        rank->resident_bytes = read_resident(text);
        rank->is_at_start = strstr(text, "\nnothing-recorded\n") != NULL;
    } else
        free(text);
    trace_file_close(file);
    if (fclose(out) == 0 && complete)
        return bytes;
    free(bytes);
    return NULL;
}

/* ---- words ---- */

static const char *const state_names[] = {"ended", "not closed", "gone", "stopped", "running"};
/* By enum hang_kind; the last three are of dumps of PyTorch's flight recorder. */
static const char *const kind_names[] = {"missing",   "other",     "lost",      "stopped",
                                         "deadlock",  "device",    "open",      "start",
                                         "different", "unmatched", "unfinished"};

/* For --fail-on. */
static const char *finding_at(unsigned number)
{
    size_t kinds = sizeof kind_names / sizeof *kind_names;
    return number == 0 ? "any" : number <= kinds ? kind_names[number - 1] : NULL;
}

/* Bits of --fail-on that recordings never set. */
#define DUMP_KINDS (~UINT64_C(0) << (HANG_START + 2))

static const char *name_of(const struct timeline *timeline, uint32_t name)
{
    return name == TL_NONE ? "?" : timeline->names.at[name].bytes;
}

static void print_rank(const struct hang_ranks *ranks, const struct hang_rank *rank, FILE *out)
{
    fputs(process_short_name(ranks->timeline, rank->index).text, out);
}

static void print_chain(const struct timeline *timeline, uint32_t slice, FILE *out)
{
    const struct tl_slice *open = &timeline->slices.at[slice];
    if (open->parent != TL_NONE) {
        print_chain(timeline, open->parent, out);
        fputs(" > ", out);
    }
    fputs(name_of(timeline, open->name), out);
}

static void print_collective(const struct timeline *timeline, const struct hang_collective *one,
                             FILE *out)
{
    char bytes[BYTES_TEXT_BYTES];
    bytes_text((int64_t)one->bytes, bytes);
    fprintf(out, "%s #%u of communicator 0x%llx (%s)", name_of(timeline, one->name), one->number,
            (unsigned long long)one->communicator, bytes);
}

static void print_stuck(const struct hang_ranks *ranks, const struct hang_rank *rank, FILE *out)
{
    const struct timeline *timeline = ranks->timeline;
    const struct tl_slice *call = &timeline->slices.at[rank->stuck_call];
    const struct tl_api *api = &timeline->apis.at[call->api];
    char time[TIME_TEXT_BYTES];
    time_text((double)(rank->process->end_ns - call->start_ns), time);
    const struct tl_gpu *last = NULL;
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (gpu->process == rank->index && tl_is_work(gpu) &&
            (rank->stuck_stream == TL_NONE || gpu->stream == rank->stuck_stream) &&
            (!last || gpu->end_ns > last->end_ns))
            last = gpu;
    }
    fprintf(out, "has not seen %s end, launched %s before the end of the file",
            api->kernel_name == TL_NONE ? name_of(timeline, call->name)
                                        : name_of(timeline, api->kernel_name),
            time);
    if (rank->stuck_stream != TL_NONE)
        fprintf(out, ", on stream %u", timeline->streams.at[rank->stuck_stream].stream);
    else /* no record of the stream was delivered that would give its number */
        fprintf(out, ", on the stream of handle 0x%llx", (unsigned long long)api->stream_handle);
    fprintf(out, "; last completed: %s", last ? name_of(timeline, last->name) : "nothing");
}

/* Each deadlocked thread of a process, with the mutex that it holds and the one it waits for. */
static void print_deadlocks(const struct hang_locks *locks, FILE *out)
{
    const char *separator = "";
    for (uint32_t i = 0; i < locks->waits.count; i++) {
        const struct hang_wait *wait = &locks->waits.at[i];
        fprintf(out, "%sthread %u (%.*s) ", separator, wait->tid, (int)wait->name.size,
                wait->name.bytes);
        const char *kind = wait->is_rlock ? "RLock" : "mutex";
        if (wait->owner == wait->tid)
            fprintf(out, "waits for %s 0x%" PRIx64 ", which it holds itself", kind, wait->mutex);
        else
            fprintf(out, "holds %s 0x%" PRIx64 " and waits for %s 0x%" PRIx64,
                    wait->holds_rlock ? "RLock" : "mutex", wait->holds, kind, wait->mutex);
        separator = ", ";
    }
}

/* Not for HANG_OPEN: there, deadlocks have a verdict of their own. */
static bool shows_deadlocks(const struct hang_verdict *verdict, const struct hang_rank *rank)
{
    return hang_rank_is_deadlocked(rank) && verdict->kind != HANG_OPEN;
}

/* A rank that has a file. */
static void print_found(const struct hang_ranks *ranks, const struct hang_verdict *verdict,
                        const struct hang_rank *rank, FILE *out)
{
    const struct timeline *timeline = ranks->timeline;
    print_rank(ranks, rank, out);
    switch (verdict->kind) {
    case HANG_MISSING:
        fputs(" has not entered ", out);
        print_collective(timeline, verdict->expected, out);
        if (rank->state == HANG_ENDED)
            fputs(": it has ended", out);
        else if (rank->stuck_call != TL_NONE)
            fputs(", and ", out), print_stuck(ranks, rank, out);
        break;
    case HANG_OTHER:
        fputs(" entered ", out);
        print_collective(timeline, verdict->entered, out);
        fputs(" instead of ", out);
        print_collective(timeline, verdict->expected, out);
        break;
    case HANG_LOST:
        fputs(" is gone: its process ended without closing the file", out);
        break;
    case HANG_STOPPED:
        fputs(" is stopped, by SIGSTOP or a debugger", out);
        break;
    case HANG_DEADLOCK:
        fputs(" cannot go on: ", out);
        print_deadlocks(&rank->locks, out);
        break;
    case HANG_DEVICE:
        fputc(' ', out);
        print_stuck(ranks, rank, out);
        break;
    case HANG_OPEN:
        fputs(" is in ", out);
        print_chain(timeline, rank->open_slice, out);
        break;
    case HANG_START:
        fputs(" has recorded nothing since it began, and stands still", out);
        break;
    }
    if (shows_deadlocks(verdict, rank) && verdict->kind != HANG_DEADLOCK)
        fputs("; ", out), print_deadlocks(&rank->locks, out);
}

static void print_verdict(const struct hang_ranks *ranks, const struct hang_verdict *verdict,
                          FILE *out)
{
    if (verdict->at == TL_NONE)
        fprintf(out, "rank %d is lost: it has no file here", verdict->rank);
    else
        print_found(ranks, verdict, &ranks->at[verdict->at], out);
}

/* ---- the screen ---- */

static void print_members(const struct hang_ranks *ranks, uint32_t group, FILE *out)
{
    const char *separator = "";
    for (uint32_t i = group; i < ranks->count; i++) {
        if (ranks->at[i].group != group)
            continue;
        uint32_t last = i;
        while (last + 1 < ranks->count && ranks->at[last + 1].group == group &&
               ranks->at[last + 1].rank == ranks->at[last].rank + 1 && ranks->at[i].rank >= 0)
            last++;
        fputs(separator, out);
        print_rank(ranks, &ranks->at[i], out);
        if (last > i)
            fprintf(out, "-%d", ranks->at[last].rank);
        separator = ", ";
        i = last;
    }
}

static void print_stack_lines(const char *stack, FILE *out)
{
    for (const char *end; *stack; stack = *end ? end + 1 : end) {
        end = strchrnul(stack, '\n');
        fprintf(out, "      %.*s\n", (int)(end - stack), stack);
    }
}

/* Of the first rank of a group. */
static void print_memory(const struct hang_rank *rank, FILE *out)
{
    char resident[BYTES_TEXT_BYTES], device[BYTES_TEXT_BYTES];
    if (!rank->resident_bytes && !rank->device_bytes)
        return;
    bytes_text((int64_t)rank->resident_bytes, resident);
    bytes_text((int64_t)rank->device_bytes, device);
    fprintf(out, "    memory: %s resident, %s allocated on devices\n",
            rank->resident_bytes ? resident : "unknown", device);
}

/* A stream with operations that have not completed, as PROF_HANG wrote it. */
struct hang_stream {
    uint64_t handle, outstanding;
    char *first, *completed; /* names of operations, readable */
    struct text seconds;     /* since the first one's launch */
    struct text within;      /* the range around that launch; empty: none */
};

static char *readable_field(const char *line, const char *name)
{
    struct text value = {"?", 1};
    size_t size;
    hang_line_field(line, name, &value);
    char *demangled = demangle_name(value.bytes, value.size, &size);
    return demangled ? demangled : strndup(value.bytes, value.size);
}

static void read_stream(struct hang_stream *stream, const char *line)
{
    *stream = (struct hang_stream){.handle = hang_line_number(line, "handle"),
                                   .outstanding = hang_line_number(line, "outstanding"),
                                   .first = readable_field(line, "first"),
                                   .completed = readable_field(line, "completed")};
    hang_line_field(line, "seconds", &stream->seconds);
    hang_line_field(line, "in", &stream->within);
}

static void each_stream(const struct hang_rank *rank,
                        void (*take)(void *user, const struct hang_stream *stream), void *user)
{
    const char *line = rank->text ? hang_lines_of_last(rank->text) : NULL;
    for (; (line = hang_lines_find(line, "stream")); line = hang_lines_next(line)) {
        struct hang_stream stream;
        read_stream(&stream, line);
        if (stream.first && stream.completed)
            take(user, &stream);
        free(stream.first);
        free(stream.completed);
    }
}

static void print_stream(void *out, const struct hang_stream *stream)
{
    fprintf(out, "    stream 0x%" PRIx64 ": %" PRIu64 " outstanding, first %s", stream->handle,
            stream->outstanding, stream->first);
    if (stream->within.size)
        fprintf(out, " in %.*s", (int)stream->within.size, stream->within.bytes);
    fprintf(out, ", launched %.*s s earlier; last completed: %s\n", (int)stream->seconds.size,
            stream->seconds.bytes, stream->completed);
}

static void print_group(const struct hang_ranks *ranks, uint32_t group, const char *stack,
                        FILE *out)
{
    const struct hang_rank *rank = &ranks->at[group];
    fputs("\n  ", out);
    print_members(ranks, group, out);
    fprintf(out, " (%s)\n    in ", state_names[rank->state]);
    if (rank->open_slice == TL_NONE)
        fputs("no open range", out);
    else
        print_chain(ranks->timeline, rank->open_slice, out);
    fputc('\n', out);
    const struct hang_collective *last = hang_rank_last(rank);
    if (last) {
        fputs("    last collective: ", out);
        print_collective(ranks->timeline, last, out);
        fputs(last->open ? ", not completed\n" : ", completed\n", out);
    }
    each_stream(rank, print_stream, out);
    print_memory(rank, out);
    if (*stack) {
        fputs("    stack of the main thread:\n", out);
        print_stack_lines(stack, out);
    }
}

/* If nothing else distinguishes the ranks. */
static void print_first(const struct hang_ranks *ranks, FILE *out)
{
    const struct hang_rank *first = &ranks->at[ranks->first];
    char time[TIME_TEXT_BYTES];
    int64_t last_ns = INT64_MIN;
    for (uint32_t i = 0; i < ranks->count; i++)
        if (ranks->at[i].last_ns > last_ns)
            last_ns = ranks->at[i].last_ns;
    enum hang_kind kind = ranks->verdicts[0].kind;
    if (ranks->count < 2 || (kind != HANG_OPEN && kind != HANG_DEVICE))
        return;
    time_text((double)(last_ns - first->last_ns), time);
    fputs("First rank without new events: ", out);
    print_rank(ranks, first, out);
    fprintf(out, ", %s before the last one\n", time);
}

static void print_screen(const struct hang_ranks *ranks, char *const *stacks, FILE *out)
{
    char lacking[EVIDENCE_BYTES];
    if (!ranks->verdict_count && evidence_missing(ranks->timeline, EVIDENCE_HANG, lacking)) {
        fprintf(out, "Hang: %s.\n", lacking);
        return;
    }
    if (!ranks->verdict_count) {
        fputs("No hang: nothing is open in a process that has not ended.\n", out);
        return;
    }
    for (uint32_t i = 0; i < ranks->verdict_count; i++) {
        fputs(i ? "      " : "Hang: ", out);
        print_verdict(ranks, &ranks->verdicts[i], out);
        fputc('\n', out);
    }
    print_first(ranks, out);
    for (uint32_t i = 0; i < ranks->count; i++)
        if (ranks->at[i].group == i)
            print_group(ranks, i, stacks[i], out);
    fputs("\nPROF_HANG recorded the stacks when it detected the hang; without it there are none.\n",
          out);
}

/* ---- JSON ---- */

static void json_key_rank(struct json_out *json, int32_t rank)
{
    json_key(json, "rank");
    if (rank < 0)
        json_null(json);
    else
        json_int(json, rank);
}

static void json_key_chain(struct json_out *json, const struct hang_ranks *ranks, uint32_t slice)
{
    uint32_t chain[256], depth = 0;
    for (; slice != TL_NONE && depth < 256; slice = ranks->timeline->slices.at[slice].parent)
        chain[depth++] = slice;
    json_key(json, "open");
    json_array_begin(json);
    while (depth-- > 0)
        json_string(json, name_of(ranks->timeline, ranks->timeline->slices.at[chain[depth]].name));
    json_array_end(json);
}

static void json_hex(struct json_out *json, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    json_string(json, text);
}

/* The value of a key that was written. */
static void json_collective(struct json_out *json, const struct hang_ranks *ranks,
                            const struct hang_collective *one)
{
    json_object_begin(json);
    json_key(json, "function"), json_string(json, name_of(ranks->timeline, one->name));
    json_key(json, "communicator"), json_hex(json, one->communicator);
    json_key(json, "number"), json_uint(json, one->number);
    json_key(json, "bytes"), json_uint(json, one->bytes);
    json_key(json, "open"), json_bool(json, one->open);
    json_object_end(json);
}

static void json_deadlocks(struct json_out *json, const struct hang_locks *locks)
{
    json_key(json, "threads"), json_array_begin(json);
    for (uint32_t i = 0; i < locks->waits.count; i++) {
        const struct hang_wait *wait = &locks->waits.at[i];
        json_object_begin(json);
        json_key(json, "deadlock"), json_uint(json, wait->deadlock);
        json_key(json, "tid"), json_uint(json, wait->tid);
        json_key(json, "name"), json_text(json, wait->name);
        json_key(json, "holds"), json_hex(json, wait->holds);
        json_key(json, "waits_for"), json_hex(json, wait->mutex);
        json_key(json, "lock"), json_string(json, wait->is_rlock ? "RLock" : "mutex");
        json_key(json, "owner"), json_uint(json, wait->owner);
        json_object_end(json);
    }
    json_array_end(json);
}

/* The members that findings of every command have: ranks, host, range, lost_ns. The last is the
 * time from the rank's last event to the end of the recordings. */
static void json_place(struct json_out *json, const struct hang_ranks *ranks,
                       const struct hang_verdict *verdict)
{
    const struct hang_rank *rank = verdict->at == TL_NONE ? NULL : &ranks->at[verdict->at];
    int64_t end_ns = INT64_MIN;
    for (uint32_t i = 0; i < ranks->count; i++) {
        const struct hang_rank *one = &ranks->at[i];
        end_ns = one->process->end_ns > end_ns ? one->process->end_ns : end_ns;
        end_ns = one->has_events && one->last_ns > end_ns ? one->last_ns : end_ns;
    }
    json_key(json, "ranks"), json_array_begin(json);
    if (verdict->rank >= 0)
        json_int(json, verdict->rank);
    json_array_end(json);
    json_key(json, "host");
    if (rank && rank->process->info.host.size)
        json_text(json, rank->process->info.host);
    else
        json_null(json);
    json_key(json, "range");
    if (rank && rank->open_slice != TL_NONE)
        json_string(json,
                    name_of(ranks->timeline, ranks->timeline->slices.at[rank->open_slice].name));
    else
        json_null(json);
    json_key(json, "lost_ns");
    if (rank && rank->has_events && end_ns >= rank->last_ns)
        json_int(json, end_ns - rank->last_ns);
    else
        json_null(json);
}

static void json_verdict(struct json_out *json, const struct hang_ranks *ranks,
                         const struct hang_verdict *verdict)
{
    char *sentence = NULL;
    size_t size;
    FILE *words = open_memstream(&sentence, &size);
    json_object_begin(json);
    json_key(json, "kind"), json_string(json, kind_names[verdict->kind]);
    json_key_rank(json, verdict->rank);
    json_place(json, ranks, verdict);
    if (words) {
        print_verdict(ranks, verdict, words);
        if (fclose(words) == 0)
            json_key(json, "sentence"), json_string(json, sentence);
    }
    if (verdict->at != TL_NONE && shows_deadlocks(verdict, &ranks->at[verdict->at]))
        json_deadlocks(json, &ranks->at[verdict->at].locks);
    if (verdict->entered)
        json_key(json, "entered"), json_collective(json, ranks, verdict->entered);
    if (verdict->expected)
        json_key(json, "expected"), json_collective(json, ranks, verdict->expected);
    json_object_end(json);
    free(sentence);
}

static void json_stream(void *user, const struct hang_stream *stream)
{
    struct json_out *json = user;
    json_object_begin(json);
    json_key(json, "handle"), json_hex(json, stream->handle);
    json_key(json, "outstanding"), json_uint(json, stream->outstanding);
    json_key(json, "first"), json_string(json, stream->first);
    json_key(json, "in"), json_text(json, stream->within);
    json_key(json, "completed"), json_string(json, stream->completed);
    json_object_end(json);
}

static void json_rank(struct json_out *json, const struct hang_ranks *ranks, uint32_t i,
                      const char *stack)
{
    const struct hang_rank *rank = &ranks->at[i];
    json_object_begin(json);
    json_key_rank(json, rank->rank);
    json_key(json, "pid"), json_uint(json, rank->process->info.pid);
    json_key(json, "host"), json_text(json, rank->process->info.host);
    json_key(json, "file"), json_string(json, rank->process->path);
    json_key(json, "state"), json_string(json, state_names[rank->state]);
    json_key(json, "last_ns"), json_int(json, rank->last_ns);
    json_key(json, "group"), json_uint(json, rank->group);
    json_key(json, "resident_bytes"), json_uint(json, rank->resident_bytes);
    json_key(json, "device_bytes"), json_uint(json, rank->device_bytes);
    json_key_chain(json, ranks, rank->open_slice);
    json_key(json, "streams"), json_array_begin(json);
    each_stream(rank, json_stream, json);
    json_array_end(json);
    if (hang_rank_last(rank)) {
        json_key(json, "last_collective");
        json_collective(json, ranks, hang_rank_last(rank));
    }
    json_key(json, "stack"), json_array_begin(json);
    for (const char *end; *stack; stack = *end ? end + 1 : end) {
        end = strchrnul(stack, '\n');
        json_text(json, (struct text){stack, (uint32_t)(end - stack)});
    }
    json_array_end(json);
    json_object_end(json);
}

/* With verdicts, there is evidence of them. */
static void envelope_begin_hang(struct json_out *json, const struct hang_ranks *ranks)
{
    const struct envelope envelope = {.command = "hang", .timelines = {ranks->timeline}};
    if (ranks->verdict_count)
        envelope_begin(json, &envelope);
    else
        envelope_begin_report(json, "hang", ranks->timeline, EVIDENCE_HANG);
}

static bool write_hang_json(const struct hang_ranks *ranks, char *const *stacks, FILE *out)
{
    struct json_out json;
    if (!json_out_init(&json, -1, out))
        return false;
    json_object_begin(&json);
    envelope_begin_hang(&json, ranks);
    json_key(&json, "verdicts"), json_array_begin(&json);
    for (uint32_t i = 0; i < ranks->verdict_count; i++)
        json_verdict(&json, ranks, &ranks->verdicts[i]);
    json_array_end(&json);
    json_key(&json, "ranks"), json_array_begin(&json);
    for (uint32_t i = 0; i < ranks->count; i++)
        json_rank(&json, ranks, i, stacks[i]);
    json_array_end(&json);
    envelope_end(&json, "hang");
    json_object_end(&json);
    errno = json_out_fini(&json);
    return errno == 0 && fputc('\n', out) != EOF;
}

/* ---- the command ---- */

static bool write_hang(struct hang_ranks *ranks, char **stacks,
                       const struct profdump_options *options)
{
    struct place_names *names = place_names_create();
    bool complete = names != NULL;
    for (uint32_t i = 0; complete && i < ranks->count; i++)
        complete = (stacks[i] = read_stack(names, &ranks->at[i])) != NULL;
    place_names_destroy(names);
    if (!complete) {
        errno = ENOMEM;
        return false;
    }
    hang_ranks_judge(ranks);
    hang_ranks_group(ranks, stacks);
    if (options->format == WRITE_JSON)
        return write_hang_json(ranks, stacks, options->out);
    print_screen(ranks, stacks, options->out);
    return true;
}

static int run(const struct profdump_options *options, const struct timeline *timeline)
{
    struct hang_ranks ranks;
    char **stacks = NULL;
    bool written = false;
    const char *mixed;
    char unknown[EVIDENCE_BYTES];
    uint64_t found = 0;
    if (!write_format_is_for_people(options->format) && options->format != WRITE_JSON) {
        complain("hang: writes text or json, not %s", write_format_name(options->format));
        return EXIT_USAGE;
    }
    bool good =
        hang_ranks_init(&ranks, timeline) && (stacks = calloc(ranks.count + 1, sizeof *stacks));
    if (good && (mixed = hang_ranks_mixed(&ranks)))
        complain("%s", mixed);
    if (good)
        written = write_hang(&ranks, stacks, options);
    else
        errno = ENOMEM;
    int error = errno;
    for (uint32_t i = 0; stacks && i < ranks.count; i++)
        free(stacks[i]);
    free(stacks);
    for (uint32_t i = 0; i < ranks.verdict_count; i++)
        found |= 1 | UINT64_C(2) << ranks.verdicts[i].kind;
    hang_ranks_fini(&ranks);
    bool is_unknown = evidence_missing(timeline, EVIDENCE_HANG, unknown);
    if (!is_unknown && options->fail_on & DUMP_KINDS && !(options->fail_on & 1)) {
        snprintf(unknown, sizeof unknown,
                 "only dumps of PyTorch's flight recorder show all of these");
        is_unknown = true;
    }
    errno = error;
    return finish_judged(options, finish(options, timeline, written), finding_at, found,
                         is_unknown ? unknown : NULL);
}

static const struct option_entry hang_options[] = {
    {BITS("fail-on", "KIND", fail_on,
          "exit with status 4 if a verdict has this KIND, 5 if that cannot be judged; KIND is any, "
          "one kind or a list (a,b) of"),
     .value_at = finding_at},
    {0},
};

static const struct option_entry *const options_of_hang[] = {
    hang_options, input_options, report_format_options, help_options, NULL};

const struct command command_hang = {
    .word = "hang",
    .summary = "show which rank hangs, and which rank the others wait for",
    .usage = "[OPTION]... [FILE|DIRECTORY]...",
    .about = "Reads the recordings of one job: running, finished or killed. Names ranks that are "
             "lost, stopped, missing from a collective or in a different one, and operations that "
             "do not end. Groups ranks that do the same. Shows stacks if the job ran with "
             "PROF_HANG. Also reads dumps of PyTorch's flight recorder, alone or beside "
             "recordings; this needs Python.",
    .examples = "hang rank*.prof\n"
                "hang nccl_trace_rank_*\n"
                "hang --format json recordings/",
    .question = QUESTION_TIME,
    .options = options_of_hang,
    .run = run,
    .python_reads = flight_dump_is_among,
    .partial = true,
    .tables = true,
};
