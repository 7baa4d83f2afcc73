/* out_file.h - where an export goes: a file that is replaced as a whole, or a stream written
 * directly.
 *
 * A regular target is written beside itself under a temporary name and renamed over the old one by
 * out_file_commit(): a reader sees the old file or the new one, and a failed export leaves the old
 * one and nothing else. The new file has the mode and owner of the old one; without an old one, the
 * umask decides. A symbolic link stays; the file that it points to is replaced. A recording is
 * never replaced. If the directory allows no new file, the old one is written directly.
 *
 * "-", /dev/stdout and /dev/fd/N are this process's descriptors; other devices and pipes are opened
 * and written to as they are.
 */
#ifndef PROF_OUT_FILE_H
#define PROF_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct write_error {
    int code;          /* errno */
    char message[512]; /* one line for a person: names the file, and what to do */
};

struct out_file {
    int fd;
    char *path;      /* as it was given */
    char *target;    /* the path with links resolved */
    char *temporary; /* NULL: written directly */
    bool is_stream;  /* not a regular file: must not be opened again by its name */
};

/* Returns false and fills `error`; nothing is left behind then. */
bool out_file_open(struct out_file *file, const char *path, struct write_error *error);

/* Puts the file in place. `failure` is the errno of what went wrong while writing, 0 if nothing:
 * then the old file stays as it was. Returns false and fills `error` when the export is not there.
 * */
bool out_file_commit(struct out_file *file, int failure, struct write_error *error);

/* Makes signals that end the program remove the temporary file first, and makes the limit of file
 * sizes an error instead of a signal. Signals already ignored or handled stay so. Only for our own
 * programs, which write one file at a time. */
void out_file_remove_on_signals(void);

#endif
