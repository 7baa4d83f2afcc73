/* html_text.c - see html_text.h. */
#include "html_text.h"

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
