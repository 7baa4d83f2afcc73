/* chrome_copy.c - see chrome_copy.h. */
#include "chrome_copy.h"

#include "packed_out.h"

#include <errno.h>

void chrome_copy_piece(struct json_out *out, struct text key, struct text piece, bool first,
                       bool last)
{
    if (first) {
        json_newline(out);
        json_out_bytes(out, "\"", 1);
        json_out_bytes(out, key.bytes, key.size);
        json_out_bytes(out, "\": ", 3);
    }
    json_out_bytes(out, piece.bytes, piece.size);
    out->comma = last;
}

void chrome_copy_end_line(struct json_out *out)
{
    out->comma = false;
    json_newline(out);
}

bool chrome_copy_write(const char *path, bool (*write_all)(void *user, struct json_out *out),
                       void *user, struct write_error *error)
{
    struct out_file file;
    struct json_out out;
    struct write_error unused;
    bool good = true;
    if (!out_file_open(&file, path, error))
        return false;
    FILE *stream = packed_out_open(file.fd, path);
    int code = stream ? 0 : errno;
    if (!code && json_out_init(&out, file.fd, stream))
        good = write_all(user, &out);
    code = code ? code : json_out_fini(&out);
    if (stream && fclose(stream) != 0 && !code)
        code = errno;
    if (good)
        return out_file_commit(&file, code, error);
    out_file_commit(&file, code ? code : EINVAL, &unused);
    return false;
}
