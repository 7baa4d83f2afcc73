/* out_file.h - where an export goes: a file that is replaced as a whole, or a stream written
 * directly.
 *
 * A regular target is written beside itself under a temporary name (O_EXCL, mode 0600) and renamed
 * over the old one by out_file_commit(): a reader sees the old file or the new one, and a failed
 * export leaves nothing under either name. "-", /dev/stdout and /dev/fd/N are this process's
 * descriptors; other devices and pipes are opened and written to as they are.
 */
#ifndef PROF_OUT_FILE_H
#define PROF_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct write_error {
    int code;          /* errno */
    char message[512]; /* one line for a person, naming the file */
};

struct out_file {
    int fd;
    char *path;
    char *temporary; /* NULL: written directly */
};

/* Returns false and fills `error`; nothing is left behind then. */
bool out_file_open(struct out_file *file, const char *path, struct write_error *error);

/* Puts the file in place. `failure` is the errno of what went wrong while writing, 0 if nothing:
 * then the old file stays as it was. Returns false and fills `error` when the export is not there.
 * */
bool out_file_commit(struct out_file *file, int failure, struct write_error *error);

/* Writes all of it to the descriptor or, when there is one, to the stream. Returns 0 or an errno. */
int out_file_write(int fd, FILE *stream, const char *bytes, size_t size);

/* Removes the temporary file that is being written at this moment, if any. Async-signal-safe: for a
 * program that is told to end. */
void out_file_remove_temporary(void);

#endif
