/* packed_out.c - see packed_out.h. */
#include "packed_out.h"

#include "out_file.h"
#include "packed_zstd.h"

#include <errno.h>
#include <limits.h>
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
    unsigned piece = size > INT_MAX ? INT_MAX : (unsigned)size;
    return gzwrite(file, bytes, piece) > 0 ? (ssize_t)piece : 0;
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
    return ends_with(path, ".zst") ? packed_zstd_open(descriptor) : NULL;
}
