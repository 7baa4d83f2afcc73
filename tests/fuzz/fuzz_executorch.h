/* fuzz_executorch.h - what both fuzz targets for files of ExecuTorch do. */
#ifndef PROF_FUZZ_EXECUTORCH_H
#define PROF_FUZZ_EXECUTORCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the bytes as a file, makes a timeline of it and all that is derived from its blocks. */
void fuzz_executorch(const uint8_t *bytes, size_t size, bool partial, bool wrap32);

#endif
