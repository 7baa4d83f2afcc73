/* options.c - see options.h: parsing by the tables of the commands, and what is said of wrong
 * options. */
#include "options.h"

#include "commands.h"
#include "help.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- options of every command ---- */

bool options_decimal(const char *text, double *number, const char **rest)
{
    size_t size = strspn(text, "0123456789.");
    char digits[32], *end;
    if (size == 0 || size >= sizeof digits)
        return false;
    memcpy(digits, text, size);
    digits[size] = '\0';
    *number = strtod(digits, &end);
    *rest = text + size;
    return end == digits + size;
}

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
    return write_format_find(name, &options->format);
}

static bool set_csv(struct profdump_options *options, const char *unused)
{
    (void)unused;
    return set_format(options, "csv");
}

static bool has_tables(const struct profdump_options *options, const struct command *command)
{
    if (options->folded)
        complain("--format: not together with --folded, whose format is flamegraph.pl's");
    else if (!command->tables)
        complain("--format: 'profdump %s' prints no table", command->word);
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
        return false;
    return true;
}

const struct option_entry format_options[] = {
    {CALL("format", "FORMAT", set_format, "print tables as"),
     .values = "text tsv csv json markdown"},
    {CALL("f", "FORMAT", set_format, NULL), .values = "text tsv csv json markdown"},
    {CALL("csv", NULL, set_csv, NULL)},
    {FLAG("json", json, "print JSON: --format json")},
    {CALL("color", "WHEN", set_color, "color text"), .values = "auto always never"},
    {0},
};

const struct option_entry report_format_options[] = {
    {CALL("format", "FORMAT", set_format, "print the report as"), .values = "text json"},
    {FLAG("json", json, "print JSON: --format json")},
    {CALL("color", "WHEN", set_color, "color text"), .values = "auto always never"},
    {0},
};

static bool add_ranks(struct profdump_options *options, const char *list)
{
    struct dataset_choice *choice = &options->dataset;
    if (choice->count == DATASET_LISTS_MAX) {
        complain("--rank: more than %u times: give one list, such as 3,5-8", DATASET_LISTS_MAX);
        return false;
    }
    choice->ranks[choice->count++] = list;
    return true;
}

/* ExecuTorch's files can be read by every command, but only its own commands mention their
 * clock. */
const struct option_entry input_options[] = {
    {CALL("rank", "LIST", add_ranks, "read these ranks of a dataset: 17, or 3,5-8")},
    {FLAG("partial", partial, "read damaged files as far as possible")},
    {FLAG("fail-on-loss", fail_on_loss, "exit with status 3 if events were or may have been lost")},
    {CALL("source-time-scale", "SCALE", blocks_set_source, NULL), .values = TIME_SCALE_NAMES},
    {FLAG("wrap32", blocks.blocks.wrap32, NULL)},
    {0},
};

const struct option_entry help_options[] = {
    {FLAG("h", help, NULL)},
    {FLAG("help", help, "print this help")},
    {FLAG("V", version, NULL)},
    {FLAG("version", version, "print the version")},
    {0},
};

/* ---- looking options up ---- */

/* The option that a word names: the letters after "-" or "--", up to a value. */
struct named {
    const char *name;
    size_t size;
    bool letter; /* "-o" */
};

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1];
}

static struct named name_of(const char *word)
{
    bool letter = word[1] != '-';
    const char *name = word + (letter ? 1 : 2);
    return (struct named){name, letter ? 1 : strcspn(name, "="), letter};
}

static bool is_called(const struct option_entry *entry, struct named named)
{
    return strncmp(entry->name, named.name, named.size) == 0 && !entry->name[named.size] &&
           named.letter == !entry->name[1];
}

/* An option that begins with the name, if only one does; "--" and a letter are none. */
static bool is_begun(const struct option_entry *entry, struct named named)
{
    return !named.letter && named.size > 1 && strncmp(entry->name, named.name, named.size) == 0;
}

/* The entry of an option of the command, or NULL. `*table` is where it is. */
static const struct option_entry *find_exact(const struct command *command, struct named named,
                                             const struct option_entry **table)
{
    for (size_t i = 0; command->options[i]; i++)
        for (const struct option_entry *entry = *table = command->options[i]; entry->name; entry++)
            if (is_called(entry, named))
                return entry;
    return NULL;
}

/* Of any command: options of one name take a value in all commands or in none. */
static const struct option_entry *find_exact_anywhere(struct named named)
{
    const struct option_entry *entry = NULL, *table;
    for (size_t i = 0; commands[i] && !entry; i++)
        entry = find_exact(commands[i], named, &table);
    return entry;
}

/* The option of the command that begins so; NULL: none does, or several do. */
static const struct option_entry *find_begun(const struct command *command, struct named named,
                                             const struct option_entry **table)
{
    const struct option_entry *begun = NULL;
    unsigned count = 0;
    for (size_t i = 0; command->options[i]; i++)
        for (const struct option_entry *entry = command->options[i]; entry->name; entry++)
            if (is_begun(entry, named)) {
                *table = command->options[i];
                begun = entry;
                count++;
            }
    return count == 1 ? begun : NULL;
}

/* What to try for an option that other profilers have; NULL: nothing is known. */
static const char *instead_of(struct named named)
{
    char name[OPTIONS_WORD_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)named.size, named.name);
    return named.letter ? NULL : help_instead(name);
}

/* Also by its beginning, unless that means something else: --fail-on, of another command, is not
 * --fail-on-loss, and --html, of other profilers, not --html-full. */
static const struct option_entry *find(const struct command *command, struct named named,
                                       const struct option_entry **table)
{
    const struct option_entry *entry = find_exact(command, named, table);
    return entry || find_exact_anywhere(named) || instead_of(named)
               ? entry
               : find_begun(command, named, table);
}

static const struct option_entry *find_anywhere(struct named named)
{
    const struct option_entry *entry = find_exact_anywhere(named), *table;
    for (size_t i = 0; commands[i] && !entry; i++)
        entry = find_begun(commands[i], named, &table);
    return entry;
}

/* ---- wrong options ---- */

#define COMMANDS_NAMED 4u

/* The commands that have the option, "" if there are too many to name. Returns the first. */
static const struct command *find_owners(struct named named, char *names, size_t size)
{
    const struct option_entry *table;
    const struct command *first = NULL;
    char name[COMMAND_NAME_BYTES];
    unsigned count = 0;
    *names = '\0';
    for (size_t i = 1; commands[i]; i++) {
        const struct option_entry *entry = find_exact(commands[i], named, &table);
        if (!entry)
            continue;
        size_t used = strlen(names);
        snprintf(names + used, size - used, "%s'%s'", count++ ? ", " : "",
                 command_name(commands[i], name));
        first = first ? first : commands[i];
    }
    if (count > COMMANDS_NAMED)
        *names = '\0';
    return first;
}

static const char *dashes(const struct option_entry *entry)
{
    return entry->name[1] ? "--" : "-";
}

static void complain_of_place(const struct command *command, const struct option_entry *entry,
                              struct named named)
{
    char names[COMMANDS_NAMED * COMMAND_NAME_BYTES + 64], name[COMMAND_NAME_BYTES];
    const struct option_entry *table;
    const struct command *owner = find_owners(named, names, sizeof names);
    const char *place = *command->word ? command_name(command, name) : command_stats.word;
    if (find_exact(&command_show, named, &table) && table == output_options)
        complain("%s%s: 'profdump %s' writes no other formats; 'profdump %s%s OUT' does",
                 dashes(entry), entry->name, command_name(command, name), dashes(entry),
                 entry->name);
    else if (owner && *names)
        complain("%s%s belongs to %s: profdump %s %s%s%s%s ...", dashes(entry), entry->name, names,
                 command_name(owner, name), dashes(entry), entry->name, entry->argument ? " " : "",
                 entry->argument ? entry->argument : "");
    else
        complain("%s%s: not an option of 'profdump %s'", dashes(entry), entry->name, place);
}

/* The option of the command whose name is most like it; NULL: none is. */
static const struct option_entry *find_nearest(const struct command *command, struct named named)
{
    const struct option_entry *nearest = NULL;
    unsigned least = HELP_TOO_FAR;
    char name[OPTIONS_WORD_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)named.size, named.name);
    for (size_t i = 0; command->options[i] && !named.letter; i++)
        for (const struct option_entry *entry = command->options[i]; entry->name; entry++)
            if (entry->help && help_is_nearer(name, entry->name, &least))
                nearest = entry;
    return nearest;
}

/* The nearest option of another command, whose name is `*owner`. */
static const struct option_entry *find_nearest_anywhere(struct named named,
                                                        const struct command **owner)
{
    const struct option_entry *nearest = NULL;
    for (size_t i = 1; commands[i] && !nearest; i++)
        nearest = find_nearest(*owner = commands[i], named);
    return nearest;
}

/* True if several options of the command begin so, after having complained with their names. */
static bool is_ambiguous(const struct command *command, struct named named, const char *word)
{
    char names[256] = "";
    unsigned count = 0;
    for (size_t i = 0; command->options[i]; i++)
        for (const struct option_entry *entry = command->options[i]; entry->name; entry++)
            if (is_begun(entry, named) && entry->help) {
                size_t used = strlen(names);
                snprintf(names + used, sizeof names - used, "%s--%s", count++ ? ", " : "",
                         entry->name);
            }
    if (count > 1)
        complain("'%s' is the beginning of several options: %s", word, names);
    return count > 1;
}

static void complain_of_option(const struct command *command, const char *word, struct named named)
{
    char name[COMMAND_NAME_BYTES];
    const struct command *owner = command;
    const struct option_entry *elsewhere = find_anywhere(named);
    if (elsewhere && is_called(elsewhere, named)) {
        complain_of_place(command, elsewhere, named);
        return;
    }
    if (is_ambiguous(command, named, word))
        return;
    const char *instead = instead_of(named);
    if (instead) {
        complain("there is no option '%s'; try '%s'", word, instead);
        return;
    }
    const struct option_entry *nearest = find_nearest(command, named);
    if (!nearest)
        nearest = find_nearest_anywhere(named, &owner);
    if (!nearest)
        complain("there is no option '%s'", word);
    else if (owner == command)
        complain("there is no option '%s'; did you mean --%s?", word, nearest->name);
    else
        complain("there is no option '%s'; did you mean --%s of 'profdump %s'?", word,
                 nearest->name, command_name(owner, name));
}

/* ---- setting options ---- */

static bool set_text(struct profdump_options *options, const char *name, size_t member,
                     const char *text)
{
    if (!*text) {
        complain("--%s: the value is empty", name);
        return false;
    }
    memcpy((char *)options + member, &text, sizeof text);
    return true;
}

const char *options_value(const struct option_entry *entry, unsigned number,
                          char word[OPTIONS_WORD_BYTES])
{
    if (entry->value_at)
        return entry->value_at(number);
    const char *at = entry->values;
    while (at && *at && number--)
        at += strcspn(at, " "), at += *at == ' ';
    if (!at || !*at)
        return NULL;
    snprintf(word, OPTIONS_WORD_BYTES, "%.*s", (int)strcspn(at, " "), at);
    return word;
}

/* The place of a value of the option; OPTION_VALUES_MAX: there is none. */
#define OPTION_VALUES_MAX 64u
static unsigned find_value(const struct option_entry *entry, const char *typed)
{
    char word[OPTIONS_WORD_BYTES];
    const char *value;
    for (unsigned i = 0; i < OPTION_VALUES_MAX && (value = options_value(entry, i, word)); i++)
        if (strcmp(value, typed) == 0)
            return i;
    return OPTION_VALUES_MAX;
}

/* Lists the values of an option, of which `text` holds another one. */
static bool complain_of_value(const struct option_entry *entry, const char *text)
{
    char typed[OPTIONS_WORD_BYTES], word[OPTIONS_WORD_BYTES], values[COMPLAINT_COLUMNS] = "";
    char nearest[2 * OPTIONS_WORD_BYTES] = "";
    unsigned least = HELP_TOO_FAR;
    const char *list = text, *value;
    while (options_next_word(&list, typed) && find_value(entry, typed) < OPTION_VALUES_MAX)
        ;
    for (unsigned i = 0; (value = options_value(entry, i, word)); i++) {
        size_t used = strlen(values);
        snprintf(values + used, sizeof values - used, "%s%s", i ? ", " : "", value);
        if (help_is_nearer(typed, value, &least))
            snprintf(nearest, sizeof nearest, "%s", value);
    }
    const struct option_entry *other =
        entry->mistaken ? find_exact_anywhere(name_of(entry->mistaken)) : NULL;
    if (other && find_value(other, typed) < OPTION_VALUES_MAX)
        snprintf(nearest, sizeof nearest, "--%s %s", other->name, typed);
    complain("%s%s: '%s' is not one of %s%s%s%s", dashes(entry), entry->name, typed, values,
             *nearest ? "; did you mean '" : "", nearest, *nearest ? "'?" : "");
    return false;
}

static bool set_bits(struct profdump_options *options, const struct option_entry *entry,
                     const char *list)
{
    char word[OPTIONS_WORD_BYTES];
    uint64_t bits;
    memcpy(&bits, (char *)options + entry->member, sizeof bits);
    for (const char *rest = list; options_next_word(&rest, word);) {
        unsigned place = find_value(entry, word);
        if (place == OPTION_VALUES_MAX)
            return complain_of_value(entry, list);
        bits |= UINT64_C(1) << place;
    }
    memcpy((char *)options + entry->member, &bits, sizeof bits);
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
    case OPTION_BITS:
        return set_bits(options, entry, text);
    default:
        return entry->set(options, text) ||
               ((entry->values || entry->value_at) && complain_of_value(entry, text));
    }
}

static bool set_entry(struct profdump_options *options, const struct option_entry *entry,
                      const struct option_entry *table, const char *value)
{
    if (table == table_options && !options->table_option)
        options->table_option = entry->name;
    return set(options, entry, value);
}

/* ---- the command line ---- */

/* Words on their way to options and inputs. */
struct words {
    char **at;
    int count;
    const struct command *command;
    int named[2];        /* where the words of the command are; -1: nowhere */
    const char *unknown; /* a first word that is neither a command nor a file; NULL: none */
    int inputs;          /* inputs so far, moved to the front */
};

/* The value after "=", or after the letter; NULL: none is in the word. */
static const char *value_in(struct named named)
{
    const char *rest = named.name + named.size;
    if (named.letter)
        return *rest ? rest : NULL;
    return *rest == '=' ? rest + 1 : NULL;
}

/* Finds the words that are not options, before "--": at most two. Returns how many. */
static int find_bare(const struct words *words, int bare[2])
{
    int count = 0;
    for (int i = 0; i < words->count && count < 2; i++) {
        const char *word = words->at[i];
        if (strcmp(word, "--") == 0)
            break;
        if (!is_option(word)) {
            bare[count++] = i;
            continue;
        }
        const struct option_entry *entry = find_anywhere(name_of(word));
        if (entry && entry->argument && !value_in(name_of(word)))
            i++;
    }
    return count;
}

static bool parse_option(struct profdump_options *options, struct words *words, int *at)
{
    const char *word = words->at[*at];
    struct named named = name_of(word);
    const struct option_entry *table, *entry = find(words->command, named, &table);
    const char *value = value_in(named);
    if (!entry)
        complain_of_option(words->command, word, named);
    else if (!entry->argument && value)
        complain("%s%s: takes no value", dashes(entry), entry->name);
    else if (entry->argument && !value && *at + 1 == words->count)
        complain("%s: needs a value, as in %s%s%s", word, word, named.letter ? " " : "=",
                 entry->argument);
    else {
        if (entry->argument && !value)
            value = words->at[++*at];
        return set_entry(options, entry, table, value);
    }
    return false;
}

/* Options may stand anywhere, also before the command and after inputs. */
static bool parse_words(struct profdump_options *options, struct words *words)
{
    bool parsed = true, ended = false;
    for (int i = 0; i < words->count && parsed && !options->help && !options->version; i++) {
        char *word = words->at[i];
        if (i == words->named[0] || i == words->named[1])
            continue;
        if (!ended && strcmp(word, "--") == 0)
            ended = true;
        else if (!ended && is_option(word))
            parsed = parse_option(options, words, &i);
        else
            words->at[words->inputs++] = word;
    }
    options->inputs = words->at;
    options->input_count = words->inputs;
    return parsed;
}

/* True if help is requested before the words end. */
static bool wants_help(const struct words *words)
{
    for (int i = 0; i < words->count && strcmp(words->at[i], "--") != 0; i++)
        if (strcmp(words->at[i], "-h") == 0 || strcmp(words->at[i], "--help") == 0)
            return true;
    return false;
}

/* False after having complained of a family without one of its commands. */
static bool find_in_family(const struct profdump_options *options, struct words *words,
                           const int bare[2], int count)
{
    const char *family = words->at[bare[0]], *word = count > 1 ? words->at[bare[1]] : "";
    const struct command *command = commands_find(family, word);
    if (command) {
        words->command = command;
        words->named[1] = bare[1];
    }
    bool good = command || (count < 2 && (options->help || wants_help(words)));
    if (!good)
        help_complain_of_command(family, word);
    return good;
}

/* False after having complained. */
static bool find_command(const struct profdump_options *options, struct words *words)
{
    int bare[2] = {-1, -1}, count = find_bare(words, bare);
    words->command = commands[0];
    if (count == 0)
        return true;
    const char *word = words->at[bare[0]];
    const struct command *command = commands_find(NULL, word);
    if (!command) {
        words->unknown = help_looks_like_a_command(word) ? word : NULL;
        return true;
    }
    words->command = command;
    words->named[0] = bare[0];
    return !commands_is_family(word) || find_in_family(options, words, bare, count);
}

bool options_parse(struct profdump_options *options, int argc, char **argv,
                   const struct command **command)
{
    struct words words = {.at = argv + 1, .count = argc > 0 ? argc - 1 : 0, .named = {-1, -1}};
    if (words.count && strcmp(words.at[0], "help") == 0 && help_looks_like_a_command("help")) {
        words.at++, words.count--; /* "help diff" is "diff --help" */
        options->help = true;
    }
    bool found = find_command(options, &words);
    *command = words.command;
    if (!found || !parse_words(options, &words))
        return false;
    bool known = !words.unknown || wants_help(&words) || options->version;
    if (!known)
        help_complain_of_command(NULL, words.unknown);
    return known;
}

/* ---- one word at a time, for the library ---- */

/* Of any command, but for outputs. */
static const struct option_entry *find_of_reports(struct named named,
                                                  const struct option_entry **table)
{
    const struct option_entry *entry = NULL;
    for (size_t i = 0; commands[i] && !entry; i++) {
        entry = find_exact(commands[i], named, table);
        if (entry && (*table == output_options || *table == report_options))
            entry = NULL;
    }
    return entry;
}

bool options_put(struct profdump_options *options, const struct command *command, const char *name,
                 const char *value)
{
    const struct option_entry *table;
    struct named named = {name, strlen(name), false};
    const struct option_entry *entry = find_exact(command, named, &table);
    if (!entry)
        complain_of_option(command, name, named);
    return entry && set(options, entry, value);
}

bool options_parse_word(struct profdump_options *options, const struct command *command,
                        const char *word)
{
    bool named_so = strncmp(word, "--", 2) == 0 && word[2];
    struct named named = named_so ? name_of(word) : (struct named){word, strlen(word), false};
    const struct option_entry *table, *entry = NULL;
    if (named_so)
        entry = command ? find_exact(command, named, &table) : find_of_reports(named, &table);
    const char *value = entry ? value_in(named) : NULL;
    if (!entry && (!named_so || !command))
        complain("there is no option '%s'", word);
    else if (!entry)
        complain_of_option(command, word, named);
    else if (entry->argument && !value)
        complain("%s: needs a value, as in %s=%s", word, word, entry->argument);
    else if (!entry->argument && value)
        complain("--%s: takes no value", entry->name);
    else
        return set(options, entry, value);
    return false;
}
