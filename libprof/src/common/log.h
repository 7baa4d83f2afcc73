/* log.h - one line on stderr when there is something the user must know.
 *
 * Formats on the stack and calls write(2); keeps errno; safe in signal handlers as far as vsnprintf
 * is. We are guests: errors show by default, sixteen of them, then only their count at exit.
 *
 * Levels say how often a line can come: 1 error, 2 per process, 3 per thread, 4 per buffer, 5 per
 * event. PROF_LOG sets the highest level shown; default 1.
 */
#ifndef PROF_LOG_H
#define PROF_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum log_level {
    LOG_ERROR = 1,
    LOG_PROCESS = 2,
    LOG_THREAD = 3,
    LOG_BUFFER = 4,
    LOG_EVENT = 5,
};

void log_set_level(int level);
bool log_shows(enum log_level level);

/* Writes a text of the caller's to stderr, whatever the level. Nobody need read it: no SIGPIPE. */
void log_write(const char *text, size_t size);

void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
