/* cublas_record.h - records a range around a cuBLAS function, with the size of its product.
 *
 * The range is one of prof.h's stack, opened and closed by the call itself: what the call launches
 * lies in it by order. It is neither forwarded to another NVTX tool nor timed by CUDA events: it is
 * ours, not the program's. Functions that cuBLAS itself calls meanwhile have no range of their own.
 */
#ifndef PROF_CUBLAS_RECORD_H
#define PROF_CUBLAS_RECORD_H

#include "cublas_abi.h"
#include "recorder.h"

#include <stdbool.h>

/* ---- cublas_work.c: FLOPs and bytes of a matrix product ---- */

/* A multiplication and an addition are two operations; of complex numbers they are eight. Bytes are
 * A and B read once and C written once: the minimum for any implementation. C is read as well where
 * beta is not 0, but beta may be in the device's memory, where libprof must not read it.
 */

#define CUBLAS_COMPUTE_OPEN (-1) /* the call has no compute type */

/* C = op(A) op(B), `batch` times. */
struct cublas_product {
    int64_t m, n, k, batch;
    int transa, transb;         /* cublasOperation_t */
    int type_a, type_b, type_c; /* cudaDataType_t */
    int compute;                /* cublasComputeType_t, or CUBLAS_COMPUTE_OPEN */
    int math_mode;     /* of the handle: cublasMath_t; counts where compute leaves it open */
    bool one_a, one_b; /* all of the batch use the same A or B: their distance is 0 */
};

#define CUBLAS_UNKNOWN UINT64_MAX

struct cublas_work {
    uint64_t m, n, k; /* CUBLAS_UNKNOWN in a group of different ones */
    uint64_t batch;   /* how many products */
    uint64_t flops;   /* CUBLAS_UNKNOWN: too many to count, or of an unknown type */
    uint64_t bytes;   /* the same */
    const char *type; /* what is multiplied: "float16", "tf32"; NULL unknown */
    const char *op;   /* "NT": A as it is, B transposed; NULL unknown */
};

/* False: no such product (a size is negative); the call will say so itself. */
bool cublas_work_of(const struct cublas_product *product, struct cublas_work *work);

/* Adds the products of a group to those before; `work` is one that cublas_work_of() filled. */
void cublas_work_add(struct cublas_work *work, const struct cublas_work *more);

/* ---- the range ---- */

/* A range that is open. On the caller's stack. */
struct cublas_range {
    uint32_t epoch; /* of the recording in which it was opened */
};

/* Opens a range; cublas_record_end() must follow. False: nothing is to be recorded, and nothing may
 * follow. `name_id` is the name's number once it has one, 0 before; any thread reads and writes it.
 * Keeps errno. No lock and no allocation once the thread and the name are known. */
bool cublas_record_begin(struct cublas_range *range, const char *name, uint64_t *name_id);

/* The attributes m, n, k, batch (if more than one), flops, bytes, type, op of the open range, as
 * far as they are known. */
void cublas_record_work(const struct cublas_work *work);

void cublas_record_end(const struct cublas_range *range);

extern const struct collector cublas_collector;

/* ---- cublas_work.c: the descriptors of cublasLtMatmul() ---- */

/* cublasLtMatrixLayoutGetAttribute() and cublasLtMatmulDescGetAttribute(). */
struct cublas_lt {
    cublas_get_attribute layout, desc;
    bool has_modes; /* it may know CUBLAS_ABI_LAYOUT_BATCH_MODE */
};

/* D = op(A) op(B). False: a descriptor is missing or does not say (groups of products say it in the
 * device's memory). */
bool cublas_lt_product(const struct cublas_lt *lt, const void *desc, const void *layout_a,
                       const void *layout_b, const void *layout_d, struct cublas_product *product);

/* ---- cublas_find.c: the real cuBLAS functions ---- */

/* They are in the library that the caller was linked with.
 *
 * libcublas's functions have version names, "libcublas.so.13", and a program's references name the
 * version they were linked with. libprof.so has the same names under each of the versions, so the
 * version that a call came for says which library it was for, also where several are loaded. And
 * they are hidden: only such a reference finds them. dlsym(RTLD_DEFAULT, "cublasSgemm_v2") and weak
 * references of programs that were not linked with cuBLAS see what they would see without libprof.
 */

/* What is known of a function that we interpose: all zero at first, so that a process without
 * cuBLAS has nothing to relocate. */
struct cublas_function {
    void (*real)(void); /* NULL: not looked up yet; stored by the first caller */
    uint64_t name_id;   /* of its ranges, as it is kept (names_keep); 0: none yet */
};

/* The function itself, of the library that is loaded under `soname`; never opens one that is not
 * there. NULL: there is none. The library stays loaded from here on, as what was found in it is
 * kept. Threads: any. Takes the loader's lock the first time, unless it was loaded with the
 * program. Keeps errno. */
void (*cublas_find(struct cublas_function *function, const char *name, const char *soname))(void);

/* Says so, and returns what a call for it can have. */
cublas_status cublas_missing(const char *name, const char *soname);

#endif
