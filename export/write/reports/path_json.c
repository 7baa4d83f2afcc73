#include "path_json.h"

#define PATH_DEPTH_MAX 256u

void path_json(struct json_out *out, const struct range_paths *paths, uint32_t path)
{
    uint32_t way[PATH_DEPTH_MAX], depth = 0;
    for (; path != TL_NONE && depth < PATH_DEPTH_MAX; path = paths->paths.at[path].parent)
        way[depth++] = path;
    json_array_begin(out);
    while (depth--)
        json_text(out, range_paths_name(paths, way[depth]));
    json_array_end(out);
}
