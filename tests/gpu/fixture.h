/* fixture.h - a file of raw CUPTI activity buffers, as they were delivered, with the strings
 * they point to.
 *
 * tests/data/cupti/README.md describes the file for people; this is the same for programs. All
 * integers have the byte order of the machine that wrote the file.
 *
 *     struct fixture_header
 *     per buffer:  struct fixture_buffer, the buffer's valid bytes (a multiple of 8),
 *                  string_count times: struct fixture_string and its text, zeros up to 8 bytes
 */
#ifndef PROF_FIXTURE_H
#define PROF_FIXTURE_H

#include <stdint.h>

#define FIXTURE_MAGIC "PROFCUPT"
#define FIXTURE_VERSION 1u
#define FIXTURE_KINDS 64u

struct fixture_header {
    char magic[8];
    uint32_t version;
    uint32_t cupti_version;       /* cuptiGetVersion() */
    uint16_t size[FIXTURE_KINDS]; /* bytes of a record by kind, 0 = unknown to that libcupti */
    uint32_t buffer_count;
    uint32_t reserved;
    char origin[64]; /* device and program, text, NUL-terminated */
};

struct fixture_buffer {
    uint64_t bytes;
    uint32_t string_count;
    uint32_t reserved;
};

/* What a name pointer in the buffer pointed to. */
struct fixture_string {
    uint64_t pointer; /* as it stands in the records */
    uint32_t bytes;   /* of the text, without terminator */
    uint32_t reserved;
};

#endif
