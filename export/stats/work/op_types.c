/* op_types.c - how element types are spelled: by C++ (as in traces), PyTorch, NumPy and CUDA. */
#include "op_inputs.h"

#include <string.h>

/* What is left of a spelling by simplify(), below. */
static const struct {
    const char *name;
    uint8_t type;
} spellings[] = {
    {"double", OP_F64},
    {"float64", OP_F64},
    {"fp64", OP_F64},
    {"f64", OP_F64},
    {"64f", OP_F64},
    {"float", OP_F32},
    {"float32", OP_F32},
    {"fp32", OP_F32},
    {"f32", OP_F32},
    {"32f", OP_F32},
    {"tf32", OP_TF32},
    {"bfloat16", OP_BF16},
    {"bf16", OP_BF16},
    {"__nv_bfloat16", OP_BF16},
    {"16bf", OP_BF16},
    {"half", OP_F16},
    {"float16", OP_F16},
    {"fp16", OP_F16},
    {"f16", OP_F16},
    {"__half", OP_F16},
    {"16f", OP_F16},
    {"float8", OP_F8},
    {"fp8", OP_F8},
    {"f8", OP_F8},
    {"float8_e4m3", OP_F8},
    {"float8_e4m3fn", OP_F8},
    {"float8_e4m3fnuz", OP_F8},
    {"float8_e5m2", OP_F8},
    {"float8_e5m2fnuz", OP_F8},
    {"float8_e8m0fnu", OP_F8},
    {"__nv_fp8_e4m3", OP_F8},
    {"__nv_fp8_e5m2", OP_F8},
    {"8f_e4m3", OP_F8},
    {"8f_e5m2", OP_F8},
    {"float6", OP_F6},
    {"fp6", OP_F6},
    {"6f_e2m3", OP_F6},
    {"6f_e3m2", OP_F6},
    {"float4", OP_F4},
    {"fp4", OP_F4},
    {"float4_e2m1fn", OP_F4},
    {"4f_e2m1", OP_F4},
    {"long", OP_I64},
    {"long long", OP_I64},
    {"int64", OP_I64},
    {"64i", OP_I64},
    {"64u", OP_I64},
    {"int", OP_I32},
    {"int32", OP_I32},
    {"qint32", OP_I32},
    {"32i", OP_I32},
    {"32u", OP_I32},
    {"short", OP_I16},
    {"int16", OP_I16},
    {"bits16", OP_I16},
    {"16i", OP_I16},
    {"16u", OP_I16},
    {"char", OP_I8},
    {"byte", OP_I8},
    {"int8", OP_I8},
    {"qint8", OP_I8},
    {"quint8", OP_I8},
    {"bits8", OP_I8},
    {"8i", OP_I8},
    {"8u", OP_I8},
    {"int4", OP_I4},
    {"4i", OP_I4},
    {"4u", OP_I4},
    {"bool", OP_BOOL},
    {"complex<double>", OP_C64},
    {"complexdouble", OP_C64},
    {"complex128", OP_C64},
    {"complex<float>", OP_C32},
    {"complexfloat", OP_C32},
    {"complex64", OP_C32},
    {"complex<c10::half>", OP_C16},
    {"complexhalf", OP_C16},
    {"complex32", OP_C16},
};

static const struct {
    const char *name;
    unsigned bits;
} types[OP_TYPES] = {
    [OP_TYPE_UNKNOWN] = {"unknown", 0},
    [OP_F64] = {"float64", 64},
    [OP_F32] = {"float32", 32},
    [OP_TF32] = {"tf32", 32},
    [OP_BF16] = {"bfloat16", 16},
    [OP_F16] = {"float16", 16},
    [OP_F8] = {"float8", 8},
    [OP_F6] = {"float6", 6},
    [OP_F4] = {"float4", 4},
    [OP_I64] = {"int64", 64},
    [OP_I32] = {"int32", 32},
    [OP_I16] = {"int16", 16},
    [OP_I8] = {"int8", 8},
    [OP_I4] = {"int4", 4},
    [OP_BOOL] = {"bool", 8},
    [OP_C64] = {"complex128", 128},
    [OP_C32] = {"complex64", 64},
    [OP_C16] = {"complex32", 32},
};

#define SPELLING_BYTES 32u

static bool drop_prefix(struct text *name, const char *prefix)
{
    size_t size = strlen(prefix);
    if (name->size <= size || memcmp(name->bytes, prefix, size) != 0)
        return false;
    name->bytes += size;
    name->size -= size;
    return true;
}

static bool drop_suffix(struct text *name, const char *suffix)
{
    size_t size = strlen(suffix);
    if (name->size <= size || memcmp(name->bytes + name->size - size, suffix, size) != 0)
        return false;
    name->size -= size;
    return true;
}

static struct text lower_case(char buffer[SPELLING_BYTES], struct text name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.bytes[i];
        buffer[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    return (struct text){buffer, name.size};
}

/* Namespaces, signs and what C++ lets one leave out: "unsigned long int" is as wide as "long". */
static struct text simplify(struct text name)
{
    static const char *const prefixes[] = {"c10::",   "at::",      "torch.",
                                           "cuda_r_", "unsigned ", "signed "};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        drop_prefix(&name, prefixes[i]);
    drop_suffix(&name, " int");
    drop_suffix(&name, "_t");
    if (name.size > 4 && memcmp(name.bytes, "uint", 4) == 0)
        drop_prefix(&name, "u");
    return name;
}

static enum op_type find_simple(struct text name)
{
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (strlen(spellings[i].name) == name.size &&
            memcmp(spellings[i].name, name.bytes, name.size) == 0)
            return (enum op_type)spellings[i].type;
    return OP_TYPE_UNKNOWN;
}

enum op_type op_type_find(struct text name)
{
    char buffer[SPELLING_BYTES];
    if (name.size == 0 || name.size > sizeof buffer)
        return OP_TYPE_UNKNOWN;
    struct text simple = simplify(lower_case(buffer, name));
    drop_suffix(&simple, "_x2");
    return find_simple(simple);
}

const char *op_type_name(enum op_type type)
{
    return types[type < OP_TYPES ? type : OP_TYPE_UNKNOWN].name;
}

unsigned op_type_bits(enum op_type type)
{
    return types[type < OP_TYPES ? type : OP_TYPE_UNKNOWN].bits;
}

/* PyTorch's ScalarType, as a number. */
enum op_type op_type_of_scalar_type(int64_t number)
{
    static const uint8_t by_number[] = {
        OP_I8,  OP_I8,   OP_I16, OP_I32, OP_I64, OP_F16,  OP_F32, OP_F64, OP_C16, OP_C32,
        OP_C64, OP_BOOL, OP_I8,  OP_I8,  OP_I32, OP_BF16, 0,      0,      OP_I8,  OP_I8,
        OP_I8,  OP_I8,   OP_I16, OP_F8,  OP_F8,  OP_F8,   OP_F8,  OP_I16, OP_I32, OP_I64,
    };
    bool known = number >= 0 && (size_t)number < sizeof by_number;
    return known ? (enum op_type)by_number[number] : OP_TYPE_UNKNOWN;
}
