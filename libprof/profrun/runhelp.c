#include "runhelp.h"

#include "config.h"
#include "say.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "Usage: profrun [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
    "       profrun --doctor [--sim] [-o PATTERN]\n"
    "\n"
    "Runs PROGRAM with libprof preloaded, then prints what it spent its time on, on the CPU and "
    "on\n"
    "the GPU. The program's output and exit status stay as they are.\n"
    "\n"
    "  -o, --output PATTERN   write the recording there. In PATTERN: %p process id, %h host name,\n"
    "                         %r rank, %R \"-rank\" and rank in a parallel job, %e program name,\n"
    "                         %n smallest number not in use yet, %q{NAME} environment variable,\n"
    "                         %% percent sign\n"
    "      --force            replace the recording that -o names\n"
    "      --sim[=LAYOUT]     run on the simulated CUDA; LAYOUT is the CUDA version whose records "
    "it\n"
    "                         writes (11.0, 11.2, 11.8, 12.4, 13.0, 13.3)\n"
    "      --no-table         do not print the table of key averages\n"
    "      --rows N           rows of that table\n"
    "      --sort COLUMN      column that table is sorted by, as in 'profdump --sort'\n"
    "      --stacks[=WHERE]   take call stacks: at CUDA launches (launch), or also where ranges "
    "are\n"
    "                         opened (range)\n"
    "      --graphs AS        record a launched CUDA graph as its single operations (nodes, the\n"
    "                         default) or as a whole (graph), which costs less\n"
    "      --budget PERCENT   what recording may cost of wall time (2%); above it, less is "
    "recorded\n"
    "  -e, --env NAME=VALUE   set an environment variable for the program\n"
    "  -q, --quiet            print nothing afterwards; profrun turns into the program\n"
    "      --doctor           examine this machine instead of running a program: what can be "
    "recorded\n"
    "                         here, and what stands in the way\n"
    "  -h, --help             print this and exit\n"
    "      --help-env         print the PROF_* variables that steer the recording and exit\n"
    "  -V, --version          print the version and exit\n"
    "\n"
    "Exit status: the program's; 2 wrong usage, 125 profrun itself failed, 126 the program cannot "
    "be\n"
    "executed, 127 it was not found.\n";

static enum runopts_verdict runhelp_finish(void)
{
    if (fflush(stdout) != 0) {
        say("cannot write to stdout: %s", strerror(errno));
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
    if (option->range_text && *option->range_text != '\0') {
        printf(": %s", option->range_text);
    }
    if (option->default_text && *option->default_text != '\0') {
        printf("; default %s", option->default_text);
    }
    puts(")");
    runhelp_show_wrapped(option->help);
}

enum runopts_verdict runhelp_env(void)
{
    size_t count = 0;
    const struct config_option *options = config_options(&count);
    for (size_t i = 0; i < count; i++) {
        runhelp_show_option(&options[i]);
    }
    return runhelp_finish();
}
