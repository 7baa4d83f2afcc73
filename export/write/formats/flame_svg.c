/* flame_svg.c - call stacks as a flame graph, an SVG image: outermost functions on top, as wide as
 * their time. */
#include "formats.h"
#include "packed_out.h"
#include "svg_parts.h"
#include "text.h"
#include "units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEVEL_PX 17.0
#define MARGIN_PX 8.0
#define HEAD_PX 26.0
#define LEAST_PX 0.3 /* what is narrower cannot be seen */
#define TITLE_COLUMNS 300u

/* Lines of the same outermost functions lie side by side, since lines are sorted and each function
 * ends with ';'. */
struct branch {
    uint32_t first, end; /* lines */
    size_t bytes;        /* of their paths, in common: up to and with the ';' after the function */
    int64_t ns;
    double x;
    unsigned level;
};

struct flame {
    FILE *stream;
    const struct write_flame_line *lines;
    int64_t all_ns;
    double px_per_ns;
};

/* The function that is called from `in` and begins with the line `at`; If `bytes` is that of `in`,
 * the path ends there. */
static struct branch branch_at(const struct flame *flame, const struct branch *in, uint32_t at,
                               double x)
{
    const char *path = flame->lines[at].path;
    size_t size = strcspn(path + in->bytes, ";");
    struct branch branch = {.first = at,
                            .end = at + 1,
                            .bytes = in->bytes + size + (path[in->bytes + size] == ';'),
                            .ns = flame->lines[at].ns,
                            .x = x,
                            .level = in->level + 1};
    while (branch.bytes > in->bytes && branch.end < in->end &&
           strncmp(flame->lines[branch.end].path, path, branch.bytes) == 0)
        branch.ns += flame->lines[branch.end++].ns;
    return branch;
}

static void write_box(const struct flame *flame, const struct branch *branch, struct text name)
{
    char time[TIME_TEXT_BYTES], share[TIME_TEXT_BYTES];
    double width = (double)branch->ns * flame->px_per_ns, y = HEAD_PX + branch->level * LEVEL_PX;
    double characters = (width - 6) / SVG_CHARACTER_PX;
    bool fits = (double)name.size <= characters;
    time_text((double)branch->ns, time);
    time_text_share(branch->ns, flame->all_ns, share);
    fprintf(flame->stream,
            "<g><rect class=\"r%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" "
            "rx=\"2\"/><title>",
            svg_hue(name), branch->x, y, width > 1 ? width - 0.5 : width, LEVEL_PX - 1);
    xml_text(flame->stream, name, TITLE_COLUMNS);
    fprintf(flame->stream, ", %s (%s)</title>", time, share);
    if (characters >= 4) {
        fprintf(flame->stream, "<text x=\"%.1f\" y=\"%.1f\">", branch->x + 3, y + LEVEL_PX - 5.5);
        xml_text(flame->stream, name, (unsigned)characters - (fits ? 0 : 3));
        fputs("</text>", flame->stream);
    }
    fputs("</g>\n", flame->stream);
}

/* Writes what is called from a function, unless there is no stream, and returns the deepest
 * level. */
static unsigned write_callees(const struct flame *flame, const struct branch *in)
{
    unsigned deepest = in->level;
    double x = in->x;
    for (uint32_t i = in->first; i < in->end;) {
        struct branch branch = branch_at(flame, in, i, x);
        double width = (double)branch.ns * flame->px_per_ns;
        i = branch.end;
        x += width;
        if (branch.bytes == in->bytes || width < LEAST_PX)
            continue;
        struct text name = {flame->lines[branch.first].path + in->bytes,
                            branch.bytes - in->bytes - 1};
        if (flame->stream)
            write_box(flame, &branch, name);
        unsigned level = write_callees(flame, &branch);
        deepest = level > deepest ? level : deepest;
    }
    return deepest;
}

static int by_path(const void *left, const void *right)
{
    const struct write_flame_line *a = left, *b = right;
    return strcmp(a->path, b->path);
}

static void write_graph(struct flame *flame, uint32_t count, const char *title)
{
    FILE *stream = flame->stream;
    struct branch all = {.end = count, .ns = flame->all_ns, .x = MARGIN_PX};
    char time[TIME_TEXT_BYTES];
    flame->stream = NULL;
    double height = HEAD_PX + (write_callees(flame, &all) + 1) * LEVEL_PX + MARGIN_PX;
    flame->stream = stream;
    time_text((double)flame->all_ns, time);
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%.0f\" "
            "viewBox=\"0 0 %u %.0f\" role=\"img\">\n<title>%s</title>\n<style>%s</style>\n"
            "<rect class=\"p\" width=\"100%%\" height=\"100%%\"/>\n"
            "<text class=\"h\" x=\"%.1f\" y=\"16\">%s: %s</text>\n",
            WRITE_SVG_WIDTH, height, WRITE_SVG_WIDTH, height, title, svg_style, MARGIN_PX, title,
            time);
    if (flame->all_ns > 0)
        write_box(flame, &all, (struct text){"all", 3});
    write_callees(flame, &all);
    fputs("</svg>\n", stream);
}

bool write_flame_svg(struct write_flame_line *lines, uint32_t count, const char *title,
                     const char *path, struct write_error *error)
{
    struct export_file file;
    struct flame flame = {.lines = lines};
    if (!export_file_open(&file, path, packed_out_open, error))
        return false;
    flame.stream = export_file_stream(&file);
    for (uint32_t i = 0; i < count; i++)
        flame.all_ns += lines[i].ns;
    if (count)
        qsort(lines, count, sizeof *lines, by_path);
    flame.px_per_ns =
        flame.all_ns > 0 ? (WRITE_SVG_WIDTH - 2 * MARGIN_PX) / (double)flame.all_ns : 0;
    errno = 0;
    if (flame.stream)
        write_graph(&flame, count, title);
    int code = !flame.stream || ferror(flame.stream) ? (errno ? errno : EIO) : 0;
    return export_file_close(&file, code, error);
}
