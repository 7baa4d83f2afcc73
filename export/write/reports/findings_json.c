/* findings_json.c - the findings for programs: one object with
 *
 *     mode, mode_reason, simulated, lost_anything, wall_ns
 *     verdict    as people read it
 *     devices[]  pid, rank (null: none), device (null unknown), name, operations, window_ns, busy_ns,
 *                idle_ns, idle{cause: ns}: busy_ns + the sum of idle = window_ns
 *     findings[] most saved first: rule, title, sentence, remedy, pid, rank, device (null: of all),
 *                path[], stack[], count, cost_ns, saved_ns (null: cannot be told)
 *     notes[]    rule, sentence: what could not be examined
 */
#include "finding_gaps.h"
#include "findings_report.h"
#include "findings_verdict.h"
#include "json_out.h"
#include "path_json.h"
#include "run_facts.h"

#include <errno.h>

#define FRAMES_MOST 64u

static void write_number(struct json_out *out, uint32_t number)
{
    if (number == TL_NONE)
        json_null(out);
    else
        json_uint(out, number);
}

static void write_place(struct json_out *out, const struct timeline *timeline, uint32_t process,
                        uint32_t device)
{
    const struct read_process *info =
        process == TL_NONE ? NULL : &timeline->processes.at[process].info;
    json_key(out, "pid"), write_number(out, info ? info->pid : TL_NONE);
    json_key(out, "rank");
    write_number(out, info && info->rank >= 0 ? (uint32_t)info->rank : TL_NONE);
    json_key(out, "device"), write_number(out, device);
}

static void write_device(struct json_out *out, const struct timeline *timeline,
                         const struct gap_device *device)
{
    const struct tl_device *facts = timeline_device_of(timeline, device->process, device->device);
    json_newline(out);
    json_object_begin(out);
    write_place(out, timeline, device->process, device->device);
    json_key(out, "name");
    if (facts && facts->name < timeline->names.count)
        json_text(out, timeline->names.at[facts->name]);
    else
        json_null(out);
    json_key(out, "operations"), json_uint(out, device->operations);
    json_key(out, "window_ns"), json_int(out, device->window_ns);
    json_key(out, "busy_ns"), json_int(out, device->busy_ns);
    json_key(out, "idle_ns"), json_int(out, gap_device_idle(device));
    json_key(out, "idle"), json_object_begin(out);
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++) {
        json_string(out, gap_cause_name((enum gap_cause)cause)), json_colon(out);
        json_int(out, device->idle_ns[cause]);
    }
    json_object_end(out);
    json_object_end(out);
}

static void write_stack(struct json_out *out, const struct findings_report_options *options,
                        uint32_t stack)
{
    char frames[FRAMES_MOST][FINDINGS_FRAME_BYTES];
    uint32_t count = 0;
    if (stack != TL_NONE && options->frames)
        count = options->frames(options->user, stack, frames, FRAMES_MOST);
    json_key(out, "stack"), json_array_begin(out);
    for (uint32_t i = 0; i < count; i++)
        json_string(out, frames[i]);
    json_array_end(out);
}

static void write_finding(struct json_out *out, const struct finding_context *context,
                          const struct findings_report_options *options,
                          const struct finding *finding)
{
    json_newline(out);
    json_object_begin(out);
    json_key(out, "rule"), json_string(out, finding->rule->name);
    json_key(out, "title"), json_string(out, finding->rule->title);
    json_key(out, "sentence"), json_string(out, finding->sentence);
    json_key(out, "remedy"), json_string(out, finding->rule->remedy);
    write_place(out, context->timeline, finding->process, finding->device);
    json_key(out, "path"), path_json(out, context->paths, finding->path);
    write_stack(out, options, finding->stack);
    json_key(out, "count"), json_uint(out, finding->count);
    json_key(out, "cost_ns"), json_int(out, finding->cost_ns);
    json_key(out, "saved_ns");
    if (finding->saved_ns > 0)
        json_int(out, finding->saved_ns);
    else
        json_null(out);
    json_object_end(out);
}

static void write_notes(struct json_out *out, const struct findings *findings)
{
    json_key(out, "notes"), json_array_begin(out);
    for (uint32_t i = 0; i < findings->notes.count; i++) {
        json_newline(out);
        json_object_begin(out);
        json_key(out, "rule"), json_string(out, findings->notes.at[i].rule->name);
        json_key(out, "sentence"), json_string(out, findings->notes.at[i].sentence);
        json_object_end(out);
    }
    json_array_end(out);
}

static void write_head(struct json_out *out, const struct findings *findings)
{
    struct run_facts facts;
    char verdict[FINDINGS_VERDICT_BYTES];
    run_facts_init(&facts, findings->context.timeline);
    findings_verdict(findings, verdict);
    json_key(out, "mode"), json_string(out, facts.mode);
    json_key(out, "mode_reason"), json_text(out, facts.mode_reason);
    json_key(out, "simulated"), json_bool(out, facts.simulated);
    json_key(out, "lost_anything"), json_bool(out, facts.lost_anything);
    json_key(out, "wall_ns"), json_int(out, findings->context.wall_ns);
    json_key(out, "verdict"), json_string(out, verdict);
}

static void write_all(struct json_out *out, const struct findings *findings,
                      const struct findings_report_options *options)
{
    const struct finding_context *context = &findings->context;
    write_head(out, findings);
    json_key(out, "devices"), json_array_begin(out);
    for (uint32_t i = 0; i < context->gaps->devices.count; i++)
        write_device(out, context->timeline, &context->gaps->devices.at[i]);
    json_array_end(out);
    json_newline(out), json_key(out, "findings"), json_array_begin(out);
    for (uint32_t i = 0; i < findings->found.count && (options->rows < 0 || i < options->rows); i++)
        write_finding(out, context, options, &findings->found.at[i]);
    json_array_end(out);
    json_newline(out), write_notes(out, findings);
}

bool findings_json(const struct findings *findings, const struct findings_report_options *options,
                   FILE *stream)
{
    struct json_out out;
    if (json_out_init(&out, -1, stream)) {
        json_object_begin(&out);
        write_all(&out, findings, options);
        json_object_end(&out);
        out.comma = false;
        json_newline(&out);
    }
    errno = json_out_fini(&out);
    return errno == 0;
}

bool findings_rules_json(FILE *stream)
{
    struct json_out out;
    if (json_out_init(&out, -1, stream)) {
        json_array_begin(&out);
        for (uint32_t i = 0; finding_rules[i]; i++) {
            json_newline(&out);
            json_object_begin(&out);
            json_key(&out, "rule"), json_string(&out, finding_rules[i]->name);
            json_key(&out, "title"), json_string(&out, finding_rules[i]->title);
            json_key(&out, "remedy"), json_string(&out, finding_rules[i]->remedy);
            json_object_end(&out);
        }
        json_array_end(&out);
        out.comma = false;
        json_newline(&out);
    }
    errno = json_out_fini(&out);
    return errno == 0;
}
