#include "bytes_text.h"

#include <stdio.h>

void bytes_text(int64_t bytes, char to[BYTES_TEXT_BYTES])
{
    static const char *const units[] = {"KB", "MB", "GB"};
    uint64_t amount = bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;
    const char *sign = bytes < 0 ? "-" : "";
    int unit = 2;
    if (amount < 1024) {
        snprintf(to, BYTES_TEXT_BYTES, "%s%u B", sign, (unsigned)amount);
        return;
    }
    while (unit > 0 && amount >> (10 * (unit + 1)) == 0)
        unit--;
    uint64_t scale = UINT64_C(1) << (10 * (unit + 1));
    uint64_t hundredths = amount / scale * 100 + (amount % scale * 100 + scale / 2) / scale;
    snprintf(to, BYTES_TEXT_BYTES, "%s%llu.%02u %s", sign, (unsigned long long)(hundredths / 100),
             (unsigned)(hundredths % 100), units[unit]);
}
