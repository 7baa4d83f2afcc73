/* export_file.c - see export_file.h. */
#include "export_file.h"

#include <errno.h>

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

bool export_file_close(struct export_file *file, int failure, struct write_error *error)
{
    if (file->stream) {
        errno = 0;
        if (fclose(file->stream) != 0 && !failure)
            failure = errno ? errno : EIO;
    }
    return out_file_commit(&file->file, failure, error);
}
