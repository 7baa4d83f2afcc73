#include "report_cells.h"

#define PATH_DEPTH_MAX 256u

void cell_index(struct table *table, uint32_t index)
{
    if (index == TL_NONE)
        table_none(table);
    else
        table_count(table, index);
}

static void path_json(struct json_out *out, const struct range_paths *paths, uint32_t path)
{
    uint32_t way[PATH_DEPTH_MAX], depth = 0;
    for (; path != TL_NONE && depth < PATH_DEPTH_MAX; path = paths->paths.at[path].parent)
        way[depth++] = path;
    json_array_begin(out);
    while (depth--)
        json_text(out, range_paths_name(paths, way[depth]));
    json_array_end(out);
}

void cell_path(struct table *table, const struct range_paths *paths, uint32_t path)
{
    char text[RANGE_PATH_BYTES];
    if (table->format == WRITE_JSON) {
        path_json(table_json(table), paths, path);
        return;
    }
    range_paths_text(paths, path, text);
    table_string(table, text);
}
