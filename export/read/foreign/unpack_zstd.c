/* unpack_zstd.c - zstd by libzstd. */
#include "unpack.h"

#ifdef PROF_HAVE_LIBZSTD
#include <zstd.h>

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
    io->in += in.pos;
    io->in_bytes -= in.pos;
    io->out += out.pos;
    io->out_bytes -= out.pos;
    if (ZSTD_isError(left))
        return UNPACK_BAD;
    return left == 0 ? UNPACK_END : UNPACK_MORE;
}

static void zstd_destroy(void *state)
{
    ZSTD_freeDCtx(state);
}

const struct unpacker unpack_zstd = {
    "zstd", "libzstd-dev", {0x28, 0xb5, 0x2f, 0xfd}, 4, true, zstd_create, zstd_step, zstd_destroy};
#else
const struct unpacker unpack_zstd = {
    .name = "zstd", .library = "libzstd-dev", .magic = {0x28, 0xb5, 0x2f, 0xfd}, .magic_bytes = 4};
#endif
