/* svg.c - a picture.h as an SVG image: no script, no reference to anything outside of it.
 *
 * Text is in a monospaced font, so that what fits into a box can be reckoned; titles, which viewers
 * show under the pointer, have the whole name and the time. Colors follow the reader's preference
 * for dark or light.
 */
#include "formats.h"
#include "packed_out.h"
#include "picture.h"
#include "process_name.h"
#include "run_facts.h"
#include "svg_parts.h"
#include "text.h"
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEVEL_PX 17.0
#define ROW_GAP_PX 5.0
#define HEADING_PX 20.0
#define AXIS_PX 34.0
#define FOOT_PX 22.0
#define LABEL_PX 150.0
#define MARGIN_PX 8.0
#define TICKS 8.0
#define TITLE_COLUMNS 300u
#define HUES 10u
#define NOTES_BYTES 600u

/* The light colors stand without a condition and without variables, for readers that know
 * neither. */
const char svg_style[] =
    "text{font:10px ui-monospace,Menlo,Consolas,monospace;fill:#1b1f24}"
    ".p{fill:#fff}.f{stroke:#d5dae1}.d{fill:#5b6470}.h{font-weight:bold}"
    ".c{fill:#c9d1db}.y{fill:#8fd0c0}.m{opacity:.62}.o{paint-order:stroke;stroke:#fff;"
    "stroke-width:2px;stroke-opacity:.75}"
    ".a{stroke:#5b6673;stroke-width:.8;fill:none;opacity:.7}.t{fill:#5b6673}"
    ".r0{fill:#a6c8ef}.r1{fill:#f6cf9a}.r2{fill:#b2dfb8}.r3{fill:#f2b3b5}.r4{fill:#cfc0ef}"
    ".r5{fill:#dcc6ba}.r6{fill:#f3bfe0}.r7{fill:#dfe39c}.r8{fill:#a5dfe8}.r9{fill:#e6cda6}"
    "@media(prefers-color-scheme:dark){text{fill:#e6eaf0}"
    ".p{fill:#14181d}.f{stroke:#2b323b}.d{fill:#98a2ae}"
    ".c{fill:#3b4551}.y{fill:#1f6a5b}.o{stroke:#14181d}"
    ".a{stroke:#aab4c0}.t{fill:#aab4c0}"
    ".r0{fill:#2f5d94}.r1{fill:#8a5a20}.r2{fill:#2e6e3c}.r3{fill:#8b3540}.r4{fill:#5d4699}"
    ".r5{fill:#6f5345}.r6{fill:#8d4073}.r7{fill:#5e6420}.r8{fill:#1f6b79}.r9{fill:#74522b}}";

struct svg {
    struct picture picture;
    FILE *stream;
    double *row_top; /* by row */
    double height;
};

/* ---- places ---- */

static double level_y(const struct svg *svg, uint32_t row, uint32_t level)
{
    return svg->row_top[row] + level * LEVEL_PX;
}

static bool lay_out(struct svg *svg)
{
    const struct picture *picture = &svg->picture;
    double y = AXIS_PX;
    svg->row_top = malloc((picture->rows.count + 1) * sizeof *svg->row_top);
    if (!svg->row_top)
        return false;
    for (uint32_t i = 0; i < picture->rows.count; i++) {
        const struct picture_row *row = &picture->rows.at[i];
        y += row->is_first ? HEADING_PX : 0;
        svg->row_top[i] = y;
        y += row->levels * LEVEL_PX + ROW_GAP_PX;
    }
    svg->height = y + FOOT_PX;
    return true;
}

/* ---- names ---- */

static struct text name_at(const struct timeline *timeline, uint32_t name)
{
    return name == TL_NONE ? (struct text){"", 0} : timeline->names.at[name];
}

static bool is_device_box(const struct picture *picture, const struct picture_box *box)
{
    return picture->rows.at[box->row].kind == PICTURE_STREAM;
}

static struct text box_name(const struct picture *picture, const struct picture_box *box)
{
    const struct timeline *timeline = picture->timeline;
    if (is_device_box(picture, box))
        return name_at(timeline, timeline->gpus.at[box->index].name);
    const struct tl_slice *slice = &timeline->slices.at[box->index];
    return name_at(timeline, tl_shown_name(timeline, slice->name, tl_slice_label(slice)));
}

unsigned svg_hue(struct text name)
{
    uint32_t hash = 2166136261u;
    while (name.size > 1 && name.bytes[name.size - 1] >= '0' && name.bytes[name.size - 1] <= '9')
        name.size--;
    for (size_t i = 0; i < name.size; i++)
        hash = (hash ^ (unsigned char)name.bytes[i]) * 16777619u;
    return (hash ^ hash >> 15) % HUES;
}

/* ---- boxes ---- */

static void write_title(struct svg *svg, const struct picture_box *box, struct text name)
{
    char duration[TIME_TEXT_BYTES];
    fputs("<title>", svg->stream);
    if (box->kind == PICTURE_MANY)
        fprintf(svg->stream, "%u events, the longest ", box->count);
    xml_text(svg->stream, name, TITLE_COLUMNS);
    time_text((double)box->span_ns, duration);
    fprintf(svg->stream, ", %s</title>", duration);
}

/* What it holds, paler where that is many. */
static void write_class(struct svg *svg, const struct picture_box *box, struct text name)
{
    if (box->holds == PICTURE_CALL)
        fputs("c", svg->stream);
    else if (box->holds == PICTURE_COPY)
        fputs("y", svg->stream);
    else
        fprintf(svg->stream, "r%u", svg_hue(name));
    if (box->kind == PICTURE_MANY)
        fputs(" m", svg->stream);
}

static double box_x(const struct picture_box *box)
{
    return MARGIN_PX + LABEL_PX + box->x0;
}

static void write_box(void *user, const struct picture_box *box)
{
    struct svg *svg = user;
    struct text name = box_name(&svg->picture, box);
    fputs("<g><rect class=\"", svg->stream);
    write_class(svg, box, name);
    fprintf(svg->stream, "\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\" rx=\"2\"/>",
            box_x(box), level_y(svg, box->row, box->level), box->x1 - box->x0, LEVEL_PX - 1);
    write_title(svg, box, name);
    fputs("</g>\n", svg->stream);
}

/* Compiled kernels begin with "void", which carries no information. */
static struct text shown_name(struct text name)
{
    static const char word[] = "void ";
    size_t size = sizeof word - 1;
    if (name.size > size && memcmp(name.bytes, word, size) == 0)
        return (struct text){name.bytes + size, name.size - size};
    return name;
}

/* Behind the arrows, so that none strikes a name out. */
static void write_box_name(void *user, const struct picture_box *box)
{
    struct svg *svg = user;
    struct text name = shown_name(box_name(&svg->picture, box));
    double characters = (box->x1 - box->x0 - 6) / SVG_CHARACTER_PX;
    char number[16];
    if (box->kind == PICTURE_MANY) {
        snprintf(number, sizeof number, "%u", box->count);
        name = (struct text){number, strlen(number)};
    }
    bool fits = (double)name.size <= characters;
    if (characters < 4 && (box->kind != PICTURE_MANY || !fits))
        return;
    fprintf(svg->stream, "<text class=\"o\" x=\"%.1f\" y=\"%.1f\">", box_x(box) + 3,
            level_y(svg, box->row, box->level) + LEVEL_PX - 5.5);
    xml_text(svg->stream, name, (unsigned)characters - (fits ? 0 : 3));
    fputs("</text>\n", svg->stream);
}

/* ---- rows ---- */

/* All of a text that is cut is in its title. */
static void write_label(struct svg *svg, double y, const char *class, const char *text,
                        double width)
{
    struct text all = {text, strlen(text)};
    unsigned columns = (unsigned)(width / SVG_CHARACTER_PX);
    bool fits = all.size <= columns;
    fprintf(svg->stream, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, MARGIN_PX, y);
    xml_text(svg->stream, all, columns - (fits ? 0 : 3));
    if (!fits) {
        fputs("<title>", svg->stream);
        xml_text(svg->stream, all, TITLE_COLUMNS);
        fputs("</title>", svg->stream);
    }
    fputs("</text>\n", svg->stream);
}

static void process_heading(const struct timeline *timeline, uint32_t process, char to[400])
{
    struct text program = timeline->processes.at[process].info.program;
    int size = program.size < 200 ? (int)program.size : 200;
    snprintf(to, 400, "%.*s%s%s", size, size ? program.bytes : "", size ? ", " : "",
             process_full_name(timeline, process).text);
}

static void device_heading(const struct timeline *timeline, const struct tl_stream *stream,
                           char to[400])
{
    struct text name = {"", 0};
    for (uint32_t i = 0; i < timeline->devices.count; i++) {
        const struct tl_device *device = &timeline->devices.at[i];
        if (device->process == stream->process && device->info.device == stream->device)
            name = name_at(timeline, device->name);
    }
    snprintf(to, 400, "Device %d%s%.*s", stream->device == TL_NONE ? -1 : (int)stream->device,
             name.size ? ": " : "", name.size < 200 ? (int)name.size : 200,
             name.size ? name.bytes : "");
}

static void row_label(const struct timeline *timeline, const struct picture_row *row, char to[400])
{
    if (row->kind == PICTURE_STREAM) {
        const struct tl_stream *stream = &timeline->streams.at[row->index];
        struct text given = name_at(timeline, stream->given_name);
        snprintf(to, 400, "stream %u%s%.*s", stream->stream, given.size ? " " : "",
                 given.size < 200 ? (int)given.size : 200, given.size ? given.bytes : "");
        return;
    }
    const struct tl_thread *thread = &timeline->threads.at[row->index];
    struct text name = name_at(timeline, thread->name);
    snprintf(to, 400, "%.*s%s%" PRIu64, name.size < 200 ? (int)name.size : 200,
             name.size ? name.bytes : "", name.size ? " " : "thread ", thread->tid);
}

static void write_row(struct svg *svg, uint32_t index)
{
    const struct timeline *timeline = svg->picture.timeline;
    const struct picture_row *row = &svg->picture.rows.at[index];
    double top = svg->row_top[index];
    char text[400];
    if (row->is_first) {
        if (row->kind == PICTURE_THREAD)
            process_heading(timeline, timeline->threads.at[row->index].process, text);
        else
            device_heading(timeline, &timeline->streams.at[row->index], text);
        write_label(svg, top - 6, "h", text, LABEL_PX + svg->picture.width_px);
    }
    row_label(timeline, row, text);
    write_label(svg, top + LEVEL_PX - 5.5, "d", text, LABEL_PX);
    fprintf(svg->stream, "<path class=\"f\" d=\"M%.1f %.1fh%.1f\"/>\n", MARGIN_PX,
            top + row->levels * LEVEL_PX + ROW_GAP_PX / 2, LABEL_PX + svg->picture.width_px);
}

/* ---- arrows ---- */

static void write_arrow(struct svg *svg, const struct picture_arrow *arrow)
{
    const struct picture *picture = &svg->picture;
    const struct tl_slice *slice = &picture->timeline->slices.at[arrow->slice];
    const struct tl_gpu *gpu = &picture->timeline->gpus.at[arrow->gpu];
    uint32_t from = picture->row_of_thread[slice->thread], to = picture->row_of_stream[gpu->stream];
    uint32_t last = picture->rows.at[to].levels - 1;
    double left = MARGIN_PX + LABEL_PX;
    double x0 = left + picture_x(picture, slice->start_ns), y0 = level_y(svg, from, slice->depth);
    double x1 = left + picture_x(picture, gpu->start_ns);
    double y1 = level_y(svg, to, gpu->lane < last ? gpu->lane : last);
    double bend = (y1 - y0) / 2;
    y0 += LEVEL_PX - 1;
    fprintf(svg->stream,
            "<path class=\"a\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"/>"
            "<path class=\"t\" d=\"M%.1f %.1fl-2.5 -5h5z\"/>\n",
            x0, y0, x0, y0 + bend, x1, y1 - bend, x1, y1 - 3, x1, y1);
}

/* Arrows that would lie on one another are drawn once. */
static void write_arrows(struct svg *svg)
{
    const struct picture *picture = &svg->picture;
    for (uint32_t i = 0; i < picture->arrows.count; i++) {
        const struct picture_arrow *arrow = &picture->arrows.at[i];
        int64_t start_ns = picture->timeline->gpus.at[arrow->gpu].start_ns;
        bool covered = false;
        for (uint32_t k = 0; k < i && !covered; k++) {
            const struct picture_arrow *other = &picture->arrows.at[k];
            int64_t other_ns = picture->timeline->gpus.at[other->gpu].start_ns;
            covered = fabs(picture_x(picture, start_ns) - picture_x(picture, other_ns)) < 3 &&
                      picture->timeline->gpus.at[other->gpu].stream ==
                          picture->timeline->gpus.at[arrow->gpu].stream;
        }
        if (!covered)
            write_arrow(svg, arrow);
    }
}

/* ---- around it ---- */

/* Steps between ticks are round in their unit: a day has no ten hours. */
#define MINUTE_NS 60e9
#define HOUR_NS 3600e9
#define DAY_NS 86400e9

static const double long_steps_ns[] = {
    MINUTE_NS, 2 * MINUTE_NS, 5 * MINUTE_NS, 10 * MINUTE_NS, 15 * MINUTE_NS, 30 * MINUTE_NS,
    HOUR_NS,   2 * HOUR_NS,   3 * HOUR_NS,   6 * HOUR_NS,    12 * HOUR_NS,
};
#define LONG_STEPS (sizeof long_steps_ns / sizeof long_steps_ns[0])
#define LONGEST_DECIMAL_NS 20e9 /* 50 s is not a part of a minute */

static const struct {
    const char *name;
    double ns;
} tick_units[] = {{"d", DAY_NS}, {"h", HOUR_NS}, {"min", MINUTE_NS},
                  {"s", 1e9},    {"ms", 1e6},    {"us", 1e3}};

/* 1, 2 or 5 times a power of ten. */
static double decimal_step(double least)
{
    double power = pow(10, floor(log10(least)));
    double times = least / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

/* At most TICKS of them fit, of less than TICKS ns one each. */
static double tick_ns(double span_ns)
{
    double least = span_ns / TICKS;
    if (least < 1)
        return 1;
    if (least <= LONGEST_DECIMAL_NS)
        return decimal_step(least);
    for (size_t i = 0; i < LONG_STEPS; i++)
        if (least <= long_steps_ns[i])
            return long_steps_ns[i];
    return DAY_NS * decimal_step(fmax(1, least / DAY_NS));
}

/* In the unit of the step, with only as many decimals as distinguish ticks. */
static void tick_text(double at_ns, double step_ns, char to[TIME_TEXT_BYTES + 4])
{
    unsigned unit = 0;
    while (unit + 1 < sizeof tick_units / sizeof tick_units[0] && step_ns < tick_units[unit].ns)
        unit++;
    double steps = step_ns / tick_units[unit].ns;
    int decimals = steps >= 0.99 ? 0 : steps >= 0.099 ? 1 : steps >= 0.0099 ? 2 : 3;
    snprintf(to, TIME_TEXT_BYTES + 4, "%.*f %s", decimals, at_ns / tick_units[unit].ns,
             tick_units[unit].name);
}

static void write_axis(struct svg *svg)
{
    const struct picture *picture = &svg->picture;
    double step = tick_ns((double)(picture->to_ns - picture->from_ns));
    double begin_ns = (double)(picture->from_ns - picture->timeline->origin_ns);
    double end_ns = (double)(picture->to_ns - picture->timeline->origin_ns);
    double first = ceil(begin_ns / step);
    for (double number = first; number * step <= end_ns && number - first <= 4 * TICKS; number++) {
        double at = number * step;
        double x = MARGIN_PX + LABEL_PX + (at - begin_ns) / (end_ns - begin_ns) * picture->width_px;
        char text[TIME_TEXT_BYTES + 4];
        tick_text(at, step, text);
        bool fits =
            x + (double)strlen(text) * SVG_CHARACTER_PX < MARGIN_PX + LABEL_PX + picture->width_px;
        fprintf(
            svg->stream,
            "<path class=\"f\" d=\"M%.1f %.1fV%.1f\"/><text class=\"d\" x=\"%.1f\" y=\"%.1f\">%s"
            "</text>\n",
            x, AXIS_PX - 12, svg->height - FOOT_PX, x + 2, AXIS_PX - 14, fits ? text : "");
    }
}

/* Appends to the notes if there is something to count. */
static void add_note(char notes[NOTES_BYTES], uint64_t count, const char *sentence)
{
    size_t used = strlen(notes);
    if (count)
        snprintf(notes + used, NOTES_BYTES - used, "%" PRIu64 " %s. ", count, sentence);
}

static void write_foot(struct svg *svg)
{
    const struct picture *picture = &svg->picture;
    struct run_facts facts;
    char notes[NOTES_BYTES] = "";
    run_facts_init(&facts, picture->timeline);
    if (facts.simulated)
        strcat(notes, "Simulated GPU: device times come from a model. ");
    if (facts.lost_anything)
        strcat(notes, "Something was lost while recording. ");
    if (!picture->rows.count)
        strcat(notes, "Nothing happened in this time. ");
    add_note(notes, picture->threads_left, "threads are not drawn");
    add_note(notes, picture->streams_left, "streams are not drawn");
    add_note(notes, picture->deep, "ranges and calls lie deeper than what is drawn");
    write_label(svg, svg->height - 8, "d", notes, LABEL_PX + picture->width_px);
}

static void write_head(struct svg *svg)
{
    double width = svg->picture.width_px + LABEL_PX + 2 * MARGIN_PX;
    fprintf(svg->stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>Timeline</title>\n"
            "<style>%s</style>\n<rect class=\"p\" width=\"100%%\" height=\"100%%\"/>\n",
            width, svg->height, width, svg->height, svg_style);
}

static bool write_all(struct svg *svg)
{
    if (!lay_out(svg))
        return false;
    write_head(svg);
    write_axis(svg);
    for (uint32_t row = 0; row < svg->picture.rows.count; row++)
        write_row(svg, row);
    bool drawn = picture_boxes(&svg->picture, write_box, svg);
    write_arrows(svg);
    drawn = drawn && picture_boxes(&svg->picture, write_box_name, svg);
    write_foot(svg);
    fputs("</svg>\n", svg->stream);
    free(svg->row_top);
    return drawn;
}

/* Returns 0 or an errno. */
static int write_to(const struct timeline *timeline, const struct write_svg_options *options,
                    FILE *stream)
{
    struct svg svg = {.stream = stream};
    int64_t to_ns = options->to_ns > options->from_ns ? options->to_ns : timeline->end_ns;
    if (to_ns <= options->from_ns)
        to_ns = options->from_ns + 1;
    double width = options->width_px - LABEL_PX - 2 * MARGIN_PX;
    if (!picture_init(&svg.picture, timeline, options->from_ns, to_ns, width))
        return ENOMEM;
    errno = 0;
    int code = write_all(&svg) ? 0 : ENOMEM;
    picture_fini(&svg.picture);
    if (!code && (fflush(stream) != 0 || ferror(stream)))
        code = errno ? errno : EIO;
    return code;
}

bool write_svg(const struct timeline *timeline, const struct write_svg_options *options,
               const char *path, struct write_error *error)
{
    struct export_file file;
    if (!export_file_open(&file, path, packed_out_open, error))
        return false;
    FILE *stream = file.stream ? file.stream : fdopen(dup(file.file.fd), "w");
    int code = stream ? write_to(timeline, options, stream) : errno;
    if (stream && stream != file.stream && fclose(stream) != 0 && !code)
        code = errno;
    return export_file_close(&file, code, error);
}
