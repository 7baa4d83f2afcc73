/* finish.c - messages and exit statuses. */
#include "profdump.h"

#include "run_facts.h"
#include "show_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_COLUMNS 900u

void complain(const char *format, ...)
{
    char message[1024], shown[SHOW_TEXT_BYTES(MESSAGE_COLUMNS)];
    bool rest;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    size_t size = length < 0                        ? 0
                  : (size_t)length < sizeof message ? (size_t)length
                                                    : sizeof message - 1;
    show_text((struct text){message, size}, MESSAGE_COLUMNS, shown, &rest);
    fprintf(stderr, "profdump: %s%s\n", shown, rest ? "..." : "");
}

int finish_answer(bool written)
{
    int code = errno;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        code = written ? errno : code;
        written = false;
    }
    if (!written && code != EPIPE)
        complain("standard output: %s", strerror(code ? code : EIO));
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

int finish(const struct profdump_options *options, const struct timeline *timeline, bool written)
{
    struct run_facts facts;
    if (finish_answer(written) != EXIT_SUCCESS)
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
    return EXIT_FAILURE;
}
