/* source.c - see source.h.
 *
 *     file or memory --stored_read()--> stored[] --unpacker--> peeked[] --> the reader
 *
 * A small file that unpacks to very much is a trap: a trace compresses 10 to 30 times, rarely 200.
 * So what is unpacked may be UNPACK_FREE_BYTES, and beyond that UNPACK_RATIO_MAX times what is
 * stored.
 */
#include "source.h"

#include "progress.h"
#include "spool.h"
#include "trace_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef PROF_HAVE_LIBISAL
#include <isa-l/igzip_lib.h>
#elif defined PROF_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef PROF_HAVE_LIBZSTD
#include <zstd.h>
#endif

#define STORED_BYTES (1u << 18)
#define UNPACK_FREE_BYTES (UINT64_C(256) << 20)
#define UNPACK_RATIO_MAX 200u

/* ---- decompressors, each where its library is ---- */

/* What is left of the input and of the room for output; a step moves both on. */
struct unpack_io {
    const uint8_t *in;
    size_t in_bytes;
    uint8_t *out;
    size_t out_bytes;
};

enum unpack_result {
    UNPACK_MORE, /* wants more input or more room */
    UNPACK_END,  /* a member or frame is complete: another may follow */
    UNPACK_BAD,
};

struct unpacker {
    const char *name;    /* of the compression */
    const char *library; /* what Debian calls what it needs to be built */
    uint8_t magic[4];
    size_t magic_bytes;
    bool built; /* false: this program was built without it */
    /* NULL: no memory. */
    void *(*create)(void);
    enum unpack_result (*step)(void *state, struct unpack_io *io);
    void (*destroy)(void *state);
};

static inline unsigned at_most(size_t bytes)
{
    return bytes > INT_MAX ? INT_MAX : (unsigned)bytes;
}

static inline void unpack_moved(struct unpack_io *io, size_t in, size_t out)
{
    io->in += in;
    io->in_bytes -= in;
    io->out += out;
    io->out_bytes -= out;
}

#ifdef PROF_HAVE_LIBISAL

/* A quarter of zlib's time, for the same bytes. */
static void gzip_begin_member(struct inflate_state *state)
{
    isal_inflate_reset(state);
    state->crc_flag = ISAL_GZIP;
}

static void *gzip_create(void)
{
    struct inflate_state *state = malloc(sizeof *state);
    if (!state)
        return NULL;
    isal_inflate_init(state);
    gzip_begin_member(state);
    return state;
}

static enum unpack_result gzip_step(void *state_, struct unpack_io *io)
{
    struct inflate_state *state = state_;
    unsigned in = at_most(io->in_bytes), out = at_most(io->out_bytes);
    state->next_in = (uint8_t *)(uintptr_t)io->in;
    state->avail_in = in;
    state->next_out = io->out;
    state->avail_out = out;
    int result = isal_inflate(state);
    unpack_moved(io, in - state->avail_in, out - state->avail_out);
    if (result != ISAL_DECOMP_OK)
        return UNPACK_BAD;
    if (state->block_state != ISAL_BLOCK_FINISH)
        return UNPACK_MORE;
    gzip_begin_member(state);
    return UNPACK_END;
}

static void gzip_destroy(void *state)
{
    free(state);
}
#elif defined PROF_HAVE_ZLIB

#define GZIP_WINDOW (15 + 16) /* the largest window, gzip's header */

static void *gzip_create(void)
{
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream && inflateInit2(stream, GZIP_WINDOW) == Z_OK)
        return stream;
    free(stream);
    return NULL;
}

static enum unpack_result gzip_step(void *state, struct unpack_io *io)
{
    z_stream *stream = state;
    unsigned in = at_most(io->in_bytes), out = at_most(io->out_bytes);
    stream->next_in = (Bytef *)(uintptr_t)io->in;
    stream->avail_in = in;
    stream->next_out = io->out;
    stream->avail_out = out;
    int result = inflate(stream, Z_NO_FLUSH);
    unpack_moved(io, in - stream->avail_in, out - stream->avail_out);
    if (result == Z_STREAM_END)
        return inflateReset(stream) == Z_OK ? UNPACK_END : UNPACK_BAD;
    return result == Z_OK || result == Z_BUF_ERROR ? UNPACK_MORE : UNPACK_BAD;
}

static void gzip_destroy(void *state)
{
    if (!state)
        return;
    inflateEnd(state);
    free(state);
}

#endif

#if defined PROF_HAVE_LIBISAL || defined PROF_HAVE_ZLIB
static const struct unpacker unpack_gzip = {"gzip", "zlib1g-dev", {0x1f, 0x8b}, 2,
                                            true,   gzip_create,  gzip_step,    gzip_destroy};
#else
static const struct unpacker unpack_gzip = {
    .name = "gzip", .library = "zlib1g-dev", .magic = {0x1f, 0x8b}, .magic_bytes = 2};
#endif

#ifdef PROF_HAVE_LIBZSTD

#define WINDOW_LOG_MAX 27 /* 128 MiB, what zstd itself allows without being asked */

static void *zstd_create(void)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (context)
        ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
    return context;
}

static enum unpack_result zstd_step(void *state, struct unpack_io *io)
{
    ZSTD_inBuffer in = {io->in, io->in_bytes, 0};
    ZSTD_outBuffer out = {io->out, io->out_bytes, 0};
    size_t left = ZSTD_decompressStream(state, &out, &in);
    unpack_moved(io, in.pos, out.pos);
    if (ZSTD_isError(left))
        return UNPACK_BAD;
    return left == 0 ? UNPACK_END : UNPACK_MORE;
}

static void zstd_destroy(void *state)
{
    ZSTD_freeDCtx(state);
}

static const struct unpacker unpack_zstd = {
    "zstd", "libzstd-dev", {0x28, 0xb5, 0x2f, 0xfd}, 4, true, zstd_create, zstd_step, zstd_destroy};
#else
static const struct unpacker unpack_zstd = {
    .name = "zstd", .library = "libzstd-dev", .magic = {0x28, 0xb5, 0x2f, 0xfd}, .magic_bytes = 4};
#endif

/* ---- the source ---- */

struct source {
    char *path;
    struct source_clock clock;
    int descriptor;       /* -1: in memory */
    bool spooled;         /* the descriptor is of a copy, the path of a pipe */
    const uint8_t *bytes; /* in memory: what is left */
    size_t bytes_left;
    uint64_t stored_bytes, unpacked_bytes;
    const struct unpacker *unpacker; /* NULL: plain */
    void *state;
    uint8_t *stored; /* compressed, of a file: STORED_BYTES */
    size_t stored_at, stored_end;
    bool within; /* a member or frame */
    bool ended;  /* of the stored bytes */
    uint8_t *peeked;
    size_t peeked_at, peeked_end;
};

const char *source_path(const struct source *source)
{
    return source->path;
}

bool source_is_plain(const struct source *source)
{
    return source->descriptor >= 0 && !source->unpacker;
}

const char *source_plain_path(const struct source *source)
{
    return source_is_plain(source) && !source->spooled ? source->path : NULL;
}

void source_set_clock(struct source *source, struct source_clock clock)
{
    source->clock = clock;
}

struct source_clock source_clock_of(const struct source *source)
{
    return source->clock;
}

/* -1: unreadable. */
static ptrdiff_t stored_read(struct source *source, void *to, size_t bytes,
                             struct read_error *error)
{
    if (source->descriptor < 0) {
        size_t taken = bytes < source->bytes_left ? bytes : source->bytes_left;
        if (taken)
            memcpy(to, source->bytes, taken);
        source->bytes += taken;
        source->bytes_left -= taken;
        return (ptrdiff_t)taken;
    }
    for (;;) {
        ssize_t got = read(source->descriptor, to, bytes);
        if (got >= 0 || errno != EINTR) {
            if (got < 0)
                trace_error(error, source->path, "%s", strerror(errno));
            else
                progress_add((uint64_t)got);
            return got;
        }
    }
}

/* Has at least one stored byte at hand, or has found their end. */
static bool fill_stored(struct source *source, struct read_error *error)
{
    if (source->stored_at < source->stored_end || source->ended)
        return true;
    ptrdiff_t got = stored_read(source, source->stored, STORED_BYTES, error);
    source->stored_at = 0;
    source->stored_end = got > 0 ? (size_t)got : 0;
    source->ended = got == 0;
    return got >= 0;
}

static bool is_believed(struct source *source, size_t more, struct read_error *error)
{
    source->unpacked_bytes += more;
    if (source->unpacked_bytes <= UNPACK_FREE_BYTES ||
        source->unpacked_bytes / UNPACK_RATIO_MAX <= source->stored_bytes)
        return true;
    trace_error(error, source->path, "unpacks to more than %u times its size: not a trace",
                UNPACK_RATIO_MAX);
    return false;
}

/* One step of the unpacker into the room. False: damaged. */
static bool unpack_some(struct source *source, struct unpack_io *io, struct read_error *error)
{
    size_t room = io->out_bytes;
    io->in = source->stored + source->stored_at;
    io->in_bytes = source->stored_end - source->stored_at;
    enum unpack_result result = source->unpacker->step(source->state, io);
    source->stored_at = source->stored_end - io->in_bytes;
    source->within = result == UNPACK_MORE;
    if (result == UNPACK_BAD)
        trace_error(error, source->path, "the %s data is damaged", source->unpacker->name);
    return result != UNPACK_BAD && is_believed(source, room - io->out_bytes, error);
}

static ptrdiff_t unpack_read(struct source *source, void *to, size_t bytes,
                             struct read_error *error)
{
    struct unpack_io io = {.out = to, .out_bytes = bytes};
    while (io.out_bytes == bytes) {
        if (!fill_stored(source, error))
            return -1;
        if (source->ended && source->within) {
            trace_error(error, source->path, "the %s data ends too early: the file is truncated",
                        source->unpacker->name);
            return -1;
        }
        if (source->ended)
            break;
        if (!unpack_some(source, &io, error))
            return -1;
    }
    return (ptrdiff_t)(bytes - io.out_bytes);
}

static ptrdiff_t read_on(struct source *source, void *to, size_t bytes, struct read_error *error)
{
    return source->unpacker ? unpack_read(source, to, bytes, error)
                            : stored_read(source, to, bytes, error);
}

ptrdiff_t source_read(struct source *source, void *to, size_t bytes, struct read_error *error)
{
    size_t done = source->peeked_end - source->peeked_at;
    done = done < bytes ? done : bytes;
    if (done)
        memcpy(to, source->peeked + source->peeked_at, done);
    source->peeked_at += done;
    while (done < bytes) {
        ptrdiff_t got = read_on(source, (uint8_t *)to + done, bytes - done, error);
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ptrdiff_t)done;
}

bool source_peek(struct source *source, struct text *head, struct read_error *error)
{
    while (source->peeked_end < SOURCE_PEEK_BYTES) {
        ptrdiff_t got = read_on(source, source->peeked + source->peeked_end,
                                SOURCE_PEEK_BYTES - source->peeked_end, error);
        if (got < 0)
            return false;
        if (got == 0)
            break;
        source->peeked_end += (size_t)got;
    }
    *head = (struct text){(const char *)source->peeked, source->peeked_end};
    return true;
}

void *source_read_all(struct source *source, size_t most, size_t *size, struct read_error *error)
{
    size_t room = 0, count = 0;
    uint8_t *bytes = NULL;
    for (;;) {
        if (count == room) {
            size_t wanted = room ? room * 2 : SOURCE_PEEK_BYTES;
            wanted = wanted > most + 1 ? most + 1 : wanted;
            uint8_t *grown = count > most ? NULL : realloc(bytes, wanted);
            if (!grown) {
                trace_error(error, source->path,
                            count > most ? "too large: more than %zu MiB"
                                         : "out of memory (%zu MiB)",
                            (count > most ? most : wanted) >> 20);
                break;
            }
            bytes = grown;
            room = wanted;
        }
        ptrdiff_t got = source_read(source, bytes + count, room - count, error);
        if (got < 0)
            break;
        if (got == 0) {
            *size = count;
            return bytes;
        }
        count += (size_t)got;
    }
    free(bytes);
    return NULL;
}

static bool choose_unpacker(struct source *source, struct read_error *error)
{
    static const struct unpacker *const all[] = {&unpack_gzip, &unpack_zstd};
    const uint8_t *head = source->descriptor < 0 ? source->bytes : source->stored;
    size_t size = source->descriptor < 0 ? source->bytes_left : source->stored_end;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (size >= all[i]->magic_bytes && memcmp(head, all[i]->magic, all[i]->magic_bytes) == 0)
            source->unpacker = all[i];
    if (!source->unpacker)
        return true;
    if (!source->unpacker->built) {
        trace_error(error, source->path,
                    "compressed with %s, which this profdump was built without (Debian: %s)",
                    source->unpacker->name, source->unpacker->library);
        return false;
    }
    source->state = source->unpacker->create();
    if (!source->state)
        trace_error(error, source->path, "out of memory");
    return source->state != NULL;
}

static struct source *source_create(const char *path, struct read_error *error)
{
    struct source *source = calloc(1, sizeof *source);
    if (source) {
        source->descriptor = -1;
        source->path = strdup(path);
        source->stored = malloc(STORED_BYTES);
        source->peeked = malloc(SOURCE_PEEK_BYTES);
    }
    if (source && source->path && source->stored && source->peeked)
        return source;
    trace_error(error, path, "out of memory");
    source_close(source);
    return NULL;
}

static bool open_descriptor(struct source *source, struct read_error *error)
{
    struct stat status;
    source->descriptor = spool_open(source->path, &source->spooled);
    if (source->descriptor < 0 || fstat(source->descriptor, &status) != 0) {
        trace_error(error, source->path, "%s", strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        trace_error(error, source->path, "%s",
                    S_ISDIR(status.st_mode) ? "a directory"
                    : S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)
                        ? "a pipe; save it to a file first"
                        : "not a regular file");
        return false;
    }
    source->stored_bytes = (uint64_t)status.st_size;
    return true;
}

/* What was read to recognise the compression is what comes first. */
static bool look_at_beginning(struct source *source, struct read_error *error)
{
    if (!fill_stored(source, error) || !choose_unpacker(source, error))
        return false;
    if (source->unpacker)
        return true;
    source->peeked_end =
        source->stored_end < SOURCE_PEEK_BYTES ? source->stored_end : SOURCE_PEEK_BYTES;
    memcpy(source->peeked, source->stored, source->peeked_end);
    return lseek(source->descriptor, (off_t)source->peeked_end, SEEK_SET) >= 0;
}

struct source *source_open(const char *path, struct read_error *error)
{
    struct source *source = source_create(path, error);
    if (source && open_descriptor(source, error) && look_at_beginning(source, error))
        return source;
    source_close(source);
    return NULL;
}

struct source *source_open_memory(const void *bytes, size_t size, const char *name,
                                  struct read_error *error)
{
    struct source *source = source_create(name, error);
    if (!source)
        return NULL;
    source->bytes = bytes;
    source->bytes_left = size;
    source->stored_bytes = size;
    if (choose_unpacker(source, error))
        return source;
    source_close(source);
    return NULL;
}

void source_close(struct source *source)
{
    if (!source)
        return;
    if (source->descriptor >= 0)
        close(source->descriptor);
    if (source->state)
        source->unpacker->destroy(source->state);
    free(source->stored);
    free(source->peeked);
    free(source->path);
    free(source);
}
