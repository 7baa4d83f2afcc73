/* pprof_frames.c - recorded call stacks in a pprof profile: a location per address, with a line for each
 * function that was inlined there. */
#include "pprof.h"

#include <stdio.h>

#define MODULE_SHIFT 40

/* Module and offset as one number; what no file holds by its address. */
static uint64_t key_of(const struct symbol_frame *frame)
{
    if (frame->module_index == TL_NONE)
        return UINT64_C(1) << 63 | (uint64_t)frame->python << 62 | frame->offset;
    return (uint64_t)frame->module_index << MODULE_SHIFT |
           (frame->offset & ((UINT64_C(1) << MODULE_SHIFT) - 1));
}

static void put_mapping(struct pprof *pprof, uint32_t index)
{
    const struct tl_module *module = &pprof->timeline->modules.at[index];
    char build_id[2 * sizeof module->build_id + 1] = "";
    if (pprof->told_modules[index])
        return;
    pprof->told_modules[index] = true;
    for (uint32_t i = 0; i < module->build_id_bytes && i < sizeof module->build_id; i++)
        snprintf(build_id + 2 * (size_t)i, 3, "%02x", module->build_id[i]);
    uint32_t file = pprof_name_string(pprof, module->path);
    uint32_t build = *build_id ? pprof_string(pprof, (struct text){build_id, strlen(build_id)}) : 0;
    size_t mark = proto_begin(&pprof->out, PROFILE_MAPPING);
    proto_uint(&pprof->out, MAPPING_ID, (uint64_t)index + 1);
    proto_uint(&pprof->out, MAPPING_START, module->start);
    proto_uint(&pprof->out, MAPPING_LIMIT, module->end);
    proto_uint(&pprof->out, MAPPING_OFFSET, module->file_offset);
    proto_uint(&pprof->out, MAPPING_FILE, file);
    if (build)
        proto_uint(&pprof->out, MAPPING_BUILD_ID, build);
    proto_end(&pprof->out, mark);
}

/* Functions of frames are numbered after their locations: `id` is given. */
static void put_function(struct pprof *pprof, uint64_t id, const struct symbol_frame *frame)
{
    char name[1024];
    symbols_name(frame, name, sizeof name);
    uint32_t text = pprof_string(pprof, (struct text){name, strlen(name)});
    uint32_t file =
        frame->file ? pprof_string(pprof, (struct text){frame->file, strlen(frame->file)}) : 0;
    size_t mark = proto_begin(&pprof->out, PROFILE_FUNCTION);
    proto_uint(&pprof->out, FUNCTION_ID, id);
    proto_uint(&pprof->out, FUNCTION_NAME, text);
    proto_uint(&pprof->out, FUNCTION_SYSTEM_NAME, text);
    if (file)
        proto_uint(&pprof->out, FUNCTION_FILE, file);
    proto_end(&pprof->out, mark);
}

/* `count` frames at one address: all but the last were inlined. */
static uint64_t put_location(struct pprof *pprof, const struct symbol_frame *frames, uint32_t count)
{
    const struct symbol_frame *frame = &frames[count - 1];
    uint64_t first = pprof->location_count + 1;
    for (uint32_t i = 0; i < count; i++)
        put_function(pprof, first + i, &frames[i]);
    if (frame->module_index != TL_NONE)
        put_mapping(pprof, frame->module_index);
    size_t mark = proto_begin(&pprof->out, PROFILE_LOCATION);
    proto_uint(&pprof->out, LOCATION_ID, first);
    if (frame->module_index != TL_NONE)
        proto_uint(&pprof->out, LOCATION_MAPPING, (uint64_t)frame->module_index + 1);
    uint64_t bias =
        frame->module_index == TL_NONE ? 0 : pprof->timeline->modules.at[frame->module_index].bias;
    if (!frame->python)
        proto_uint(&pprof->out, LOCATION_ADDRESS, frame->offset + bias);
    for (uint32_t i = 0; i < count; i++) {
        size_t line = proto_begin(&pprof->out, LOCATION_LINE);
        proto_uint(&pprof->out, LINE_FUNCTION, first + i);
        if (frames[i].line)
            proto_uint(&pprof->out, LINE_NUMBER, frames[i].line);
        proto_end(&pprof->out, line);
    }
    proto_end(&pprof->out, mark);
    proto_may_flush(&pprof->out);
    pprof->location_count += count;
    return first;
}

static uint64_t location_of(struct pprof *pprof, const struct symbol_frame *frames, uint32_t count)
{
    uint64_t key = key_of(&frames[count - 1]);
    uint32_t place = keymap_find(&pprof->frames, key);
    if (place != KEYMAP_NONE)
        return pprof->frame_locations.at[place];
    uint64_t *location = ARRAY_ADD(&pprof->frame_locations);
    if (!location || !keymap_set(&pprof->frames, key, pprof->frame_locations.count - 1)) {
        pprof->failed = true;
        return 0;
    }
    return *location = put_location(pprof, frames, count);
}

void pprof_add_frames(struct pprof *pprof, uint32_t stack)
{
    struct symbol_stack frames = symbols_stack(pprof->symbols, stack);
    for (uint32_t i = 0, first = 0; i < frames.count; i++) {
        if (frames.at[i].inlined && i + 1 < frames.count)
            continue;
        pprof_add_location(pprof, location_of(pprof, &frames.at[first], i + 1 - first));
        first = i + 1;
    }
}
