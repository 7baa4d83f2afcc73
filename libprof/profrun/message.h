/* message.h - messages of profrun to the user: always on stderr, always one line each. */
#ifndef PROFRUN_MESSAGE_H
#define PROFRUN_MESSAGE_H

/* Exit statuses of profrun's own; otherwise it ends as the program did. */
enum profrun_status {
    STATUS_USAGE = 2,            /* the command line is wrong */
    STATUS_ENDED = 123,          /* a signal ended the process that profrun was attached to */
    STATUS_INTERNAL = 125,       /* the system refused what profrun itself needed */
    STATUS_NOT_EXECUTABLE = 126, /* as env(1) and nohup(1) */
    STATUS_NOT_FOUND = 127,
};

/* Writes "profrun: <text>\n". Control characters become '?': names come from outside and must not
 * drive the terminal. */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns `text` quoted for a shell where it needs to be, in a new string (the caller frees), or
 * NULL. */
char *message_quote(const char *text);

#endif
