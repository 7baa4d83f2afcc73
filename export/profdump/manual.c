/* manual.c - see help.h: a manual page (mdoc) for each command, from its declaration. */
#include "help.h"

#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATE "November 23, 2026"

/* Escapes what roff would obey. */
static void put(FILE *page, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool begins = i == 0 || text[i - 1] == '\n';
        if (begins && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", page);
        fputs(text[i] == '\\' ? "\\e" : (char[]){text[i], '\0'}, page);
    }
}

static void put_line(FILE *page, const char *text)
{
    put(page, text, strlen(text));
    fputc('\n', page);
}

/* A sentence a line, as mdoc wants it. */
static void put_sentences(FILE *page, const char *text)
{
    for (const char *end; (end = strstr(text, ". ")); text = end + 2) {
        put(page, text, (size_t)(end - text) + 1);
        fputc('\n', page);
    }
    put_line(page, text);
}

/* Each line after "profdump " and the command's words, as it is typed. */
static void put_commands(FILE *page, const char *words, const char *lines)
{
    fputs(".Bd -literal\n", page);
    for (const char *line = lines; line;) {
        size_t size = strcspn(line, "\n");
        fprintf(page, "profdump %s%s", words, *words && size ? " " : "");
        put(page, line, size);
        fputc('\n', page);
        line = line[size] ? line + size + 1 : NULL;
    }
    fputs(".Ed\n", page);
}

static void put_option(FILE *page, const struct option_entry *table,
                       const struct option_entry *entry)
{
    bool letter = entry > table && !entry[-1].name[1];
    fputs(".It ", page);
    if (letter)
        fprintf(page, "Fl %s , ", entry[-1].name);
    fprintf(page, "Fl -%s", entry->name);
    if (entry->argument)
        fprintf(page, " Ar %s", entry->argument);
    fputc('\n', page);
    fprintf(page, "%c", toupper(entry->help[0]));
    put(page, entry->help + 1, strlen(entry->help + 1));
    fputs(entry->values ? ":\n" : ".\n", page);
    for (const char *value = entry->values; value;) {
        size_t size = strcspn(value, " ");
        bool last = !value[size];
        fprintf(page, ".Cm %.*s %c\n", (int)size, value, last ? '.' : ',');
        value = last ? NULL : value + size + 1;
    }
}

static void put_options(FILE *page, const struct command *command)
{
    fputs(".Sh OPTIONS\n.Bl -tag -width Ds\n", page);
    for (size_t i = 0; command->options[i]; i++)
        for (const struct option_entry *entry = command->options[i]; entry->name; entry++)
            if (entry->help)
                put_option(page, command->options[i], entry);
    fputs(".El\n", page);
}

static void put_page(FILE *page, const struct command *command, const char *title)
{
    char words[COMMAND_NAME_BYTES];
    fprintf(page, ".\\\" Written by profdump from its declarations.\n.Dd " DATE "\n.Dt ");
    for (const char *letter = title; *letter; letter++)
        fputc(toupper(*letter), page);
    fprintf(page, " 1\n.Os libprof\n.Sh NAME\n.Nm %s\n.Nd %s\n.Sh SYNOPSIS\n", title,
            command->summary);
    put_commands(page, command_name(command, words), command->usage);
    fputs(".Sh DESCRIPTION\n", page);
    put_sentences(page, command->about);
    put_options(page, command);
    fputs(".Sh EXIT STATUS\nSee\n.Xr profdump 1 .\n", page);
    if (command->examples) {
        fputs(".Sh EXAMPLES\n", page);
        put_commands(page, "", command->examples);
    }
    fputs(".Sh SEE ALSO\n.Xr profdump 1\n", page);
}

/* "profdump-pytorch-diff". */
static void title_of(const struct command *command, char title[COMMAND_NAME_BYTES + 16])
{
    char words[COMMAND_NAME_BYTES];
    snprintf(title, COMMAND_NAME_BYTES + 16, "profdump-%s", command_name(command, words));
    for (char *blank; (blank = strchr(title, ' '));)
        *blank = '-';
}

bool manual_write(const char *directory)
{
    char title[COMMAND_NAME_BYTES + 16], path[4096];
    bool written = true;
    for (size_t i = 1; commands[i] && written; i++) {
        title_of(commands[i], title);
        snprintf(path, sizeof path, "%s/%s.1", directory, title);
        FILE *page = fopen(path, "we");
        if (page)
            put_page(page, commands[i], title);
        written = page && !ferror(page);
        written = page && fclose(page) == 0 && written;
    }
    if (!written)
        complain("%s: %s", path, strerror(errno));
    return written;
}
