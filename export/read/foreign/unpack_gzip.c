/* unpack_gzip.c - gzip by zlib. */
#include "unpack.h"

#include <limits.h>
#include <stdlib.h>

#ifdef PROF_HAVE_ZLIB
#include <zlib.h>

#define GZIP_WINDOW (15 + 16) /* the largest window, gzip's header */

static void *gzip_create(void)
{
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream && inflateInit2(stream, GZIP_WINDOW) == Z_OK)
        return stream;
    free(stream);
    return NULL;
}

static unsigned at_most(size_t bytes)
{
    return bytes > INT_MAX ? INT_MAX : (unsigned)bytes;
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
    io->in += in - stream->avail_in;
    io->in_bytes -= in - stream->avail_in;
    io->out += out - stream->avail_out;
    io->out_bytes -= out - stream->avail_out;
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

const struct unpacker unpack_gzip = {"gzip", "zlib1g-dev", {0x1f, 0x8b}, 2,
                                     true,   gzip_create,  gzip_step,    gzip_destroy};
#else
const struct unpacker unpack_gzip = {
    .name = "gzip", .library = "zlib1g-dev", .magic = {0x1f, 0x8b}, .magic_bytes = 2};
#endif
