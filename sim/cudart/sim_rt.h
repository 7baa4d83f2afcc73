/* sim_rt.h - declarations shared by the files of the runtime API. */
#ifndef SIM_RT_H
#define SIM_RT_H

#include "sim_call.h"
#include "sim_context.h"
#include "sim_driver.h"
#include "sim_facts.h"
#include "sim_handle.h"

struct sim_event;
struct sim_exec;
struct sim_function;
struct sim_graph;
struct sim_node;
struct sim_work;

/* The device cudaSetDevice chose for the calling thread; 0 at first. */
int *sim_rt_device(void);

/* Makes the thread's context ready, creating the device's primary one at the first need.
 *
 * Returns  SIM_OK or why not.
 */
int sim_rt_ready(void);

/* The stream handle to pass on to the driver: NULL stays NULL, or becomes the per-thread handle
 * when the program called a _ptsz or _ptds entry. */
void *sim_rt_stream(void *handle);

/* The function behind what a program launches: a host stub's address or a kernel handle. Returns
 * NULL when unknown. */
struct sim_function *sim_rt_function(const void *stub);

/* Its name; NULL when unknown. */
const char *sim_rt_function_name(const void *stub);

/* The memory of a __device__, __constant__ or __managed__ variable, by the address of its
 * shadow. */
int sim_rt_symbol(const void *symbol, void **address, size_t *bytes);

/* The driver's functions the runtime calls; they are seen by tools as nested calls. */
int cuCtxSynchronize(void);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuEventCreate(struct sim_event **event, unsigned flags);
int cuEventDestroy_v2(struct sim_event *event);
int cuEventElapsedTime_v2(float *ms, struct sim_event *start, struct sim_event *end);
int cuEventQuery(struct sim_event *event);
int cuEventRecord(struct sim_event *event, void *stream);
int cuEventRecordWithFlags(struct sim_event *event, void *stream, unsigned flags);
int cuEventSynchronize(struct sim_event *event);
int cuGraphLaunch(struct sim_exec *exec, void *stream);
int cuGraphInstantiateWithFlags(struct sim_exec **exec, struct sim_graph *graph,
                                unsigned long long flags);
int cuLaunchCooperativeKernel(struct sim_function *function, unsigned grid_x, unsigned grid_y,
                              unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                              unsigned dynamic_shared, void *stream, void **arguments);
int cuLaunchHostFunc(void *stream, sim_host_function function, void *user);
int cuLaunchKernel(struct sim_function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_shared,
                   void *stream, void **arguments, void **extra);
int cuLaunchKernelEx(const struct sim_driver_launch_config *config, struct sim_function *function,
                     void **arguments, void **extra);
int cuMemPrefetchAsync_v2(sim_address address, size_t bytes, struct sim_location location,
                          unsigned flags, void *stream);
int cuMemAllocAsync(sim_address *address, size_t bytes, void *stream);
int cuMemAllocHost_v2(void **pointer, size_t bytes);
int cuMemAllocManaged(sim_address *address, size_t bytes, unsigned flags);
int cuMemAllocPitch_v2(sim_address *address, size_t *pitch, size_t width, size_t height,
                       unsigned element_bytes);
int cuMemAllocFromPoolAsync(sim_address *address, size_t bytes, void *pool, void *stream);
int cuMemAlloc_v2(sim_address *address, size_t bytes);
int cuMemFreeAsync(sim_address address, void *stream);
int cuMemFreeHost(void *pointer);
int cuMemFree_v2(sim_address address);
int cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags);
int cuMemHostGetFlags(unsigned *flags, void *pointer);
int cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags);
int cuMemHostUnregister(void *pointer);
int cuMemcpy(sim_address dst, sim_address src, size_t bytes);
int cuMemcpyAsync(sim_address dst, sim_address src, size_t bytes, void *stream);
int cuMemcpyDtoDAsync_v2(sim_address dst, sim_address src, size_t bytes, void *stream);
int cuMemcpyDtoD_v2(sim_address dst, sim_address src, size_t bytes);
int cuMemcpyDtoHAsync_v2(void *dst, sim_address src, size_t bytes, void *stream);
int cuMemcpyDtoH_v2(void *dst, sim_address src, size_t bytes);
int cuMemcpyHtoDAsync_v2(sim_address dst, const void *src, size_t bytes, void *stream);
int cuMemcpyHtoD_v2(sim_address dst, const void *src, size_t bytes);
int cuMemcpyPeerAsync(sim_address dst, struct sim_context *dst_context, sim_address src,
                      struct sim_context *src_context, size_t bytes, void *stream);
int cuMemsetD8Async(sim_address dst, unsigned char value, size_t count, void *stream);
int cuMemsetD8_v2(sim_address dst, unsigned char value, size_t count);
int cuProfilerStart(void);
int cuProfilerStop(void);
int cuStreamAddCallback(void *stream, sim_stream_callback callback, void *user, unsigned flags);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamEndCapture(void *stream, struct sim_graph **graph);
int cuStreamQuery(void *stream);
int cuStreamSynchronize(void *stream);
int cuStreamWaitEvent(void *stream, struct sim_event *event, unsigned flags);

#endif
