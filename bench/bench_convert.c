/* bench_convert.c - cost of converting CUPTI activity records to records of the trace file.
 *
 * One buffer of CUDA 13.0's records, decoded again and again into a ring file by the parts
 * libprof.so is made of. The floor is what anybody would pay who keeps 64 bytes of each: copying 64
 * bytes a record out of the buffer, 216 bytes apart, into memory that is present. Goal: 100 ns and
 * 64 bytes a kernel.
 */
#include "bench.h"

#include "abi_records.h"
#include "activity.h"
#include "callbacks.h"
#include "config.h"
#include "session.h"

#include <string.h>
#include <unistd.h>

#define KERNEL_BYTES 216u
#define MEMCPY_BYTES 96u
#define RECORDS 4096u
#define NAMES 64u
#define KEPT_BYTES 64u

static uint8_t buffer[RECORDS * KERNEL_BYTES];
static uint8_t kept[RECORDS * KEPT_BYTES];
static char names[NAMES][160];
static struct oracle sizes;
static size_t record_bytes;

static void put(uint8_t *record, uint32_t at, uint64_t value, uint32_t width)
{
    memcpy(record + at, &value, width);
}

#define PUT(record, field, value) put(record, ABI_##field, (uint64_t)(value), ABI_##field##_WIDTH)

/* Mangled names of templates run to a hundred characters and more. */
static void make_names(void)
{
    for (unsigned i = 0; i < NAMES; i++)
        snprintf(names[i], sizeof names[i],
                 "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEE"
                 "St5arrayIPcLm3EEEEviT0_T1_%03u",
                 i);
}

static void make_kernels(void)
{
    record_bytes = KERNEL_BYTES;
    memset(buffer, 0, sizeof buffer);
    for (uint32_t i = 0; i < RECORDS; i++) {
        uint8_t *record = buffer + i * KERNEL_BYTES;
        put(record, 0, ABI_KIND_CONCURRENT_KERNEL, 4);
        PUT(record, KERNEL_START, 1700000000000000000u + i * 5000u);
        PUT(record, KERNEL_END, 1700000000000000000u + i * 5000u + 3000u);
        PUT(record, KERNEL_CORRELATION, i + 1);
        PUT(record, KERNEL_GRID_X, 128);
        PUT(record, KERNEL_BLOCK_X, 256);
        PUT(record, KERNEL_STREAM, 7);
        PUT(record, KERNEL_NAME, (uintptr_t)names[i * 7 % NAMES]);
    }
}

static void make_graph_kernels(void)
{
    make_kernels();
    for (uint32_t i = 0; i < RECORDS; i++) {
        PUT(buffer + i * KERNEL_BYTES, KERNEL_GRAPH, 3);
        PUT(buffer + i * KERNEL_BYTES, KERNEL_GRAPH_NODE, i);
    }
}

static void make_copies(void)
{
    record_bytes = MEMCPY_BYTES;
    memset(buffer, 0, sizeof buffer);
    for (uint32_t i = 0; i < RECORDS; i++) {
        uint8_t *record = buffer + i * MEMCPY_BYTES;
        put(record, 0, ABI_KIND_MEMCPY, 4);
        PUT(record, MEMCPY_START, 1700000000000000000u + i * 5000u);
        PUT(record, MEMCPY_END, 1700000000000000000u + i * 5000u + 3000u);
        PUT(record, MEMCPY_CORRELATION, i + 1);
        PUT(record, MEMCPY_BYTES, 4096);
    }
}

static void loop_floor(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++) {
        uint64_t at = i % RECORDS;
        memcpy(kept + at * KEPT_BYTES, buffer + at * record_bytes, KEPT_BYTES);
        __asm__ volatile("" : : : "memory");
    }
}

static void loop_decode(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t done = 0; done < iterations; done += RECORDS)
        decode_buffer(&sizes, NULL, buffer, RECORDS * record_bytes);
}

static void loop_names(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++)
        __asm__ volatile("" : : "r"(names_intern_stable(names[i * 7 % NAMES])));
}

/* A launch seen by the callback: enter and exit. */
static void loop_launch(void *user, uint64_t iterations)
{
    (void)user;
    uint64_t parameters[8] = {0};
    uint32_t result = 0;
    struct abi_call_data data = {.parameters = parameters, .result = &result};
    for (uint64_t i = 0; i < iterations; i++) {
        data.symbol = names[i * 7 % NAMES];
        data.correlation = (uint32_t)i + 1;
        data.site = ABI_SITE_ENTER;
        callbacks_receive(NULL, ABI_DOMAIN_RUNTIME, 211, &data);
        data.site = ABI_SITE_EXIT;
        callbacks_receive(NULL, ABI_DOMAIN_RUNTIME, 211, &data);
    }
}

static void loop_unfollowed(void *user, uint64_t iterations)
{
    (void)user;
    struct abi_call_data data = {0};
    for (uint64_t i = 0; i < iterations; i++)
        callbacks_receive(NULL, ABI_DOMAIN_RUNTIME, 17, &data);
}

static void begin_recording(char path[64])
{
    snprintf(path, 64, "/tmp/bench_convert-%d.prof", (int)getpid());
    setenv("PROF_OUTPUT", path, 1);
    setenv("PROF_FULL", "ring", 1);
    setenv("PROF_MAX_MB", "64", 1);
    config_load();
    session_init(NULL, true);
}

int main(void)
{
    char path[64];
    begin_recording(path);
    make_names();
    sizes.size[ABI_KIND_CONCURRENT_KERNEL] = KERNEL_BYTES;
    sizes.size[ABI_KIND_MEMCPY] = MEMCPY_BYTES;

    bench_print_header("memcpy 64 B");
    make_kernels();
    bench_print("kernel record (64 bytes on disk)",
                bench_against(loop_floor, loop_decode, NULL, RECORDS * 8));
    bench_print("  of which the name's id",
                bench_against(loop_floor, loop_names, NULL, RECORDS * 8));
    make_graph_kernels();
    bench_print("kernel record of a graph (112 bytes)",
                bench_against(loop_floor, loop_decode, NULL, RECORDS * 8));
    make_copies();
    bench_print("copy record (48 bytes)",
                bench_against(loop_floor, loop_decode, NULL, RECORDS * 8));
    bench_print("launch callback, enter and exit (56 bytes)",
                bench_against(loop_floor, loop_launch, NULL, RECORDS * 8));
    bench_print("callback of a call not followed",
                bench_against(loop_floor, loop_unfollowed, NULL, RECORDS * 8));
    printf("lost while measuring: late %llu, full %llu\n",
           (unsigned long long)loss_get(PROF_LOSS_LATE),
           (unsigned long long)loss_get(PROF_LOSS_FULL));
    session_finish();
    unlink(path);
    return 0;
}
