/* perfetto_args.c - annotations of waits, calls and ranges, in the words of the Chrome
 * trace (chrome_args.c).
 *
 * Attributes keep the names and types that the program gave them. What CUPTI did not measure is
 * left out.
 */
#include "perfetto.h"

#include "chrome.h"
#include "failed_calls.h"
#include "timeline.h"

static void put_wait(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct timeline *timeline = perfetto->timeline;
    const struct tl_sync *sync = &timeline->syncs.at[op->detail];
    const struct tl_wait *wait = timeline_wait_of(timeline, (uint32_t)(op - timeline->gpus.at));
    if (wait) {
        perfetto_uint(perfetto, PERFETTO_KEY_WAIT_STREAM, wait->stream);
        perfetto_uint(perfetto, PERFETTO_KEY_WAIT_CORRELATION, wait->correlation);
    }
    if (chrome_args_waits_for_event(sync))
        perfetto_uint(perfetto, PERFETTO_KEY_WAIT_EVENT, sync->event);
}

void perfetto_args_sync(struct perfetto *perfetto, const struct tl_gpu *op)
{
    const struct tl_sync *sync = &perfetto->timeline->syncs.at[op->detail];
    perfetto_string(perfetto, PERFETTO_KEY_SYNC_KIND, chrome_args_sync_name(sync->type));
    perfetto_int(perfetto, PERFETTO_KEY_STREAM,
                 sync->stream == PROF_SYNC_NO_STREAM ? -1 : (int64_t)sync->stream);
    put_wait(perfetto, op);
    perfetto_uint(perfetto, PERFETTO_KEY_CORRELATION, op->correlation);
    perfetto_int(perfetto, PERFETTO_KEY_DEVICE, op->device == TL_NONE ? -1 : (int64_t)op->device);
    perfetto_uint(perfetto, PERFETTO_KEY_CONTEXT, sync->context);
}

/* Which graph a call launched. */
static void put_graph_launch(struct perfetto *perfetto, const struct tl_slice *slice)
{
    const struct timeline *timeline = perfetto->timeline;
    const struct tl_graph_launch *launch =
        graph_launch_of(timeline, (uint32_t)(slice - timeline->slices.at));
    if (!launch)
        return;
    if (launch->graph != TL_NONE)
        perfetto_uint(perfetto, PERFETTO_KEY_GRAPH, timeline->graphs.at[launch->graph].id);
    if (launch->expected > launch->recorded)
        perfetto_uint(perfetto, PERFETTO_KEY_MISSING, launch->expected - launch->recorded);
}

void perfetto_args_api(struct perfetto *perfetto, const struct tl_slice *slice)
{
    const struct timeline *timeline = perfetto->timeline;
    if (slice->api >= timeline->apis.count)
        return;
    const struct tl_api *api = &timeline->apis.at[slice->api];
    if (api->cbid)
        perfetto_uint(perfetto, PERFETTO_KEY_CBID, api->cbid);
    perfetto_uint(perfetto, PERFETTO_KEY_CORRELATION, api->correlation);
    if (api->result && api->result != TL_RESULT_UNKNOWN) {
        const char *error = cuda_error_name((enum prof_api_domain)api->domain, api->result);
        perfetto_int(perfetto, PERFETTO_KEY_RESULT, api->result);
        if (error && failed_calls_is(timeline, slice))
            perfetto_string(perfetto, PERFETTO_KEY_ERROR, error);
    }
    if (api->bytes)
        perfetto_uint(perfetto, PERFETTO_KEY_BYTES, api->bytes);
    if (slice->flags & TL_GRAPH)
        put_graph_launch(perfetto, slice);
}

uint32_t perfetto_stack(struct perfetto *perfetto, uint32_t stack)
{
    if (!perfetto->stacks || stack >= perfetto->timeline->stacks.count)
        return 0;
    return perfetto_names_stack(&perfetto->names, stack, perfetto->stacks[stack]);
}

void perfetto_args_stack(struct perfetto *perfetto, uint32_t stack)
{
    perfetto_interned(perfetto, PERFETTO_KEY_CALL_STACK, perfetto_stack(perfetto, stack));
}

static void put_label(struct perfetto *perfetto, const struct tl_label *label)
{
    const struct timeline *timeline = perfetto->timeline;
    const struct tl_domain *domain = &timeline->domains.at[label->domain];
    char color[16];
    if (domain->name != TL_NONE)
        perfetto_interned(perfetto, PERFETTO_KEY_DOMAIN,
                          perfetto_names_value(&perfetto->names, domain->name));
    if (label->category != TL_NONE) {
        const struct tl_category *category = &timeline->categories.at[label->category];
        if (category->name == TL_NONE)
            perfetto_uint(perfetto, PERFETTO_KEY_CATEGORY, category->number);
        else
            perfetto_interned(perfetto, PERFETTO_KEY_CATEGORY,
                              perfetto_names_value(&perfetto->names, category->name));
    }
    if (label->flags & TL_LABEL_COLORED) {
        snprintf(color, sizeof color, "#%08X", label->color);
        perfetto_string(perfetto, PERFETTO_KEY_COLOR, color);
    }
}

static void put_value(struct perfetto *perfetto, const struct tl_attr *attr)
{
    struct proto_out *out = &perfetto->out;
    switch (attr->type) {
    case PROF_ATTR_INT:
        proto_uint(out, ANNOTATION_INT, attr->value);
        break;
    case PROF_ATTR_UINT:
        proto_uint(out, ANNOTATION_UINT, attr->value);
        break;
    case PROF_ATTR_HEX:
        proto_uint(out, ANNOTATION_POINTER, attr->value);
        break;
    case PROF_ATTR_DOUBLE:
        proto_fixed64(out, ANNOTATION_DOUBLE, attr->value);
        break;
    case PROF_ATTR_STRING:
        proto_uint(out, ANNOTATION_STRING_IID,
                   perfetto_names_value(&perfetto->names, (uint32_t)attr->value));
        break;
    default: /* a type of a later version: there is a value, but it is unknown */
        break;
    }
}

void perfetto_args_attrs(struct perfetto *perfetto, uint32_t label, struct tl_attrs attrs)
{
    if (label != TL_NONE)
        put_label(perfetto, &perfetto->timeline->labels.at[label]);
    for (uint32_t i = 0; i < attrs.count; i++) {
        if (tl_attr_is_given_again(attrs, i))
            continue;
        uint32_t key = perfetto_names_key_of(&perfetto->names, attrs.at[i].key);
        size_t mark = proto_begin(&perfetto->out, EVENT_ANNOTATION);
        proto_uint(&perfetto->out, ANNOTATION_NAME_IID, key);
        put_value(perfetto, &attrs.at[i]);
        proto_end(&perfetto->out, mark);
    }
}
