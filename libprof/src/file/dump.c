/* dump.c - chunks are copied out of the mapping one by one, with numbers that leave no gaps:
 *
 *     chunk 0 | LOG chunks that are kept | META chunks
 *
 * LOG first and META after, since a name is in META before the first event that bears it. Device
 * records of what ended after the copying began are left out: the chunk with their launch may have
 * been copied before it was written.
 */
#include "output.h"

#include "atomic.h"
#include "chunks.h"
#include "clock.h"
#include "config.h"
#include "log_walk.h"
#include "own_files.h"
#include "session.h"
#include "signals.h"
#include "test_point.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DUMP_WORDS (PROF_CHUNK_BYTES / 8)

#define DUMP_PARTS UINT32_MAX /* no log's number */

/* A LOG chunk of the file, or one with parts of several logs. */
struct dump_chunk {
    uint64_t number;
    uint64_t sequence;
    uint64_t base_ticks;
    uint32_t log; /* DUMP_PARTS: several */
};

struct dump {
    const char *path;
    uint64_t *words; /* of one chunk */
    struct dump_chunk *logs;
    uint64_t log_count;
    uint64_t chunks; /* in the file when the copying began */
    uint64_t written;
    uint64_t now_ns;       /* CLOCK_REALTIME of the beginning */
    uint64_t oldest_ticks; /* chunks that end before this are left out */
    bool fresh;            /* nothing is replaced */
    bool dropped;          /* not every LOG chunk was taken */
    int fd;
    char part[4096 + 32]; /* name of the unfinished file, "" while it has none */
};

/* ---- the output ---- */

/* Returns 0 or an errno value. */
static int dump_may_replace(const char *path)
{
    struct stat old, own;
    if (stat(path, &old) != 0)
        return 0;
    if (stat(session_path(), &own) == 0 && own.st_dev == old.st_dev && own.st_ino == old.st_ino)
        return EBUSY;
    return output_may_replace(path) ? 0 : EEXIST;
}

/* Another thread may write to the same path. */
static void dump_set_part(struct dump *dump, const char *path)
{
    static uint32_t last;
    uint32_t number = fetch_add_relaxed(&last, 1u) + 1;
    snprintf(dump->part, sizeof dump->part, "%s.%u-%u.part", path, (unsigned)getpid(), number);
}

static int dump_open(struct dump *dump, const char *path)
{
    char directory[4096];
    const char *slash = strrchr(path, '/');
    size_t size = slash ? (size_t)(slash - path) + 1 : 0;
    if (strlen(path) >= sizeof directory)
        return ENAMETOOLONG;
    snprintf(directory, sizeof directory, "%.*s", (int)size, path);
    dump->fd = open(size ? directory : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (dump->fd >= 0)
        return 0;
    dump_set_part(dump, path);
    dump->fd = open(dump->part, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
    if (dump->fd < 0)
        *dump->part = '\0';
    return dump->fd < 0 ? errno : 0;
}

/* A link never replaces and never follows: whatever bears the name makes it fail. */
static int dump_name_fresh(struct dump *dump, const char *path)
{
    char own[64];
    snprintf(own, sizeof own, "/proc/thread-self/fd/%d", dump->fd);
    const char *from = *dump->part ? dump->part : own;
    if (linkat(AT_FDCWD, from, AT_FDCWD, path, *dump->part ? 0 : AT_SYMLINK_FOLLOW) != 0)
        return errno;
    if (*dump->part)
        unlink(dump->part);
    return 0;
}

/* A file without a name leaves nothing when the process is killed meanwhile. It gets one beside
 * `path`, since only renaming replaces. */
static int dump_name(struct dump *dump, const char *path)
{
    char own[64];
    if (dump->fresh)
        return dump_name_fresh(dump, path);
    if (!*dump->part) {
        snprintf(own, sizeof own, "/proc/thread-self/fd/%d", dump->fd);
        dump_set_part(dump, path);
        unlink(dump->part);
        if (linkat(AT_FDCWD, own, AT_FDCWD, dump->part, AT_SYMLINK_FOLLOW) != 0) {
            *dump->part = '\0';
            return errno;
        }
    }
    TEST_POINT("dump_name: linked");
    return rename(dump->part, path) == 0 ? 0 : errno;
}

static int dump_put(struct dump *dump, uint64_t place)
{
    ssize_t written =
        pwrite(dump->fd, dump->words, PROF_CHUNK_BYTES, (off_t)(place * PROF_CHUNK_BYTES));
    return written == PROF_CHUNK_BYTES ? 0 : written < 0 ? errno : ENOSPC;
}

/* ---- which chunks ---- */

static int dump_by_log(const void *left, const void *right)
{
    const struct dump_chunk *a = left, *b = right;
    if (a->log != b->log)
        return a->log < b->log ? -1 : 1;
    return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static uint32_t dump_log_of(const struct prof_chunk_header *header)
{
    return header->kind == PROF_CHUNK_LOG ? header->log : DUMP_PARTS;
}

static void dump_find_logs(struct dump *dump)
{
    struct prof_chunk_header header;
    for (uint64_t number = 1; number < dump->chunks; number++) {
        if (!chunks_read(number, (uint64_t *)(void *)&header, sizeof header / 8) ||
            header.magic != PROF_CHUNK_MAGIC || header.kind == PROF_CHUNK_META)
            continue;
        dump->logs[dump->log_count++] = (struct dump_chunk){
            .number = number,
            .sequence = header.sequence,
            .base_ticks = header.base_ticks,
            .log = dump_log_of(&header),
        };
    }
    qsort(dump->logs, dump->log_count, sizeof *dump->logs, dump_by_log);
}

/* Nothing in the chunk is younger than the beginning of the next one of its log. */
static bool dump_is_too_old(const struct dump *dump, uint64_t place)
{
    const struct dump_chunk *chunk = &dump->logs[place];
    return chunk->log != DUMP_PARTS && place + 1 < dump->log_count && chunk[1].log == chunk->log &&
           chunk[1].base_ticks < dump->oldest_ticks;
}

static uint64_t dump_oldest_ticks(void)
{
    uint64_t age = config_get()->ring_seconds * clock_ticks_per_second(), now = clock_read();
    return config_get()->ring_seconds && age < now ? now - age : 0;
}

/* ---- copying ---- */

static void dump_drop_young(struct dump *dump, uint64_t *record, unsigned words)
{
    struct prof_rec_sync head; /* every device record begins with its two times */
    memcpy(&head, record, offsetof(struct prof_rec_sync, end_ns) + sizeof head.end_ns);
    if (head.end_ns > dump->now_ns)
        memset(record, 0, words * sizeof *record); /* empty words are skipped */
}

static bool dump_is_operation(unsigned type)
{
    return type >= PROF_REC_KERNEL && type <= PROF_REC_OVERHEAD;
}

static void dump_trim(struct dump *dump)
{
    unsigned words;
    for (size_t i = PROF_CHUNK_HEADER_BYTES / 8; i < DUMP_WORDS; i += words) {
        uint64_t word = dump->words[i];
        words = log_walk_size(word);
        if (PROF_WORD_KIND(word) == PROF_KIND_EXT && dump_is_operation(PROF_WORD_TYPE(word)) &&
            i + words <= DUMP_WORDS)
            dump_drop_young(dump, &dump->words[i], words);
    }
}

/* The current chunk goes to the next place. */
static int dump_append(struct dump *dump)
{
    ((struct prof_chunk_header *)(void *)dump->words)->index = dump->written;
    return dump_put(dump, dump->written++);
}

/* A chunk that was recycled since it was found has another place in its log, or none yet. */
static int dump_log(struct dump *dump, const struct dump_chunk *chunk)
{
    const struct prof_chunk_header *header = (const void *)dump->words;
    if (!chunks_read(chunk->number, dump->words, DUMP_WORDS) || dump_log_of(header) != chunk->log ||
        header->sequence != chunk->sequence || header->base_ticks != chunk->base_ticks ||
        header->magic != PROF_CHUNK_MAGIC) {
        dump->dropped = true;
        return chunks_count() ? 0 : ECANCELED;
    }
    dump_trim(dump);
    return dump_append(dump);
}

static int dump_logs(struct dump *dump)
{
    int error = 0;
    for (uint64_t i = 0; i < dump->log_count && !error; i++) {
        if (dump_is_too_old(dump, i))
            dump->dropped = true;
        else
            error = dump_log(dump, &dump->logs[i]);
    }
    return error;
}

static int dump_metas(struct dump *dump)
{
    const struct prof_chunk_header *header = (const void *)dump->words;
    int error = 0;
    for (uint64_t number = 1; number < chunks_count() && !error; number++)
        if (chunks_read(number, dump->words, PROF_CHUNK_HEADER_BYTES / 8) &&
            header->magic == PROF_CHUNK_MAGIC && header->kind == PROF_CHUNK_META &&
            chunks_read(number, dump->words, DUMP_WORDS))
            error = dump_append(dump);
    return error;
}

static int dump_first(struct dump *dump)
{
    struct prof_file_header *header = (void *)dump->words;
    if (!chunks_read(0, dump->words, DUMP_WORDS))
        return ECANCELED; /* the process ends: the file itself is complete now */
    header->chunk_count = dump->written;
    header->state = PROF_STATE_RECORDING;
    header->flags &= ~PROF_FILE_COPIED;
    if (dump->dropped)
        header->flags |= PROF_FILE_RING;
    return dump_put(dump, 0);
}

static int dump_copy(struct dump *dump)
{
    dump->now_ns = clock_gettime_ns(CLOCK_REALTIME);
    dump_find_logs(dump);
    int error = dump_logs(dump);
    if (!error)
        error = dump_metas(dump);
    return error ? error : dump_first(dump);
}

/* Not malloc'ed: the program's allocator may be what is recorded. */
static void *dump_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

const char *dump_reason(int error)
{
    if (error == EBUSY)
        return "it is the file that is being recorded to";
    return error == EEXIST ? "the existing file is not a recording" : strerror(error);
}

/* A job: own_files_run_long(). */
static int dump_write_file(void *argument)
{
    struct dump *dump = argument;
    int error = dump->fresh ? 0 : dump_may_replace(dump->path);
    if (!error)
        error = dump_open(dump, dump->path);
    if (!error)
        error = dump_copy(dump);
    if (!error)
        error = dump_name(dump, dump->path);
    if (error && *dump->part)
        unlink(dump->part);
    if (dump->fd >= 0)
        close(dump->fd);
    return error;
}

static int dump_make(const char *path, uint64_t oldest_ticks, bool fresh)
{
    session_flush((unsigned)config_get()->exit_ms);
    struct dump dump = {.path = path,
                        .fd = -1,
                        .written = 1,
                        .chunks = chunks_count(),
                        .oldest_ticks = oldest_ticks,
                        .fresh = fresh};
    size_t logs_bytes = (dump.chunks + 1) * sizeof *dump.logs;
    int error = ENOMEM;
    dump.words = dump_memory(PROF_CHUNK_BYTES);
    dump.logs = dump_memory(logs_bytes);
    if (dump.words && dump.logs) {
        struct signals_saved saved;
        signals_block(&saved); /* a file size limit is announced by SIGXFSZ */
        error = own_files_run_long(dump_write_file, &dump);
        signals_restore(&saved);
    }
    if (dump.words)
        munmap(dump.words, PROF_CHUNK_BYTES);
    if (dump.logs)
        munmap(dump.logs, logs_bytes);
    return error;
}

int dump_write(const char *path)
{
    return dump_make(path, dump_oldest_ticks(), false);
}

int dump_write_since(const char *path, uint64_t oldest_ticks)
{
    return dump_make(path, oldest_ticks, true);
}
