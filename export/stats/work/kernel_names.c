#include "kernel_names.h"

#include <string.h>

/* ---- types ---- */

enum match {
    ANYWHERE,
    WORD, /* no letter or digit before it */
    ALONE /* nor after it */
};

/* The first that matches counts: a product of narrow types is accumulated in a wide one, which the
 * name contains as well. */
static const struct {
    const char *sign; /* in lower case, beginning with a letter */
    enum match match;
    enum op_type type;
} signs[] = {
    {"e2m1", ANYWHERE, OP_F4},
    {"nvfp4", ANYWHERE, OP_F4},
    {"mxfp4", ANYWHERE, OP_F4},
    {"nvf4", ANYWHERE, OP_F4},
    {"mxf4", ANYWHERE, OP_F4},
    {"e3m2", ANYWHERE, OP_F6},
    {"e2m3", ANYWHERE, OP_F6},
    {"e4m3", ANYWHERE, OP_F8},
    {"e5m2", ANYWHERE, OP_F8},
    {"fp8", ANYWHERE, OP_F8},
    {"float8", ANYWHERE, OP_F8},
    {"bf16", ANYWHERE, OP_BF16},
    {"bfloat16", ANYWHERE, OP_BF16},
    {"fp16", ANYWHERE, OP_F16},
    {"float16", ANYWHERE, OP_F16},
    {"f16", WORD, OP_F16},
    {"half", WORD, OP_F16}, /* c10::Half, __half, half_t */
    {"hmma", ANYWHERE, OP_F16},
    {"hgemm", ANYWHERE, OP_F16},
    {"h884", ANYWHERE, OP_F16},
    {"s884", ANYWHERE, OP_F16},
    {"h1688", ANYWHERE, OP_F16},
    {"h16816", ANYWHERE, OP_F16},
    {"s16816", ANYWHERE, OP_F16},
    {"tf32", ANYWHERE, OP_TF32},
    {"s1688", ANYWHERE, OP_TF32},
    {"imma", ANYWHERE, OP_I8},
    {"i8816", ANYWHERE, OP_I8},
    {"i16816", ANYWHERE, OP_I8},
    {"i16832", ANYWHERE, OP_I8},
    {"i8i8", ANYWHERE, OP_I8},
    {"s8s8", ANYWHERE, OP_I8},
    {"int8", ANYWHERE, OP_I8},
    {"signed char", ANYWHERE, OP_I8},
    {"dgemm", ANYWHERE, OP_F64},
    {"d884", ANYWHERE, OP_F64},
    {"fp64", ANYWHERE, OP_F64},
    {"f64", WORD, OP_F64},
    {"double", ALONE, OP_F64},
    {"sgemm", ANYWHERE, OP_F32},
    {"fp32", ANYWHERE, OP_F32},
    {"f32", WORD, OP_F32},
    {"float", ALONE, OP_F32},
};

#define SIGNS (sizeof signs / sizeof *signs)

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static bool is_word_letter(char letter)
{
    letter = text_lower(letter);
    return (letter >= 'a' && letter <= 'z') || is_digit(letter);
}

static bool is_at(struct text name, size_t at, const char *sign, size_t size)
{
    if (size > name.size - at)
        return false;
    for (size_t i = 0; i < size; i++)
        if (text_lower(name.bytes[at + i]) != sign[i])
            return false;
    return true;
}

/* A number goes on: f16 is not in f1688. */
static bool fits(struct text name, size_t at, size_t size, enum match match)
{
    char before = at ? name.bytes[at - 1] : ' ';
    char after = at + size < name.size ? name.bytes[at + size] : ' ';
    if (match == ANYWHERE)
        return true;
    if (is_word_letter(before) || is_digit(after))
        return false;
    return match == WORD || !(is_word_letter(after) || after == '_');
}

/* A bit for each letter that a sign begins with. */
static uint32_t first_letters(void)
{
    uint32_t letters = 0;
    for (size_t i = 0; i < SIGNS; i++)
        letters |= 1u << (signs[i].sign[0] - 'a');
    return letters;
}

/* Tensile names the types of a product with letters: "Cijk_Ailk_Bljk_HHS_BH_...", "..._SB_...". */
static enum op_type of_tensile(struct text name)
{
    static const struct {
        const char *letters;
        enum op_type type;
    } known[] = {{"F8", OP_F8},   {"B8", OP_F8},    {"I8", OP_I8},    {"4xi8", OP_I8},
                 {"H", OP_F16},   {"BBS", OP_BF16}, {"BSS", OP_BF16}, {"BB_", OP_BF16},
                 {"B_", OP_BF16}, {"XS", OP_TF32},  {"S", OP_F32},    {"D", OP_F64}};
    size_t at = 0;
    for (unsigned parts = 0; parts < 3 && at < name.size; at++)
        parts += name.bytes[at] == '_';
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t size = strlen(known[i].letters);
        if (at + size <= name.size && memcmp(name.bytes + at, known[i].letters, size) == 0)
            return known[i].type;
    }
    return OP_TYPE_UNKNOWN;
}

enum op_type kernel_type_of_name(struct text name)
{
    if (name.size > 5 && text_begins(name, "Cijk_"))
        return of_tensile(name);
    const uint32_t letters = first_letters();
    size_t first = SIGNS;
    for (size_t at = 0; at < name.size; at++) {
        const char letter = text_lower(name.bytes[at]);
        if (letter < 'a' || letter > 'z' || !(letters & 1u << (letter - 'a')))
            continue;
        for (size_t i = 0; i < first; i++) {
            const size_t size = strlen(signs[i].sign);
            if (is_at(name, at, signs[i].sign, size) && fits(name, at, size, signs[i].match))
                first = i;
        }
    }
    return first < SIGNS ? signs[first].type : OP_TYPE_UNKNOWN;
}

/* ---- computing or helping ----
 *
 * Parts of names as NVIDIA's and AMD's libraries, CUTLASS and PyTorch use them. */

/* In lower case. "convert" is not a convolution, and "mma" alone is in "gamma". */
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

/* Templates of CUTLASS have names of kilobytes; the kernel's own name is at the front. */
#define NAME_BYTES_READ 512u

static size_t lower_case(char to[NAME_BYTES_READ + 1], struct text from)
{
    size_t size = from.size < NAME_BYTES_READ ? from.size : NAME_BYTES_READ;
    for (size_t i = 0; i < size; i++)
        to[i] = from.bytes[i] ? text_lower(from.bytes[i]) : ' ';
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
    char lower[NAME_BYTES_READ + 1];
    return lower_case(lower, name) &&
           has_any(lower, computing, sizeof computing / sizeof *computing) &&
           !has_any(lower, helping, sizeof helping / sizeof *helping);
}
