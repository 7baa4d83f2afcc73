/* compat_device.h - the devices and types that PyTorch's profile_analysis.py knows, for outputs that
 * stand in for it. Names of devices are compared whole, and traces have longer ones: "NVIDIA
 * A100-SXM4-80GB" is none of them. Its numbers are those of its middle of 2025: with sparsity for H100
 * and L4, the bandwidth of an H100 for L4. */
#ifndef PROF_COMPAT_DEVICE_H
#define PROF_COMPAT_DEVICE_H

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

enum compat_type {
    COMPAT_NO_TYPE,
    COMPAT_F64,
    COMPAT_F32,
    COMPAT_BF16,
    COMPAT_F16,
    COMPAT_I64,
    COMPAT_I32,
    COMPAT_I16,
    COMPAT_I8,
    COMPAT_U8,
    COMPAT_BOOL,
    COMPAT_C64,
    COMPAT_C128,
};

/* "float32", "c10::Half", "long int" ...; COMPAT_NO_TYPE: it knows none of that name. */
enum compat_type compat_type_find(struct text name);
const char *compat_type_name(enum compat_type type); /* "torch.float32" */

/* 10^12 operations a second. A member that is 0 is not there. */
struct compat_device {
    const char *name;
    double f64, f32, tf32, half, f8, i8;
    const char *bandwidth, *memory; /* GB/s and GB, as it writes them */
    bool i8_first;                  /* it lists int8 before tf32 */
};

/* NULL: unknown. */
const struct compat_device *compat_device_find(struct text name);

/* 0: it has no number for the type. */
double compat_device_tops(const struct compat_device *device, enum compat_type type);
double compat_device_bandwidth(const struct compat_device *device);

#ifdef __cplusplus
}
#endif
#endif
