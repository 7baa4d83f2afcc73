/* say.h - what profrun tells the person at the terminal: always on stderr, always one line each. */
#ifndef PROFRUN_SAY_H
#define PROFRUN_SAY_H

/* Exit statuses of profrun's own; otherwise it ends as the program did. */
enum say_status {
    SAY_USAGE = 2,            /* the command line asks for what cannot be done */
    SAY_INTERNAL = 125,       /* the system refused what profrun itself needed */
    SAY_NOT_EXECUTABLE = 126, /* as env(1) and nohup(1) */
    SAY_NOT_FOUND = 127,
};

/* Writes "profrun: <text>\n". Control characters become '?': names come from outside and must not drive
 * the terminal. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns `text` quoted for a shell where it needs to be, in a new string (the caller frees), or NULL. */
char *say_quoted(const char *text);

#endif
