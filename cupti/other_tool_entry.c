/* other_tool_entry.c - the functions that libprof.so has under CUPTI's names (other_tool.h):
 * compiled once for each CUPTI_SONAME. Hidden behind that version name: only references that were
 * linked with that libcupti find them, and a program that looks whether CUPTI is there sees what it
 * would see without libprof.
 */
#include "other_tool.h"

#define ENTRY_JOIN_(a, b, c) a##b##_##c
#define ENTRY_JOIN(a, b, c) ENTRY_JOIN_(a, b, c)

/* The function that implements a name; prof.map keeps it from being exported. */
#define ENTRY_OURS(name) ENTRY_JOIN(prof_cupti_, CUPTI_NUMBER, name)

#define ENTRY_EXPORTED __attribute__((visibility("default"), used))
#if __has_attribute(symver)
#define ENTRY(name, parameters)                                                         \
    ENTRY_EXPORTED __attribute__((symver(#name "@" CUPTI_SONAME))) int ENTRY_OURS(name) \
        parameters;                                                                     \
    int ENTRY_OURS(name) parameters
#else
#define ENTRY_TEXT_(text) #text
#define ENTRY_TEXT(text) ENTRY_TEXT_(text)
#define ENTRY(name, parameters)                                                  \
    __asm__(".symver " ENTRY_TEXT(ENTRY_OURS(name)) "," #name "@" CUPTI_SONAME); \
    ENTRY_EXPORTED int ENTRY_OURS(name) parameters;                              \
    int ENTRY_OURS(name) parameters
#endif

/* CUPTI's own function; NULL: that libcupti is not loaded. */
#define ENTRY_REAL(type, name)          \
    static void *known;                 \
    other_tool_##type##_function real = \
        (other_tool_##type##_function)other_tool_find(&known, #name, CUPTI_SONAME)

ENTRY(cuptiActivityRegisterCallbacks, (abi_buffer_requested request, abi_buffer_completed complete))
{
    ENTRY_REAL(register, cuptiActivityRegisterCallbacks);
    return real ? other_tool_register(real, request, complete) : ABI_NOT_INITIALIZED;
}

ENTRY(cuptiActivityRegisterTimestampCallback, (abi_timestamp clock))
{
    ENTRY_REAL(clock, cuptiActivityRegisterTimestampCallback);
    return real ? other_tool_clock(real, clock) : ABI_NOT_INITIALIZED;
}

ENTRY(cuptiActivityDisable, (uint32_t kind))
{
    ENTRY_REAL(disable, cuptiActivityDisable);
    return real ? other_tool_disable(real, kind) : ABI_NOT_INITIALIZED;
}

ENTRY(cuptiActivityFlushAll, (uint32_t flags))
{
    ENTRY_REAL(flush, cuptiActivityFlushAll);
    return real ? other_tool_flush(real, flags) : ABI_NOT_INITIALIZED;
}

ENTRY(cuptiFinalize, (void))
{
    ENTRY_REAL(finalize, cuptiFinalize);
    return real ? other_tool_finalize(real, other_tool_is_our_library(CUPTI_SONAME))
                : ABI_NOT_INITIALIZED;
}
