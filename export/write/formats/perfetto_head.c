/* perfetto_head.c - what comes before the events of a Perfetto trace: the clock, the devices, the
 * tracks, what is known of the run. */
#include "perfetto.h"

#include "reports.h"
#include "run_facts.h"
#include "timeline.h"

#include <stdio.h>
#include <string.h>

static void put_clock(struct proto_out *out, unsigned id, uint64_t time_ns)
{
    size_t clock = proto_begin(out, SNAPSHOT_CLOCK);
    proto_uint(out, CLOCK_ID, id);
    proto_uint(out, CLOCK_TIMESTAMP, time_ns);
    if (id == CLOCK_DELTA_ID)
        proto_uint(out, CLOCK_INCREMENTAL, 1);
    proto_end(out, clock);
}

/* The first packet: what all others need to know. The trace has a clock of its own, equal to
 * REALTIME: Perfetto relates the clock of a trace to BOOTTIME, which recordings do not state, and
 * drops what it cannot relate. Its own clock needs no relation, and merged traces are aligned by
 * REALTIME. */
static void put_clocks(struct perfetto *perfetto)
{
    struct proto_out *out = &perfetto->out;
    uint64_t base_ns = perfetto->timeline->base_realtime_ns - (uint64_t)perfetto->shift_ns;
    size_t packet = proto_begin(out, TRACE_PACKET);
    proto_uint(out, PACKET_SEQUENCE_ID, PERFETTO_SEQUENCE);
    proto_uint(out, PACKET_SEQUENCE_FLAGS, SEQUENCE_STATE_CLEARED);
    proto_uint(out, PACKET_FIRST_ON_SEQUENCE, 1);
    proto_uint(out, PACKET_TIMESTAMP, base_ns);
    proto_uint(out, PACKET_TIMESTAMP_CLOCK, CLOCK_REALTIME_ID);
    size_t snapshot = proto_begin(out, PACKET_CLOCK_SNAPSHOT);
    put_clock(out, CLOCK_REALTIME_ID, base_ns);
    put_clock(out, CLOCK_FILE_ID, base_ns);
    put_clock(out, CLOCK_DELTA_ID, base_ns);
    proto_uint(out, SNAPSHOT_PRIMARY, CLOCK_FILE_ID);
    proto_end(out, snapshot);
    size_t defaults = proto_begin(out, PACKET_DEFAULTS);
    proto_uint(out, DEFAULTS_TIMESTAMP_CLOCK, CLOCK_DELTA_ID);
    proto_end(out, defaults);
    proto_end(out, packet);
}

/* Annotations that stand here once: their names are written out. */

static void put_text(struct proto_out *out, const char *key, struct text value)
{
    size_t mark = proto_begin(out, EVENT_ANNOTATION);
    proto_string(out, ANNOTATION_NAME, key);
    proto_text(out, ANNOTATION_STRING, value);
    proto_end(out, mark);
}

static void put_string(struct proto_out *out, const char *key, const char *value)
{
    put_text(out, key, (struct text){value, strlen(value)});
}

static void put_count(struct proto_out *out, const char *key, uint64_t value)
{
    char name[96];
    snprintf(name, sizeof name, "loss.%s", key);
    size_t mark = proto_begin(out, EVENT_ANNOTATION);
    proto_string(out, ANNOTATION_NAME, name);
    proto_uint(out, ANNOTATION_UINT, value);
    proto_end(out, mark);
}

/* The members of the Chrome trace's "libprof"; losses and troubles that did not happen are left
 * out. */
static void put_facts(struct proto_out *out, const struct timeline *timeline)
{
    struct run_facts facts;
    struct run_trouble troubles[RUN_TROUBLES];
    run_facts_init(&facts, timeline);
    run_facts_troubles(&facts, troubles);
    put_string(out, "libprof", PROF_VERSION);
    put_string(out, "mode", facts.mode);
    put_text(out, "mode_reason", facts.mode_reason);
    put_string(out, "simulated", facts.simulated ? "true" : "false");
    put_count(out, "launched", facts.ledger.launched);
    put_count(out, "launched_graph", facts.ledger.launched_graph);
    put_count(out, "recorded", facts.ledger.recorded);
    put_count(out, "lost_operations", facts.ledger.lost_operations);
    put_count(out, "lost_device", facts.ledger.lost_device);
    put_count(out, "lost_host", facts.ledger.lost_host);
    for (unsigned i = 0; i < RUN_TROUBLES; i++)
        if (troubles[i].count)
            put_count(out, troubles[i].name, troubles[i].count);
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        if (facts.loss[cause])
            put_count(out, run_facts_cause_name(cause), facts.loss[cause]);
}

static void put_run(struct perfetto *perfetto)
{
    struct proto_out *out = &perfetto->out;
    if (perfetto->timeline->processes.count == 0)
        return;
    perfetto_begin(perfetto, TYPE_INSTANT, perfetto_tracks_process(&perfetto->tracks, 0),
                   -perfetto->shift_ns);
    perfetto_name(perfetto, PERFETTO_CATEGORY_INSTANT,
                  perfetto_names_word(&perfetto->names, "libprof"));
    put_facts(out, perfetto->timeline);
    perfetto_end(perfetto);
}

/* Recording of something stopped. The packet has an absolute time, because the walk does not visit
 * it. */
static void put_throttle(struct perfetto *perfetto, const struct tl_throttle *throttle)
{
    struct proto_out *out = &perfetto->out;
    uint64_t time_ns = perfetto->timeline->base_realtime_ns + (uint64_t)throttle->time_ns;
    uint32_t track = perfetto_tracks_process(&perfetto->tracks, throttle->process);
    char name[80];
    snprintf(name, sizeof name, "libprof: %s %s", run_cost_throttle_name(throttle),
             throttle->on ? "recorded again" : "not recorded any more");
    perfetto->at = perfetto_packet_begin(out, time_ns, TYPE_INSTANT, track);
    proto_string(out, EVENT_NAME, name);
    perfetto_double(perfetto, PERFETTO_KEY_COST, throttle->cost_ppm / 1e4);
    perfetto_double(perfetto, PERFETTO_KEY_BUDGET, throttle->budget_ppm / 1e4);
    proto_end(out, perfetto->at.event);
    proto_uint(out, PACKET_TIMESTAMP_CLOCK, CLOCK_REALTIME_ID);
    perfetto_names_put(&perfetto->names, out);
    proto_end(out, perfetto->at.packet);
}

void perfetto_head_write(struct perfetto *perfetto)
{
    put_clocks(perfetto);
    perfetto_gpus_describe(perfetto);
    perfetto_tracks_describe(&perfetto->tracks);
    put_run(perfetto);
    for (uint32_t i = 0; i < perfetto->timeline->throttles.count; i++)
        put_throttle(perfetto, &perfetto->timeline->throttles.at[i]);
}
