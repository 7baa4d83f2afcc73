/* nvtx_counts.c - counted by label first: there are few. */
#include "nvtx_counts.h"

#include <stdlib.h>

static void add(struct nvtx_count *sum, const struct nvtx_count *count)
{
    sum->ranges += count->ranges;
    sum->marks += count->marks;
    sum->begin_ends += count->begin_ends;
}

static void count_labels(const struct timeline *timeline, struct nvtx_count *labels)
{
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        uint32_t label = tl_slice_label(slice);
        if (label != TL_NONE)
            labels[label].ranges += !(slice->flags & TL_CONTINUED);
    }
    for (uint32_t i = 0; i < timeline->marks.count; i++)
        if (timeline->marks.at[i].label != TL_NONE)
            labels[timeline->marks.at[i].label].marks++;
    for (uint32_t i = 0; i < timeline->asyncs.count; i++)
        if (timeline->asyncs.at[i].label != TL_NONE)
            labels[timeline->asyncs.at[i].label].begin_ends++;
}

static void sum_labels(struct nvtx_counts *counts, const struct timeline *timeline,
                       const struct nvtx_count *labels)
{
    for (uint32_t i = 0; i < timeline->labels.count; i++) {
        const struct tl_label *label = &timeline->labels.at[i];
        add(&counts->all, &labels[i]);
        add(&counts->domains[label->domain], &labels[i]);
        if (label->category != TL_NONE)
            add(&counts->categories[label->category], &labels[i]);
    }
}

bool nvtx_counts_init(struct nvtx_counts *counts, const struct timeline *timeline)
{
    struct nvtx_count *labels = calloc((size_t)timeline->labels.count + 1, sizeof *labels);
    *counts = (struct nvtx_counts){
        .domains = calloc((size_t)timeline->domains.count + 1, sizeof *counts->domains),
        .categories = calloc((size_t)timeline->categories.count + 1, sizeof *counts->categories),
    };
    bool ready = labels && counts->domains && counts->categories;
    if (ready && timeline->labels.count) {
        count_labels(timeline, labels);
        sum_labels(counts, timeline, labels);
    }
    free(labels);
    if (!ready)
        nvtx_counts_fini(counts);
    return ready;
}

void nvtx_counts_fini(struct nvtx_counts *counts)
{
    free(counts->domains);
    free(counts->categories);
    *counts = (struct nvtx_counts){0};
}
