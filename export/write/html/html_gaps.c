/* html_gaps.c - see html_gaps.h. */
#include "html_gaps.h"

#include "finding_gaps.h"
#include "html_text.h"
#include "html_top.h"

struct writer {
    struct json_out *out;
    const struct finding_context *context;
    struct html_top *top;
};

static void write_causes(struct json_out *out)
{
    json_key(out, "causes"), json_array_begin(out);
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++) {
        json_array_begin(out);
        json_string(out, gap_cause_name((enum gap_cause)cause));
        json_string(out, gap_cause_words((enum gap_cause)cause));
        json_array_end(out);
    }
    json_array_end(out);
}

/* ---- gaps ---- */

static void write_gap(const struct writer *writer, const struct finding_gap *gap)
{
    const struct timeline *timeline = writer->context->timeline;
    struct range_paths *paths = writer->context->paths;
    const struct tl_gpu *next = &timeline->gpus.at[gap->next];
    struct json_out *out = writer->out;
    json_newline(out), json_array_begin(out);
    json_uint(out, gap->device);
    json_int(out, gap->start_ns), json_int(out, gap->end_ns);
    json_uint(out, gap->cause);
    html_name(out, next->name < timeline->names.count ? timeline->names.at[next->name]
                                                      : (struct text){"", 0});
    html_path(out, paths, range_paths_of(paths, next->slice));
    html_path(out, paths, range_paths_of(paths, gap->blocker));
    json_array_end(out);
}

static void write_gaps(const struct writer *writer)
{
    const struct finding_gaps *gaps = writer->context->gaps;
    struct html_top *top = writer->top;
    top->count = 0;
    for (uint32_t i = 0; i < gaps->gaps.count; i++)
        html_top_add(top, i, (double)(gaps->gaps.at[i].end_ns - gaps->gaps.at[i].start_ns));
    html_top_sort(top);
    json_key(writer->out, "gap_count"), json_uint(writer->out, gaps->gaps.count);
    json_key(writer->out, "gaps"), json_array_begin(writer->out);
    for (uint32_t i = 0; i < top->count; i++)
        write_gap(writer, &gaps->gaps.at[top->at[i].index]);
    json_array_end(writer->out);
}

/* ---- owners ---- */

static void write_owner(const struct writer *writer, unsigned cause,
                        const struct finding_owner *owner)
{
    const struct timeline *timeline = writer->context->timeline;
    struct json_out *out = writer->out;
    json_newline(out), json_array_begin(out);
    if (owner->process == TL_NONE)
        json_null(out);
    else
        json_uint(out, timeline->processes.at[owner->process].info.pid);
    if (owner->device == TL_NONE)
        json_null(out);
    else
        json_uint(out, owner->device);
    json_uint(out, cause);
    html_path(out, writer->context->paths, owner->path);
    json_uint(out, owner->count);
    json_int(out, owner->cost_ns);
    json_array_end(out);
}

/* Owners of all causes are numbered one after the other. */
static void write_numbered(const struct writer *writer, uint32_t number)
{
    const struct finding_gaps *gaps = writer->context->gaps;
    unsigned cause = 0;
    while (number >= gaps->owners[cause].owners.count)
        number -= gaps->owners[cause++].owners.count;
    write_owner(writer, cause, &gaps->owners[cause].owners.at[number]);
}

static void write_owners(const struct writer *writer)
{
    const struct finding_gaps *gaps = writer->context->gaps;
    struct html_top *top = writer->top;
    uint32_t number = 0;
    top->count = 0;
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++)
        for (uint32_t i = 0; i < gaps->owners[cause].owners.count; i++)
            html_top_add(top, number++, (double)gaps->owners[cause].owners.at[i].cost_ns);
    html_top_sort(top);
    json_newline(writer->out);
    json_key(writer->out, "owner_count"), json_uint(writer->out, number);
    json_key(writer->out, "owners"), json_array_begin(writer->out);
    for (uint32_t i = 0; i < top->count; i++)
        write_numbered(writer, top->at[i].index);
    json_array_end(writer->out);
}

bool html_gaps(struct json_out *out, const struct findings *findings)
{
    _Static_assert(HTML_GAPS == HTML_OWNERS, "one choice of the longest serves both");
    struct html_top top;
    struct writer writer = {out, &findings->context, &top};
    if (!html_top_init(&top, HTML_GAPS))
        return false;
    json_newline(out), json_key(out, "idle"), json_object_begin(out);
    write_causes(out);
    write_gaps(&writer);
    write_owners(&writer);
    json_object_end(out);
    html_top_fini(&top);
    return !findings->context.paths->failed;
}
