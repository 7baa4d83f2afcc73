#include "log.h"

#include "atomic.h"
#include "signals.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define LOG_ERRORS_SHOWN 16u
#define LOG_LINE_BYTES 512

static int log_level_shown = LOG_ERROR;
static uint32_t log_errors; /* any thread adds */

void log_set_level(int level)
{
    log_level_shown = level;
}

bool log_shows(enum log_level level)
{
    return (int)level <= log_level_shown;
}

static bool log_error_is_one_too_many(enum log_level level)
{
    return level == LOG_ERROR && fetch_add_relaxed(&log_errors, 1u) >= LOG_ERRORS_SHOWN;
}

void log_write(const char *line, size_t size)
{
    struct signals_saved saved;
    signals_block(&saved);
    ssize_t ignored = write(STDERR_FILENO, line, size);
    (void)ignored; /* there is nobody left to tell */
    signals_restore(&saved);
}

void log_line(enum log_level level, const char *format, ...)
{
    if (!log_shows(level) || log_error_is_one_too_many(level))
        return;
    int saved_errno = errno;
    char line[LOG_LINE_BYTES];
    int prefix = snprintf(line, sizeof line, "libprof: ");
    va_list arguments;
    va_start(arguments, format);
    int body = vsnprintf(line + prefix, sizeof line - (size_t)prefix - 1, format, arguments);
    va_end(arguments);
    size_t size = (size_t)prefix + (body < 0 ? 0 : (size_t)body);
    if (size > sizeof line - 2)
        size = sizeof line - 2;
    line[size++] = '\n';
    log_write(line, size);
    errno = saved_errno;
}
