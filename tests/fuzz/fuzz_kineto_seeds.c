/* fuzz_kineto_seeds.c - writes what the fuzzer of Chrome traces begins with into a directory. */
#include "kineto_sample.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    char path[4096];
    for (unsigned i = 0; i < KINETO_SAMPLE_COUNT && argc > 1; i++) {
        snprintf(path, sizeof path, "%s/kineto%u", argv[1], i);
        FILE *file = fopen(path, "w");
        if (!file || fputc((int)i & 1, file) == EOF || fputs(kineto_samples[i], file) == EOF ||
            fclose(file) != 0)
            return 1;
    }
    return argc > 1 ? 0 : 2;
}
