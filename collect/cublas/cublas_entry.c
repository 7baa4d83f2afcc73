/* cublas_entry.c - the cuBLAS functions that libprof.so interposes. Compiled once for each major
 * version, CUBLAS_MAJOR.
 *
 *     program ---cublasGemmEx@libcublas.so.13---> ours ---> libcublas's
 *
 * While recording is off, ours is two loads and a jump: the arguments stay where they are.
 * Otherwise the call goes through a second function of the same form, with a range around it.
 * Nothing is changed and nothing is called but what answers questions.
 */
#include "atomic.h"
#include "cublas_record.h"
#include "thread.h"

#define ENTRY_TEXT_(text) #text
#define ENTRY_TEXT(text) ENTRY_TEXT_(text)
#define ENTRY_JOIN_(a, b, c) a##b##_##c
#define ENTRY_JOIN(a, b, c) ENTRY_JOIN_(a, b, c)

/* The function that implements a name; prof.map keeps it from being exported. */
#define ENTRY_OURS(name) ENTRY_JOIN(prof_cublas_, CUBLAS_MAJOR, name)

#define ENTRY_SONAME(library) library ".so." ENTRY_TEXT(CUBLAS_MAJOR)

/* One @: hidden, found by references that name the version alone (cublas_record.h). */
#define ENTRY_EXPORTED __attribute__((visibility("default"), used))
#if __has_attribute(symver)
#define ENTRY_DECLARE(name, soname, parameters)                                             \
    ENTRY_EXPORTED __attribute__((symver(#name "@" soname))) cublas_status ENTRY_OURS(name) \
        parameters;
#else
#define ENTRY_DECLARE(name, soname, parameters)                            \
    __asm__(".symver " ENTRY_TEXT(ENTRY_OURS(name)) "," #name "@" soname); \
    ENTRY_EXPORTED cublas_status ENTRY_OURS(name) parameters;
#endif

/* `describe` is an expression over the parameters that says what is computed. */
#define ENTRY(name_, soname, parameters, arguments, describe)                             \
    static struct cublas_function name_##_function;                                       \
    typedef cublas_status(*name_##_type) parameters;                                      \
    static __attribute__((noinline, cold)) cublas_status name_##_slow parameters          \
    {                                                                                     \
        struct cublas_range range;                                                        \
        name_##_type real = (name_##_type)cublas_find(&name_##_function, #name_, soname); \
        if (!real)                                                                        \
            return cublas_missing(#name_, soname);                                        \
        if (!cublas_record_begin(&range, #name_, &name_##_function.name_id))              \
            return real arguments;                                                        \
        describe;                                                                         \
        cublas_status status = real arguments;                                            \
        cublas_record_end(&range);                                                        \
        return status;                                                                    \
    }                                                                                     \
    ENTRY_DECLARE(name_, soname, parameters)                                              \
    cublas_status ENTRY_OURS(name_) parameters                                            \
    {                                                                                     \
        name_##_type real = (name_##_type)load_acquire(&name_##_function.real);           \
        if (__builtin_expect(real && !load_relaxed(&thread_gate), 1))                     \
            return real arguments;                                                        \
        return name_##_slow arguments;                                                    \
    }

#define ENTRY_CUBLAS ENTRY_SONAME("libcublas")
#define ENTRY_CUBLASLT ENTRY_SONAME("libcublasLt")

/* ---- what is computed ---- */

static int entry_math_mode(void *handle)
{
    static struct cublas_function getter;
    cublas_get_math_mode get =
        (cublas_get_math_mode)cublas_find(&getter, "cublasGetMathMode", ENTRY_CUBLAS);
    int mode = 0;
    return handle && get && get(handle, &mode) == CUBLAS_ABI_SUCCESS ? mode : 0;
}

/* The handle matters where float32 is multiplied and the call leaves open how. */
static bool entry_work_of(void *handle, struct cublas_product *product, struct cublas_work *work)
{
    bool open =
        product->compute == CUBLAS_COMPUTE_OPEN || product->compute == CUBLAS_ABI_COMPUTE_32F;
    if (open && product->type_a == CUBLAS_ABI_R_32F)
        product->math_mode = entry_math_mode(handle);
    return cublas_work_of(product, work);
}

static void entry_product(void *handle, struct cublas_product product)
{
    struct cublas_work work;
    if (entry_work_of(handle, &product, &work))
        cublas_record_work(&work);
}

#define ENTRY_SIZES .m = m, .n = n, .k = k, .transa = transa, .transb = transb
#define ENTRY_ONE_TYPE(type) .type_a = (type), .type_b = (type), .type_c = (type)
#define ENTRY_TYPES .type_a = type_a, .type_b = type_b, .type_c = type_c
#define ENTRY_OPEN .compute = CUBLAS_COMPUTE_OPEN
#define ENTRY_SHARED .one_a = batch > 1 && stride_a == 0, .one_b = batch > 1 && stride_b == 0
#define ENTRY_PRODUCT(...) entry_product(handle, (struct cublas_product){ENTRY_SIZES, __VA_ARGS__})

#define ENTRY_GEMM(type) ENTRY_PRODUCT(.batch = 1, ENTRY_ONE_TYPE(type), ENTRY_OPEN)
#define ENTRY_TYPED(type) ENTRY_PRODUCT(.batch = 1, ENTRY_TYPES, ENTRY_OPEN)
#define ENTRY_EX(type) ENTRY_PRODUCT(.batch = 1, ENTRY_TYPES, .compute = compute)
#define ENTRY_BATCHED(type) ENTRY_PRODUCT(.batch = batch, ENTRY_ONE_TYPE(type), ENTRY_OPEN)
#define ENTRY_BATCHED_EX(type) ENTRY_PRODUCT(.batch = batch, ENTRY_TYPES, .compute = compute)
#define ENTRY_STRIDED(type) \
    ENTRY_PRODUCT(.batch = batch, ENTRY_ONE_TYPE(type), ENTRY_OPEN, ENTRY_SHARED)
#define ENTRY_STRIDED_EX(type) \
    ENTRY_PRODUCT(.batch = batch, ENTRY_TYPES, .compute = compute, ENTRY_SHARED)

/* ---- groups of products ---- */

struct entry_groups {
    const int *transa, *transb;
    const void *m, *n, *k, *sizes; /* of int, or of int64_t */
    int64_t count;
    bool wide;
};

static int64_t entry_at(const void *array, int64_t index, bool wide)
{
    return wide ? ((const int64_t *)array)[index] : ((const int *)array)[index];
}

/* Without a handle cuBLAS refuses the call before it looks at any array. */
static bool entry_groups_are_valid(void *handle, const struct entry_groups *groups)
{
    return handle && groups->transa && groups->transb && groups->m && groups->n && groups->k &&
           groups->sizes && groups->count > 0;
}

static bool entry_group(const struct entry_groups *groups, int64_t i,
                        struct cublas_product *product, struct cublas_work *work)
{
    product->transa = groups->transa[i];
    product->transb = groups->transb[i];
    product->m = entry_at(groups->m, i, groups->wide);
    product->n = entry_at(groups->n, i, groups->wide);
    product->k = entry_at(groups->k, i, groups->wide);
    product->batch = entry_at(groups->sizes, i, groups->wide);
    return cublas_work_of(product, work);
}

static void entry_groups(void *handle, struct entry_groups groups, struct cublas_product product)
{
    struct cublas_work all, one;
    if (!entry_groups_are_valid(handle, &groups) || !entry_work_of(handle, &product, &one) ||
        !entry_group(&groups, 0, &product, &all))
        return;
    for (int64_t i = 1; i < groups.count; i++) {
        if (!entry_group(&groups, i, &product, &one))
            return;
        cublas_work_add(&all, &one);
    }
    cublas_record_work(&all);
}

#define ENTRY_GROUPS(...)                                                                      \
    entry_groups(handle,                                                                       \
                 (struct entry_groups){transa, transb, m, n, k, sizes, groups, sizeof *m > 4}, \
                 (struct cublas_product){__VA_ARGS__})
#define ENTRY_GROUPED(type) ENTRY_GROUPS(ENTRY_ONE_TYPE(type), ENTRY_OPEN)
#define ENTRY_GROUPED_EX(type) ENTRY_GROUPS(ENTRY_TYPES, .compute = compute)

/* ---- descriptors ---- */

static cublas_get_attribute entry_getter(struct cublas_function *function, const char *name)
{
    return (cublas_get_attribute)cublas_find(function, name, ENTRY_CUBLASLT);
}

static void entry_described(const void *desc, const void *layout_a, const void *layout_b,
                            const void *layout_d)
{
    static struct cublas_function of_layout, of_desc;
    const struct cublas_lt lt = {
        .layout = entry_getter(&of_layout, "cublasLtMatrixLayoutGetAttribute"),
        .desc = entry_getter(&of_desc, "cublasLtMatmulDescGetAttribute"),
        .has_modes = CUBLAS_MAJOR >= 12,
    };
    struct cublas_product product;
    struct cublas_work work;
    if (cublas_lt_product(&lt, desc, layout_a, layout_b, layout_d, &product) &&
        cublas_work_of(&product, &work))
        cublas_record_work(&work);
}

/* ---- the functions ---- */

#if CUBLAS_MAJOR >= 12
#define ENTRY_64(...) ENTRY(__VA_ARGS__)
#else
#define ENTRY_64(...)
#endif

#define ENTRY_OF(name, form, type)                                                               \
    ENTRY(name, ENTRY_CUBLAS, CUBLAS_ABI_##form(int), CUBLAS_ABI_##form##_ARGUMENTS,             \
          ENTRY_##form(type))                                                                    \
    ENTRY_64(name##_64, ENTRY_CUBLAS, CUBLAS_ABI_##form(int64_t), CUBLAS_ABI_##form##_ARGUMENTS, \
             ENTRY_##form(type))

CUBLAS_ABI_FUNCTIONS(ENTRY_OF)

ENTRY(cublasLtMatmul, ENTRY_CUBLASLT, CUBLAS_ABI_LT_MATMUL, CUBLAS_ABI_LT_MATMUL_ARGUMENTS,
      entry_described(desc, layout_a, layout_b, layout_d))
