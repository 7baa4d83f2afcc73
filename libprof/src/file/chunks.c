#include "chunks.h"

#include "atomic.h"
#include "clock.h"
#include "log.h"
#include "output.h"
#include "own_files.h"
#include "recorder.h"
#include "signals.h"
#include "test_point.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHUNKS_FIRST_CHUNKS 16u   /* 1 MiB, mapped by the thread of the first event ... */
#define CHUNKS_FIRST_POPULATED 2u /* ... which also populates the header's and its own */
#define CHUNKS_LITTLE 4u          /* a program that has claimed less records little ... */
#define CHUNKS_PATIENCE 5u        /* ... for so many looks of the writer, 31 ms */
#define CHUNKS_AHEAD_MIN 64u   /* 4 MiB: unused space that kill -9 may leave at the end of a file */
#define CHUNKS_AHEAD_MAX 1024u /* 64 MiB: 80 ms of one thread that does nothing but record */
#define CHUNKS_RESERVE_MIN (32ull << 20) /* less address space than this is not worth trying */
#define CHUNKS_META_CHUNKS 1024u         /* beyond the limit, so that names outlive a full file */
#define CHUNKS_RETRY_NS 1000000000u      /* then a step that did not fit is tried again */
#define CHUNKS_HEAD_WORDS 4u             /* say whose chunk it is, and since when */
#define CHUNKS_FILE_MS 5000u             /* for a file system that does not answer */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

static struct chunks {
    uint8_t *base; /* of the reserved range, 64 KiB-aligned; fixed while there is a file */
    size_t reserved_bytes;
    uint64_t log_limit;  /* LOG chunks are numbered below this, but for the log's share */
    uint64_t log_share;  /* so many LOG chunks there may be, however many META chunks there are */
    uint64_t hard_limit; /* all chunks are numbered below this */
    uint64_t claims;     /* chunks handed out, chunk 0 included, | LOG chunks among them << 32 */
    uint64_t mapped;     /* extender releases -> chunks_memory acquires; 0 again once closed */
    uint64_t extent;    /* the most that `mapped` was: what a forked child finds mapped; extender */
    uint64_t populated; /* writer thread; chunks_resume() resets it */
    uint64_t ahead;     /* writer thread only: chunks to keep mapped beyond the claimed ones */
    uint32_t looks;     /* writer thread only: see chunks_can_wait() */
    uint64_t claimed_before; /* writer thread only: at its last look */
    uint32_t extending;      /* try-lock around file size, mapping, `mapped` and `suspensions` */
    uint32_t suspensions;    /* minus resumptions */
    uint64_t suspended;      /* `mapped` after the last one; with `extending` held */
    uint32_t populating;     /* writer touches pages below `mapped`; chunks_suspend() waits */
    uint32_t reading;        /* threads in chunks_read(): likewise */
    uint32_t copying;        /* lock of copies_write(); taken inside `extending` */
    struct own_fd own;       /* the file; the descriptor is only a way to it that needs no path */
    int error;               /* errno of the last step that did not fit; 0 */
    int copy_error;          /* of the last copy; with `copying` held, read by any thread */
    uint64_t retry_ns;       /* when the next one is due; with `extending` held */
    uint32_t said;           /* that it does not grow */
    uint64_t retired;        /* LOG chunks so far; any thread */
    bool anonymous;          /* no shared mappings here, or they are not safe: the writer copies */
    bool ring;
} chunks = {.own = OWN_FD_NONE};

static char chunks_path[PATH_MAX]; /* of the file; absolute */

/* Creator releases -> chunks_header acquires */
static struct prof_file_header *chunks_header_mapped GUEST_DATA;

struct prof_file_header *chunks_header(void)
{
    return load_acquire(&chunks_header_mapped);
}

/* ---- growing ---- */

/* A job with the file: own_files_run_within(). */
struct chunks_job {
    int (*act)(int fd, const struct chunks_job *job);
    uint64_t offset, bytes;
    bool last; /* copy of the file */
};

/* By its path, where the descriptor is gone: the program has closed it, or the thread whose it was
 * has ended for a while. */
static int chunks_reopen(const struct chunks_job *job)
{
    struct own_fd again = own_fd_adopt(own_files_open(chunks_path, O_RDWR | O_NONBLOCK));
    if (again.fd < 0)
        return errno;
    bool same = own_fd_is_same_file(&again, &chunks.own);
    int error = same ? job->act(again.fd, job) : ENOENT;
    if (same && again.table)
        chunks.own = again;
    else
        own_fd_close(&again);
    return error;
}

static int chunks_job_run(void *argument)
{
    const struct chunks_job *job = argument;
    return own_fd_is_ours(&chunks.own) ? job->act(chunks.own.fd, job) : chunks_reopen(job);
}

static int chunks_act(const struct chunks_job *job, unsigned deadline_ms)
{
    _Static_assert(sizeof *job <= OWN_FILES_ARGUMENT_BYTES, "is copied");
    return own_files_run_within(deadline_ms, chunks_job_run, job, sizeof *job);
}

static int chunks_reserve_disk(int fd, uint64_t offset, uint64_t bytes)
{
    int error;
    do
        error = posix_fallocate(fd, (off_t)offset, (off_t)bytes);
    while (error == EINTR);
    return error;
}

/* Mapped elsewhere and moved: a MAP_FIXED that fails may have unmapped what was there, so that a
 * mapping of the program's could come to lie in the reserved range, to be written over when the
 * file grows later. */
static int chunks_map(int fd, uint64_t offset, uint64_t bytes)
{
    void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    if (found == MAP_FAILED)
        return errno;
    if (mremap(found, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, chunks.base + offset) !=
        MAP_FAILED)
        return 0;
    int error = errno;
    munmap(found, bytes);
    return error;
}

/* The reserved range is anonymous memory as it is. */
static int chunks_unlock_memory(uint64_t offset, uint64_t bytes)
{
    return mprotect(chunks.base + offset, bytes, PROT_READ | PROT_WRITE) == 0 ? 0 : errno;
}

static int chunks_grow_file(int fd, const struct chunks_job *job)
{
    int error = chunks_reserve_disk(fd, job->offset, job->bytes);
    return error ? error : chunks_map(fd, job->offset, job->bytes);
}

static int chunks_reserve_file(int fd, const struct chunks_job *job)
{
    return space_reserve_if_possible(fd, job->offset, job->bytes);
}

/* What cannot be copied stays in memory: there is no more of it then. */
static int chunks_grow(uint64_t from, uint64_t to)
{
    struct chunks_job job = {.act = chunks.anonymous ? chunks_reserve_file : chunks_grow_file,
                             .offset = from * PROF_CHUNK_BYTES,
                             .bytes = (to - from) * PROF_CHUNK_BYTES};
    int error = load_relaxed(&chunks.copy_error);
    if (!error)
        error = chunks_act(&job, CHUNKS_FILE_MS);
    return error || !chunks.anonymous ? error : chunks_unlock_memory(job.offset, job.bytes);
}

static bool chunks_has_no_space(int error)
{
    return error == ENOSPC || error == EDQUOT || error == EFBIG || error == ENOMEM;
}

/* Where a step does not fit, half of it may. Returns how far it came. */
static uint64_t chunks_grow_what_fits(uint64_t from, uint64_t to, int *error)
{
    while ((*error = chunks_grow(from, to)) != 0) {
        if (!chunks_has_no_space(*error) || to - from == 1)
            return from;
        to = from + (to - from) / 2;
    }
    return to;
}

static void chunks_say(int error)
{
    if (!exchange_acquire(&chunks.said, 1u))
        log_line(LOG_ERROR,
                 "the trace file cannot grow (%s); the program goes on, and events are counted as "
                 "lost until it can",
                 strerror(error));
}

static void chunks_grow_failed(int error)
{
    store_relaxed(&chunks.error, error);
    chunks.retry_ns = clock_monotonic_ns() + CHUNKS_RETRY_NS;
    chunks_say(error);
}

/* In this order: a child that is forked in between finds all that a thread may have used. */
static void chunks_set_mapped(uint64_t mapped)
{
    INVARIANT(mapped >= load_relaxed(&chunks.mapped) && mapped <= chunks.hard_limit);
    store_relaxed(&chunks.extent, mapped);
    store_release(&chunks.mapped, mapped);
}

static void chunks_extend_locked(uint64_t wanted)
{
    uint64_t mapped = load_relaxed(&chunks.mapped);
    int error;
    if (wanted > chunks.hard_limit)
        wanted = chunks.hard_limit;
    if (!mapped || wanted <= mapped || (chunks.error && clock_monotonic_ns() < chunks.retry_ns))
        return;
    uint64_t reached = chunks_grow_what_fits(mapped, wanted, &error);
    if (reached > mapped)
        chunks_set_mapped(reached);
    if (error)
        chunks_grow_failed(error);
    else
        store_relaxed(&chunks.error, 0);
}

/* Extends the mapping to `wanted` chunks; false if another thread is doing so. Signals are blocked
 * from before the lock is taken: a handler that needs space too would wait for the thread it
 * interrupted, and a file size limit is announced by SIGXFSZ, which would end the host. */
static bool chunks_extend(uint64_t wanted)
{
    if (load_relaxed(&chunks.extending))
        return false;
    struct signals_saved saved;
    signals_block(&saved);
    bool mine = !exchange_acquire(&chunks.extending, 1u);
    if (mine) {
        chunks_extend_locked(wanted);
        store_release(&chunks.extending, 0u);
    }
    signals_restore(&saved);
    return mine;
}
/* ---- creating ---- */

/* What the file says until the session states its header: nothing was recorded. Reserving and
 * mapping its first space takes a millisecond, in which the process may be killed. */
static const struct prof_file_header chunks_initial_header = {
    .magic = PROF_FILE_MAGIC,
    .version = PROF_FORMAT_VERSION,
    .byte_order = PROF_BYTE_ORDER_MARK,
    .header_bytes = PROF_FILE_HEADER_BYTES,
    .chunk_bytes = PROF_CHUNK_BYTES,
    .state = PROF_STATE_RECORDING,
    .rank = -1,
    .local_rank = -1,
    .world_size = -1,
};

/* Where the program moves the file or its root, the descriptor still leads to it. */
static int chunks_create_file(void *unused)
{
    (void)unused;
    struct own_fd own = own_fd_adopt(own_files_open(chunks_path, O_RDWR | O_CREAT | O_EXCL));
    if (own.fd < 0)
        return errno;
    chunks.anonymous = !space_keep(own.fd);
    ssize_t written = pwrite(own.fd, &chunks_initial_header, sizeof chunks_initial_header, 0);
    if (written != (ssize_t)sizeof chunks_initial_header) {
        int error = written < 0 ? errno : ENOSPC;
        unlink(chunks_path);
        own_fd_close(&own);
        return error;
    }
    chunks.own = own;
    own_files_keep(&chunks.own);
    return 0;
}

static int chunks_close_file(void *unused)
{
    (void)unused;
    own_fd_close(&chunks.own);
    own_files_keep(NULL);
    return 0;
}

/* Address space only. Halved until the system grants it (RLIMIT_AS, cgroups). */
static int chunks_reserve_range(uint64_t wanted)
{
    for (uint64_t bytes = wanted; bytes >= CHUNKS_RESERVE_MIN; bytes /= 2) {
        void *place = mmap(NULL, bytes + PROF_CHUNK_BYTES, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (place == MAP_FAILED)
            continue;
        uintptr_t aligned =
            ((uintptr_t)place + PROF_CHUNK_BYTES - 1) & ~(uintptr_t)(PROF_CHUNK_BYTES - 1);
        chunks.base = (uint8_t *)aligned;
        chunks.reserved_bytes = bytes;
        return 0;
    }
    return ENOMEM;
}

static uint64_t chunks_wanted_range(const struct chunks_options *options)
{
    uint64_t wanted = options->max_bytes + (uint64_t)CHUNKS_META_CHUNKS * PROF_CHUNK_BYTES;
    return wanted < options->address_bytes ? wanted : options->address_bytes;
}

static void chunks_set_limits(const struct chunks_options *options)
{
    uint64_t reserved = chunks.reserved_bytes / PROF_CHUNK_BYTES;
    uint64_t wanted = options->max_bytes / PROF_CHUNK_BYTES;
    chunks.log_limit = wanted + CHUNKS_META_CHUNKS <= reserved ? wanted : reserved - reserved / 8;
    if (chunks.log_limit < 2)
        chunks.log_limit = 2;
    chunks.log_share = chunks.log_limit / 2;
    chunks.hard_limit = reserved;
    chunks.claims = 1;
    chunks.ring = options->ring && retired_init(chunks.log_limit);
}

/* Some network and container file systems have no shared writable mappings, or no way to reserve
 * space. */
static int chunks_map_first(void)
{
    int error = chunks.anonymous ? 0 : chunks_grow(0, CHUNKS_FIRST_CHUNKS);
    if (!chunks.anonymous && (error == 0 || error == EAGAIN || chunks_has_no_space(error)))
        return error;
    chunks.anonymous = true;
    error = copies_init(chunks.base, chunks.hard_limit, chunks.ring);
    return error ? error : chunks_grow(0, CHUNKS_FIRST_CHUNKS);
}

static void chunks_forget(void)
{
    if (chunks.base)
        munmap(chunks.base, chunks.reserved_bytes);
    chunks = (struct chunks){.own = OWN_FD_NONE};
}

/* A page that is not there yet costs its first user 0.5 us. A kernel that does not know the advice
 * (EINVAL) makes us touch each page with an atomic no-op: a thread that has claimed the chunk
 * meanwhile loses nothing. */
static void chunks_populate(uint64_t from, uint64_t to)
{
    uint8_t *start = chunks.base + from * PROF_CHUNK_BYTES;
    size_t bytes = (to - from) * PROF_CHUNK_BYTES;
    if (madvise(start, bytes, MADV_POPULATE_WRITE) == 0 || errno != EINVAL)
        return;
    for (size_t offset = 0; offset < bytes; offset += 4096)
        fetch_or_relaxed((uint64_t *)(void *)(start + offset + 4088), 0u);
}

/* Past the file's own making: what is half made is removed. */
static int chunks_begin(const struct chunks_options *options)
{
    int error = chunks_reserve_range(chunks_wanted_range(options));
    if (error)
        return error;
    chunks_set_limits(options);
    error = chunks_map_first();
    if (error)
        return error;
    chunks_populate(0, CHUNKS_FIRST_POPULATED);
    chunks.populated = CHUNKS_FIRST_POPULATED;
    chunks.ahead = CHUNKS_AHEAD_MIN;
    chunks_set_mapped(CHUNKS_FIRST_CHUNKS);
    return 0;
}

int chunks_create(const struct chunks_options *options)
{
    struct signals_saved saved;
    if (strlen(options->path) >= sizeof chunks_path)
        return ENAMETOOLONG;
    memcpy(chunks_path, options->path, strlen(options->path) + 1);
    signals_block(&saved); /* SIGXFSZ, as above */
    int error = own_files_run_within(CHUNKS_FILE_MS, chunks_create_file, NULL, 0);
    if (!error) {
        TEST_POINT("chunks_create: no space yet");
        error = chunks_begin(options);
        if (error) {
            unlink(chunks_path);
            own_files_run_within(CHUNKS_FILE_MS, chunks_close_file, NULL, 0);
            chunks_forget();
        }
    }
    signals_restore(&saved);
    return error;
}

struct prof_file_header *chunks_first(void)
{
    return (struct prof_file_header *)(void *)chunks.base;
}

void chunks_publish(void)
{
    store_release(&chunks_header_mapped, chunks_first());
}

/* ---- handing out ---- */

#define CHUNKS_ONE_LOG (1ull << 32)

/* Names and stacks may be many: what is left of the log's share is not for them. */
static uint64_t chunks_kept_for_logs(uint64_t logs)
{
    return logs < chunks.log_share ? chunks.log_share - logs : 0;
}

static uint64_t chunks_limit(bool meta, uint64_t logs)
{
    uint64_t kept = chunks_kept_for_logs(logs);
    if (meta)
        return chunks.hard_limit - kept;
    return kept ? chunks.hard_limit : chunks.log_limit;
}

/* A child that a handler forked has no limits. */
static void chunks_check_claims(uint64_t claims)
{
    INVARIANT(!chunks.hard_limit || (uint32_t)claims > claims >> 32);
    INVARIANT(!chunks.hard_limit ||
              (uint32_t)claims + chunks_kept_for_logs(claims >> 32) <= chunks.hard_limit);
}

/* Both counts change in one step, or a META chunk could take the last one of the log's share after
 * a LOG chunk was counted and before it was taken. */
static uint64_t chunks_claim_fresh(bool meta)
{
    uint64_t claims = load_seq_cst(&chunks.claims), one = meta ? 1 : 1 + CHUNKS_ONE_LOG;
    while ((uint32_t)claims < chunks_limit(meta, claims >> 32)) {
        TEST_POINT("chunks_claim: undecided");
        if (cas_seq_cst(&chunks.claims, &claims, claims + one)) {
            chunks_check_claims(claims + one);
            return (uint32_t)claims;
        }
    }
    return CHUNKS_NO_CHUNK;
}

static uint64_t chunks_claim_retired(void)
{
    uint64_t chunk = retired_pop();
    if (chunk == RETIRED_NONE)
        return CHUNKS_NO_CHUNK;
    struct prof_chunk_header *header =
        (struct prof_chunk_header *)(void *)(chunks.base + chunk * PROF_CHUNK_BYTES);
    INVARIANT(chunk < chunks.hard_limit);
    INVARIANT(header->magic == PROF_CHUNK_MAGIC && header->kind != PROF_CHUNK_META &&
              header->index == chunk);
    copies_recycled(chunk);
    store_release(&header->magic, 0u);
    fence_release(); /* chunks_read() sees that before it sees anything of what follows */
    memset(header, 0, PROF_CHUNK_BYTES);
    return chunk;
}

uint64_t chunks_claim(bool meta)
{
    uint64_t chunk = chunks_claim_fresh(meta);
    return chunk == CHUNKS_NO_CHUNK && !meta && chunks.ring ? chunks_claim_retired() : chunk;
}

bool chunks_cannot_grow(void)
{
    return load_relaxed(&chunks.error) != 0;
}

bool chunks_grow_again(void)
{
    static bool could_not; /* writer thread only */
    bool again = could_not && !chunks_cannot_grow();
    could_not = chunks_cannot_grow();
    return again;
}

/* Only once the chunk is in the file: one that is claimed after the end never will be, and readers
 * would take a closed file without it for a truncated one. */
static void chunks_count_in_file(struct prof_file_header *header, uint64_t chunk)
{
    uint64_t *in_file = &header->chunk_count, count = load_relaxed(in_file);
    while (count <= chunk && !cas_acq_rel(in_file, &count, chunk + 1))
        ;
}

/* The base is read first: in a child that a signal handler forks meanwhile, that memory is unused,
 * and another file may be mapped there. */
static void *chunks_memory_within(uint64_t chunk, int attempts)
{
    uint8_t *base = chunks.base;
    uint64_t mapped;
    TEST_POINT("chunks_memory: looks");
    for (int attempt = 0; chunk >= (mapped = load_seq_cst(&chunks.mapped)); attempt++) {
        if (attempt == attempts || !mapped || chunks_cannot_grow())
            return NULL;
        if (!chunks_extend(chunk + CHUNKS_FIRST_CHUNKS))
            clock_wait(attempt);
    }
    chunks_count_in_file((struct prof_file_header *)(void *)base, chunk);
    return base + chunk * PROF_CHUNK_BYTES;
}

void *chunks_memory(uint64_t chunk)
{
    return chunks_memory_within(chunk, CHUNKS_WAITS);
}

void *chunks_memory_now(uint64_t chunk)
{
    return chunks_memory_within(chunk, 1);
}

void chunks_leave(uint64_t chunk, size_t words)
{
    copies_left(chunk, words);
}

void chunks_retire(uint64_t chunk, size_t words)
{
    copies_left(chunk, words);
    fetch_add_relaxed(&chunks.retired, 1u);
    if (chunks.ring)
        retired_push(chunk);
}

uint64_t chunks_retired(void)
{
    return load_relaxed(&chunks.retired);
}

/* ---- the writer's part ---- */

/* Keeps twice what was used since the last look, so that the next burst of that size finds its
 * space. */
static void chunks_adapt(uint64_t used)
{
    if (2 * used > chunks.ahead)
        chunks.ahead = 2 * used;
    if (chunks.ahead > CHUNKS_AHEAD_MAX)
        chunks.ahead = CHUNKS_AHEAD_MAX;
}

/* Announced before `mapped` is read, as chunks_suspend() sets that to 0 before it looks for us: a
 * page after the cut would be a SIGBUS to the host. */
static void chunks_populate_ahead(uint64_t claimed, uint64_t limit)
{
    uint64_t populated = load_relaxed(&chunks.populated);
    uint64_t from = populated > claimed ? populated : claimed;
    exchange_seq_cst(&chunks.populating, 1u);
    uint64_t to = load_seq_cst(&chunks.mapped);
    to = to < limit ? to : limit;
    if (from < to)
        chunks_populate(from, to);
    store_release(&chunks.populating, 0u);
    if (to > populated)
        store_relaxed(&chunks.populated, to);
}

static int chunks_copy_to(int fd, const struct chunks_job *job)
{
    return copies_write(fd, job->bytes / PROF_CHUNK_BYTES, job->last);
}

static void chunks_copy(uint64_t claimed, bool last)
{
    struct chunks_job job = {
        .act = chunks_copy_to, .bytes = claimed * PROF_CHUNK_BYTES, .last = last};
    struct signals_saved saved;
    signals_lock(&saved, &chunks.copying);
    int error = claimed ? chunks_act(&job, UINT_MAX) : 0;
    store_relaxed(&chunks.copy_error, error);
    signals_unlock(&saved, &chunks.copying);
    if (error)
        chunks_say(error);
}

static uint64_t chunks_claimed(void)
{
    return (uint32_t)load_seq_cst(&chunks.claims);
}

static uint64_t chunks_claimed_of(uint64_t mapped)
{
    uint64_t claimed = chunks_claimed();
    return claimed < mapped ? claimed : mapped;
}

/* Most of a short program's cost would be 4 MiB that it does not use: to populate them here, and to
 * give them back at its end. */
static bool chunks_can_wait(uint64_t claimed)
{
    return claimed < CHUNKS_LITTLE && chunks.looks++ < CHUNKS_PATIENCE;
}

bool chunks_advance(void)
{
    uint64_t claimed = chunks_claimed();
    uint64_t used = claimed - chunks.claimed_before;
    chunks.claimed_before = claimed;
    chunks_adapt(used);
    if (chunks_can_wait(claimed)) {
        if (chunks.looks > 1) /* it lives for more than a millisecond */
            chunks_populate_ahead(claimed, CHUNKS_LITTLE);
        return used > 0;
    }
    if (claimed + chunks.ahead > load_relaxed(&chunks.mapped) + chunks.ahead / 4)
        chunks_extend(claimed + chunks.ahead);
    chunks_populate_ahead(claimed, UINT64_MAX);
    return used > 0;
}

/* ---- reading ---- */

bool chunks_hold(uintptr_t address)
{
    return chunks.base && address - (uintptr_t)chunks.base < chunks.reserved_bytes;
}

uint64_t chunks_count(void)
{
    return chunks_header() ? chunks_claimed_of(load_relaxed(&chunks.mapped)) : 0;
}

/* The rest of the header was stored before it. */
static bool chunks_has_magic(uint64_t chunk)
{
    const void *memory = chunks.base + chunk * PROF_CHUNK_BYTES;
    return load_acquire((const uint32_t *)memory) == PROF_CHUNK_MAGIC;
}

/* In ascending order, since a record's header word comes before its payload and is stored after it.
 * The first words say whose chunk it is: it was not recycled meanwhile if they are the same at the
 * end. */
static bool chunks_read_mapped(uint64_t chunk, uint64_t head[CHUNKS_HEAD_WORDS], size_t from,
                               uint64_t *words, size_t count)
{
    const uint64_t *memory = (const uint64_t *)(void *)(chunks.base + chunk * PROF_CHUNK_BYTES);
    for (size_t i = 0; i < CHUNKS_HEAD_WORDS; i++)
        head[i] = load_acquire(&memory[i]);
    for (size_t i = 0; i < count; i++)
        words[i] = load_acquire(&memory[from + i]);
    for (size_t i = 0; i < CHUNKS_HEAD_WORDS; i++)
        if (load_acquire(&memory[i]) != head[i])
            return false;
    return true;
}

/* Announced before `mapped` is read, as chunks_populate_ahead() does. */
static bool chunks_read_announced(uint64_t chunk, uint64_t head[CHUNKS_HEAD_WORDS], size_t from,
                                  uint64_t *words, size_t count, bool begun)
{
    fetch_add_seq_cst(&chunks.reading, 1u);
    bool read = load_seq_cst(&chunks.mapped) && chunk < chunks_count() &&
                (!begun || chunks_has_magic(chunk)) &&
                chunks_read_mapped(chunk, head, from, words, count);
    fetch_add_seq_cst(&chunks.reading, (uint32_t)-1);
    return read;
}

bool chunks_peek(uint64_t chunk, uint64_t *words, size_t from, size_t count)
{
    size_t at = from > CHUNKS_HEAD_WORDS ? from : CHUNKS_HEAD_WORDS;
    return chunks_read_announced(chunk, words, at, words + at, count - at, true);
}

bool chunks_peek_at(uint64_t chunk, size_t from, uint64_t *words, size_t count)
{
    uint64_t head[CHUNKS_HEAD_WORDS];
    return chunks_read_announced(chunk, head, from, words, count, true);
}

/* Without signals: a handler that ends the process would wait for the thread it interrupted. */
bool chunks_read(uint64_t chunk, uint64_t *words, size_t count)
{
    struct signals_saved saved;
    signals_block(&saved);
    bool read = chunks_read_announced(chunk, words, CHUNKS_HEAD_WORDS, words + CHUNKS_HEAD_WORDS,
                                      count - CHUNKS_HEAD_WORDS, false);
    signals_restore(&saved);
    return read;
}

bool chunks_are_copied(void)
{
    return chunks.anonymous;
}

void chunks_copy_out(void)
{
    if (chunks.anonymous)
        chunks_copy(chunks_claimed_of(load_relaxed(&chunks.mapped)), false);
}

/* ---- the end ---- */

static int chunks_cut_file(int fd, const struct chunks_job *job)
{
    return ftruncate(fd, (off_t)job->bytes) == 0 ? 0 : errno;
}

/* A file that nobody finds any more, or may not be cut, is only longer than it need be. */
static void chunks_cut(uint64_t claimed)
{
    struct chunks_job job = {.act = chunks_cut_file, .bytes = claimed * PROF_CHUNK_BYTES};
    struct signals_saved saved;
    signals_block(&saved);
    (void)chunks_act(&job, CHUNKS_FILE_MS);
    signals_restore(&saved);
}

/* `mapped` goes to 0 first: a thread that claims a chunk from now on sees it and gives up; one that
 * had claimed before is counted by the `claims` read after (all seq_cst). So nobody writes after
 * the cut. */
static void chunks_suspend_locked(void)
{
    struct prof_file_header *header = chunks_header();
    uint64_t mapped = exchange_seq_cst(&chunks.mapped, 0u);
    TEST_POINT("chunks_suspend: nothing mapped");
    for (int i = 0; load_seq_cst(&chunks.populating) || load_seq_cst(&chunks.reading); i++)
        clock_wait(i);
    if (!mapped)
        return;
    uint64_t claimed = chunks_claimed_of(mapped);
    INVARIANT(claimed >= chunks.suspended && claimed <= load_relaxed(&chunks.extent));
    chunks.suspended = claimed;
    TEST_POINT("chunks_suspend: counted");
    store_release(&header->chunk_count, claimed);
    store_release(&header->state, (uint32_t)PROF_STATE_CLOSED);
    chunks_cut(claimed); /* first: the last copy may need what that gives back */
    if (chunks.anonymous)
        chunks_copy(claimed, true);
}

void chunks_suspend(void)
{
    struct signals_saved saved;
    signals_lock(&saved, &chunks.extending);
    chunks.suspensions++;
    chunks_suspend_locked();
    signals_unlock(&saved, &chunks.extending);
}

void chunks_resume(void)
{
    struct signals_saved saved;
    signals_lock(&saved, &chunks.extending);
    INVARIANT(chunks.suspensions > 0 && load_relaxed(&chunks.mapped) == 0);
    if (--chunks.suspensions == 0) {
        store_release(&chunks_header()->state, (uint32_t)PROF_STATE_RECORDING);
        store_relaxed(&chunks.populated, 0u);
        store_seq_cst(&chunks.mapped, chunks.suspended);
    }
    signals_unlock(&saved, &chunks.extending);
}

/* The descriptor stays until the process ends: closing its number might close a file of the
 * program. */
void chunks_close(void)
{
    chunks_suspend();
}

/* Empty pages of the child's own instead of the shared ones: a fork in a signal handler may have
 * interrupted an event that will still be stored, and must be neither in the parent's file nor a
 * fault, whatever becomes of that file. */
GUEST_PATH static void chunks_detach(uint64_t bytes)
{
    int flags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (!chunks.anonymous)
        (void)mmap(chunks.base, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
}

/* `mapped` may be 0: the parent's file was closed, or is being. */
GUEST_PATH void chunks_fork_child(void)
{
    uint64_t used_bytes = load_relaxed(&chunks.extent) * PROF_CHUNK_BYTES;
    if (used_bytes)
        chunks_detach(used_bytes);
    if (chunks.base)
        munmap(chunks.base + used_bytes, chunks.reserved_bytes - used_bytes);
    copies_fork_child();
    own_fd_close(&chunks.own);
    store_release(&chunks_header_mapped, (struct prof_file_header *)NULL);
    chunks = (struct chunks){.own = OWN_FD_NONE};
}
