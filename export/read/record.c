/* record.c - what a record must look like to be believed. */
#include "record.h"

/* Sizes of the first version of every record, in words; later versions are longer. 0: no such
 * type. */
static const uint8_t minimum_words[256] = {
    [PROF_REC_THREAD] = 2,
    [PROF_REC_THREAD_END] = 1,
    [PROF_REC_PUSH_WIDE] = 2,
    [PROF_REC_MARK_WIDE] = 2,
    [PROF_REC_RANGE_BEGIN] = PROF_REC_RANGE_BEGIN_SHORT_BYTES / 8,
    [PROF_REC_RANGE_END] = 2,
    [PROF_REC_COUNTER] = 3,
    [PROF_REC_ATTR] = PROF_REC_ATTR_SHORT_BYTES / 8,
    [PROF_REC_STEP] = 2,
    [PROF_REC_API_ENTER] = PROF_REC_API_ENTER_SHORT_BYTES / 8,
    [PROF_REC_API_EXIT] = 2,
    [PROF_REC_EPOCH] = 2,
    [PROF_REC_START_EVENT] = sizeof(struct prof_rec_start_event) / 8,
    [PROF_REC_NVTX_PUSH_WIDE] = 2,
    [PROF_REC_STACK] = 2,
    [PROF_REC_ALLOC] = sizeof(struct prof_rec_alloc) / 8,
    [PROF_REC_FREE] = sizeof(struct prof_rec_free) / 8,
    [PROF_REC_BLOCK] = sizeof(struct prof_rec_block) / 8,
    [PROF_REC_GRAPH_NODE] = PROF_REC_GRAPH_NODE_SHORT_BYTES / 8,
    [PROF_REC_TIMED] = 2,
    [PROF_REC_ATTRS] = PROF_REC_ATTRS_BYTES / 8,
    [PROF_REC_RANGE] = sizeof(struct prof_rec_range) / 8,
    [PROF_REC_FRAME_PUSH_WIDE] = 2,
    [PROF_REC_FRAMES] = sizeof(struct prof_rec_frames) / 8,
    [PROF_REC_KERNEL] = PROF_REC_KERNEL_SHORT_BYTES / 8,
    [PROF_REC_MEMCPY] = PROF_REC_MEMCPY_SHORT_BYTES / 8,
    [PROF_REC_MEMSET] = PROF_REC_MEMSET_SHORT_BYTES / 8,
    [PROF_REC_SYNC] = sizeof(struct prof_rec_sync) / 8,
    [PROF_REC_OVERHEAD] = sizeof(struct prof_rec_overhead) / 8,
    [PROF_REC_MEMORY] = PROF_REC_MEMORY_SHORT_BYTES / 8,
    [PROF_REC_MEMORY_POOL] = sizeof(struct prof_rec_memory_pool) / 8,
    [PROF_REC_UNIFIED_MEMORY] = sizeof(struct prof_rec_unified_memory) / 8,
    [PROF_REC_RANGE_TIME] = sizeof(struct prof_rec_range_time) / 8,
    [PROF_REC_GRAPH_RUN] = sizeof(struct prof_rec_graph_run) / 8,
    [PROF_REC_CUDA_EVENT] = sizeof(struct prof_rec_cuda_event) / 8,
    [PROF_REC_LOST] = sizeof(struct prof_rec_lost) / 8,
    [PROF_REC_NAME] = sizeof(struct prof_rec_name) / 8,
    [PROF_REC_INFO] = sizeof(struct prof_rec_info) / 8,
    [PROF_REC_CLOCK] = sizeof(struct prof_rec_clock) / 8,
    [PROF_REC_THREAD_INFO] = sizeof(struct prof_rec_thread_info) / 8,
    [PROF_REC_DEVICE] = sizeof(struct prof_rec_device) / 8,
    [PROF_REC_CONTEXT] = sizeof(struct prof_rec_context) / 8,
    [PROF_REC_STREAM] = sizeof(struct prof_rec_stream) / 8,
    [PROF_REC_CONTROL] = PROF_REC_CONTROL_SHORT_BYTES / 8,
    [PROF_REC_API_NAME] = sizeof(struct prof_rec_api_name) / 8,
    [PROF_REC_EVENT_NAME] = sizeof(struct prof_rec_event_name) / 8,
    [PROF_REC_DOMAIN] = sizeof(struct prof_rec_domain) / 8,
    [PROF_REC_CATEGORY] = sizeof(struct prof_rec_category) / 8,
    [PROF_REC_RESOURCE] = sizeof(struct prof_rec_resource) / 8,
    [PROF_REC_STACK_FRAMES] = sizeof(struct prof_rec_stack_frames) / 8,
    [PROF_REC_MODULE] = sizeof(struct prof_rec_module) / 8,
    [PROF_REC_MODULE_GONE] = sizeof(struct prof_rec_module_gone) / 8,
    [PROF_REC_CHILD] = sizeof(struct prof_rec_child) / 8,
    [PROF_REC_ALLOCATOR] = sizeof(struct prof_rec_allocator) / 8,
    [PROF_REC_EARLIER_NODE] = sizeof(struct prof_rec_earlier_node) / 8,
    [PROF_REC_GRAPH] = sizeof(struct prof_rec_graph) / 8,
    [PROF_REC_COST] = sizeof(struct prof_rec_cost) / 8,
    [PROF_REC_THROTTLE] = sizeof(struct prof_rec_throttle) / 8,
    [PROF_REC_ATTR_SET] = sizeof(struct prof_rec_attr_set) / 8,
    [PROF_REC_FRAMES_END] = sizeof(struct prof_rec_frames_end) / 8,
    [PROF_REC_STREAM_LOSS] = sizeof(struct prof_rec_stream_loss) / 8,
};

static enum record_status read_sized(struct record *record, size_t room)
{
    record->words = PROF_WORD_SIZE(record->header);
    if (record->words == 0 || record->words > room)
        return RECORD_BAD;
    if (PROF_WORD_KIND(record->header) == PROF_KIND_HOLE)
        return RECORD_TORN;
    unsigned least = minimum_words[record_type(record)];
    if (least == 0)
        return RECORD_UNKNOWN;
    return record->words < least ? RECORD_BAD : RECORD_GOOD;
}

enum record_status record_read(const uint64_t *at, size_t room, struct record *record)
{
    record->at = at;
    record->header = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    record->words = 1;
    if (record->header == 0)
        return RECORD_EMPTY;
    switch (PROF_WORD_KIND(record->header)) {
    case PROF_KIND_PUSH:
    case PROF_KIND_MARK:
    case PROF_KIND_NVTX_PUSH:
    case PROF_KIND_NVTX_POP:
    case PROF_KIND_FRAME_PUSH:
        return RECORD_GOOD;
    case PROF_KIND_POP:
    case PROF_KIND_FRAME_POP:
        return PROF_WORD_NAME(record->header) ? RECORD_BAD : RECORD_GOOD;
    case PROF_KIND_EXT:
    case PROF_KIND_HOLE:
        return read_sized(record, room);
    default:
        return RECORD_BAD;
    }
}

bool record_text(const struct record *record, size_t head_bytes, uint32_t bytes, const char **text)
{
    if (bytes > (size_t)record->words * 8 - head_bytes)
        return false;
    *text = (const char *)record->at + head_bytes;
    return true;
}
