#include "oracle.h"

/* Twice the largest record known (224 bytes), with room for what comes. */
#define PATTERN_BYTES 4096u

static void oracle_fill(uint64_t *pattern, uint32_t kind)
{
    for (size_t i = 0; i < PATTERN_BYTES / sizeof *pattern; i++)
        pattern[i] = kind;
}

/* A record that would not fit is not returned, so an answer is never larger than the pattern. */
static uint16_t oracle_query_kind(oracle_next_record next, uint32_t kind)
{
    uint64_t pattern[PATTERN_BYTES / sizeof(uint64_t)];
    oracle_fill(pattern, kind);
    void *first = NULL;
    if (next((uint8_t *)pattern, PATTERN_BYTES, &first) != ABI_OK || !first)
        return 0;
    void *second = first;
    if (next((uint8_t *)pattern, PATTERN_BYTES, &second) != ABI_OK || second <= first)
        return 0;
    return (uint16_t)((uint8_t *)second - (uint8_t *)first);
}

bool oracle_query(struct oracle *oracle, oracle_next_record next)
{
    oracle->size[0] = 0;
    for (uint32_t kind = 1; kind < ABI_KIND_COUNT; kind++)
        oracle->size[kind] = oracle_query_kind(next, kind);
    return oracle->size[ABI_KIND_CONCURRENT_KERNEL] && oracle->size[ABI_KIND_MEMCPY] &&
           oracle->size[ABI_KIND_MEMSET];
}
