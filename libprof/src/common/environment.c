#include "environment.h"

#include "memory.h"

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
