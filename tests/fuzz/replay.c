/* replay.c - gives every file of a directory to a fuzz target, whole and cut short: what the fuzzer
 * begins with, read by the tests of every compiler.
 *
 *     replay_NAME DIRECTORY
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define FILE_BYTES_MAX ((size_t)16 << 20)

static uint8_t *read_file(const char *directory, const char *name, size_t *size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = file ? malloc(FILE_BYTES_MAX) : NULL;
    *size = bytes ? fread(bytes, 1, FILE_BYTES_MAX, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}

/* An allocation of its own, so that a sanitizer sees what is read beyond the end. */
static void give(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size + (size == 0));
    if (!copy)
        exit(1);
    for (size_t i = 0; i < size; i++)
        copy[i] = bytes[i];
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static int replay(const char *directory, const char *name)
{
    size_t size;
    uint8_t *bytes = read_file(directory, name, &size);
    if (!bytes) {
        fprintf(stderr, "%s/%s cannot be read\n", directory, name);
        return 1;
    }
    for (size_t eighths = 1; eighths <= 8; eighths++)
        give(bytes, size * eighths / 8);
    free(bytes);
    return 0;
}

int main(int argc, char **argv)
{
    DIR *entries = argc == 2 ? opendir(argv[1]) : NULL;
    int failures = 0, files = 0;
    if (!entries) {
        fprintf(stderr, "usage: replay DIRECTORY\n");
        return 2;
    }
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        if (entry->d_name[0] == '.')
            continue;
        failures += replay(argv[1], entry->d_name);
        files++;
    }
    closedir(entries);
    printf("%d files\n", files);
    return failures || files == 0;
}
