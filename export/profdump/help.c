/* help.c - see help.h. Lines fit into 80 columns. */
#include "help.h"

#include "options.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_COLUMNS 79u
#define HELP_COLUMN 24u
#define WORD_COLUMN 15u
#define NAMES_BYTES 128u

/* ---- lines ---- */

/* Prints words from `column` on, in lines that are indented by `indent`, and a newline. */
static void print_wrapped(const char *text, size_t column, size_t indent)
{
    bool first = true;
    while (*text) {
        size_t size = strcspn(text, " ");
        if (!first && column + 1 + size > LINE_COLUMNS) {
            printf("\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        printf("%s%.*s", first ? "" : " ", (int)size, text);
        column += size + !first;
        first = false;
        text += size + strspn(text + size, " ");
    }
    putchar('\n');
}

/* Prints what is described, and its description in a column of its own. */
static void print_entry(const char *left, const char *text, size_t column)
{
    size_t size = strlen(left) + 2;
    printf("  %s", left);
    if (size + 1 >= column) {
        putchar('\n');
        size = 0;
    }
    printf("%*s", (int)(column - size), "");
    print_wrapped(text, column, column);
}

static void append(char *to, size_t to_size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *to, size_t to_size, const char *format, ...)
{
    size_t used = strlen(to);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to + used, to_size - used, format, arguments);
    va_end(arguments);
}

/* ---- options ---- */

/* "-h, --help", "--rows N". `letter` is the entry before if that is the same option in one
 * letter. */
static void name_option(const struct option_entry *entry, const struct option_entry *letter,
                        char names[NAMES_BYTES])
{
    *names = '\0';
    if (letter)
        append(names, NAMES_BYTES, "-%s, ", letter->name);
    append(names, NAMES_BYTES, "--%s", entry->name);
    if (entry->argument)
        append(names, NAMES_BYTES, " %s", entry->argument);
}

static void describe_option(const struct option_entry *entry, char *text, size_t size)
{
    *text = '\0';
    append(text, size, "%s", entry->help);
    for (const char *values = entry->values, *before = ": "; values; before = ", ") {
        size_t length = strcspn(values, " ");
        append(text, size, "%s%.*s", before, (int)length, values);
        values = values[length] ? values + length + 1 : NULL;
    }
}

/* `values`: with what the argument may be. */
static void print_option(const struct option_entry *entry, const struct option_entry *letter,
                         bool values)
{
    char names[NAMES_BYTES], text[512];
    name_option(entry, letter, names);
    describe_option(entry, text, sizeof text);
    print_entry(names, values ? text : entry->help, HELP_COLUMN);
}

/* The entry before if it is a letter, which has no help of its own. */
static const struct option_entry *letter_of(const struct option_entry *table,
                                            const struct option_entry *entry)
{
    return entry > table && !entry[-1].name[1] ? entry - 1 : NULL;
}

static void print_table(const struct option_entry *table)
{
    for (const struct option_entry *entry = table; entry->name; entry++)
        if (entry->help)
            print_option(entry, letter_of(table, entry), true);
}

static void print_named(const struct option_entry *table, const char *name, bool values)
{
    for (const struct option_entry *entry = table; entry->name; entry++)
        if (strcmp(entry->name, name) == 0)
            print_option(entry, letter_of(table, entry), values);
}

/* ---- a command ---- */

static void print_lines(const char *first, const char *rest, const char *before, const char *lines)
{
    for (const char *line = lines; line; first = rest) {
        int size = (int)strcspn(line, "\n");
        printf("%sprofdump %s%s%.*s\n", first, before, *before && size ? " " : "", size, line);
        line = line[size] ? line + size + 1 : NULL;
    }
}

static void print_formats(void)
{
    puts("\nFormats, by the ending of OUT or by --to:");
    for (size_t i = 0; i < EXPORT_COUNT; i++) {
        char left[NAMES_BYTES];
        snprintf(left, sizeof left, "%-11s %s", export_formats[i].option,
                 export_formats[i].endings);
        print_entry(left, export_formats[i].help, HELP_COLUMN + 6);
    }
    puts("  A further .gz or .zst compresses all but html, sqlite and etprof.");
}

static void print_family(const char *family)
{
    puts("\nCommands:");
    for (size_t i = 0; commands[i]; i++)
        if (commands[i]->family && strcmp(commands[i]->family, family) == 0)
            print_entry(commands[i]->word, commands[i]->summary, WORD_COLUMN);
}

static void print_command(const struct command *command)
{
    char name[COMMAND_NAME_BYTES];
    print_lines("Usage: ", "       ", command_name(command, name), command->usage);
    putchar('\n');
    print_wrapped(command->about, 0, 0);
    if (commands_is_family(command->word))
        print_family(command->word);
    if (command->exports)
        print_formats();
    puts("\nOptions:");
    for (size_t i = 0; command->options[i]; i++)
        print_table(command->options[i]);
    if (command->examples) {
        puts("\nExamples:");
        print_lines("  ", "  ", "", command->examples);
    }
}

/* ---- the program ---- */

static const char *const questions[QUESTION_COUNT] = {
    [QUESTION_TIME] = "Where did the time go?",
    [QUESTION_CHANGE] = "What changed?",
    [QUESTION_COMPLETE] = "Is the recording complete?",
    [QUESTION_OTHER] = "SQL, exports and other tools:",
};

static void print_commands(void)
{
    for (int question = QUESTION_TIME; question < QUESTION_COUNT; question++) {
        puts(questions[question]);
        for (size_t i = 1; commands[i]; i++)
            if ((int)commands[i]->question == question)
                print_entry(commands[i]->word, commands[i]->summary, WORD_COLUMN);
    }
}

static void print_output_options(void)
{
    char endings[256] = "write";
    for (size_t i = 0; i < EXPORT_COUNT; i++)
        if (*export_formats[i].endings)
            append(endings, sizeof endings, " %.*s", (int)strcspn(export_formats[i].endings, " "),
                   export_formats[i].endings);
    print_entry("-o, --output OUT", endings, HELP_COLUMN);
}

static void print_program(void)
{
    static const char *const of_stats[] = {"sort"};
    print_lines("Usage: ", "       ", "", commands[0]->usage);
    putchar('\n');
    print_wrapped(commands[0]->about, 0, 0);
    putchar('\n');
    print_commands();
    puts("\nOptions of stats (more: profdump stats --help):");
    for (size_t i = 0; i < sizeof of_stats / sizeof of_stats[0]; i++)
        print_named(table_options, of_stats[i], false);
    puts("Other options (profdump COMMAND --help lists those that COMMAND takes):");
    print_output_options();
    print_table(rows_options);
    print_named(format_options, "format", true);
    print_named(format_options, "color", true);
    print_table(window_options);
    print_table(input_options);
    print_table(help_options);
    puts("Exit status: 0 done, 1 failed, 2 wrong usage, 3 loss, 4 found, 5 inconclusive.");
}

void help_print(const struct command *command)
{
    if (command == commands[0])
        print_program();
    else
        print_command(command);
}

/* ---- the same for programs ---- */

static const char *or_dash(const char *text)
{
    return text && *text ? text : "-";
}

static void join_values(const struct option_entry *entry, char *to, size_t size)
{
    char word[OPTIONS_WORD_BYTES];
    const char *value;
    *to = '\0';
    for (unsigned i = 0; (value = options_value(entry, i, word)); i++)
        append(to, size, "%s%s", i ? " " : "", value);
}

static void list_options(const struct command *command, const struct option_entry *table)
{
    char name[COMMAND_NAME_BYTES], values[COMPLAINT_COLUMNS];
    for (const struct option_entry *entry = table; entry->name; entry++) {
        join_values(entry, values, sizeof values);
        const struct option_entry *named = entry->name[1] ? entry : entry + 1; /* a letter */
        const char *state = named->help ? "shown" : "hidden";
        printf("option\t%s\t%s%s\t%s\t%s\t%s\t%s\n", or_dash(command_name(command, name)),
               entry->name[1] ? "--" : "-", entry->name, or_dash(entry->argument), state,
               or_dash(values), or_dash(named->help));
    }
}

void help_list(void)
{
    char name[COMMAND_NAME_BYTES];
    for (size_t i = 0; commands[i]; i++) {
        printf("command\t%s\tshown\t%s\n", or_dash(command_name(commands[i], name)),
               or_dash(commands[i]->summary));
        for (size_t j = 0; commands[i]->options[j]; j++)
            list_options(commands[i], commands[i]->options[j]);
    }
}

/* ---- words that are none ---- */

/* How many letters differ, HELP_TOO_FAR if too many for a typing error. */
static unsigned distance_of(const char *typed, const char *meant)
{
    unsigned rows[3][OPTIONS_WORD_BYTES];
    size_t size = strlen(meant);
    if (size + 1 >= OPTIONS_WORD_BYTES || strlen(typed) + 1 >= OPTIONS_WORD_BYTES)
        return HELP_TOO_FAR;
    for (size_t j = 0; j <= size; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= strlen(typed); i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= size; j++) {
            unsigned same = above[j - 1] + (typed[i - 1] != meant[j - 1]);
            unsigned other = (row[j - 1] < above[j] ? row[j - 1] : above[j]) + 1;
            row[j] = same < other ? same : other;
            if (i > 1 && j > 1 && typed[i - 1] == meant[j - 2] && typed[i - 2] == meant[j - 1] &&
                before[j - 2] + 1 < row[j]) /* two letters in the wrong order are one error */
                row[j] = before[j - 2] + 1;
        }
    }
    /* Short words are like many others. */
    unsigned distance = rows[strlen(typed) % 3][size];
    return distance * 3 > size + 1 ? HELP_TOO_FAR : distance;
}

bool help_is_nearer(const char *typed, const char *meant, unsigned *least)
{
    unsigned distance = distance_of(typed, meant);
    if (distance >= *least)
        return false;
    *least = distance;
    return true;
}

static bool is_of(const struct command *command, const char *family)
{
    return family ? command->family && strcmp(command->family, family) == 0
                  : !command->family && *command->word;
}

static const char *nearest_command(const char *family, const char *word)
{
    const char *nearest = NULL;
    unsigned least = HELP_TOO_FAR;
    for (size_t i = 1; commands[i]; i++)
        if (is_of(commands[i], family) && help_is_nearer(word, commands[i]->word, &least))
            nearest = commands[i]->word;
    return nearest;
}

const char *help_instead(const char *word)
{
    static const struct {
        const char *words, *instead;
    } guesses[] = {{" kernels gpukernsum ", "profdump --kind kernels FILE"},
                   {" ranges nvtx nvtxsum ", "profdump --kind ranges FILE"},
                   {" api calls apisum ", "profdump --kind calls FILE"},
                   {" copies memcpy memops ", "profdump --kind copies FILE"},
                   {" sets memset ", "profdump --kind sets FILE"},
                   {" memory ", "profdump --columns memory FILE"}, /* the option */
                   {" timeline trace chrome ", "profdump --chrome out.json FILE"},
                   {" html report open view show gui ", "profdump -o out.html FILE"},
                   {" perfetto pftrace ", "profdump -o out.pftrace FILE"},
                   {" sqlite database ", "profdump -o out.sqlite FILE"},
                   {" svg picture ", "profdump -o out.svg FILE"},
                   {" pprof ", "profdump -o out.pb.gz FILE"},
                   {" speedscope ", "profdump -o out.speedscope.json FILE"},
                   {" prometheus metrics ", "profdump -o out.prom FILE"},
                   {" arrow parquet ", "profdump -o out.arrow FILE"},
                   {" etprof etdump ", "profdump -o out.etprof FILE"},
                   {" tree calltree ", "profdump --tree FILE"},
                   {" summary table averages ", "profdump FILE"},
                   {" compare ", "profdump diff BEFORE AFTER"},
                   {" ledger lost losses ", "profdump check --ledger FILE"},
                   {" analyze analyse analysis ", "profdump explain FILE"},
                   {" blocks tax ", "profdump executorch blocks FILE"},
                   {" augment combine ", "profdump pytorch --help"},
                   {" from since until steps ", "profdump --window step:3-5 FILE"},
                   {" by group ", "profdump --group-by step FILE"},
                   {" flamegraph flame folded ", "profdump stacks --folded FILE"},
                   {" sql ", "profdump query STATEMENT FILE"},
                   {" record run profile ", "profrun -o run.prof -- PROGRAM"}};
    char padded[32];
    snprintf(padded, sizeof padded, " %s ", word);
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++)
        if (strstr(guesses[i].words, padded))
            return guesses[i].instead;
    return NULL;
}

bool help_looks_like_a_command(const char *word)
{
    size_t letters = strspn(word, "abcdefghijklmnopqrstuvwxyz");
    return letters && !word[letters] && access(word, F_OK) != 0;
}

static void list_commands(const char *family, char *known, size_t size)
{
    *known = '\0';
    for (size_t i = 1; commands[i]; i++)
        if (is_of(commands[i], family))
            append(known, size, "%s%s", *known ? ", " : "", commands[i]->word);
}

void help_complain_of_command(const char *family, const char *word)
{
    char known[512];
    const char *nearest = nearest_command(family, word);
    const char *instead = family ? NULL : help_instead(word);
    list_commands(family, known, sizeof known);
    if (family && !*word)
        complain("%s: needs one of its commands: %s", family, known);
    else if (family && nearest)
        complain("%s: there is no command '%s'; did you mean '%s'?", family, word, nearest);
    else if (family)
        complain("%s: there is no command '%s'; commands are %s", family, word, known);
    else if (instead)
        complain("there is no command and no file '%s'; try '%s'", word, instead);
    else if (nearest)
        complain("there is no command and no file '%s'; did you mean '%s'?", word, nearest);
    else
        complain("there is no command and no file '%s'; 'profdump --help' lists the commands",
                 word);
}
