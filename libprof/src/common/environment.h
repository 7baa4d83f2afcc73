/* environment.h - the program's environment, for a thread of libprof's, and its rank. The program
 * may change its environment at any moment, without a lock: only its own threads know when it may
 * be read. */
#ifndef PROF_ENVIRONMENT_H
#define PROF_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Remembers the list of variables as it is now. Once, while the program has one thread: later calls
 * do nothing. */
void environment_keep(void);

/* From here on, the calling thread reads what was remembered, or the program's. And whether it
 * does. */
void environment_use_kept(bool kept);
bool environment_uses_kept(void);

/* As secure_getenv() and environ. */
const char *environment_get(const char *name);
char **environment_list(void);

/* ---- the place in a parallel job ---- */

/* As its launcher says in the environment. */
struct rank {
    int32_t rank;       /* -1: not part of a parallel job, or the launcher is unknown to us */
    int32_t local_rank; /* -1 unknown */
    int32_t world_size; /* -1 unknown */
    const char *source; /* the variable that gave `rank`, "" none */
};

void rank_read(struct rank *rank);

#define JOB_TEXT_BYTES 128u

/* The job's id in Slurm or torchrun, and how often each of them restarted it, as PROF_INFO_JOB has
 * them. False: the id is not known. */
bool job_read(char *text, size_t size);

#endif
