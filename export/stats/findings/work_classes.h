/* work_classes.h - what kind of work an operation is: computing, communicating or moving memory.
 *
 * Copies and sets are memory by their kind. A kernel is told by the name of its function, without
 * template arguments and parameters: those of NCCL, RCCL, NVSHMEM and MSCCL, and those that are called
 * after a collective ("all_reduce", "cross_device_reduce"), communicate; all others compute. That is
 * wider than HolisticTraceAnalysis, which takes names that begin with "nccl" and hold "Kernel". A graph
 * that was recorded as a whole computes.
 *
 * A name is looked at once, when first asked for.
 */
#ifndef PROF_WORK_CLASSES_H
#define PROF_WORK_CLASSES_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

enum work_class { WORK_COMPUTE, WORK_COMMUNICATION, WORK_MEMORY, WORK_CLASSES };

/* What a kernel's name tells beside. */
#define KERNEL_KNOWN 1u /* the name was looked at */
#define KERNEL_COMMUNICATES 2u
#define KERNEL_FP32_MATRIX 4u /* multiplies or convolves in FP32, not on tensor cores */
#define KERNEL_ELEMENTWISE 8u /* one of PyTorch's element-wise kernels */

struct work_classes {
    const struct timeline *timeline;
    uint8_t *traits; /* KERNEL_*, by name */
};

/* False: no memory; fini is not needed then. */
bool work_classes_init(struct work_classes *classes, const struct timeline *timeline);
void work_classes_fini(struct work_classes *classes);

/* KERNEL_* of a name, not looked up. */
uint8_t work_classes_read(struct text name);

/* KERNEL_* of an operation that is a kernel; KERNEL_KNOWN alone of one without a name. */
uint8_t work_classes_traits(const struct work_classes *classes, const struct tl_gpu *operation);

static inline enum work_class work_class_of(const struct work_classes *classes,
                                            const struct tl_gpu *operation)
{
    if (operation->kind == TL_MEMCPY || operation->kind == TL_MEMSET)
        return WORK_MEMORY;
    if (operation->kind != TL_KERNEL)
        return WORK_COMPUTE;
    return work_classes_traits(classes, operation) & KERNEL_COMMUNICATES ? WORK_COMMUNICATION
                                                                         : WORK_COMPUTE;
}

/* "compute", "communication", "memory" */
const char *work_class_name(enum work_class class_of);

#ifdef __cplusplus
}
#endif
#endif
