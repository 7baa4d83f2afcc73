/* packed_zstd.c - see packed_zstd.h. */
#include "packed_zstd.h"

#include "out_behind.h"
#include "out_file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef PROF_HAVE_LIBZSTD
#include <zstd.h>

struct zstd_file {
    ZSTD_CStream *stream;
    char *bytes; /* of one output block */
    size_t capacity;
    int fd; /* the caller's: it outlives the stream */
};

static void zstd_file_destroy(struct zstd_file *file)
{
    ZSTD_freeCStream(file->stream);
    free(file->bytes);
    free(file);
}

/* zstd's own default level: beyond it, traces get little smaller for much time. */
static struct zstd_file *zstd_file_create(int descriptor)
{
    struct zstd_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->fd = descriptor;
    file->capacity = ZSTD_CStreamOutSize();
    file->bytes = malloc(file->capacity);
    file->stream = ZSTD_createCStream();
    if (file->bytes && file->stream &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(file->stream, ZSTD_c_checksumFlag, 1)))
        return file;
    zstd_file_destroy(file);
    return NULL;
}

/* Compresses one step and writes what comes of it. `left` gets what libzstd still holds. False: errno
 * says why. */
static bool step(struct zstd_file *file, ZSTD_inBuffer *in, ZSTD_EndDirective directive,
                 size_t *left)
{
    ZSTD_outBuffer out = {file->bytes, file->capacity, 0};
    *left = ZSTD_compressStream2(file->stream, &out, in, directive);
    int code = ZSTD_isError(*left) ? EIO : out_write(file->fd, NULL, file->bytes, out.pos);
    if (code)
        errno = code;
    return code == 0;
}

static ssize_t zstd_write(void *cookie, const char *bytes, size_t size)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left;
    while (in.pos < in.size)
        if (!step(cookie, &in, ZSTD_e_continue, &left))
            return 0;
    return (ssize_t)size;
}

static int zstd_close(void *cookie)
{
    ZSTD_inBuffer in = {NULL, 0, 0};
    size_t left = 1;
    bool written = true;
    while (left && written)
        written = step(cookie, &in, ZSTD_e_end, &left);
    int code = errno;
    zstd_file_destroy(cookie);
    errno = code;
    return written ? 0 : EOF;
}

FILE *packed_zstd_open(int descriptor)
{
    static const cookie_io_functions_t functions = {.write = zstd_write, .close = zstd_close};
    struct zstd_file *file = zstd_file_create(descriptor);
    FILE *stream = file ? fopencookie(file, "w", functions) : NULL;
    if (file && !stream)
        zstd_file_destroy(file);
    if (!stream)
        errno = ENOMEM;
    return stream;
}
#else
FILE *packed_zstd_open(int descriptor)
{
    (void)descriptor;
    errno = ENOTSUP;
    return NULL;
}
#endif
