/* intervals.c - see intervals.h. */
#include "intervals.h"

#include <stdlib.h>
#include <string.h>

static int by_start(const void *left, const void *right)
{
    const struct interval *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

static bool are_sorted(const struct interval *intervals, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (intervals[i].start < intervals[i - 1].start)
            return false;
    return true;
}

int64_t intervals_union(struct interval *intervals, size_t count, int64_t from, int64_t to)
{
    int64_t covered = 0, reached = from;
    if (!are_sorted(intervals, count))
        qsort(intervals, count, sizeof *intervals, by_start);
    for (size_t i = 0; i < count; i++) {
        int64_t start = intervals[i].start > reached ? intervals[i].start : reached;
        int64_t end = intervals[i].end < to ? intervals[i].end : to;
        if (end > start) {
            covered += end - start;
            reached = end;
        }
    }
    return covered;
}

static bool is_word(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || (unsigned char)letter >= 0x80;
}

bool name_has_prefix(const char *name, size_t size, const char *prefix)
{
    size_t length = strlen(prefix);
    return length <= size && memcmp(name, prefix, length) == 0 &&
           (length == size || !is_word(name[length]) ||
            (length > 0 && (!is_word(prefix[length - 1]) || prefix[length - 1] == '_')));
}
