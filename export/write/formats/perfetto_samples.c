/* perfetto_samples.c - what threads were doing, as the PerfSample packets of a Perfetto trace.
 *
 * Perfetto draws them as flame graphs of a process, a thread, a selected time. It counts samples
 * and knows no weights, so only those of running threads are written: there is about one for each
 * period of CPU time. A wait is one sample, however long it is.
 *
 * A packet introduces the stack that it is the first to have: its functions, their modules, and the
 * frames of both.
 */
#include "array.h"
#include "perfetto.h"
#include "symbols.h"
#include "text_pool.h"

#include <errno.h>
#include <stdlib.h>

struct samples {
    struct perfetto *perfetto;
    struct symbols *symbols;
    struct text_pool functions, modules, frames; /* a text's iid is its number */
    struct proto_out fresh;                      /* interned data of the packet in progress */
    uint32_t *stacks; /* by stack: its iid; 0 not written, TL_NONE has no frames */
    uint32_t stack_count;
};

/* The number of a text; introduces it if it is new. 0: no memory. */
static uint32_t text_iid(struct samples *samples, struct text_pool *pool, unsigned space,
                         const char *string)
{
    uint32_t known = pool->count;
    uint32_t iid = text_pool_number(pool, (struct text){string, strlen(string)});
    if (iid > known) {
        size_t entry = proto_begin(&samples->fresh, space);
        proto_uint(&samples->fresh, INTERNED_IID, iid);
        proto_string(&samples->fresh, INTERNED_TEXT, string);
        proto_end(&samples->fresh, entry);
    }
    return iid;
}

/* A mapping is no more than a module's name here: the iid is that of the name. */
static uint32_t mapping_iid(struct samples *samples, const struct symbol_frame *frame)
{
    const char *name = frame->module ? frame->module : frame->python ? "[python]" : "[unknown]";
    uint32_t known = samples->modules.count;
    uint32_t iid = text_iid(samples, &samples->modules, INTERNED_MAPPING_PATHS, name);
    if (iid > known) {
        size_t entry = proto_begin(&samples->fresh, INTERNED_MAPPINGS);
        proto_uint(&samples->fresh, INTERNED_IID, iid);
        proto_uint(&samples->fresh, MAPPING_PATH, iid);
        proto_end(&samples->fresh, entry);
    }
    return iid;
}

static uint32_t frame_iid(struct samples *samples, const struct symbol_frame *frame)
{
    char place[SYMBOL_PLACE_BYTES], key[64];
    const char *name = symbols_name(frame, place);
    uint32_t function = text_iid(samples, &samples->functions, INTERNED_FUNCTIONS, name);
    uint32_t mapping = mapping_iid(samples, frame);
    uint64_t offset = frame->python ? 0 : frame->offset; /* a name's number is not an address */
    uint32_t known = samples->frames.count;
    int size =
        snprintf(key, sizeof key, "%u %u %llx", function, mapping, (unsigned long long)offset);
    uint32_t iid = text_pool_number(&samples->frames, (struct text){key, (size_t)size});
    if (iid > known) {
        size_t entry = proto_begin(&samples->fresh, INTERNED_FRAMES);
        proto_uint(&samples->fresh, INTERNED_IID, iid);
        proto_uint(&samples->fresh, FRAME_FUNCTION, function);
        proto_uint(&samples->fresh, FRAME_MAPPING, mapping);
        proto_uint(&samples->fresh, FRAME_OFFSET, offset);
        proto_end(&samples->fresh, entry);
    }
    return function && mapping ? iid : 0;
}

/* Introduces a stack, outermost function first. Frames come before what refers to them. False: no
 * memory. */
static bool introduce(struct samples *samples, uint32_t stack)
{
    struct symbol_stack frames = symbols_stack(samples->symbols, stack);
    TL_ARRAY(uint32_t) iids = {0};
    bool good = true;
    for (uint32_t i = frames.count; i-- > 0 && good;) {
        uint32_t iid = frame_iid(samples, &frames.at[i]), *place = ARRAY_ADD(&iids);
        if ((good = iid && place))
            *place = iid;
    }
    samples->stacks[stack] = TL_NONE;
    if (good && iids.count) {
        samples->stacks[stack] = ++samples->stack_count;
        size_t entry = proto_begin(&samples->fresh, INTERNED_CALLSTACKS);
        proto_uint(&samples->fresh, INTERNED_IID, samples->stack_count);
        for (uint32_t i = 0; i < iids.count; i++)
            proto_uint(&samples->fresh, CALLSTACK_FRAME, iids.at[i]);
        proto_end(&samples->fresh, entry);
    }
    free(iids.at);
    return good;
}

/* The packet has an absolute time: samples are not part of the walk. */
static void put_sample(struct samples *samples, const struct tl_sample *sample)
{
    const struct perfetto *perfetto = samples->perfetto;
    const struct timeline *timeline = perfetto->timeline;
    struct proto_out *out = &samples->perfetto->out;
    size_t packet = perfetto_packet_begin_untimed(out);
    proto_uint(out, PACKET_TIMESTAMP, timeline->base_realtime_ns + (uint64_t)sample->time_ns);
    proto_uint(out, PACKET_TIMESTAMP_CLOCK, CLOCK_REALTIME_ID);
    if (proto_size(&samples->fresh)) {
        proto_bytes(out, PACKET_INTERNED_DATA, samples->fresh.buffer, proto_size(&samples->fresh));
        proto_empty(&samples->fresh);
    }
    size_t mark = proto_begin(out, PACKET_PERF_SAMPLE);
    proto_uint(out, SAMPLE_PID, perfetto->tracks.rows.pids[sample->process]);
    proto_uint(out, SAMPLE_TID,
               sample->thread == TL_NONE ? sample->tid
                                         : perfetto->tracks.rows.threads[sample->thread].tid);
    proto_uint(out, SAMPLE_CALLSTACK, samples->stacks[sample->stack]);
    proto_uint(out, SAMPLE_MODE, SAMPLE_MODE_USER);
    proto_end(out, mark);
    proto_end(out, packet);
    proto_may_flush(out);
}

static bool put_samples(struct samples *samples)
{
    const struct timeline *timeline = samples->perfetto->timeline;
    bool good = true;
    for (uint32_t i = 0; i < timeline->samples.count && good; i++) {
        const struct tl_sample *sample = &timeline->samples.at[i];
        if (sample->waits || sample->stack == TL_NONE)
            continue;
        if (samples->stacks[sample->stack] == 0)
            good = introduce(samples, sample->stack);
        if (good && samples->stacks[sample->stack] != TL_NONE)
            put_sample(samples, sample);
    }
    return good && !samples->fresh.error;
}

void perfetto_samples_put(struct perfetto *perfetto, struct symbols *symbols)
{
    struct samples samples = {.perfetto = perfetto, .symbols = symbols};
    if (!symbols || perfetto->timeline->samples.count == 0)
        return;
    samples.stacks = calloc((size_t)perfetto->timeline->stacks.count + 1, sizeof *samples.stacks);
    if (!samples.stacks || !proto_out_init(&samples.fresh, -1, NULL)) {
        perfetto->out.error = ENOMEM;
    } else {
        if (!put_samples(&samples) && !perfetto->out.error)
            perfetto->out.error = ENOMEM;
        proto_out_fini(&samples.fresh);
    }
    text_pool_fini(&samples.functions);
    text_pool_fini(&samples.modules);
    text_pool_fini(&samples.frames);
    free(samples.stacks);
}
