/* cmd_advise.c - profdump advise FILE...: which questions a recording answers, with the command,
 * and how to record what the others need. The questions are those of evidence.h. In JSON:
 *
 *     questions[]  question, text, state (answered, none: there was nothing of it, missing),
 *                  command, why (null: answered), recorder, options, variables, program
 *     record       one command for what options alone record; null: that is nothing
 */
#include "commands.h"
#include "envelope.h"
#include "evidence.h"
#include "options.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_BYTES 512u

struct advice {
    const struct profdump_options *options;
    const struct timeline *timeline;
    struct evidence evidence;
    struct table table;
};

static const char *question_at(unsigned number)
{
    return evidence_questions[number].name;
}

static bool is_wanted(const struct advice *advice, unsigned number)
{
    uint64_t wanted = advice->options->questions;
    return !wanted || wanted >> number & 1;
}

static enum evidence_state judge(const struct advice *advice, unsigned number,
                                 char why[EVIDENCE_BYTES])
{
    enum evidence_report report = evidence_questions[number].report;
    /* Where nothing ran, nothing waited. */
    if (report == EVIDENCE_CALLS && !advice->evidence.operations)
        report = EVIDENCE_DEVICE;
    *why = '\0';
    return evidence_judge(&advice->evidence, report, why);
}

/* `why`: of the first question that cannot be answered. */
static bool lacks_any(const struct advice *advice, char why[EVIDENCE_BYTES])
{
    for (unsigned i = 0; evidence_questions[i].name; i++)
        if (is_wanted(advice, i) && judge(advice, i, why) == EVIDENCE_MISSING)
            return true;
    return false;
}

/* ---- one command that records all ---- */

static bool has_word(const char *list, const char *word, size_t size)
{
    for (const char *at = list; (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ' ') && (at[size] == ' ' || !at[size]))
            return true;
    return false;
}

/* Adds options that are not there yet; "-e NAME=VALUE" is one. */
static void add_options(const char *options, char to[RECORD_BYTES])
{
    for (const char *at = options; *at; at += *at == ' ') {
        size_t size = strcspn(at, " ");
        if (at[0] == '-' && at[size] == ' ' && at[size + 1] != '-')
            size += 1 + strcspn(at + size + 1, " ");
        char option[128];
        snprintf(option, sizeof option, "%.*s", (int)size, at);
        size_t used = strlen(to);
        if (!has_word(to, option, size))
            snprintf(to + used, RECORD_BYTES - used, " %s", option);
        at += size;
    }
}

static const char *program_of(const char *recorder)
{
    return strcmp(recorder, "profrun") == 0 ? " -- PROGRAM" : " SCRIPT.py";
}

/* False: nothing is missing. What only Python's recorder records is left out, unless it was asked
 * for; that takes the options of profrun, too. */
static bool find_record(const struct advice *advice, char to[RECORD_BYTES])
{
    const char *recorder = NULL;
    char why[EVIDENCE_BYTES], options[RECORD_BYTES] = "";
    for (unsigned i = 0; evidence_questions[i].name; i++) {
        const struct evidence_question *of = &evidence_questions[i];
        if (!is_wanted(advice, i) || judge(advice, i, why) != EVIDENCE_MISSING)
            continue;
        bool is_python = strcmp(of->recorder, "profrun") != 0;
        if (of->program || (is_python && !advice->options->questions))
            continue;
        if (!recorder || is_python)
            recorder = of->recorder;
        add_options(of->options, options);
    }
    snprintf(to, RECORD_BYTES, "%s%s%s", recorder ? recorder : "", options,
             recorder ? program_of(recorder) : "");
    return recorder != NULL;
}

/* What records the evidence of one question. */
static void record_text(const struct evidence_question *of, char to[RECORD_BYTES])
{
    if (of->program)
        snprintf(to, RECORD_BYTES, "%s", of->program);
    else
        snprintf(to, RECORD_BYTES, "%s%s%s%s", of->recorder, *of->options ? " " : "", of->options,
                 program_of(of->recorder));
}

/* ---- text ---- */

static void print_question(const struct advice *advice, unsigned number, const char *why)
{
    const struct evidence_question *of = &evidence_questions[number];
    FILE *out = advice->options->out;
    fprintf(out, "  %-11s %s\n", of->name, of->question);
    if (*why)
        fprintf(out, "  %-11s %s\n", "", why);
}

static bool print_text(struct advice *advice)
{
    FILE *out = advice->options->out;
    char why[EVIDENCE_BYTES], record[RECORD_BYTES];
    unsigned answered = 0, missing = 0;
    for (unsigned i = 0; evidence_questions[i].name; i++) {
        if (!is_wanted(advice, i) || judge(advice, i, why) == EVIDENCE_MISSING)
            continue;
        fputs(answered++ ? "" : "This recording answers\n", out);
        print_question(advice, i, why);
        fprintf(out, "  %-11s   %s\n", "", evidence_questions[i].command);
    }
    for (unsigned i = 0; evidence_questions[i].name; i++) {
        const struct evidence_question *of = &evidence_questions[i];
        if (!is_wanted(advice, i) || judge(advice, i, why) != EVIDENCE_MISSING)
            continue;
        fprintf(out, "%s",
                missing++  ? ""
                : answered ? "\nIt cannot answer\n"
                           : "This recording cannot answer\n");
        print_question(advice, i, why);
        record_text(of, record);
        fprintf(out, "  %-11s   %s\n", "", record);
    }
    if (missing > 1 && find_record(advice, record))
        fprintf(out, "\nOne command for those that options record: %s\n", record);
    return !ferror(out);
}

/* ---- other formats ---- */

static const char *state_name(enum evidence_state state)
{
    static const char *const names[] = {"answered", "none", "missing"};
    return names[state];
}

#define OR_NONE(text) ((text) && *(text) ? table_string(table, text) : table_none(table))
#define QUESTION_COLUMNS(X)                                                 \
    X(table_string(table, of->name), "question", "Question")                \
    X(table_string(table, of->question), "text", "Text")                    \
    X(table_string(table, state_name(state)), "state", "State")             \
    X(table_string(table, of->command), "command", "Command")               \
    X(OR_NONE(why), "why", "Why")                                           \
    X(table_string(table, record), "record", "Record with", TABLE_BUT_JSON) \
    X(table_string(table, of->recorder), "recorder", .in = TABLE_IN_JSON)   \
    X(table_string(table, of->options), "options", .in = TABLE_IN_JSON)     \
    X(table_string(table, of->variables), "variables", "Variables")         \
    X(OR_NONE(of->program), "program", .in = TABLE_IN_JSON)
TABLE_ROW(question, QUESTION_COLUMNS, const struct evidence_question *of, enum evidence_state state,
          const char *why, const char *record)

static bool add_table(struct table *table, void *user)
{
    struct advice *advice = user;
    char why[EVIDENCE_BYTES], record[RECORD_BYTES];
    struct envelope envelope = {.command = "advise", .timelines = {advice->timeline}};
    if (advice->options->questions && lacks_any(advice, why))
        envelope.abstained = why;
    if (table->json && !envelope_begin(table->json, &envelope))
        return false;
    table_begin(table, "questions", "Questions", question_columns);
    for (unsigned i = 0; evidence_questions[i].name; i++)
        if (is_wanted(advice, i)) {
            enum evidence_state state = judge(advice, i, why);
            record_text(&evidence_questions[i], record);
            question_row(table, &evidence_questions[i], state, why, record);
        }
    table_end(table);
    if (table->json) {
        json_key(table->json, "record");
        if (find_record(advice, record))
            json_string(table->json, record);
        else
            json_null(table->json);
        envelope_end(table->json, envelope.command);
    }
    return true;
}

/* ---- the command ---- */

static int run(const struct profdump_options *options, const struct timeline *timeline)
{
    struct advice advice = {.options = options,
                            .timeline = timeline,
                            .table = {.format = options->format,
                                      .stream = options->out,
                                      .most = -1,
                                      .table_width = options->write.table_width}};
    if (!evidence_init(&advice.evidence, timeline)) {
        complain("advise: %s", strerror(ENOMEM));
        return EXIT_FAILURE;
    }
    bool written = options->format == WRITE_TEXT ? print_text(&advice)
                                                 : table_write(&advice.table, add_table, &advice);
    int status = finish(options, timeline, written);
    char why[EVIDENCE_BYTES];
    bool is_silent = options->questions && lacks_any(&advice, why);
    return is_silent && status == EXIT_SUCCESS ? EXIT_INCONCLUSIVE : status;
}

static const struct option_entry advise_options[] = {
    {BITS("question", "QUESTION", questions,
          "print only this one, or those of a list: a,b; exit with status 5 if it cannot be "
          "answered"),
     .value_at = question_at},
    {0},
};

static const struct option_entry *const options_of_advise[] = {
    advise_options, fit_options, window_options, input_options, format_options, help_options, NULL};

const struct command command_advise = {
    .word = "advise",
    .summary = "list what the recording cannot answer, and how to record it",
    .usage = "[--question QUESTION] [OPTION]... [FILE|DIRECTORY]...",
    .about = "Lists the questions that this recording answers, each with the command, and those "
             "that it cannot answer, each with the options of profrun that record what is missing.",
    .examples = "advise run.prof\nadvise --question memory,stacks run.prof",
    .question = QUESTION_COMPLETE,
    .options = options_of_advise,
    .run = run,
    .tables = true,
};
