/* fuzz_etprof.c - any bytes as a prof buffer of ExecuTorch. libFuzzer's entry.
 *
 * The first byte says how it is read; the file follows. The version of the first block is put right,
 * which a fuzzer would be long in guessing.
 */
#include "fuzz_executorch.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 + 64)
        return 0;
    uint8_t *copy = malloc(size - 1); /* of the right size: reading behind its end is noticed */
    if (!copy)
        return 0;
    memcpy(copy, data + 1, size - 1);
    memset(copy + 32, 0, 4);
    copy[data[0] & 4 ? 35 : 32] = 1;
    fuzz_executorch(copy, size - 1, data[0] & 1, data[0] & 2);
    free(copy);
    return 0;
}
