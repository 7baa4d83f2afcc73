#include "lost.h"

#include "recorder.h"

/* More streams than that in one buffer are written in parts: a library that is loaded late has little
 * room for thread-local storage. */
#define SUM_COUNT 4u

static __thread struct prof_rec_stream_loss sums[SUM_COUNT];
static __thread uint32_t sum_count;

static uint16_t narrow(uint32_t device)
{
    return device > UINT16_MAX ? UINT16_MAX : (uint16_t)device;
}

void lost_zero_time(const struct lost_operation *operation)
{
    unsigned words = sizeof(struct prof_rec_lost) / 8;
    loss_add(PROF_LOSS_ZERO_TIME, 1);
    uint64_t *space = thread_reserve_late(PROF_REC_LOST, words);
    if (!space)
        return;
    struct prof_rec_lost *lost = (struct prof_rec_lost *)(void *)space;
    lost->context = operation->context;
    lost->stream = operation->stream;
    lost->graph = operation->graph;
    lost->device = narrow(operation->device);
    lost->cause = PROF_LOSS_ZERO_TIME;
    thread_commit(space, PROF_REC_LOST, words, operation->correlation);
}

static struct prof_rec_stream_loss *find_sum(const struct lost_operation *operation)
{
    for (uint32_t i = sum_count; i-- > 0;)
        if (sums[i].context == operation->context && sums[i].stream == operation->stream &&
            sums[i].graph == operation->graph)
            return &sums[i];
    if (sum_count == SUM_COUNT)
        lost_state();
    struct prof_rec_stream_loss *sum = &sums[sum_count++];
    *sum = (struct prof_rec_stream_loss){
        .context = operation->context,
        .stream = operation->stream,
        .graph = operation->graph,
        .device = narrow(operation->device),
        .cause = PROF_LOSS_OUT_OF_WINDOW,
    };
    return sum;
}

void lost_out_of_window(const struct lost_operation *operation)
{
    loss_add(PROF_LOSS_OUT_OF_WINDOW, 1);
    find_sum(operation)->count++;
}

void lost_state(void)
{
    for (uint32_t i = 0; i < sum_count; i++)
        meta_append(PROF_REC_STREAM_LOSS, &sums[i], sizeof sums[i], NULL, 0);
    sum_count = 0;
}
