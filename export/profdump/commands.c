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

extern const struct command command_explain, command_breakdown, command_stacks, command_roofline,
    command_memory, command_graphs, command_diff, command_check, command_export, command_executorch,
    command_executorch_blocks, command_executorch_tax, command_executorch_memory, command_pytorch,
    command_pytorch_roofline, command_pytorch_diff, command_pytorch_combine,
    command_pytorch_augment, command_ctl, command_advise, command_baseline, command_pack,
    command_fleet, command_snapshot, command_origins, command_top, command_hang, command_schema,
    command_skill, command_mcp, command_bench;

const struct command *const commands[] = {
    &command_show,
    &command_stats,
    &command_explain,
    &command_breakdown,
    &command_stacks,
    &command_roofline,
    &command_bench,
    &command_memory,
    &command_graphs,
    &command_diff,
    &command_baseline,
    &command_check,
    &command_advise,
    &command_query,
    &command_schema,
    &command_pack,
    &command_fleet,
    &command_snapshot,
    &command_origins,
    &command_hang,
    &command_export,
    &command_executorch,
    &command_executorch_blocks,
    &command_executorch_tax,
    &command_executorch_memory,
    &command_pytorch,
    &command_pytorch_roofline,
    &command_pytorch_diff,
    &command_pytorch_combine,
    &command_pytorch_augment,
    &command_top,
    &command_ctl,
    &command_skill,
    &command_mcp,
    NULL,
};

const struct command *commands_find(const char *family, const char *word)
{
    for (size_t i = 1; commands[i]; i++) {
        const char *of = commands[i]->family;
        if ((family ? of && strcmp(of, family) == 0 : !of) && strcmp(commands[i]->word, word) == 0)
            return commands[i];
    }
    return NULL;
}

bool commands_is_family(const char *word)
{
    for (size_t i = 1; commands[i]; i++)
        if (commands[i]->family && strcmp(commands[i]->family, word) == 0)
            return true;
    return false;
}

const char *command_name(const struct command *command, char name[COMMAND_NAME_BYTES])
{
    snprintf(name, COMMAND_NAME_BYTES, "%s%s%s", command->family ? command->family : "",
             command->family ? " " : "", command->word);
    return name;
}

/* ---- before a command runs ---- */

void command_options_default(struct profdump_options *options)
{
    *options = (struct profdump_options){.out = stdout, .out_name = "standard output"};
    write_options_default(&options->write);
    options->bench.max_relative_error = BENCH_RELATIVE_ERROR;
    diff_options_default(&options->diff);
    breakdown_options_default(&options->breakdown);
}

/* Checks the options against the command. */
static bool agree(struct profdump_options *options, const struct command *command)
{
    options->compat |= command->compat;
    if (options->compat && !compat_agrees(options, command))
        return false;
    if (!outputs_resolve(options) || !format_options_agree(options, command) ||
        !window_options_agree(options, command))
        return false;
    return !command->agree || command->agree(options);
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

/* To the listener of this thread; `more`: a line after the last sentence, for people. */
__attribute__((format(printf, 2, 0))) static void tell(bool more, const char *format,
                                                       va_list arguments)
{
    char shown[COMPLAINT_BYTES];
    show(shown, format, arguments);
    progress_hide();
    if (!listening)
        fprintf(stderr, more ? "  %s\n" : "profdump: %s\n", shown);
    else if (!more)
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
    return options->fail_on_loss && facts.may_have_lost ? EXIT_LOSS : EXIT_SUCCESS;
}

static void list_names(uint64_t bits, finding_name_at *name_at, char *to, size_t size)
{
    const char *name;
    *to = '\0';
    for (unsigned i = 0; (name = name_at(i)); i++) {
        size_t used = strlen(to);
        if (bits >> i & 1)
            snprintf(to + used, size - used, "%s%s", used ? ", " : "", name);
    }
}

/* What follows "cannot be judged: " in a sentence of evidence.h, or the whole sentence. */
static const char *reason_of(const char *sentence)
{
    static const char before[] = "cannot be judged: ";
    const char *at = strstr(sentence, before);
    return at ? at + sizeof before - 1 : sentence;
}

int finish_judged(const struct profdump_options *options, int status, finding_name_at *name_at,
                  uint64_t found, const char *unknown)
{
    char names[COMPLAINT_COLUMNS];
    bool any = options->fail_on & 1;
    if (!options->fail_on || status == EXIT_FAILURE)
        return status;
    if (found & options->fail_on) {
        list_names(found & (any ? ~UINT64_C(1) : options->fail_on), name_at, names, sizeof names);
        complain("--fail-on: found %s", names);
        return EXIT_FOUND;
    }
    if (!unknown)
        return status;
    list_names(any ? 1 : options->fail_on, name_at, names, sizeof names);
    complain("--fail-on: cannot judge '%s': %s", names, reason_of(unknown));
    return status == EXIT_SUCCESS ? EXIT_INCONCLUSIVE : status;
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
