/* html_page.c - see html_page.h.
 *
 * The policy: nothing is fetched, framed or sent, and no script or style counts but the two whose
 * hashes are named; attributes like onclick and style are not exceptions. Blocks of data are not
 * executed by any browser, so they need no hash.
 */
#include "html_page.h"

#include "text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define TEXT_COLUMNS 400u

void html_page_begin(FILE *stream, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", stream);
    fprintf(
        stream,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "script-src 'sha256-%s'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n",
        html_script_hash, html_style_hash);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"referrer\" content=\"no-referrer\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          stream);
    html_text(stream, title);
    fputs("</title>\n<style>", stream);
    fputs(html_style, stream);
    fputs("</style>\n</head>\n<body>\n", stream);
}

void html_page_end(FILE *stream)
{
    fputs("<script>", stream);
    fputs(html_script, stream);
    fputs("</script>\n</body>\n</html>\n", stream);
}

void html_block_begin(FILE *stream, const char *id)
{
    fprintf(stream, "<script type=\"application/json\" id=\"%s\">", id);
}

void html_block_end(FILE *stream)
{
    fputs("</script>\n", stream);
}

static void write_line(FILE *stream, const char *line, size_t size)
{
    while (size) {
        size_t segment = size < TEXT_COLUMNS / 4 ? size : TEXT_COLUMNS / 4;
        /* not within a character */
        while (segment < size && segment > 1 && ((unsigned char)line[segment] & 0xc0) == 0x80)
            segment--;
        xml_text(stream, (struct text){line, segment}, TEXT_COLUMNS);
        line += segment;
        size -= segment;
    }
}

void html_text(FILE *stream, const char *text)
{
    while (*text) {
        size_t size = strcspn(text, "\n");
        write_line(stream, text, size);
        text += size;
        if (*text)
            fputc(*text++, stream);
    }
}

/* The stream has a descriptor of its own: closing it must not close the file before it is in
 * place. */
static int write_to(int descriptor, int (*write)(FILE *stream, const void *user), const void *user)
{
    int copy = dup(descriptor);
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "w");
    if (!stream) {
        int code = errno;
        if (copy >= 0)
            close(copy);
        return code;
    }
    errno = 0;
    int code = write(stream, user);
    if (!code && ferror(stream))
        code = errno ? errno : EIO;
    if (fclose(stream) != 0 && !code)
        code = errno;
    return code;
}

bool html_page_write(int (*write)(FILE *stream, const void *user), const void *user,
                     const char *path, struct write_error *error)
{
    struct out_file file;
    if (!out_file_open(&file, path, error))
        return false;
    return out_file_commit(&file, write_to(file.fd, write, user), error);
}

/* ---- text ---- */

/* Not within a character: the bytes that go on with one begin with the bits 10. */
static size_t cut_at(struct text name)
{
    size_t size = HTML_NAME_BYTES;
    while (size > HTML_NAME_BYTES - 3 && ((unsigned char)name.bytes[size] & 0xc0) == 0x80)
        size--;
    return size;
}

void html_name(struct json_out *out, struct text name)
{
    char begin[HTML_NAME_BYTES + 3];
    if (name.size <= HTML_NAME_BYTES) {
        json_text(out, name);
        return;
    }
    size_t size = cut_at(name);
    memcpy(begin, name.bytes, size);
    memcpy(begin + size, "...", 3);
    json_text(out, (struct text){begin, size + 3});
}

void html_path(struct json_out *out, const struct range_paths *paths, uint32_t path)
{
    uint32_t way[HTML_PATH_DEPTH], depth = 0;
    for (; path != TL_NONE && depth < HTML_PATH_DEPTH; path = paths->paths.at[path].parent)
        way[depth++] = path;
    json_array_begin(out);
    if (path != TL_NONE)
        json_constant(out, "...");
    while (depth--)
        html_name(out, range_paths_name(paths, way[depth]));
    json_array_end(out);
}
