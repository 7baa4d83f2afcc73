/* hot_paths.h - what programs call most, once each, for test_hot_paths.cc to count its instructions. */
#ifndef HOT_PATHS_H
#define HOT_PATHS_H

#include "oracle.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins to record into `path`. Once per process. False: the processor's counter is not the clock,
 * so each event takes a call of the kernel's. */
bool hot_begin(const char *path);
void hot_end(void);

void hot_nothing(void);
void hot_literal(void);
void hot_content(void);
void hot_nvtx(void);
void hot_nvtx_number(void); /* comes along */
void hot_launch(void);
/* CUPTI's records of kernels, which stay the caller's, for hot_kernels() to convert. */
void hot_take_kernels(const struct oracle *sizes, void *records, size_t bytes);
void hot_kernels(void);

#ifdef __cplusplus
}
#endif

#endif
