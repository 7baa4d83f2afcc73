/* kernel_sequences.c - a range's slices lie together, and so does what they launched. */
#include "kernel_sequences.h"

#include "array.h"
#include "maps.h"
#include "operation_totals.h"

#include <stdlib.h>
#include <string.h>

struct search {
    const struct timeline *timeline;
    const struct key_names *keys;
    bool *wanted; /* by name; NULL: steps */
    uint32_t least;
    struct keymap known; /* hash -> sequence */
    struct kernel_sequences *sequences;
};

/* FNV-1a over the four bytes. */
static uint64_t mix(uint64_t hash, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++, number >>= 8)
        hash = (hash ^ (number & 255)) * UINT64_C(0x100000001b3);
    return hash;
}

static void add_launched(const struct timeline *timeline, const struct tl_slice *slice,
                         struct kernel_sequence *sequence)
{
    uint32_t before = sequence->length;
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        const struct tl_gpu *operation =
            &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]];
        if (!tl_is_work(operation))
            continue;
        sequence->hash = mix(sequence->hash, operation->name);
        sequence->device_ns += operation->end_ns - operation->start_ns;
        sequence->length++;
    }
    if (sequence->length > before && slice->kind == TL_API)
        sequence->call_ns += operation_call_end_ns(timeline, slice) - slice->start_ns;
}

/* Where the slices within `root` end. */
static uint32_t end_of(const struct timeline *timeline, uint32_t root)
{
    const struct tl_slice *slices = timeline->slices.at;
    uint32_t i = root + 1;
    while (i < timeline->slices.count && slices[i].thread == slices[root].thread &&
           slices[i].depth > slices[root].depth)
        i++;
    return i;
}

static bool add_sequence(struct search *search, const struct kernel_sequence *found)
{
    struct kernel_sequences *sequences = search->sequences;
    uint32_t known = keymap_find(&search->known, found->hash);
    if (known == KEYMAP_NONE) {
        struct kernel_sequence *added = ARRAY_ADD(sequences);
        if (!added)
            return false;
        *added = *found;
        return keymap_set(&search->known, found->hash, sequences->count - 1);
    }
    sequences->at[known].count++;
    sequences->at[known].device_ns += found->device_ns;
    sequences->at[known].range_ns += found->range_ns;
    sequences->at[known].call_ns += found->call_ns;
    return true;
}

static bool add_range(struct search *search, uint32_t root, uint32_t end)
{
    const struct tl_slice *slice = &search->timeline->slices.at[root];
    struct kernel_sequence found = {.hash = UINT64_C(0xcbf29ce484222325),
                                    .example = root,
                                    .key = key_names_of(search->keys, slice->name),
                                    .count = 1,
                                    .range_ns = slice->end_ns - slice->start_ns};
    found.hash = mix(found.hash, found.key);
    for (uint32_t i = root; i < end; i++)
        add_launched(search->timeline, &search->timeline->slices.at[i], &found);
    search->sequences->ranges++;
    return found.length < search->least || add_sequence(search, &found);
}

static bool is_wanted(const struct search *search, const struct tl_slice *slice)
{
    if (slice->kind == TL_API || slice->flags & TL_INTERNAL)
        return false;
    if (!search->wanted)
        return key_names_of(search->keys, slice->name) == search->keys->key_step;
    return slice->name < search->timeline->names.count && search->wanted[slice->name];
}

static bool find_ranges(struct search *search)
{
    const struct timeline *timeline = search->timeline;
    for (uint32_t i = 0; i < timeline->slices.count;) {
        if (!is_wanted(search, &timeline->slices.at[i])) {
            i++;
            continue;
        }
        uint32_t end = end_of(timeline, i);
        if (!add_range(search, i, end))
            return false;
        i = end;
    }
    return true;
}

static int in_order(const void *left, const void *right)
{
    const struct kernel_sequence *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    if (a->device_ns != b->device_ns)
        return a->device_ns > b->device_ns ? -1 : 1;
    return (a->example > b->example) - (a->example < b->example);
}

static bool *names_with(const struct timeline *timeline, const char *part)
{
    bool *wanted = calloc((size_t)timeline->names.count + 1, sizeof *wanted);
    for (uint32_t i = 0; i < timeline->names.count && wanted; i++)
        wanted[i] = memmem(timeline->names.at[i].bytes, timeline->names.at[i].size, part,
                           strlen(part)) != NULL;
    return wanted;
}

bool kernel_sequences_init(struct kernel_sequences *sequences, const struct timeline *timeline,
                           const struct key_names *keys, const char *part, uint32_t least)
{
    struct search search = {timeline, keys, NULL, least, {0}, sequences};
    *sequences = (struct kernel_sequences){0};
    if (part && !(search.wanted = names_with(timeline, part)))
        return false;
    bool done = find_ranges(&search);
    free(search.wanted);
    keymap_fini(&search.known);
    if (!done)
        kernel_sequences_fini(sequences);
    else if (sequences->count)
        qsort(sequences->at, sequences->count, sizeof *sequences->at, in_order);
    return done;
}

void kernel_sequences_fini(struct kernel_sequences *sequences)
{
    free(sequences->at);
    *sequences = (struct kernel_sequences){0};
}

uint32_t kernel_sequence_names(const struct timeline *timeline,
                               const struct kernel_sequence *sequence, uint32_t *names,
                               uint32_t most)
{
    uint32_t end = end_of(timeline, sequence->example), count = 0;
    for (uint32_t i = sequence->example; i < end; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        for (uint32_t k = 0; k < slice->gpu_count && count < most; k++) {
            const struct tl_gpu *operation =
                &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + k]];
            if (tl_is_work(operation))
                names[count++] = operation->name;
        }
    }
    return count;
}
