/* md5.h - MD5 of a text: not to protect anything, but as an identity that every database can
 * compute, too. */
#ifndef PROF_MD5_H
#define PROF_MD5_H

#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The last eight bytes of the digest as a little-endian number: DuckDB's md5_number_lower(). */
uint64_t md5_lower(struct text text);

#ifdef __cplusplus
}
#endif
#endif
