/* kernel_class.h - what a kernel's name tells: whether it communicates.
 *
 * Names are mangled or not: "_ZN4vllm26cross_device_reduce_1stageI6__halfLi2EEEv...",
 * "void vllm::cross_device_reduce_1stage<__half, 2>(vllm::RankData*, ...)",
 * "ncclDevKernel_AllReduce_Sum_f32_RING_LL".
 */
#ifndef PROF_KERNEL_CLASS_H
#define PROF_KERNEL_CLASS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many bytes of the name come before its first template arguments or its parameters: the
 * function, with its namespaces and, not mangled, the type of its result. */
size_t kernel_class_function(const char *name, size_t bytes);

/* Whether `part`, in small letters, is in the name, in letters of any size. */
bool kernel_class_holds(const char *name, size_t bytes, const char *part);

/* Whether it is a kernel of a communication library, or is called after a collective. */
bool kernel_class_communicates(const char *name, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
