/* trace_sample.c - the sample trace of trace_builder.h: one of everything, consistent. */
#include "trace_builder.h"

enum { LAUNCH = 211, COPY = 31, SET = 51, SYNC = 131, DRIVER_LAUNCH = 307 };

static void emit_facts(struct trace_builder *trace)
{
    trace_builder_info(trace, PROF_INFO_PROGRAM, "sample");
    trace_builder_info(trace, PROF_INFO_HOST, "host1");
    trace_builder_info(trace, PROF_INFO_CUPTI, "libcupti.so.13 (simulated)");
    trace_builder_info(trace, PROF_INFO_DRIVER, "13.0");
    trace_builder_info(trace, PROF_INFO_CLOCK, "CLOCK_MONOTONIC");
    trace_builder_allocator(trace, 1, "arena");
    trace_builder_info(trace, PROF_INFO_NOTE, "a note");
    trace_builder_thread(trace, 1, 4242, "main", 0);
    trace_builder_thread(trace, 2, 4243, "worker", 0);
    trace_builder_thread(trace, 3, 4244, "libprof", 1);
    trace_builder_device(trace, 0, "Simulated GPU");
    trace_builder_context(trace, 1, 0);
    trace_builder_stream(trace, 1, 7, 0);
    trace_builder_api_name(trace, PROF_API_RUNTIME, LAUNCH, "cudaLaunchKernel");
    trace_builder_api_name(trace, PROF_API_RUNTIME, COPY, "cudaMemcpy");
    trace_builder_api_name(trace, PROF_API_RUNTIME, SET, "cudaMemset");
    trace_builder_api_name(trace, PROF_API_RUNTIME, SYNC, "cudaStreamSynchronize");
    trace_builder_api_name(trace, PROF_API_DRIVER, DRIVER_LAUNCH, "cuLaunchKernel");
    trace_builder_control(trace, 0, 1, true);
    trace_builder_domain(trace, 1, "library");
    trace_builder_category(trace, 1, 5, "loading");
    trace_builder_resource(trace, PROF_RESOURCE_STREAM, 0x5000, "compute");
    trace_builder_resource(trace, PROF_RESOURCE_DEVICE, 0, "first");
}

static void call(struct trace_builder *trace, int64_t start_ns, int64_t end_ns, uint16_t cbid,
                 uint32_t correlation, uint8_t flags)
{
    trace_builder_enter(trace, start_ns,
                        (struct prof_rec_api_enter){
                            .correlation = correlation,
                            .cbid = cbid,
                            .domain = PROF_API_RUNTIME,
                            .flags = flags,
                            .operations = flags & PROF_API_LAUNCHES ? 1 : 0,
                        });
    trace_builder_exit(trace, end_ns, correlation, 0);
}

static void main_thread(struct trace_builder *trace)
{
    uint32_t key = trace_builder_name(trace, "flops");
    trace_builder_log(trace, 0, 1, 1);
    trace_builder_step(trace, 1000, 0);
    trace_builder_push(trace, 1100, trace_builder_name(trace, "forward"));
    trace_builder_attr(trace, key, PROF_ATTR_INT, 1000000);
    trace_builder_attr(trace, trace_builder_name(trace, "shape"), PROF_ATTR_STRING,
                       trace_builder_name(trace, "[16, 16]"));
    trace_builder_mark(trace, 1150, trace_builder_name(trace, "note"));
    call(trace, 1200, 1300, COPY, 10, PROF_API_LAUNCHES);
    call(trace, 2000, 2100, LAUNCH, 11, PROF_API_LAUNCHES);
    call(trace, 2200, 2300, SET, 12, PROF_API_LAUNCHES);
    trace_builder_counter(trace, 2350, trace_builder_name(trace, "loss"), 0.5);
    trace_builder_pop(trace, 2400);
    trace_builder_step(trace, 2500, 1);
    trace_builder_begin(trace, 2550, trace_builder_name(trace, "request"), 77);
    call(trace, 2600, 9500, SYNC, 13, 0);
    trace_builder_pop(trace, 9600); /* of nothing */
    trace_builder_thread_end(trace, 9700);
}

/* Ranges of two domains that cross, a mark and a begin/end range, all with attributes; a forward
 * range and its backward pass. */
static void nvtx_thread(struct trace_builder *trace)
{
    struct prof_rec_event_name detail = {.name = trace_builder_name(trace, "read"),
                                         .domain = 1,
                                         .category = 5,
                                         .color = 0xff00ff00,
                                         .flags = PROF_EVENT_NAME_COLORED};
    uint32_t read = trace_builder_event_name(trace, detail);
    uint32_t seq = trace_builder_name(trace, "seq"), payload = trace_builder_name(trace, "payload");
    trace_builder_thread(trace, 4, 4245, "nvtx", 0);
    trace_builder_log(trace, 1, 2, 1);
    trace_builder_handover(trace, 4, 4245);
    trace_builder_nvtx_push(trace, 4000, trace_builder_name(trace, "aten::mul"));
    trace_builder_attr(trace, seq, PROF_ATTR_INT, 12);
    trace_builder_nvtx_push(trace, 4100, read);
    trace_builder_attr(trace, payload, PROF_ATTR_UINT, UINT64_MAX);
    trace_builder_mark(trace, 4150, read);
    trace_builder_attr_of(trace, payload, PROF_ATTR_HEX, 0xbeef, PROF_ATTR_OF_MARK);
    trace_builder_nvtx_pop(trace, 4200, 0);
    trace_builder_nvtx_pop(trace, 4300, 1);
    trace_builder_begin(trace, 4400, read, (uint64_t)4 << 32 | 1);
    trace_builder_attr_of(trace, payload, PROF_ATTR_DOUBLE, 0, (uint64_t)4 << 32 | 1);
    trace_builder_end(trace, 4500, (uint64_t)4 << 32 | 1);
    trace_builder_nvtx_push(
        trace, 4600, trace_builder_name(trace, "autograd::engine::evaluate_function: MulBackward"));
    trace_builder_attr(trace, seq, PROF_ATTR_INT, 12);
    trace_builder_nvtx_pop(trace, 4700, 0);
}

static void worker_thread(struct trace_builder *trace)
{
    trace_builder_log(trace, 1, 2, 1);
    trace_builder_push(trace, 3000, trace_builder_name(trace, "prefetch"));
    trace_builder_push(trace, 3100, trace_builder_name(trace, "decode"));
    trace_builder_end(trace, 3200, 77);
    trace_builder_pop(trace, 3300);
    trace_builder_word(trace, PROF_WORD_EXT(PROF_KIND_HOLE, 0, 3, 0));
    trace_builder_word(trace, 0x1122334455667788);
    trace_builder_word(trace, 0x99aabbccddeeff00);
    trace_builder_pop(trace, 3400);
    trace_builder_start_event(trace, 0, 900, 500, 700);
}

static void device(struct trace_builder *trace)
{
    uint32_t kernel = trace_builder_name(trace, "_Z10vector_addPKfS0_Pfi");
    trace_builder_log(trace, 2, 3, 1);
    trace_builder_memset(trace, 550, 650, 900,
                         (struct prof_rec_memset){.context = 1, .stream = 7, .memory_kind = 3});
    trace_builder_memcpy(trace, 1400, 2900, 10,
                         (struct prof_rec_memcpy){.bytes = 4096,
                                                  .context = 1,
                                                  .stream = 7,
                                                  .copy_kind = 1,
                                                  .src_kind = 1,
                                                  .dst_kind = 3});
    trace_builder_kernel(trace, 3000, 6000, 11,
                         (struct prof_rec_kernel){.context = 1,
                                                  .stream = 7,
                                                  .name = kernel,
                                                  .grid_x = 128,
                                                  .grid_y = 1,
                                                  .grid_z = 1,
                                                  .block_x = 256,
                                                  .block_y = 1,
                                                  .block_z = 1,
                                                  .registers = 32},
                         true);
    trace_builder_memset(
        trace, 6100, 6200, 12,
        (struct prof_rec_memset){.bytes = 4096, .context = 1, .stream = 7, .memory_kind = 3});
    trace_builder_sync(trace, 2650, 9400, 13,
                       (struct prof_rec_sync){.type = 3, .context = 1, .stream = 7});
    trace_builder_overhead(trace, 7000, 7100, 0,
                           (struct prof_rec_overhead){.kind = 2u << 16, .object_kind = 1});
}

static void memory(struct trace_builder *trace)
{
    struct prof_rec_memory block = {.address = 0x7000,
                                    .bytes = 4096,
                                    .context = 1,
                                    .kind = 3,
                                    .operation = PROF_MEMORY_ALLOCATE,
                                    .pool = 0x9000,
                                    .pool_type = 1,
                                    .pool_bytes = 8192,
                                    .pool_used_bytes = 4096};
    trace_builder_memory(trace, 2000, 10, block);
    block.operation = PROF_MEMORY_RELEASE;
    trace_builder_memory(trace, 8000, 12, block);
    trace_builder_memory(trace, 8100, 12, block); /* again: of nothing */
    trace_builder_memory_pool(trace, 8200, 12,
                              (struct prof_rec_memory_pool){.pool = 0x9000, .operation = 2});
    trace_builder_unified_memory(
        trace, 3100, 3200,
        (struct prof_rec_unified_memory){.value = 65536, .kind = 1, .source = UINT32_MAX});
    trace_builder_log(trace, 1, 2, 1);
    trace_builder_alloc(trace, 4800, 1, 0x1000, 64);
    trace_builder_free(trace, 4900, 1, 0x1000);
}

/* A block of the process with an event and an allocation, and a reset. */
static void blocks(struct trace_builder *trace)
{
    uint64_t block = trace_builder_name(trace, "inference"), id = UINT64_C(2) << 32 | 1;
    uint64_t begin[] = {trace_builder_name(trace, "event"), id, UINT64_C(7) << 32 | 3};
    uint64_t reset = (uint64_t)PROF_BLOCK_RESET << 32;
    trace_builder_allocator(trace, 2, "pool");
    trace_builder_log(trace, 1, 2, 1);
    trace_builder_ext(trace, PROF_REC_BLOCK, 3500, &block, 1);
    trace_builder_ext(trace, PROF_REC_BLOCK, 3600, &reset, 1);
    trace_builder_ext(trace, PROF_REC_RANGE_BEGIN, 3700, begin, 3);
    trace_builder_alloc(trace, 3800, 2, 0, 4096);
    trace_builder_end(trace, 3900, id);
}

struct trace_builder *trace_builder_sample(void)
{
    struct trace_builder *trace = trace_builder_create();
    emit_facts(trace);
    main_thread(trace);
    worker_thread(trace);
    blocks(trace);
    nvtx_thread(trace);
    device(trace);
    memory(trace);
    return trace;
}
