/* Asks the libcupti that is named for its version and its record sizes, as libprof does: a line
 * "version RESULT VERSION", then a line "KIND BYTES" for each kind it knows. Built with
 * cupti/oracle.c. */
#include "oracle.h"

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    struct oracle oracle;
    uint32_t version = 0;
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*get_version)(uint32_t *) =
        (int (*)(uint32_t *))(uintptr_t)dlsym(library, "cuptiGetVersion");
    oracle_next_record next =
        (oracle_next_record)(uintptr_t)dlsym(library, "cuptiActivityGetNextRecord");
    int result = get_version(&version);
    printf("version %d %u\n", result, version);
    oracle_query(&oracle, next);
    for (uint32_t kind = 1; kind < ABI_KIND_COUNT; kind++)
        if (oracle_size(&oracle, kind))
            printf("%u %u\n", kind, oracle_size(&oracle, kind));
    return 0;
}
