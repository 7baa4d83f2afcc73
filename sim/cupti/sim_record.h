/* sim_record.h - activity records in their longest (13.3) form. Each older version's record is a
 * prefix.
 */
#ifndef SIM_RECORD_H
#define SIM_RECORD_H

#include <stddef.h>
#include <stdint.h>

#define SIM_AT(record, field, offset) \
    _Static_assert(offsetof(struct record, field) == (offset), #record "." #field)

struct sim_record_api {
    uint32_t kind, cbid;
    uint64_t start, end;
    uint32_t process, thread, correlation, result;
};

struct sim_record_kernel {
    uint32_t kind;
    uint8_t cache_config, shared_config;
    uint16_t registers;
    uint32_t partitioned_requested, partitioned_executed;
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    uint32_t grid[3], block[3];
    uint32_t static_shared, dynamic_shared, local_per_thread, local_total;
    uint32_t correlation;
    uint64_t grid_id;
    const char *name;
    void *reserved0;
    uint64_t queued, submitted;
    uint8_t launch_type, carveout_requested, carveout, padding0;
    uint32_t shared_executed;
    uint64_t node_id;
    uint32_t shared_limit, graph_id;
    void *access_policy;
    uint32_t channel, channel_type;
    uint32_t cluster[3], cluster_policy;
    uint64_t local_total_v2;
    uint32_t max_cluster, max_active_clusters;
    uint8_t device_launched, padding1[7];
    int32_t priority;
    uint32_t padding2, execution_model, padding3;
};
SIM_AT(sim_record_kernel, registers, 6);
SIM_AT(sim_record_kernel, start, 16);
SIM_AT(sim_record_kernel, device, 40);
SIM_AT(sim_record_kernel, block, 64);
SIM_AT(sim_record_kernel, correlation, 92);
SIM_AT(sim_record_kernel, name, 104);
SIM_AT(sim_record_kernel, queued, 120);
SIM_AT(sim_record_kernel, launch_type, 136);
SIM_AT(sim_record_kernel, node_id, 144);
SIM_AT(sim_record_kernel, graph_id, 156);
SIM_AT(sim_record_kernel, channel, 168);
SIM_AT(sim_record_kernel, cluster, 176);
SIM_AT(sim_record_kernel, max_cluster, 200);
_Static_assert(sizeof(struct sim_record_kernel) == 232, "13.3");

struct sim_record_memcpy {
    uint32_t kind;
    uint8_t copy_kind, src_kind, dst_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation, runtime_correlation, padding0;
    void *reserved0;
    uint64_t node_id;
    uint32_t graph_id, channel, channel_type;
    uint8_t device_launched, padding1[3];
    uint64_t copies;
};
SIM_AT(sim_record_memcpy, bytes, 8);
SIM_AT(sim_record_memcpy, correlation, 44);
SIM_AT(sim_record_memcpy, reserved0, 56);
SIM_AT(sim_record_memcpy, node_id, 64);
SIM_AT(sim_record_memcpy, channel, 76);
SIM_AT(sim_record_memcpy, copies, 88);
_Static_assert(sizeof(struct sim_record_memcpy) == 96, "13.0");

struct sim_record_peer {
    uint32_t kind;
    uint8_t copy_kind, src_kind, dst_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, src_device, src_context, dst_device, dst_context, correlation;
    void *reserved0;
    uint64_t node_id;
    uint32_t graph_id, channel, channel_type, padding0;
};
SIM_AT(sim_record_peer, src_device, 44);
SIM_AT(sim_record_peer, correlation, 60);
SIM_AT(sim_record_peer, node_id, 72);
_Static_assert(sizeof(struct sim_record_peer) == 96, "13.0");

struct sim_record_memset {
    uint32_t kind, value;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
    uint16_t flags, memory_kind;
    uint32_t padding0;
    void *reserved0;
    uint64_t node_id;
    uint32_t graph_id, channel, channel_type;
    uint8_t device_launched, padding1[3];
};
SIM_AT(sim_record_memset, bytes, 8);
SIM_AT(sim_record_memset, correlation, 44);
SIM_AT(sim_record_memset, memory_kind, 50);
SIM_AT(sim_record_memset, node_id, 64);
_Static_assert(sizeof(struct sim_record_memset) == 88, "13.0");

struct sim_record_memory {
    uint32_t kind, operation, memory_kind, correlation;
    uint64_t address, bytes, timestamp, pc;
    uint32_t process, device, context, stream;
    const char *name;
    uint32_t is_async, padding0;
    uint32_t pool_type, padding1;
    uint64_t pool_address, pool_threshold, pool_size, pool_used;
    const char *source;
};
SIM_AT(sim_record_memory, address, 16);
SIM_AT(sim_record_memory, timestamp, 32);
SIM_AT(sim_record_memory, process, 48);
SIM_AT(sim_record_memory, name, 64);
SIM_AT(sim_record_memory, pool_type, 80);
SIM_AT(sim_record_memory, source, 120);
_Static_assert(sizeof(struct sim_record_memory) == 128, "13.0");

struct sim_record_pool {
    uint32_t kind, operation, pool_type, correlation, process, device;
    uint64_t keep_bytes, address, bytes, threshold, timestamp, used;
    uint8_t is_managed, padding0[7];
};
SIM_AT(sim_record_pool, process, 16);
SIM_AT(sim_record_pool, keep_bytes, 24);
SIM_AT(sim_record_pool, timestamp, 56);
SIM_AT(sim_record_pool, used, 64);
_Static_assert(sizeof(struct sim_record_pool) == 80, "13.0");

struct sim_record_unified {
    uint32_t kind, counter;
    uint64_t value, start, end, address;
    uint32_t source, target, stream, process, flags, padding0;
    uint64_t processors[5];
};
SIM_AT(sim_record_unified, start, 16);
SIM_AT(sim_record_unified, address, 32);
SIM_AT(sim_record_unified, source, 40);
SIM_AT(sim_record_unified, flags, 56);
_Static_assert(sizeof(struct sim_record_unified) == 104, "13.0");

struct sim_record_external {
    uint32_t kind, external_kind;
    uint64_t external_id;
    uint32_t correlation, reserved;
};

struct sim_record_sync {
    uint32_t kind, type;
    uint64_t start, end;
    uint32_t correlation, context, stream, event;
    uint64_t event_sync;
    uint32_t result, padding0;
};
SIM_AT(sim_record_sync, correlation, 24);
SIM_AT(sim_record_sync, event_sync, 40);
_Static_assert(sizeof(struct sim_record_sync) == 56, "13.0");

struct sim_record_overhead {
    uint32_t kind, overhead, object_kind;
    uint32_t object[3]; /* process, thread */
    uint64_t start, end;
    uint32_t correlation, reserved;
    void *data;
};
SIM_AT(sim_record_overhead, object, 12);
SIM_AT(sim_record_overhead, start, 24);
_Static_assert(sizeof(struct sim_record_overhead) == 56, "13.0");

struct sim_record_event {
    uint32_t kind, correlation, context, stream, event, padding0;
    uint32_t device, padding1;
    void *reserved0;
    uint64_t timestamp, sync;
};
SIM_AT(sim_record_event, event, 16);
SIM_AT(sim_record_event, timestamp, 40);
_Static_assert(sizeof(struct sim_record_event) == 56, "13.0");

struct sim_record_context {
    uint32_t kind, context, device;
    uint16_t api_kind, null_stream;
    uint32_t parent;
    uint8_t is_green, padding0;
    uint16_t multiprocessors;
    uint32_t cig_mode, padding1;
    uint32_t process, padding2;
};
SIM_AT(sim_record_context, null_stream, 14);
SIM_AT(sim_record_context, multiprocessors, 22);
_Static_assert(sizeof(struct sim_record_context) == 40, "13.3");

struct sim_record_stream {
    uint32_t kind, context, stream, priority, flag, correlation;
};

struct sim_record_device {
    uint32_t kind, flags;
    uint64_t bandwidth_kbs, memory;
    uint32_t const_bytes, l2_bytes, warp, clock_khz, copy_engines, multiprocessors, max_ipc;
    uint32_t warps_per_sm, blocks_per_sm, shared_per_sm, registers_per_sm, registers_per_block;
    uint32_t shared_per_block, threads_per_block, max_block[3], max_grid[3];
    uint32_t major, minor, id, ecc;
    uint8_t uuid[16];
    const char *name;
    uint8_t is_visible, is_mig, padding0[6];
    uint32_t gpu_instance, compute_instance;
    uint8_t mig_uuid[16];
    uint32_t is_numa, numa_id;
    uint32_t clusters, padding1;
};
SIM_AT(sim_record_device, const_bytes, 24);
SIM_AT(sim_record_device, multiprocessors, 44);
SIM_AT(sim_record_device, major, 104);
SIM_AT(sim_record_device, uuid, 120);
SIM_AT(sim_record_device, name, 136);
SIM_AT(sim_record_device, gpu_instance, 152);
_Static_assert(sizeof(struct sim_record_device) == 192, "13.3");

struct sim_record_graph {
    uint32_t kind, correlation;
    uint64_t start, end;
    uint32_t device, graph_id, context, stream;
    void *reserved0;
    uint32_t end_device, end_context;
};
SIM_AT(sim_record_graph, device, 24);
SIM_AT(sim_record_graph, end_device, 48);
_Static_assert(sizeof(struct sim_record_graph) == 56, "13.0");

#endif
