/* chrome_tensorboard.c - a Chrome trace whose Operator, Kernel and Distributed views TensorBoard's
 * plugin fills (torch-tb-profiler 0.4.3, the last one).
 *
 * The plugin knows Kineto's words of 2021 alone:
 *
 *     "Runtime"       calls: it finds no kernel of an operator through "cuda_runtime"
 *     "cpu_op"        ranges: it shows no other annotation than steps
 *     External id     of a range its own, of calls and operations that of the range around them, 0
 *                     of none
 *     "nccl:all_reduce" ...   collectives, with the size as "Input Dims" and "Input type". What is
 *                             launched within one is
 *                     the collective's, however deep
 *     "forward_backward"   arrows of the backward pass
 */
#include "chrome.h"

#include <stdlib.h>
#include <string.h>

/* As torch.distributed calls them. */
static bool has_plugin_name(const struct timeline *timeline, const struct tl_slice *slice)
{
    static const char *const names[] = {
        "nccl:broadcast",      "nccl:reduce",         "nccl:all_reduce", "nccl:all_gather",
        "nccl:reduce_scatter", "gloo:broadcast",      "gloo:reduce",     "gloo:all_reduce",
        "gloo:all_gather",     "gloo:reduce_scatter",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_is(timeline->names.at[slice->name], names[i]))
            return true;
    return false;
}

static bool is_drawn(const struct tl_slice *slice)
{
    return slice->kind != TL_API && !(slice->flags & TL_INTERNAL);
}

static bool is_collective(void *user, uint32_t slice)
{
    const struct chrome *chrome = user;
    const struct timeline *timeline = chrome->timeline;
    const struct tl_slice *at = &timeline->slices.at[slice];
    return at->kind == TL_RANGE && is_drawn(at) &&
           (chrome_collectives_plugin_name(&chrome->collectives, slice) ||
            has_plugin_name(timeline, at));
}

static bool has_id(void *chrome, uint32_t slice)
{
    return is_drawn(&((const struct chrome *)chrome)->timeline->slices.at[slice]);
}

bool chrome_tensorboard_init(struct chrome *chrome)
{
    if (!chrome_for_tensorboard(chrome))
        return true;
    chrome->collective_around = around_outermost(chrome->timeline, is_collective, chrome);
    chrome->id_around = around_innermost(chrome->timeline, has_id, chrome);
    return chrome->collective_around && chrome->id_around;
}

void chrome_tensorboard_fini(struct chrome *chrome)
{
    free(chrome->collective_around);
    free(chrome->id_around);
}

/* The range whose id a call has, TL_NONE: none. */
static uint32_t owner_of(const struct chrome *chrome, uint32_t slice)
{
    uint32_t collective = chrome->collective_around[slice];
    return collective == TL_NONE ? chrome->id_around[slice] : collective;
}

const char *chrome_tensorboard_collective(const struct chrome *chrome, uint32_t slice)
{
    if (chrome->collective_around[slice] != slice)
        return NULL;
    return chrome_collectives_plugin_name(&chrome->collectives, slice);
}

void chrome_tensorboard_external_id(struct chrome *chrome, uint32_t slice)
{
    uint32_t owner = slice == TL_NONE ? TL_NONE : owner_of(chrome, slice);
    json_key(&chrome->out, "External id");
    json_uint(&chrome->out, owner == TL_NONE ? 0 : (uint64_t)owner + 1);
}

/* Bytes, since NCCL does not state types: the plugin adds up products of dimensions and sizes of
 * types. */
static void write_size(struct json_out *out, uint64_t bytes)
{
    json_key(out, "Input Dims"), json_array_begin(out), json_array_begin(out);
    json_uint(out, bytes);
    json_array_end(out), json_array_end(out);
    json_key(out, "Input type"), json_array_begin(out);
    json_string(out, "unsigned char");
    json_array_end(out);
}

void chrome_tensorboard_args(struct chrome *chrome, uint32_t slice)
{
    uint64_t bytes;
    json_key(&chrome->out, "External id"), json_uint(&chrome->out, (uint64_t)slice + 1);
    if (chrome_tensorboard_collective(chrome, slice) &&
        chrome_collectives_bytes(&chrome->collectives, slice, &bytes))
        write_size(&chrome->out, bytes);
}
