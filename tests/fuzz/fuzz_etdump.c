/* fuzz_etdump.c - any bytes as an ETDump. libFuzzer's entry.
 *
 * The first byte says how it is read; the file follows, whose size and identifier are put right.
 */
#include "fuzz_executorch.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 + 12 || size > UINT32_MAX)
        return 0;
    size_t file_size = size - 1;
    uint8_t *copy = malloc(file_size); /* of the right size: reading behind its end is noticed */
    if (!copy)
        return 0;
    memcpy(copy, data + 1, file_size);
    memcpy(copy + 8, "ED00", 4);
    for (unsigned i = 0; i < 4; i++)
        copy[i] = (uint8_t)((file_size - 4) >> 8 * i);
    fuzz_executorch(copy, file_size, data[0] & 1, data[0] & 2);
    free(copy);
    return 0;
}
