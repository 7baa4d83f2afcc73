#include "config.h"
#include "runopts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: profrun [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
    "       profrun --attach PID [--for TIME] [OPTION]...\n"
    "       profrun --doctor [--sim] [-o PATTERN]\n"
    "\n"
    "Records PROGRAM with libprof, then prints where it spent its time on the CPU and\n"
    "the GPU. The program's output and exit status do not change.\n"
    "\n"
    "  -o, --output PATTERN   name the recording: %p process id, %h host name,\n"
    "                         %r rank, %R \"-rankN\" in a parallel job, %e program\n"
    "                         name, %n lowest unused number, %q{NAME} environment\n"
    "                         variable, %% percent sign\n"
    "      --force            replace a recording, instead of keeping it as .old\n"
    "      --sim[=VERSION]    run on the simulated CUDA, with CUPTI of VERSION\n"
    "                         (11.0, 11.2, 11.8, 12.4, 13.0, 13.3)\n"
    "      --no-table         do not print the table of key averages\n"
    "      --rows N           print at most N rows of that table\n"
    "      --sort COLUMN      sort that table by COLUMN, as in 'profdump --sort'\n"
    "      --stacks[=WHERE]   record call stacks of CUDA launches (launch, the\n"
    "                         default), or of launches and ranges (range)\n"
    "      --graphs AS        record launched CUDA graphs node by node (nodes, the\n"
    "                         default) or as one operation (graph), which costs less\n"
    "      --summary SECONDS  add summaries per step and name to the recording, such\n"
    "                         as every 30s\n"
    "      --budget PERCENT   record less while recording costs more than PERCENT of\n"
    "                         the wall time, such as 2%\n"
    "      --sample RATE      sample what each thread is doing, RATE times per second\n"
    "                         of its CPU time, such as 99; see 'profdump stacks'\n"
    "      --hang TIME        write the stacks of all threads if nothing ends for\n"
    "                         TIME, such as 60s; see 'profdump hang'\n"
    "      --prometheus DIR   write metrics to a file in DIR every 30 seconds, for\n"
    "                         node_exporter's textfile collector\n"
    "      --attach PID       record PID, a process that is already running\n"
    "      --for TIME         with --attach, stop after TIME, such as 10s\n"
    "  -e, --env NAME=VALUE   set an environment variable for the program\n"
    "  -q, --quiet            print nothing at the end; exec the program in place\n"
    "      --doctor           check what this machine can record; run no program\n"
    "  -h, --help             print this help\n"
    "      --help-env         print the PROF_* variables that configure recording\n"
    "  -V, --version          print the version\n"
    "\n"
    "Exit status: the program's; 2 wrong usage; 125 profrun itself failed; 126 the\n"
    "program cannot be executed or attached to; 127 it was not found.\n";

static enum runopts_verdict runhelp_finish(void)
{
    if (fflush(stdout) != 0) {
        message("cannot write to stdout: %s", strerror(errno));
        return RUNOPTS_WRONG;
    }
    return RUNOPTS_DONE;
}

enum runopts_verdict runhelp_usage(void)
{
    fputs(usage, stdout);
    return runhelp_finish();
}

enum runopts_verdict runhelp_version(void)
{
    puts("profrun " PROF_VERSION_TEXT);
    return runhelp_finish();
}

/* Prints `text` indented by four, broken at spaces. */
static void runhelp_show_wrapped(const char *text)
{
    enum { WIDTH = 76 };
    while (*text != '\0') {
        size_t length = strlen(text);
        if (length > WIDTH) {
            const char *space = memrchr(text, ' ', WIDTH + 1);
            length = space ? (size_t)(space - text) : strcspn(text, " ");
        }
        printf("    %.*s\n", (int)length, text);
        text += length;
        text += strspn(text, " ");
    }
}

static void runhelp_show_option(const struct config_option *option)
{
    printf("%s (%s", option->name, option->type_name);
    if (option->range_text && *option->range_text != '\0')
        printf(": %s", option->range_text);
    if (option->default_text && *option->default_text != '\0')
        printf("; default %s", option->default_text);
    puts(")");
    runhelp_show_wrapped(option->help);
}

enum runopts_verdict runhelp_env(void)
{
    size_t count = 0;
    const struct config_option *options = config_options(&count);
    for (size_t i = 0; i < count; i++)
        runhelp_show_option(&options[i]);
    return runhelp_finish();
}

/* ---- messages, on stderr ---- */

static void message_sanitize(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c != '\0'; c++)
        if (*c < 0x20 || *c == 0x7f)
            *c = '?';
}

void message(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = NULL;
    const int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return;
    message_sanitize(text);
    fprintf(stderr, "profrun: %s\n", text);
    free(text);
}

static bool message_is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./+=:,@%";
    return *text != '\0' && text[strspn(text, plain)] == '\0';
}

char *message_quote(const char *text)
{
    if (message_is_plain(text))
        return strdup(text);
    /* worst case: every byte is a quote, which takes four bytes, and the two around all */
    char *quoted = malloc(4 * strlen(text) + 3);
    if (!quoted)
        return NULL;
    char *out = quoted;
    *out++ = '\'';
    for (; *text != '\0'; text++)
        if (*text == '\'')
            out = stpcpy(out, "'\\''");
        else
            *out++ = *text;
    *out++ = '\'';
    *out = '\0';
    return quoted;
}
