/* trace_stack.c - META records of call stacks and of the modules that they point into. */
#include "trace_walk.h"

bool trace_stack_frames(const struct record *record, struct read_stack *stack)
{
    struct prof_rec_stack_frames head;
    record_copy(record, &head, sizeof head);
    *stack = (struct read_stack){
        .addresses = record->at + sizeof head / 8,
        .id = head.id,
        .frames = head.frames,
        .method = head.method,
        .cut = head.flags & PROF_STACK_CUT,
        .ticks = head.ticks,
    };
    return head.id != 0 && head.frames <= record->words - sizeof head / 8;
}

bool trace_stack_module(const struct record *record, struct read_module *module)
{
    struct prof_rec_module head;
    record_copy(record, &head, sizeof head);
    *module = (struct read_module){
        .start = head.start,
        .end = head.end,
        .file_offset = head.file_offset,
        .bias = head.bias,
        .ticks = head.ticks,
        .path = {"", head.bytes},
        .id = head.id,
        .build_id_bytes = head.build_id_bytes,
    };
    memcpy(module->build_id, head.build_id, sizeof module->build_id);
    return head.id != 0 && head.start < head.end && head.build_id_bytes <= sizeof head.build_id &&
           record_text(record, sizeof head, head.bytes, &module->path.bytes);
}
