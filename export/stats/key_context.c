/* key_context.c - attributes and stacks are listed by slice, so both are followed like the slices. */
#include "key_context.h"

#include "maps.h"

#include <stdlib.h>
#include <string.h>

/* The first attribute of shapes. */
uint32_t key_context_shape(struct key_context *context, uint32_t slice)
{
    const struct timeline *timeline = context->timeline;
    uint32_t shape = TL_NONE;
    for (; context->next_attr < timeline->attrs.count &&
           timeline->attrs.at[context->next_attr].slice <= slice;
         context->next_attr++) {
        const struct tl_attr *attr = &timeline->attrs.at[context->next_attr];
        bool is_text = attr->type == PROF_ATTR_STRING && attr->value < timeline->names.count;
        if (attr->slice == slice && shape == TL_NONE && is_text && context->is_shape[attr->key])
            shape = (uint32_t)attr->value;
    }
    return shape;
}

static uint32_t stack_group(const struct key_context *context, uint32_t stack)
{
    bool grouped = stack != TL_NONE && context->options->stack_groups;
    return grouped ? context->options->stack_groups[stack] : stack;
}

uint32_t key_context_stack(struct key_context *context, uint32_t slice)
{
    const struct tl_stack_of *stacks = context->timeline->slice_stacks.at;
    uint32_t count = context->timeline->slice_stacks.count;
    while (context->next_stack < count && stacks[context->next_stack].owner < slice)
        context->next_stack++;
    bool has = context->next_stack < count && stacks[context->next_stack].owner == slice;
    return has ? stack_group(context, stacks[context->next_stack].stack) : TL_NONE;
}

static bool find_shape_keys(struct key_context *context)
{
    const struct timeline *timeline = context->timeline;
    context->is_shape = calloc((size_t)timeline->names.count + 1, sizeof *context->is_shape);
    for (uint32_t i = 0; i < timeline->names.count && context->is_shape; i++) {
        struct text name = timeline->names.at[i];
        context->is_shape[i] = (name.size == 5 && memcmp(name.bytes, "sizes", 5) == 0) ||
                               (name.size == 10 && memcmp(name.bytes, "Input Dims", 10) == 0);
    }
    return context->is_shape != NULL;
}

/* Devices and streams are both in the order of processes and ordinals. */
static bool find_devices(struct key_context *context)
{
    const struct timeline *timeline = context->timeline;
    struct keymap known = {0};
    bool stored = true;
    context->device_of_stream = malloc(((size_t)timeline->streams.count + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < timeline->devices.count && stored; i++) {
        const struct tl_device *device = &timeline->devices.at[i];
        stored = keymap_set(&known, (uint64_t)device->process << 32 | device->info.device, i);
    }
    for (uint32_t i = 0; i < timeline->streams.count && stored && context->device_of_stream; i++) {
        const struct tl_stream *stream = &timeline->streams.at[i];
        context->device_of_stream[i] =
            keymap_find(&known, (uint64_t)stream->process << 32 | stream->device);
    }
    keymap_fini(&known);
    return stored && context->device_of_stream;
}

bool key_context_init(struct key_context *context, const struct timeline *timeline,
                      const struct key_options *options)
{
    *context = (struct key_context){.timeline = timeline, .options = options};
    if (options->group_by & KEY_BY_SHAPE && !find_shape_keys(context))
        return false;
    return !(options->group_by & KEY_BY_DEVICE) || find_devices(context);
}

void key_context_fini(struct key_context *context)
{
    free(context->device_of_stream);
    free(context->is_shape);
}
