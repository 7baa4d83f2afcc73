/* intervals.h - how much of a stretch of time others cover. */
#ifndef PROF_INTERVALS_H
#define PROF_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct interval {
    int64_t start, end;
};

/* The length of what at least one of them covers between `from` and `to`: what lies in another, or
 * partly so, counts once. Sorts them. One that ends before it starts covers nothing. */
int64_t intervals_union(struct interval *intervals, size_t count, int64_t from, int64_t to);

/* Whether `name` is `prefix` or goes on from it with something that is part of no word, so that
 * "conv1" is a prefix of "conv1.weight" and "conv1/relu", but neither of "conv10" nor of
 * "conv1_bn". A prefix that ends with such a character or with "_" is followed by anything. */
bool name_has_prefix(const char *name, size_t size, const char *prefix);

#ifdef __cplusplus
}
#endif
#endif
