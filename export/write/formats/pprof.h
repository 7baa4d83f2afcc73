/* pprof.h - what the parts of the pprof writer share. The entry is write_pprof() in formats.h.
 *
 * A profile (profile.proto of github.com/google/pprof) is samples: a stack of locations, innermost first,
 * with values. Ours are sums:
 *
 *     CPU     a path of ranges and calls on one thread     self time and calls
 *     device  an operation on one stream, the call that    device time and operations
 *             launched it, what was around that
 *
 * A name of the timeline is a function of that name. Where the call's stack was recorded, its frames stand
 * in place of the ranges, with addresses, mappings and build ids, and the ranges become the label "range".
 * Begin/end ranges nest in nothing, so they are in no stack.
 */
#ifndef PROF_PPROF_H
#define PROF_PPROF_H

#include "array.h"
#include "maps.h"
#include "proto_out.h"
#include "range_paths.h"
#include "symbols.h"

/* Numbers of fields. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_TIME = 9,
    PROFILE_DURATION = 10,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_TYPE = 14,

    VALUE_TYPE = 1,
    VALUE_UNIT = 2,
    SAMPLE_LOCATIONS = 1,
    SAMPLE_VALUES = 2,
    SAMPLE_LABEL = 3,
    LABEL_KEY = 1,
    LABEL_STRING = 2,
    LABEL_NUMBER = 3,
    MAPPING_ID = 1,
    MAPPING_START = 2,
    MAPPING_LIMIT = 3,
    MAPPING_OFFSET = 4,
    MAPPING_FILE = 5,
    MAPPING_BUILD_ID = 6,
    LOCATION_ID = 1,
    LOCATION_MAPPING = 2,
    LOCATION_ADDRESS = 3,
    LOCATION_LINE = 4,
    LINE_FUNCTION = 1,
    LINE_NUMBER = 2,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_SYSTEM_NAME = 3,
    FUNCTION_FILE = 4,
};

struct pprof_sample {
    uint32_t path;  /* TL_NONE: outside of every range */
    uint32_t name;  /* of the device operation; TL_NONE: CPU */
    uint32_t stack; /* of the call; TL_NONE */
    uint32_t row;   /* thread, or of a device operation its stream (TL_NONE none) */
    int64_t cpu_ns, device_ns;
    uint64_t count;
};

/* Pairs of numbers, numbered in the order of their first use. */
struct pprof_pairs {
    struct keymap map;
    uint32_t count;
};

struct pprof {
    const struct timeline *timeline;
    struct symbols *symbols; /* NULL: stacks are not used */
    struct proto_out out;
    struct range_paths paths;
    struct pprof_pairs leaves, stacked,
        places; /* path and name; that and stack; that and row: a sample */
    TL_ARRAY(struct pprof_sample) samples;
    uint32_t *strings; /* by name: index into the profile's strings, 0 none yet */
    uint32_t string_count;
    uint64_t location_count; /* the first names.count ones are those of names */
    uint64_t
        left_out; /* location of what is beyond the deepest ranges that are listed; 0 none yet */
    bool *told;   /* by name: its function and location are in the file */
    bool *told_modules;
    struct keymap frames; /* module and offset -> place in frame_locations */
    TL_ARRAY(uint64_t) frame_locations;
    TL_ARRAY(uint64_t) stack; /* of the sample that is written */
    bool failed;              /* no memory */
};

/* A string's index in the profile; each call makes a new one but for names. */
uint32_t pprof_string(struct pprof *pprof, struct text text);
uint32_t pprof_name_string(struct pprof *pprof, uint32_t name);

/* Adds a location to `stack`. */
void pprof_add_location(struct pprof *pprof, uint64_t location);

/* pprof_frames.c: adds the locations of a call stack's frames. */
void pprof_add_frames(struct pprof *pprof, uint32_t stack);

#endif
