/* sim_test.h - checks and function declarations for the simulation's own tests.
 *
 * Prototypes are written down here so that the tests need no CUDA header.
 */
#ifndef SIM_TEST_H
#define SIM_TEST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                           \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

/* A test program takes the name of one of its tests. */
struct sim_test {
    const char *name;
    void (*run)(void);
};

static inline int sim_test_main(int argc, char **argv, const struct sim_test *tests, size_t count)
{
    for (size_t i = 0; argc == 2 && i < count; i++) {
        if (strcmp(argv[1], tests[i].name) != 0)
            continue;
        tests[i].run();
        puts("OK");
        return 0;
    }
    fprintf(stderr, "no such test\n");
    return 2;
}

#define CHECK(call)                                                                          \
    do {                                                                                     \
        const int check_result = (call);                                                     \
        if (check_result) {                                                                  \
            fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, check_result); \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

struct dim3 {
    unsigned x, y, z;
};

/* ---- runtime ---- */

void **__cudaRegisterFatBinary(const void *image);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *name, int limit, void *tid, void *bid, void *block,
                            void *grid, int *warp);
int cudaDeviceReset(void);
int cudaDeviceSynchronize(void);
int cudaEventCreate(void **event);
int cudaEventDestroy(void *event);
int cudaEventElapsedTime(float *ms, void *start, void *end);
int cudaEventQuery(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventSynchronize(void *event);
int cudaFree(void *pointer);
int cudaGetDeviceCount(int *count);
const char *cudaGetErrorName(int error);
int cudaGetLastError(void);
int cudaGraphAddChildGraphNode(void **node, void *graph, void **dependencies, size_t count,
                               void *child);
int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphDestroy(void *graph);
int cudaGraphExecDestroy(void *exec);
int cudaGraphExecUpdate(void *exec, void *graph, void *info);
int cudaGraphGetNodes(void *graph, void **nodes, size_t *count);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, void *stream);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *user);
int cudaLaunchKernel(const void *stub, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t dynamic_shared, void *stream);
int cudaMalloc(void **pointer, size_t bytes);
int cudaMallocHost(void **pointer, size_t bytes);
int cudaMemcpy(void *dst, const void *src, size_t bytes, int kind);
int cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, void *stream);
int cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes);
int cudaMemset(void *dst, int value, size_t bytes);
int cudaMemsetAsync(void *dst, int value, size_t bytes, void *stream);
int cudaPeekAtLastError(void);
int cudaSetDevice(int device);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamCreate(void **stream);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamDestroy(void *stream);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamSynchronize(void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);

/* ---- driver ---- */

int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuCtxGetCurrent(void **context);
int cuCtxSynchronize(void);
int cuDeviceGetCount(int *count);
int cuDeviceGetName(char *name, int length, int device);
int cuEventCreate(void **event, unsigned flags);
int cuEventDestroy_v2(void *event);
int cuEventRecord(void *event, void *stream);
int cuGetErrorName(int result, const char **name);
int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                        int *status);
int cuInit(unsigned flags);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **arguments, void **extra);
int cuMemAlloc_v2(unsigned long long *address, size_t bytes);
int cuMemFree_v2(unsigned long long address);
int cuMemcpyDtoH_v2(void *dst, unsigned long long src, size_t bytes);
int cuMemcpyHtoD_v2(unsigned long long dst, const void *src, size_t bytes);
int cuMemsetD32_v2(unsigned long long dst, unsigned value, size_t count);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleLoad(void **module, const char *path);
int cuLibraryLoadFromFile(void **library, const char *path, int *jit_options, void **jit_values,
                          unsigned jit_count, int *options, void **values, unsigned count);
int cuLibraryGetKernel(void **kernel, void *library, const char *name);
int cuKernelGetAttribute(int *value, int attribute, void *kernel, int device);
int cuKernelSetAttribute(int attribute, int value, void *kernel, int device);
int cuModuleLoadData(void **module, const void *image);
int cuModuleUnload(void *module);

/* ---- CUPTI ---- */

typedef void (*callback_function)(void *user, uint32_t domain, uint32_t cbid, const void *data);
typedef void (*request_function)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*complete_function)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                                  size_t valid);

struct callback_data {
    uint32_t site;
    const char *name;
    const void *params;
    const int *result;
    const char *symbol;
    void *context;
    uint32_t context_id;
    uint64_t *correlation_data;
    uint32_t correlation;
};

struct resource_data {
    void *context, *stream;
    const void *descriptor;
};

struct graph_data {
    void *graph, *original_graph, *node, *original_node;
    uint32_t node_type;
    void *dependency, *exec;
};

int cuptiActivityDisable(uint32_t kind);
int cuptiActivityEnable(uint32_t kind);
int cuptiActivityEnableAndDump(uint32_t kind);
int cuptiActivityEnableLatencyTimestamps(uint8_t on);
int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t on);
int cuptiActivityFlushAll(uint32_t flag);
int cuptiActivityGetAttribute(uint32_t attribute, size_t *bytes, void *value);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped);
int cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t *id);
int cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t id);
int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void));
int cuptiActivityRegisterCallbacks(request_function request, complete_function complete);
int cuptiActivitySetAttribute(uint32_t attribute, size_t *bytes, void *value);
int cuptiEnableCallback(uint32_t on, void *subscriber, uint32_t domain, uint32_t cbid);
int cuptiEnableDomain(uint32_t on, void *subscriber, uint32_t domain);
int cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name);
int cuptiGetGraphNodeId(void *node, uint64_t *id);
int cuptiGetStreamId(void *context, void *stream, uint32_t *id);
int cuptiGetTimestamp(uint64_t *time_ns);
int cuptiGetVersion(uint32_t *version);
int cuptiSubscribe(void **subscriber, callback_function callback, void *user);
int cuptiSubscribe_v2(void **subscriber, callback_function callback, void *user, void *params);
int cuptiUnsubscribe(void *subscriber);

/* ---- kernels of a program without device code ---- */

extern const char test_kernel[], test_other_kernel[]; /* host stubs */

/* Launches test_kernel. */
int launch(void *stream);

/* ---- a collector of activity records ---- */

enum { MAX_RECORDS = 65536, MAX_RECORD = 256 };

struct collected {
    uint32_t kind;
    uint32_t size; /* distance to the next record, or to the end */
    uint8_t bytes[MAX_RECORD];
};

extern struct collected *records;
extern size_t record_count;
extern size_t buffers_completed;

/* Registers the collector's buffer callbacks. */
void collect(void);

/* Flushes (flag) and returns how many records of a kind have come so far. */
size_t flush_and_count(uint32_t flag, uint32_t kind);

/* The nth record of a kind, NULL if there are not as many. */
const struct collected *nth(uint32_t kind, size_t n);

uint32_t get32(const struct collected *record, size_t offset);
uint64_t get64(const struct collected *record, size_t offset);

#endif
