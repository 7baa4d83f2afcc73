/* computing_names.c - parts of names as NVIDIA's and AMD's libraries, CUTLASS and PyTorch use them. */
#include "computing_names.h"

#include <string.h>

/* In lower case. "convert" is no convolution, and "mma" alone is in "gamma". */
static const char *const computing[] = {
    "gemm",   "gemv",   "xmma",   "cutlass", "nvjet", "cijk_",     "wgmma",  "hmma",  "imma",
    "s884",   "s1688",  "s16816", "conv",    "wgrad", "dgrad",     "fprop",  "bprop", "winograd",
    "scudnn", "hcudnn", "fft",    "fmha",    "flash", "attention", "matmul", "_mm_",  "dot_kernel",
};

static const char *const helping[] = {
    "splitkreduce",       "splitk_reduce", "reduce_wgrad",
    "reducesplitk",       "nchwtonhwc",    "nhwctonchw",
    "tensortransform",    "offsetskernel", "generatewinogradtiles",
    "converttensor",      "im2col",        "col2im",
    "elementwise_kernel",
};

/* Templates of CUTLASS have names of kilobytes; what a kernel is called stands at the front. */
#define LOOKED_AT 512u

static size_t lower_case(char to[LOOKED_AT + 1], struct text from)
{
    size_t size = from.size < LOOKED_AT ? from.size : LOOKED_AT;
    for (size_t i = 0; i < size; i++) {
        char c = from.bytes[i];
        to[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c ? c : ' ');
    }
    to[size] = '\0';
    return size;
}

static bool is_in(const char *name, const char *part)
{
    for (const char *at = strstr(name, part); at; at = strstr(at + 1, part))
        if (strcmp(part, "conv") != 0 || strncmp(at, "convert", 7) != 0)
            return true;
    return false;
}

static bool has_any(const char *name, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_in(name, parts[i]))
            return true;
    return false;
}

bool kernel_name_computes(struct text name)
{
    char lower[LOOKED_AT + 1];
    return lower_case(lower, name) &&
           has_any(lower, computing, sizeof computing / sizeof *computing) &&
           !has_any(lower, helping, sizeof helping / sizeof *helping);
}
