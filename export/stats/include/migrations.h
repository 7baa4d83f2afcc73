/* migrations.h - managed memory: what moved and faulted, by device and by range. */
#ifndef PROF_MIGRATIONS_H
#define PROF_MIGRATIONS_H

#include "timeline.h"

struct migration_amounts {
    uint64_t htod, htod_bytes;
    uint64_t dtoh, dtoh_bytes;
    uint64_t dtod, dtod_bytes;
    uint64_t cpu_faults, gpu_faults;
    uint64_t thrashings, throttlings, remote_maps;
    int64_t moving_ns; /* sum of the durations of the migrations */
};

struct migration_row {
    uint32_t process;
    uint32_t device; /* rows by device: it; TL_NONE the host */
    uint32_t name;   /* rows by range: the innermost range; TL_NONE none */
    struct migration_amounts amounts;
};

struct migration_rows {
    struct migration_row *at;
    uint32_t count, capacity;
};

struct migrations {
    struct migration_rows devices; /* of the device that memory came to or left */
    struct migration_rows ranges;  /* most bytes first */
};

bool migrations_init(struct migrations *migrations, const struct timeline *timeline);
void migrations_fini(struct migrations *migrations);

/* "bytes HtoD" ... as outputs call a kind. */
const char *migration_kind_name(uint32_t kind);
bool migration_moves(uint32_t kind);

#endif
