#include "environment.h"

#include "memory.h"
#include "number.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENVIRONMENT_MAX 4096u /* variables */

/* Pointers into memory that stays: the process's first environment, and what setenv() has
 * allocated. */
static char **environment_kept;
static __thread bool environment_is_kept __attribute__((tls_model("initial-exec")));

void environment_keep(void)
{
    if (environment_kept || !MEMORY_ONCE(&environment_kept, ENVIRONMENT_MAX))
        return;
    for (size_t i = 0; environ && environ[i] && i + 1 < ENVIRONMENT_MAX; i++)
        environment_kept[i] = environ[i];
}

void environment_use_kept(bool kept)
{
    environment_is_kept = kept && environment_kept;
}

bool environment_uses_kept(void)
{
    return environment_is_kept;
}

char **environment_list(void)
{
    return environment_is_kept ? environment_kept : environ;
}

const char *environment_get(const char *name)
{
    if (!environment_is_kept)
        return secure_getenv(name);
    const size_t size = strlen(name);
    for (char **entry = environment_kept; *entry; entry++)
        if (strncmp(*entry, name, size) == 0 && (*entry)[size] == '=')
            return *entry + size + 1;
    return NULL;
}

/* ---- the place in a parallel job ---- */

/* One launcher per row; the first row whose `rank` is set wins. torchrun comes first: it runs below
 * srun and mpirun, and its numbers are the ones its user means. */
static const struct rank_launcher {
    const char *rank;
    const char *local_rank;
    const char *world_size;
} rank_launchers[] = {
    {"RANK", "LOCAL_RANK", "WORLD_SIZE"},                                           /* torchrun */
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"}, /* Open MPI */
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_SIZE"},    /* MVAPICH2 */
    {"PMIX_RANK", "PMIX_LOCAL_RANK", "PMIX_SIZE"},                                  /* PMIx */
    {"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"},               /* MPICH, Intel MPI */
    {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS"},         /* srun */
    {"FLUX_TASK_RANK", "FLUX_TASK_LOCAL_ID", "FLUX_JOB_SIZE"}, /* Flux */
};

static int32_t rank_number(const char *variable)
{
    const char *text = environment_get(variable);
    uint64_t value;
    const char *end = text ? number_parse(text, &value) : NULL;
    return end && *end == '\0' && value <= INT32_MAX ? (int32_t)value : -1;
}

bool job_read(char *text, size_t size)
{
    const char *job = environment_get("SLURM_JOB_ID");
    const char *requeues = environment_get("SLURM_RESTART_COUNT");
    const char *restarts = environment_get("TORCHELASTIC_RESTART_COUNT");
    if (!job)
        job = environment_get("TORCHELASTIC_RUN_ID");
    if (!job || !*job)
        return false;
    snprintf(text, size, "%s%s%s%s%s", job, requeues ? " requeue " : "", requeues ? requeues : "",
             restarts ? " restart " : "", restarts ? restarts : "");
    return true;
}

void rank_read(struct rank *rank)
{
    *rank = (struct rank){.rank = -1, .local_rank = -1, .world_size = -1, .source = ""};
    for (size_t i = 0; i < sizeof rank_launchers / sizeof *rank_launchers; i++) {
        const struct rank_launcher *launcher = &rank_launchers[i];
        rank->rank = rank_number(launcher->rank);
        if (rank->rank < 0)
            continue;
        rank->local_rank = rank_number(launcher->local_rank);
        rank->world_size = rank_number(launcher->world_size);
        rank->source = launcher->rank;
        return;
    }
}
