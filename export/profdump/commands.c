/* commands.c - see commands.h, and for messages and exit statuses profdump.h. */
#include "commands.h"

#include "compat.h"
#include "inputs.h"
#include "options.h"
#include "progress.h"
#include "run_facts.h"
#include "text.h"
#include "window_options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct command *const commands[] = {
    &command_show,    &command_explain,   &command_stacks,
    &command_folded,  &command_blocks,    &command_tax,
    &command_analyze, &command_breakdown, &command_check,
    &command_graphs,  &command_ledger,    &command_memory,
    &command_query,   &command_diff,      &command_augment,
    &command_combine, &command_ctl,       NULL,
};

const struct command *commands_with_words(const char *word)
{
    for (size_t i = 0; commands[i]; i++)
        if (commands[i]->run_words && strcmp(commands[i]->word, word) == 0)
            return commands[i];
    return NULL;
}

const struct command *commands_take(struct profdump_options *options)
{
    for (size_t i = 1; commands[i] && options->input_count > 0; i++) {
        if (commands[i]->run_words || strcmp(commands[i]->word, options->inputs[0]) != 0)
            continue;
        options->inputs++;
        options->input_count--;
        return commands[i];
    }
    return &command_show;
}

bool commands_missed(const struct profdump_options *options)
{
    const char *word = options->input_count ? options->inputs[0] : "";
    char known[512] = "";
    size_t letters = strspn(word, "abcdefghijklmnopqrstuvwxyz");
    if (letters == 0 || word[letters] || access(word, F_OK) == 0)
        return false;
    for (size_t i = 1; commands[i]; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", commands[i]->word);
    }
    complain("there is no command and no file '%s'; commands are %s", word, known);
    return true;
}

/* ---- before a command runs ---- */

void command_options_default(struct profdump_options *options)
{
    *options = (struct profdump_options){.out = stdout, .out_name = "standard output"};
    write_options_default(&options->write);
    diff_options_default(&options->diff);
    breakdown_options_default(&options->breakdown);
}

/* Checks the options against the command. */
static bool agree(struct profdump_options *options, const struct command *command)
{
    for (size_t i = 0; i < EXPORT_COUNT; i++)
        if (options->export_paths[i] && !command->exports && !(i == EXPORT_HTML && command->html)) {
            complain("--%s: not together with '%s'", export_formats[i].option, command->word);
            return false;
        }
    if (options->compat && !compat_agrees(options, command))
        return false;
    if (!format_options_agree(options, command) || !window_options_agree(options, command))
        return false;
    return command->agree ? command->agree(options) : command_show.agree(options);
}

bool command_agrees(struct profdump_options *options, const struct command *command)
{
    return agree(options, command) && blocks_options_agree(options) &&
           outputs_agree(options, command);
}

/* ---- messages and exit statuses ---- */

/* Per thread: the library has several callers at once. */
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

/* To the listener of this thread; `more`: an item of the last sentence. */
__attribute__((format(printf, 2, 0))) static void tell(bool more, const char *format,
                                                       va_list arguments)
{
    char shown[COMPLAINT_BYTES];
    show(shown, format, arguments);
    progress_hide();
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
    errno = error->code; /* libprofdump has a status of its own for ENODATA */
    return EXIT_FAILURE;
}
