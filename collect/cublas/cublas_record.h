/* cublas_record.h - records a range around a cuBLAS function, with the size of its product.
 *
 * The range is one of prof.h's stack, opened and closed by the call itself: what the call launches
 * lies in it by order. It is neither forwarded to another NVTX tool nor timed by CUDA events: it is
 * ours, not the program's. Functions that cuBLAS itself calls meanwhile have no range of their own.
 */
#ifndef PROF_CUBLAS_RECORD_H
#define PROF_CUBLAS_RECORD_H

#include "cublas_work.h"
#include "recorder.h"

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

#endif
