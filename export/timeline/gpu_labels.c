/* gpu_labels.c - see gpu_labels.h. */
#include "gpu_labels.h"

#include <stddef.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *pick(const char *const *table, size_t count, uint32_t number)
{
    return number < count && table[number] ? table[number] : "Unrecognized";
}

const char *gpu_label_copy_kind(uint8_t copy_kind)
{
    static const char *const kinds[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                        "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
    return pick(kinds, COUNT(kinds), copy_kind);
}

const char *gpu_label_memory_kind(uint8_t memory_kind)
{
    static const char *const kinds[] = {"Unknown", "Pageable", "Pinned",        "Device",
                                        "Array",   "Managed",  "Device Static", "Managed Static"};
    return pick(kinds, COUNT(kinds), memory_kind);
}

const char *gpu_label_sync(uint32_t type)
{
    static const char *const types[] = {"Synchronize", "Event Synchronize", "Stream Wait Event",
                                        "Stream Synchronize", "Context Synchronize"};
    return pick(types, COUNT(types), type);
}

/* CUPTI counts overhead kinds in steps of 65,536. */
const char *gpu_label_overhead(uint32_t kind)
{
    static const char *const kinds[] = {
        "Unknown",
        "Driver Compiler",
        "Buffer Flush",
        "Instrumentation",
        "Resource",
        "Runtime Triggered Module Loading",
        "Lazy Function Loading",
        "Command Buffer Full",
        "Activity Buffer Request",
        "UVM Activity Init",
    };
    return pick(kinds, COUNT(kinds), kind % 65536 ? UINT32_MAX : kind / 65536);
}
