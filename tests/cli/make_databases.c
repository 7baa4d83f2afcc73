/* make_databases.c - the databases that the CLI tests read and the fuzzer begins with:
 * make_databases DIRECTORY.
 *
 *     nsys.sqlite, nsys_2019.sqlite   two processes, ranges, launches, copies, a graph
 *     nvprof.nvvp, nvprof_9.nvvp      one process of two threads
 */
#include "sqlite_sample.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int save(const char *directory, const char *name, sqlite3 *database)
{
    char path[4096];
    size_t size;
    uint8_t *bytes = sqlite_sample_bytes(database, &size);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(bytes, 1, size, file) == size;
    if (!file || fclose(file) != 0 || !written)
        perror(path);
    free(bytes);
    sqlite3_close(database);
    return !written;
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: make_databases DIRECTORY\n");
        return 2;
    }
    int failed = 0;
    for (int modern = 0; modern < 2; modern++) {
        sqlite3 *nsys = sqlite_sample_open(), *nvprof = sqlite_sample_open();
        sqlite_sample_nsys(nsys, modern);
        sqlite_sample_nvprof(nvprof, modern ? 14 : 9);
        failed |= save(arguments[1], modern ? "nsys.sqlite" : "nsys_2019.sqlite", nsys);
        failed |= save(arguments[1], modern ? "nvprof.nvvp" : "nvprof_9.nvvp", nvprof);
    }
    return failed;
}
