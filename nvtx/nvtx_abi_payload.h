/* nvtx_abi_payload.h - facts of NVTX's payload extension: how a program describes binary data and
 * attaches it to events.
 */
#ifndef PROF_NVTX_ABI_PAYLOAD_H
#define PROF_NVTX_ABI_PAYLOAD_H

#include "prof/format.h"

#include <stddef.h>
#include <stdint.h>

/* What InitializeInjectionNvtxExtension is given. Slots hold function addresses, 0 = not set. */
struct nvtx_extension_segment {
    size_t id;
    size_t slot_count;
    intptr_t *slots;
};

struct nvtx_extension {
    uint16_t nvtx_version;
    uint16_t size; /* bytes */
    uint16_t module;
    uint16_t compatible;
    size_t segment_count;
    struct nvtx_extension_segment *segments;
    intptr_t (*get_export)(uint32_t function);
    const void *info;
};
PROF_STATIC_ASSERT(sizeof(struct nvtx_extension) == 40, "layout");

#define NVTX_EXTENSION_PAYLOAD 2

enum nvtx_extension_slot {
    NVTX_EXTENSION_SCHEMA_REGISTER = 0,
    NVTX_EXTENSION_ENUM_REGISTER = 1,
    NVTX_EXTENSION_MARK = 2,
    NVTX_EXTENSION_PUSH = 3,
    NVTX_EXTENSION_POP = 4,
    NVTX_EXTENSION_START = 5,
    NVTX_EXTENSION_END = 6,
    NVTX_EXTENSION_IS_ENABLED = 7,
};

/* nvtxPayloadData_t */
struct nvtx_blob {
    uint64_t schema;
    size_t size; /* bytes; SIZE_MAX: see the schema */
    const void *data;
};

/* nvtxPayloadSchemaEntry_t */
struct nvtx_entry {
    uint64_t flags;
    uint64_t type; /* NVTX_TYPE_*, or the id of a schema or enumeration */
    const char *name;
    const char *description;
    uint64_t detail; /* length of an array or string, or the index of the entry that has it */
    uint64_t offset; /* 0 after the first entry: by natural alignment */
    const void *semantics;
    const void *reserved;
};
PROF_STATIC_ASSERT(sizeof(struct nvtx_entry) == 64, "layout");

#define NVTX_ENTRY_POINTER (1u << 1)
#define NVTX_ENTRY_OFFSET_FROM_BASE (1u << 2)
#define NVTX_ENTRY_OFFSET_FROM_HERE (1u << 3)
#define NVTX_ENTRY_INDIRECT \
    (NVTX_ENTRY_POINTER | NVTX_ENTRY_OFFSET_FROM_BASE | NVTX_ENTRY_OFFSET_FROM_HERE)
#define NVTX_ENTRY_ARRAY(flags) ((unsigned)((flags) >> 4) & 7u)
#define NVTX_ARRAY_FIXED 1u
#define NVTX_ARRAY_ZERO_TERMINATED 2u
#define NVTX_ARRAY_LENGTH_INDEX 3u
#define NVTX_ENTRY_MESSAGE(flags) (((flags) >> 10 & 3u) == 1u)

/* nvtxPayloadSchemaAttr_t. A field counts iff its bit is in `mask`. */
struct nvtx_schema_attributes {
    uint64_t mask;
    const char *name;
    uint64_t type;
    uint64_t flags;
    const struct nvtx_entry *entries;
    size_t entry_count;
    size_t static_size;
    size_t pack_align;
    uint64_t id;
    void *extension;
};

enum nvtx_schema_field {
    NVTX_SCHEMA_HAS_TYPE = 1 << 2,
    NVTX_SCHEMA_HAS_ENTRIES = 1 << 4,
    NVTX_SCHEMA_HAS_COUNT = 1 << 5,
    NVTX_SCHEMA_HAS_SIZE = 1 << 6,
    NVTX_SCHEMA_HAS_ALIGN = 1 << 7,
    NVTX_SCHEMA_HAS_ID = 1 << 8,
};

enum nvtx_schema_type {
    NVTX_SCHEMA_STATIC = 1,
    NVTX_SCHEMA_DYNAMIC = 2,
};

/* nvtxPayloadEnum_t */
struct nvtx_enum_value {
    const char *name;
    uint64_t value;
    int8_t is_flag; /* a set of bits */
};

/* nvtxPayloadEnumAttr_t */
struct nvtx_enum_attributes {
    uint64_t mask;
    const char *name;
    const struct nvtx_enum_value *entries;
    size_t entry_count;
    size_t value_bytes;
    uint64_t id;
    void *extension;
};

enum nvtx_enum_field {
    NVTX_ENUM_HAS_ENTRIES = 1 << 2,
    NVTX_ENUM_HAS_COUNT = 1 << 3,
    NVTX_ENUM_HAS_SIZE = 1 << 4,
    NVTX_ENUM_HAS_ID = 1 << 5,
};

enum nvtx_type {
    NVTX_TYPE_CHAR = 1,
    NVTX_TYPE_UCHAR,
    NVTX_TYPE_SHORT,
    NVTX_TYPE_USHORT,
    NVTX_TYPE_INT,
    NVTX_TYPE_UINT,
    NVTX_TYPE_LONG,
    NVTX_TYPE_ULONG,
    NVTX_TYPE_LONGLONG,
    NVTX_TYPE_ULONGLONG,
    NVTX_TYPE_INT8,
    NVTX_TYPE_UINT8,
    NVTX_TYPE_INT16,
    NVTX_TYPE_UINT16,
    NVTX_TYPE_INT32,
    NVTX_TYPE_UINT32,
    NVTX_TYPE_INT64,
    NVTX_TYPE_UINT64,
    NVTX_TYPE_FLOAT,
    NVTX_TYPE_DOUBLE,
    NVTX_TYPE_LONGDOUBLE,
    NVTX_TYPE_SIZE,
    NVTX_TYPE_ADDRESS,
    NVTX_TYPE_WCHAR,
    NVTX_TYPE_CHAR8,
    NVTX_TYPE_CHAR16,
    NVTX_TYPE_CHAR32,
    NVTX_TYPE_BYTE = 32,
    NVTX_TYPE_FLOAT16 = 42,
    NVTX_TYPE_FLOAT32 = 43,
    NVTX_TYPE_FLOAT64 = 44,
    NVTX_TYPE_BF16 = 50,
    NVTX_TYPE_TF32 = 52,
    NVTX_TYPE_CATEGORY = 68,
    NVTX_TYPE_COLOR = 69,
    NVTX_TYPE_SCOPE = 70,
    NVTX_TYPE_PID32 = 71,
    NVTX_TYPE_PID64 = 72,
    NVTX_TYPE_TID32 = 73,
    NVTX_TYPE_TID64 = 74,
    NVTX_TYPE_CSTRING = 75,
    NVTX_TYPE_CSTRING_UTF8 = 76,
    NVTX_TYPE_CSTRING_UTF16 = 77,
    NVTX_TYPE_CSTRING_UTF32 = 78,
    NVTX_TYPE_REGISTERED_STRING = 80,
};

#define NVTX_SCHEMA_REFERENCED 1022u /* other payloads point into it; not shown */
#define NVTX_SCHEMA_RAW 1023u
#define NVTX_SCHEMA_ID_STATIC (UINT64_C(1) << 24)  /* the program's own ids, per domain */
#define NVTX_SCHEMA_ID_DYNAMIC (UINT64_C(1) << 32) /* ours */

#endif
