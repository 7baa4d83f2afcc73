/* finish.c - messages and exit statuses. */
#include "profdump.h"

#include "run_facts.h"
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A library has several callers at once, and each wants to hear what is about its own call. */
static _Thread_local const struct listener *listening;

const struct listener *complain_to(const struct listener *listener)
{
    const struct listener *before = listening;
    listening = listener;
    return before;
}

__attribute__((format(printf, 2, 0))) static void show(char shown[COMPLAINT_BYTES],
                                                       const char *format, va_list arguments)
{
    char message[1024];
    bool rest;
    int length = vsnprintf(message, sizeof message, format, arguments);
    size_t size = length < 0                        ? 0
                  : (size_t)length < sizeof message ? (size_t)length
                                                    : sizeof message - 1;
    show_text((struct text){message, size}, COMPLAINT_COLUMNS, shown, &rest);
    if (rest)
        strcat(shown, "...");
}

/* To whoever listens on this thread; `more`: an item of what was said before. */
__attribute__((format(printf, 2, 0))) static void tell(bool more, const char *format,
                                                       va_list arguments)
{
    char shown[COMPLAINT_BYTES];
    show(shown, format, arguments);
    if (!listening)
        fprintf(stderr, more ? "  %s\n" : "profdump: %s\n", shown);
    else if (more)
        listening->hear_more(listening->user, shown);
    else
        listening->hear(listening->user, shown);
}

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(false, format, arguments);
    va_end(arguments);
}

void complain_more(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(true, format, arguments);
    va_end(arguments);
}

int finish_answer(const struct profdump_options *options, bool written)
{
    int code = errno;
    if (options->out && (fflush(options->out) != 0 || ferror(options->out))) {
        code = written ? errno : code;
        written = false;
    }
    if (!written && code != EPIPE)
        complain("%s: %s", options->out_name, strerror(code ? code : EIO));
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

int finish(const struct profdump_options *options, const struct timeline *timeline, bool written)
{
    struct run_facts facts;
    if (finish_answer(options, written) != EXIT_SUCCESS)
        return EXIT_FAILURE;
    run_facts_init(&facts, timeline);
    return options->fail_on_loss && facts.lost_anything ? EXIT_LOSS : EXIT_SUCCESS;
}

int finish_export(const struct profdump_options *options, const struct timeline *timeline,
                  bool written, const struct write_error *error)
{
    if (written)
        return finish(options, timeline, true);
    if (error->code != EPIPE)
        complain("%s", error->message);
    errno = error->code; /* ENODATA: libprofdump says that differently */
    return EXIT_FAILURE;
}
