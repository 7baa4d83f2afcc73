/* ask_trace.c - profdump's words, answered by libprofdump: what the tests compare with profdump.
 *
 *     ask_trace export FORMAT OUT [--OPTION[=VALUE]]... INPUT...
 *     ask_trace report REPORT - [--OPTION[=VALUE]]... INPUT...
 *     ask_trace locale                     prints a half
 *
 * Options of export are given to prof_trace_open(), others to the report; format, sort, group-by, columns and rows by
 * members of struct prof_table_options. Messages are printed as profdump does.
 * Status: 0 done, 1 failed, 2 an invalid argument, 9 the library broke a promise.
 */
#include <prof/trace.h>

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 32
#define HOST_ERRNO 4711

static char last_said[8192];

static void say(void *user, const char *sentence)
{
    (void)user;
    snprintf(last_said, sizeof last_said, "%s", sentence);
    fprintf(stderr, "profdump: %s\n", sentence);
}

static void broken(const char *promise)
{
    fprintf(stderr, "broken promise: %s\n", promise);
    exit(9);
}

/* What must hold after every call. */
static void check_host(void)
{
    sigset_t mask, pending;
    if (errno != HOST_ERRNO)
        broken("errno changed");
    sigprocmask(SIG_SETMASK, NULL, &mask);
    sigpending(&pending);
    if (sigismember(&mask, SIGPIPE) || sigismember(&pending, SIGPIPE))
        broken("SIGPIPE is held");
    if (sigismember(&mask, SIGXFSZ) || sigismember(&pending, SIGXFSZ))
        broken("SIGXFSZ is held");
    if (uselocale((locale_t)0) != LC_GLOBAL_LOCALE)
        broken("the locale changed");
}

static int exit_status(prof_status status, const char *error)
{
    if ((status == PROF_OK) != (*error == '\0'))
        broken("an error is a sentence, and success is none");
    if (status != PROF_OK && strcmp(error, last_said) != 0 &&
        strstr(error, ": the report says which") == NULL)
        broken("the error is what was said last");
    check_host();
    return status == PROF_OK ? 0 : status == PROF_INVALID ? 2 : 1;
}

static const char *value_of(const char *word, const char *name)
{
    size_t size = strlen(name);
    return strncmp(word, name, size) == 0 ? word + size : NULL;
}

static void take(struct prof_table_options *table, const char **words, const char *word)
{
    const char *value;
    if ((value = value_of(word, "--format=")))
        table->format = value;
    else if ((value = value_of(word, "--sort=")))
        table->sort = value;
    else if ((value = value_of(word, "--group-by=")))
        table->group_by = value;
    else if ((value = value_of(word, "--columns=")))
        table->columns = value;
    else if ((value = value_of(word, "--rows=")))
        table->rows = atoll(value);
    else
        *words = word;
}

static prof_status ask(struct prof_trace *trace, char **argv,
                       const struct prof_table_options *table)
{
    if (strcmp(argv[1], "export") == 0)
        return prof_trace_export(trace, argv[2], argv[3]);
    if (strcmp(argv[1], "query") == 0)
        return prof_trace_query(trace, argv[2], table, stdout);
    if (strcmp(argv[2], "table") == 0)
        return prof_trace_table(trace, table, stdout);
    return prof_trace_report(trace, argv[2], table, stdout);
}

int main(int argc, char **argv)
{
    const char *words[WORDS_MAX + 1] = {0};
    struct prof_table_options table = {.size_bytes = sizeof table, .words = words};
    struct prof_trace_options open = {.size_bytes = sizeof open, .say = say};
    struct prof_trace *trace;
    int at = 4, count = 0;
    setlocale(LC_ALL, ""); /* a decimal comma, where LC_ALL asks for one */
    if (argc == 2 && strcmp(argv[1], "locale") == 0)
        return printf("%.1f\n", 0.5) < 0;
    if (argc < 5)
        return 2;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0 && count < WORDS_MAX; at++) {
        take(&table, &words[count], argv[at]);
        count += words[count] != NULL;
    }
    if (strcmp(argv[1], "export") == 0)
        open.words = words;
    errno = HOST_ERRNO;
    prof_status status =
        prof_trace_open((const char *const *)argv + at, (size_t)(argc - at), &open, &trace);
    if (status != PROF_OK)
        return exit_status(status, prof_trace_error(NULL));
    exit_status(status, prof_trace_error(NULL));
    *last_said = '\0';
    status = ask(trace, argv, &table);
    int ended = exit_status(status, prof_trace_error(trace));
    prof_trace_close(trace);
    check_host();
    signal(SIGPIPE, SIG_IGN); /* what stdout could not be rid of is not what is tested */
    return ended;
}
