/* options.c - see options.h: one table for getopt, for what an option does, and for --help. */
#include "options.h"

#include "commands.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELP_COLUMN 24u
#define NAMES_BYTES 256u

/* ---- options of every command ---- */

bool options_number(const char *text, unsigned long least, unsigned long most,
                    unsigned long *number)
{
    char *end;
    errno = 0;
    *number = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno && *number >= least && *number <= most;
}

bool options_next_word(const char **list, char word[OPTIONS_WORD_BYTES])
{
    if (!*list)
        return false;
    size_t size = strcspn(*list, ",");
    size_t kept = size < OPTIONS_WORD_BYTES - 1 ? size : OPTIONS_WORD_BYTES - 1;
    memcpy(word, *list, kept);
    word[kept] = 0;
    *list = (*list)[size] ? *list + size + 1 : NULL;
    return true;
}

static bool set_format(struct profdump_options *options, const char *name)
{
    options->format_given = true;
    if (write_format_find(name, &options->format))
        return true;
    complain("--format: '%s' is not one of " WRITE_FORMAT_NAMES, name);
    return false;
}

static bool has_tables(const struct profdump_options *options, const struct command *command)
{
    if (options->folded)
        complain("--format: not together with --folded, whose format is flamegraph.pl's");
    else if (!command->tables)
        complain("--format: '%s' prints no table", command->word);
    else
        return true;
    return false;
}

bool format_options_agree(struct profdump_options *options, const struct command *command)
{
    if ((options->format_given || (options->json && options->folded)) &&
        !has_tables(options, command))
        return false;
    if (options->json && options->format_given && options->format != WRITE_JSON) {
        complain("--json: not together with --format %s", write_format_name(options->format));
        return false;
    }
    options->json |= options->format == WRITE_JSON;
    if (options->json)
        options->format = WRITE_JSON;
    return true;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

bool terminal_wants_color(void)
{
    const char *terminal = getenv("TERM");
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE"))
        return true;
    return isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

static bool set_color(struct profdump_options *options, const char *when)
{
    if (strcmp(when, "always") == 0)
        options->write.color = true;
    else if (strcmp(when, "never") == 0)
        options->write.color = false;
    else if (strcmp(when, "auto") == 0)
        options->write.color = terminal_wants_color();
    else
        return complain("--color: '%s' is not one of auto, always, never", when), false;
    return true;
}

static const struct option_entry common_options[] = {
    CALL("format", "FORMAT", set_format, "of all tables: text (default), tsv, csv, json, markdown"),
    FLAG("json", json, "print the same facts as JSON: --format json"),
    FLAG("partial", partial, "show what is readable of a damaged file"),
    FLAG("fail-on-loss", fail_on_loss, "exit with 3 when anything was lost while recording"),
    CALL("color", "WHEN", set_color, "auto (default), always or never; NO_COLOR is honoured"),
    FLAG("h", help, NULL),
    FLAG("help", help, "print this help"),
    FLAG("V", version, NULL),
    FLAG("version", version, "print the version"),
    {0},
};

static const char about[] =
    "Shows what libprof recorded: a summary and the key averages. Several files, or the\n"
    "*.prof files of a directory, are merged. Without an input: the newest *.prof file here.\n";

static const struct option_entry *const groups[] = {
    table_options,      blocks_options,  analyze_options, breakdown_options,
    diff_options_table, explain_options, query_options,   stacks_options,
    svg_options,        arrow_options,   window_options,  common_options, /* last */
};
#define GROUPS (sizeof groups / sizeof groups[0])

/* ---- help ---- */

/* The lines of `text`, each behind `indent` columns; `left` stands in front of the first. */
static void print_entry(const char *left, const char *text)
{
    printf("  %-*s", (int)HELP_COLUMN - 2, left);
    if (strlen(left) + 2 >= HELP_COLUMN)
        printf("\n%*s", (int)HELP_COLUMN, "");
    for (; *text; text++) {
        putchar(*text);
        if (*text == '\n')
            printf("%*s", (int)HELP_COLUMN, "");
    }
    putchar('\n');
}

static void print_usage(void)
{
    const char *before = "Usage: ";
    for (size_t i = 0; commands[i]; i++)
        for (const char *line = commands[i]->usage; line; before = "       ") {
            int size = (int)strcspn(line, "\n");
            printf("%sprofdump %.*s\n", before, size, line);
            line = line[size] ? line + size + 1 : NULL;
        }
    for (size_t i = 0; i < EXPORT_COUNT; i++)
        printf("       profdump --%s OUT [OPTION]... [FILE|DIRECTORY]...\n",
               export_formats[i].option);
}

static void append(char names[NAMES_BYTES], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append(char names[NAMES_BYTES], const char *format, ...)
{
    size_t used = strlen(names);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(names + used, NAMES_BYTES - used, format, arguments);
    va_end(arguments);
}

/* Options without help share that of the next one that has some. */
static void print_options(const struct option_entry *entry)
{
    char names[NAMES_BYTES] = "";
    for (; entry->name; entry++) {
        append(names, strlen(entry->name) == 1 ? "%s-%s" : "%s--%s", *names ? ", " : "",
               entry->name);
        if (entry->argument)
            append(names, " %s", entry->argument);
        if (entry->help) {
            print_entry(names, entry->help);
            *names = '\0';
        }
    }
}

void options_help(void)
{
    char option[NAMES_BYTES];
    print_usage();
    printf("\n%s\n", about);
    for (size_t i = 0; i < EXPORT_COUNT; i++) {
        snprintf(option, sizeof option, "--%s OUT", export_formats[i].option);
        print_entry(option, export_formats[i].help);
    }
    for (size_t i = 0; commands[i]; i++)
        if (commands[i]->help)
            print_entry(commands[i]->word, commands[i]->help);
    for (size_t i = 0; i < GROUPS; i++) {
        putchar('\n');
        print_options(groups[i]);
    }
}

/* ---- reading ---- */

static bool set_text(struct profdump_options *options, const char *name, size_t member,
                     const char *text)
{
    if (!*text) {
        complain("--%s: the text after it is empty", name);
        return false;
    }
    memcpy((char *)options + member, &text, sizeof text);
    return true;
}

static bool set(struct profdump_options *options, const struct option_entry *entry,
                const char *text)
{
    char *member = (char *)options + entry->member;
    switch (entry->kind) {
    case OPTION_FLAG:
        memcpy(member, &(bool){true}, sizeof(bool));
        return true;
    case OPTION_TEXT:
        return set_text(options, entry->name, entry->member, text);
    case OPTION_CHOICE:
        memcpy(member, &entry->value, sizeof entry->value);
        return true;
    default:
        return entry->set(options, text);
    }
}

static bool set_export(struct profdump_options *options, size_t format, const char *path)
{
    options->export_paths[format] = path;
    if (*path)
        return true;
    complain("--%s: the name of the output is empty", export_formats[format].option);
    return false;
}

static const struct option_entry *entry_of(size_t number)
{
    for (size_t i = 0; i < GROUPS; i++)
        for (const struct option_entry *entry = groups[i]; entry->name; entry++)
            if (number-- == 0)
                return entry;
    return NULL;
}

static size_t entry_count(void)
{
    size_t count = 0;
    while (entry_of(count))
        count++;
    return count;
}

/* getopt's own table: exports first, then the groups; `val` counts from 256, beyond every letter. */
static struct option *long_options_create(size_t entries)
{
    struct option *longs = calloc(EXPORT_COUNT + entries + 1, sizeof *longs);
    for (size_t i = 0; longs && i < EXPORT_COUNT + entries; i++) {
        const struct option_entry *entry = i < EXPORT_COUNT ? NULL : entry_of(i - EXPORT_COUNT);
        longs[i].name = entry ? entry->name : export_formats[i].option;
        longs[i].has_arg = !entry || entry->argument ? required_argument : no_argument;
        longs[i].val = 256 + (int)i;
    }
    return longs;
}

/* NULL after getopt has complained. */
static const struct option_entry *entry_of_code(int code)
{
    size_t number = 0;
    const struct option_entry *entry = entry_of(0);
    if (code >= 256 + EXPORT_COUNT)
        return entry_of((size_t)code - 256 - EXPORT_COUNT);
    while (entry && !(entry->name[0] == code && entry->name[1] == '\0'))
        entry = entry_of(++number);
    return entry;
}

/* After getopt's own line. */
static void say_outputs(void)
{
    char names[NAMES_BYTES] = "";
    for (size_t i = 0; i < EXPORT_COUNT; i++)
        append(names, "%s--%s", i ? ", " : "", export_formats[i].option);
    complain("outputs that can be written are %s", names);
}

static bool read_one(struct profdump_options *options, int code)
{
    if (code == '?' && optopt == 0)
        say_outputs();
    if (code >= 256 && code < 256 + EXPORT_COUNT)
        return set_export(options, (size_t)code - 256, optarg);
    const struct option_entry *entry = entry_of_code(code);
    return entry && set(options, entry, optarg);
}

bool options_read(struct profdump_options *options, int argc, char **argv)
{
    struct option *longs = long_options_create(entry_count());
    bool read = longs != NULL;
    int code;
    if (!longs)
        complain("options: %s", strerror(ENOMEM));
    while (read && !options->help && !options->version &&
           (code = getopt_long(argc, argv, "hV", longs, NULL)) != -1)
        read = read_one(options, code);
    free(longs);
    options->inputs = argv + optind;
    options->input_count = argc - optind;
    return read;
}

/* "--NAME": its size; else 0. */
static size_t name_size(const char *word)
{
    return strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
}

static const struct option_entry *entry_named(const char *name, size_t size)
{
    const struct option_entry *entry = entry_of(0);
    for (size_t number = 0; entry; entry = entry_of(++number))
        if (strncmp(entry->name, name, size) == 0 && entry->name[size] == '\0')
            break;
    return entry;
}

bool options_put(struct profdump_options *options, const char *name, const char *value)
{
    return set(options, entry_named(name, strlen(name)), value);
}

bool options_take(struct profdump_options *options, const char *word)
{
    size_t size = name_size(word);
    const struct option_entry *entry = size > 1 ? entry_named(word + 2, size) : NULL;
    const char *value = size && word[2 + size] ? word + 3 + size : NULL;
    if (!entry)
        complain("there is no option '%s'", word);
    else if (entry->argument && !value)
        complain("%s: a value is wanted, as in %s=%s", word, word, entry->argument);
    else if (!entry->argument && value)
        complain("--%s: takes no value", entry->name);
    else
        return set(options, entry, value);
    return false;
}
