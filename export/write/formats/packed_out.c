/* packed_out.c - see packed_out.h. */
#include "packed_out.h"

#include "out_behind.h"
#include "out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_with(const char *path, const char *ending)
{
    size_t size = strlen(path), ending_size = strlen(ending);
    return size > ending_size && strcmp(path + size - ending_size, ending) == 0;
}

#ifdef PROF_HAVE_ZLIB
#include <zlib.h>

static ssize_t gzip_write(void *file, const char *bytes, size_t size)
{
    unsigned segment = size > INT_MAX ? INT_MAX : (unsigned)size;
    return gzwrite(file, bytes, segment) > 0 ? (ssize_t)segment : 0;
}

static int gzip_close(void *file)
{
    int code = gzclose(file);
    if (code != Z_OK && (code != Z_ERRNO || errno == 0))
        errno = EIO;
    return code == Z_OK ? 0 : EOF;
}

/* Level 4: traces shrink 10 times at thrice the speed of the default. */
static FILE *open_gzip(int descriptor)
{
    static const cookie_io_functions_t functions = {.write = gzip_write, .close = gzip_close};
    int own = dup(descriptor);
    gzFile file = own < 0 ? NULL : gzdopen(own, "wb4");
    FILE *stream = file ? fopencookie(file, "w", functions) : NULL;
    if (stream)
        return stream;
    int code = errno ? errno : ENOMEM;
    if (file)
        gzclose(file);
    else if (own >= 0)
        close(own);
    errno = code;
    return NULL;
}
#else
static FILE *open_gzip(int descriptor)
{
    (void)descriptor;
    errno = ENOTSUP;
    return NULL;
}
#endif

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

/* Compresses one step and writes what comes of it. `left` gets what libzstd still holds. False:
 * errno says why. */
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

static FILE *open_zstd(int descriptor)
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
static FILE *open_zstd(int descriptor)
{
    (void)descriptor;
    errno = ENOTSUP;
    return NULL;
}
#endif

FILE *packed_out_gzip(int descriptor, const char *path)
{
    (void)path;
    errno = 0;
    return open_gzip(descriptor);
}

FILE *packed_out_open(int descriptor, const char *path)
{
    errno = 0;
    if (ends_with(path, ".gz"))
        return open_gzip(descriptor);
    return ends_with(path, ".zst") ? open_zstd(descriptor) : NULL;
}

/* ---- a file of an export ---- */

bool export_file_open(struct export_file *file, const char *path,
                      FILE *(*pack)(int descriptor, const char *path), struct write_error *error)
{
    if (!out_file_open(&file->file, path, error))
        return false;
    errno = 0;
    file->stream = pack(file->file.fd, path);
    int code = file->stream ? 0 : errno;
    return code == 0 || out_file_commit(&file->file, code, error);
}

FILE *export_file_stream(struct export_file *file)
{
    int own = file->stream ? -1 : fcntl(file->file.fd, F_DUPFD_CLOEXEC, 3);
    if (own >= 0 && !(file->stream = fdopen(own, "w")))
        close(own);
    return file->stream;
}

bool export_file_close(struct export_file *file, int failure, struct write_error *error)
{
    if (file->stream) {
        errno = 0;
        if (fclose(file->stream) != 0 && !failure)
            failure = errno ? errno : EIO;
    }
    return out_file_commit(&file->file, failure, error);
}
