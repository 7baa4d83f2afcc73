/* work_classes.c - see work_classes.h. */
#include "work_classes.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const communicating[] = {
    "nccl",       "rccl",      "nvshmem",        "cross_device_reduce", "all_reduce", "allreduce",
    "all_gather", "allgather", "reduce_scatter", "reducescatter",       "all_to_all", "alltoall",
    "deep_ep",    NULL,
};

/* "sgemm" and "scudnn" are cuBLAS' and cuDNN's words for single precision. */
static const char *const fp32_matrix[] = {"sgemm", "scudnn", NULL};

/* What kernels are called that use tensor cores: the shape of the instruction, or its kind. */
static const char *const tensor_cores[] = {
    "tensorop", "s884", "s1688", "s16816", "mma", "tf32", "bf16", NULL,
};

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter + 'a' - 'A') : letter;
}

/* `part` has small letters. */
static bool holds(const char *bytes, size_t size, const char *part)
{
    size_t length = strlen(part);
    for (size_t i = 0; i + length <= size; i++)
        if (lower(bytes[i]) == part[0] && strncasecmp(bytes + i, part, length) == 0)
            return true;
    return false;
}

static bool holds_any(const char *bytes, size_t size, const char *const *parts)
{
    for (; *parts; parts++)
        if (holds(bytes, size, *parts))
            return true;
    return false;
}

/* How much of a name comes before its template arguments and parameters: "void at::(anonymous
 * namespace)::k<float>(int)" up to the '<'. A mangled name has neither. */
static size_t function_size(struct text name)
{
    static const char anonymous[] = "(anonymous namespace)";
    for (size_t i = 0; i < name.size; i++) {
        if (name.bytes[i] == '<')
            return i;
        if (name.bytes[i] != '(')
            continue;
        if (name.size - i < sizeof anonymous - 1 ||
            memcmp(name.bytes + i, anonymous, sizeof anonymous - 1) != 0)
            return i;
        i += sizeof anonymous - 2;
    }
    return name.size;
}

/* TorchInductor names a kernel after the operators that it fuses, as in
 * "triton_poi_fused_add_all_reduce_wait_tensor_3": it processes a collective's result, but is not a collective. */
static bool is_fused(const char *bytes, size_t size)
{
    static const char triton[] = "triton_";
    return size > sizeof triton && memcmp(bytes, triton, sizeof triton - 1) == 0 &&
           holds(bytes, size, "_fused_");
}

uint8_t work_classes_read(struct text name)
{
    size_t size = function_size(name);
    uint8_t traits = KERNEL_KNOWN;
    if (holds_any(name.bytes, size, communicating) && !is_fused(name.bytes, size))
        traits |= KERNEL_COMMUNICATES;
    if (holds(name.bytes, size, "elementwise_kernel"))
        traits |= KERNEL_ELEMENTWISE;
    if (holds_any(name.bytes, name.size, fp32_matrix) &&
        !holds_any(name.bytes, name.size, tensor_cores))
        traits |= KERNEL_FP32_MATRIX;
    return traits;
}

uint8_t work_classes_traits(const struct work_classes *classes, const struct tl_gpu *operation)
{
    if (operation->name >= classes->timeline->names.count)
        return KERNEL_KNOWN;
    uint8_t *traits = &classes->traits[operation->name];
    if (!*traits)
        *traits = work_classes_read(classes->timeline->names.at[operation->name]);
    return *traits;
}

const char *work_class_name(enum work_class class_of)
{
    static const char *const names[] = {"compute", "communication", "memory"};
    return names[class_of];
}

bool work_classes_init(struct work_classes *classes, const struct timeline *timeline)
{
    *classes = (struct work_classes){timeline, calloc((size_t)timeline->names.count + 1, 1)};
    return classes->traits != NULL;
}

void work_classes_fini(struct work_classes *classes)
{
    free(classes->traits);
    classes->traits = NULL;
}
