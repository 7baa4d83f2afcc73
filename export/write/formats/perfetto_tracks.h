/* perfetto_tracks.h - which track of a Perfetto trace everything is on.
 *
 *     process
 *       thread                    slices, marks; begin/end ranges on tracks below it, as many as overlap
 *       GPU 0: name               what chrome_rows.h calls a gpu: a device as this process sees it
 *         context 1
 *           stream 7, its lanes, its waits
 *         waits for the device, managed memory, ranges timed by events
 *       counters, curves of memory, overhead
 *
 * What lies on which row is decided by chrome_rows.h, as in Chrome traces. Each track is described by a
 * packet of its own before its first event; its uuid is a number of one or two bytes, given in the order
 * of description: it is in every event.
 */
#ifndef PROF_PERFETTO_TRACKS_H
#define PROF_PERFETTO_TRACKS_H

#include "chrome_rows.h"
#include "maps.h"
#include "proto_out.h"

/* A track of begin/end ranges; those that are free are a list. */
struct perfetto_lane {
    uint32_t track, thread;
    uint32_t next_free; /* TL_NONE: the last, or not free */
};

struct perfetto_tracks {
    const struct timeline *timeline;
    struct proto_out *out;
    struct chrome_rows rows;
    uint32_t *processes, *threads, *gpus; /* tracks; 0: not described yet */
    uint32_t *lanes;                      /* of streams, by index into rows.lanes */
    uint32_t *context_of,
        *contexts;          /* by stream: the first stream of its context; by that, its track */
    uint32_t *heaps;        /* curves, by heap */
    struct keymap counters; /* process and name -> track */
    struct perfetto_lane *ranges; /* of begin/end ranges */
    uint32_t range_count, range_capacity;
    uint32_t *free_range; /* by thread, the lane freed last; TL_NONE none */
    uint32_t last_track;
};

/* False: no memory; fini is needed all the same. */
bool perfetto_tracks_init(struct perfetto_tracks *tracks, const struct timeline *timeline,
                          struct proto_out *out);
void perfetto_tracks_fini(struct perfetto_tracks *tracks);

/* Describes all processes, devices and threads that did something. */
void perfetto_tracks_describe(struct perfetto_tracks *tracks);

/* The track of something; writes its description first where it is missing, so no packet may be open.
 * 0: no memory (then out->error is set). */
uint32_t perfetto_tracks_process(struct perfetto_tracks *tracks, uint32_t process);
uint32_t perfetto_tracks_thread_slow(struct perfetto_tracks *tracks, uint32_t thread);
uint32_t perfetto_tracks_of_work(struct perfetto_tracks *tracks, const struct tl_gpu *op);
uint32_t perfetto_tracks_of_spare(struct perfetto_tracks *tracks, struct chrome_spare *spare);
uint32_t perfetto_tracks_of_timing(struct perfetto_tracks *tracks, const struct tl_timing *timing);
uint32_t perfetto_tracks_counter(struct perfetto_tracks *tracks, const struct tl_counter *counter);
uint32_t perfetto_tracks_heap(struct perfetto_tracks *tracks, uint32_t heap);

/* A free track for a begin/end range of the thread, taken until perfetto_tracks_release(). Returns the
 * lane, TL_NONE: no memory. */
uint32_t perfetto_tracks_take_range(struct perfetto_tracks *tracks, uint32_t thread);
void perfetto_tracks_release(struct perfetto_tracks *tracks, uint32_t lane);

static inline uint32_t perfetto_tracks_thread(struct perfetto_tracks *tracks, uint32_t thread)
{
    uint32_t track = tracks->threads[thread];
    return __builtin_expect(track != 0, 1) ? track : perfetto_tracks_thread_slow(tracks, thread);
}

#endif
