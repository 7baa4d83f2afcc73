/* session_file.c - the file of a recording: its name, its header, and the facts of the process with
 * which it begins. */
#include "atomic.h"
#include "chunks.h"
#include "clock.h"
#include "config.h"
#include "meta.h"
#include "output.h"
#include "own_files.h"
#include "process.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SESSION_FILE_NAMES_TRIED 1000u
#define SESSION_FILE_SAME_START_NS \
    1000000000 /* the kernel tells a process's start in hundredths of a second since boot */

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

/* What the GPU collector said; kept for a file that is made later. */
static struct {
    uint32_t mode;
    uint32_t simulated;
    char reason[448];
} session_file_gpu GUEST_DATA;

/* ---- its name ---- */

static int session_file_try(const char *path)
{
    struct chunks_options options = {
        .path = path,
        .max_bytes = config_get()->max_mib << 20,
        .address_bytes = process_address_budget(),
        .ring = config_get()->full == CONFIG_FULL_RING,
    };
    return chunks_create(&options);
}

/* A process that calls exec again and again, as wrapper scripts do, makes a file for each program
 * that is sampled. Its name is for the last: an earlier file without events gets the name of a
 * second one. */
struct session_file_earlier {
    const char *path;
    uint32_t pid;
    uint64_t start_ns;
    char other[SESSION_PATH_BYTES];
};

static bool session_file_is_earlier(const struct session_file_earlier *earlier,
                                    const struct prof_file_header *header)
{
    int64_t apart_ns = (int64_t)(header->process_start_ns - earlier->start_ns);
    return memcmp(header->magic, PROF_FILE_MAGIC, PROF_FILE_MAGIC_BYTES) == 0 &&
           (header->flags & PROF_FILE_NO_EVENTS) && header->pid == earlier->pid &&
           apart_ns < SESSION_FILE_SAME_START_NS && apart_ns > -SESSION_FILE_SAME_START_NS;
}

static int session_file_move_job(void *argument)
{
    struct session_file_earlier *earlier = argument;
    struct prof_file_header header;
    int fd = own_files_open(earlier->path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    ssize_t size = fd < 0 ? -1 : read(fd, &header, sizeof header);
    if (fd >= 0)
        close(fd);
    if (size != (ssize_t)sizeof header || !session_file_is_earlier(earlier, &header))
        return EEXIST;
    for (unsigned attempt = 1; attempt < SESSION_FILE_NAMES_TRIED; attempt++) {
        if (!output_beside(earlier->path, header.pid, attempt, earlier->other,
                           sizeof earlier->other))
            return ENAMETOOLONG;
        if (syscall(SYS_renameat2, AT_FDCWD, earlier->path, AT_FDCWD, earlier->other,
                    RENAME_NOREPLACE) == 0)
            return 0;
        if (errno != EEXIST)
            return errno;
    }
    return EEXIST;
}

/* Whether the name is free now. */
static bool session_file_move_earlier(const char *path)
{
    struct session_file_earlier earlier = {
        .path = path, .pid = (uint32_t)getpid(), .start_ns = process_start_realtime_ns()};
    if (own_files_run(session_file_move_job, &earlier) != 0)
        return false;
    session_announce(earlier.other);
    return true;
}

int session_file_create(const struct rank *rank, char path[SESSION_PATH_BYTES])
{
    const char *pattern = config_get()->output;
    struct output_facts facts = {.program = process_program(),
                                 .host = process_host(),
                                 .pid = (uint32_t)getpid(),
                                 .rank = rank->rank};
    char wanted[SESSION_PATH_BYTES];
    int error = EEXIST;
    for (unsigned attempt = 0; error == EEXIST && attempt < SESSION_FILE_NAMES_TRIED; attempt++) {
        facts.number = attempt + 1;
        if (attempt == 0 || output_has_number(pattern)) {
            if (!output_expand(pattern, &facts, wanted, sizeof wanted) ||
                !process_absolute_path(wanted, path, SESSION_PATH_BYTES))
                return ENAMETOOLONG;
        } else if (!process_absolute_path(wanted, wanted, sizeof wanted) ||
                   !output_beside(wanted, facts.pid, attempt, path, SESSION_PATH_BYTES)) {
            return ENAMETOOLONG;
        }
        error = session_file_try(path);
        if (error == EEXIST && attempt == 0 && session_file_move_earlier(path))
            error = session_file_try(path);
    }
    return error;
}

/* ---- the header, and the facts after it ---- */

static void session_file_fill_clock(struct prof_file_header *header)
{
    struct prof_rec_clock now;
    clock_sample(&now);
    header->clock_kind = clock_kind;
    header->start_ticks = now.ticks;
    header->start_monotonic_ns = now.monotonic_ns;
    header->start_realtime_ns = now.realtime_ns;
}

static void session_file_fill_process(struct prof_file_header *header, const struct rank *rank)
{
    header->pid = (uint32_t)getpid();
    header->parent_pid = (uint32_t)getppid();
    header->process_start_ns = process_start_realtime_ns();
    header->rank = rank->rank;
    header->local_rank = rank->local_rank;
    header->world_size = rank->world_size;
}

void session_file_fill_header(struct prof_file_header *header, const struct rank *rank,
                              bool by_program)
{
    memcpy(header->magic, PROF_FILE_MAGIC, PROF_FILE_MAGIC_BYTES);
    header->version = PROF_FORMAT_VERSION;
    header->byte_order = PROF_BYTE_ORDER_MARK;
    header->header_bytes = PROF_FILE_HEADER_BYTES;
    header->chunk_bytes = PROF_CHUNK_BYTES;
    header->state = PROF_STATE_RECORDING;
    header->chunk_count = 1;
    header->gpu_mode = load_relaxed(&session_file_gpu.mode);
    header->flags = (load_relaxed(&session_file_gpu.simulated) ? PROF_FILE_SIMULATED : 0u) |
                    (config_get()->full == CONFIG_FULL_RING ? PROF_FILE_RING : 0u) |
                    (chunks_are_copied() ? PROF_FILE_COPIED : 0u) |
                    (by_program ? 0u : PROF_FILE_NO_EVENTS);
    snprintf((char *)header->library_version, sizeof header->library_version, "%s",
             PROF_VERSION_TEXT);
    session_file_fill_clock(header);
    session_file_fill_process(header, rank);
}

bool session_file_has_events(void)
{
    const struct prof_file_header *header = chunks_header();
    return header && !(load_relaxed(&header->flags) & PROF_FILE_NO_EVENTS);
}

void session_file_note_event(void)
{
    struct prof_file_header *header = chunks_header();
    if (header && (load_relaxed(&header->flags) & PROF_FILE_NO_EVENTS))
        fetch_and_relaxed(&header->flags, ~PROF_FILE_NO_EVENTS);
}

static struct prof_rec_system_clock session_file_system_clock;
static bool session_file_knows_system_clock;

void session_file_look_at_system_clock(void)
{
    session_file_knows_system_clock = system_clock_read(&session_file_system_clock);
}

void session_file_emit_system_clock(void)
{
    if (session_file_knows_system_clock)
        meta_append(PROF_REC_SYSTEM_CLOCK, &session_file_system_clock,
                    sizeof session_file_system_clock, NULL, 0);
}

void session_file_emit_facts(const struct rank *rank)
{
    meta_info(PROF_INFO_PROGRAM, process_program());
    meta_info(PROF_INFO_HOST, process_host());
    meta_info(PROF_INFO_CLOCK, clock_choose());
    if (*rank->source)
        meta_info(PROF_INFO_RANK_SOURCE, rank->source);
    char job[JOB_TEXT_BYTES];
    if (job_read(job, sizeof job))
        meta_info(PROF_INFO_JOB, job);
    if (*session_file_gpu.reason)
        meta_info(PROF_INFO_GPU_REASON, session_file_gpu.reason);
    session_file_emit_system_clock();
    meta_clock_sample(false);
}

/* ---- what collectors state about the GPU ---- */

void recorder_set_gpu_mode(enum prof_gpu_mode mode, const char *reason)
{
    store_release(&session_file_gpu.mode, (uint32_t)mode);
    snprintf(session_file_gpu.reason, sizeof session_file_gpu.reason, "%s", reason);
    struct prof_file_header *header = chunks_header();
    if (!header)
        return;
    store_release(&header->gpu_mode, (uint32_t)mode);
    meta_info(PROF_INFO_GPU_REASON, reason);
}

void recorder_set_simulated(void)
{
    store_release(&session_file_gpu.simulated, 1u);
    struct prof_file_header *header = chunks_header();
    if (header)
        fetch_or_relaxed(&header->flags, PROF_FILE_SIMULATED);
}

void recorder_count_gpu_records(uint64_t count)
{
    struct prof_file_header *header = chunks_header();
    if (header)
        fetch_add_relaxed(&header->gpu_records, count);
}

uint32_t session_file_gpu_mode(void)
{
    return load_relaxed(&session_file_gpu.mode);
}

const char *session_file_gpu_reason(void)
{
    return session_file_gpu.reason;
}

GUEST_PATH void session_file_fork_child(void)
{
    session_file_gpu.mode = PROF_GPU_NONE;
    session_file_gpu.reason[0] = '\0';
}
