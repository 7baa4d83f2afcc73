/* compat_device.c - see compat_device.h. */
#include "compat_device.h"

#include <stdlib.h>
#include <string.h>

static const struct compat_device devices[] = {
    {"NVIDIA H100", 67.0, 67.5, 156.0, 1979.0, 3958.0, 3958.0, "3350", "80", false},
    {"NVIDIA A100", 19.5, 19.5, 156.0, 312.5, 0, 624.0, "2039.0", "80.0", true},
    {"NVIDIA L4", 15.1, 30.3, 120.0, 242.0, 485.0, 485.0, "3350", "24", false},
    {"AMD MI350X", 72.1, 144.2, 144.2, 2309.6, 4614.0, 4614.0, "8000.0", "288.0", false},
    {"AMD MI300A", 122.6, 122.6, 490.3, 980.6, 1961.2, 1961.2, "5300.0", "128.0", false},
    {"AMD MI300X", 163.4, 163.4, 653.7, 1307.4, 2614.9, 2614.9, "5300.0", "192.0", false},
    {"AMD MI210X", 45.3, 45.3, 45.3, 181.0, 181.0, 181.0, "1600.0", "64.0", false},
};

static const struct {
    const char *name;
    enum compat_type type;
} types[] = {
    {"float", COMPAT_F32},
    {"float32", COMPAT_F32},
    {"double", COMPAT_F64},
    {"float64", COMPAT_F64},
    {"int", COMPAT_I32},
    {"int32", COMPAT_I32},
    {"int8", COMPAT_I8},
    {"int16", COMPAT_I16},
    {"long", COMPAT_I64},
    {"long int", COMPAT_I64},
    {"signed char", COMPAT_I8},
    {"unsigned char", COMPAT_U8},
    {"bool", COMPAT_BOOL},
    {"bfloat16", COMPAT_BF16},
    {"float16", COMPAT_F16},
    {"c10::BFloat16", COMPAT_BF16},
    {"c10::Half", COMPAT_F16},
    {"c10::complex<float>", COMPAT_C64},
    {"c10::complex<double>", COMPAT_C128},
};

enum compat_type compat_type_find(struct text name)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i].name) == name.size && memcmp(types[i].name, name.bytes, name.size) == 0)
            return types[i].type;
    return COMPAT_NO_TYPE;
}

const char *compat_type_name(enum compat_type type)
{
    static const char *const names[] = {
        [COMPAT_NO_TYPE] = "None",         [COMPAT_F64] = "torch.float64",
        [COMPAT_F32] = "torch.float32",    [COMPAT_BF16] = "torch.bfloat16",
        [COMPAT_F16] = "torch.float16",    [COMPAT_I64] = "torch.int64",
        [COMPAT_I32] = "torch.int32",      [COMPAT_I16] = "torch.int16",
        [COMPAT_I8] = "torch.int8",        [COMPAT_U8] = "torch.uint8",
        [COMPAT_BOOL] = "torch.bool",      [COMPAT_C64] = "torch.complex64",
        [COMPAT_C128] = "torch.complex128"};
    return names[type];
}

const struct compat_device *compat_device_find(struct text name)
{
    static const char second[] =
        "AMD INSTINCT MI"; /* 350X, 300X, 210X: the same without INSTINCT */
    size_t skipped = 0;
    if (name.size > sizeof second - 1 && memcmp(name.bytes, second, sizeof second - 1) == 0 &&
        name.bytes[name.size - 1] == 'X')
        skipped = strlen("INSTINCT ");
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        const char *known = devices[i].name;
        if (strlen(known) + skipped == name.size && memcmp(known, name.bytes, 4) == 0 &&
            memcmp(known + 4, name.bytes + 4 + skipped, name.size - 4 - skipped) == 0)
            return &devices[i];
    }
    return NULL;
}

double compat_device_tops(const struct compat_device *device, enum compat_type type)
{
    switch (type) {
    case COMPAT_F64:
        return device->f64;
    case COMPAT_F32:
        return device->f32;
    case COMPAT_BF16:
    case COMPAT_F16:
        return device->half;
    case COMPAT_I8:
        return device->i8;
    default:
        return 0;
    }
}

double compat_device_bandwidth(const struct compat_device *device)
{
    return strtod(device->bandwidth, NULL);
}
