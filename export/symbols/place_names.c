#include "place_names.h"

#include "symfile.h"

#include <stdlib.h>
#include <string.h>

struct place_file {
    char *path;
    struct symfile *file; /* NULL: it cannot be read */
    struct place_file *next;
};

struct place_names {
    struct place_file *files;
};

struct place_names *place_names_create(void)
{
    return calloc(1, sizeof(struct place_names));
}

void place_names_destroy(struct place_names *names)
{
    while (names && names->files) {
        struct place_file *first = names->files;
        names->files = first->next;
        if (first->file)
            symfile_close(first->file);
        free(first->path);
        free(first);
    }
    free(names);
}

static struct place_file *open_file(struct place_names *names, const char *path)
{
    for (struct place_file *file = names->files; file; file = file->next)
        if (strcmp(file->path, path) == 0)
            return file;
    struct place_file *file = calloc(1, sizeof *file);
    const char *problem;
    if (!file || !(file->path = strdup(path))) {
        free(file);
        return NULL;
    }
    file->file = symfile_open(&(struct symfile_request){.path = path}, &problem);
    file->next = names->files;
    names->files = file;
    return file;
}

/* The last one is the function itself: those before it were inlined into it. */
static void keep_name(void *user, const struct symfile_frame *frame)
{
    *(const char **)user = frame->function;
}

const char *place_names_find(struct place_names *names, const char *path, uint64_t address)
{
    const char *function = NULL;
    struct place_file *file = open_file(names, path);
    if (file && file->file)
        symfile_find(file->file, address, keep_name, &function);
    return function;
}
