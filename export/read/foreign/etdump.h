/* etdump.h - ETDump, what ExecuTorch's event tracer writes: a FlatBuffer with the identifier "ED00".
 *
 *     u32 size of what follows (may be missing) | u32 root | "ED00" | ...
 *
 *     ETDump       version u32, run_data [RunData]
 *     RunData      name, bundled_input_index i32 = -1, allocators [{name}], events [Event]
 *     Event        one of: profile_event, allocation_event, debug_event
 *     ProfileEvent name, chain_index i32, instruction_id i32 = -1, delegate_debug_id_int i32 = -1,
 *                  delegate_debug_id_str, delegate_debug_metadata, start_time u64, end_time u64
 *     AllocationEvent  allocator_id i32 (from 1 on), allocation_size u64
 *     DebugEvent   chain_index u64, instruction_id i32 = -1, debug_entry Value,
 *                  delegate_debug_id_int i32 = -1, delegate_debug_id_str, name
 *     Value        val u8 (kind), tensor, tensor_list, int_value, float_value, double_value,
 *                  bool_value, output
 *     Tensor       scalar_type u8, sizes [i64], strides [i64], offset i64
 *
 * Fields are numbered in this order.
 */
#ifndef PROF_ETDUMP_H
#define PROF_ETDUMP_H

#include "block_store.h"
#include "flat_table.h"

enum {
    VALUE_KIND,
    VALUE_TENSOR,
    VALUE_TENSORS,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_DOUBLE,
    VALUE_BOOL,
    VALUE_OUTPUT
};

/* Reads a Value into `debug` and adds that to the store. False: no memory. */
bool etdump_value(struct flat *flat, struct flat_table value, struct read_debug *debug,
                  struct block_store *store);

#endif
