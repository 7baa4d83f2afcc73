/* out_file.h - where an export goes: a file that is replaced as a whole, or a stream written
 * directly.
 *
 * A regular target is written beside itself under a temporary name and renamed over the old one by
 * out_file_commit(): a reader sees the old file or the new one, and a failed export leaves the old
 * one and nothing else. The new file has the mode and owner of the old one, or what the umask
 * allows. A symbolic link stays, and what it leads to is replaced. A recording is never replaced.
 * Where no file can be made beside the old one, that is written directly.
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
    char *target;    /* where that leads to */
    char *temporary; /* NULL: written directly */
    bool is_stream;  /* no regular file: not to be opened by its name again */
};

/* Returns false and fills `error`; nothing is left behind then. */
bool out_file_open(struct out_file *file, const char *path, struct write_error *error);

/* Puts the file in place. `failure` is the errno of what went wrong while writing, 0 if nothing:
 * then the old file stays as it was. Returns false and fills `error` when the export is not there.
 * */
bool out_file_commit(struct out_file *file, int failure, struct write_error *error);

/* Writes all of it to the descriptor or, when there is one, to the stream. Returns 0 or an errno. */
int out_file_write(int fd, FILE *stream, const char *bytes, size_t size);

/* From here on a signal that ends the program first removes the temporary file that is being
 * written, and a file beyond the limit of file sizes is an error, no signal. For programs of our own
 * that write one file at a time; what the program ignores or handles already stays. */
void out_file_remove_on_signals(void);

#endif
