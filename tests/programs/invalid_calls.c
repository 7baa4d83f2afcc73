/* invalid_calls recorded|absent: calls with odd arguments; says whether every result was as prof.h
 * documents. Eight calls are counted as invalid; one pop is unmatched. */
#include <prof/block.h>
#include <prof/prof.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static int failures;

static void check(const char *what, int good)
{
    if (!good)
        failures += printf("wrong: %s\n", what);
}

static void invalid_names(void)
{
    static char huge[(1 << 20) + 1];
    prof_range_push(NULL); /* keeps the nesting: the pop below is its own */
    prof_range_pop();
    prof_range_push_attrs(NULL, NULL, 0);
    prof_range_pop();
    prof_range_push_n(NULL, 5);
    prof_range_pop();
    prof_range_push_n("a\0b", 3);
    prof_range_pop();
    prof_range_push("");
    prof_range_pop();
    memset(huge, 'h', sizeof huge - 1);
    prof_range_push(huge);
    prof_range_pop();
    prof_mark(NULL);
    prof_counter(NULL, 1.0);
    prof_attr_int(NULL, 1);
    prof_attr_string("key", NULL);
    prof_thread_name(NULL);
    prof_range_pop();
    prof_range_end(0);
    prof_range_end(12345);
    check("errno is kept", errno == EXDEV);
}

static const char *beginning(const char *path)
{
    static char head[8];
    FILE *file = fopen(path, "re");
    memset(head, 0, sizeof head);
    if (file) {
        (void)!fread(head, 1, sizeof head - 1, file);
        fclose(file);
    }
    return head;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    fputs(text, file);
    fclose(file);
}

/* An export does not replace a recording, and a dump replaces nothing but recordings and empty files. */
static void onto_files(void)
{
    const char *own = prof_output_path();
    put("notes.txt", "notes");
    put("empty.dump", "");
    check("chrome onto itself", prof_export_chrome(own) == PROF_FAILED);
    check("blocks onto itself", prof_dump_etprof(own) != PROF_OK);
    check("dump onto itself", prof_dump(own) == PROF_FAILED);
    check("it is whole", memcmp(beginning(own), "\x89PROF", 5) == 0);
    check("dump onto notes", prof_dump("notes.txt") == PROF_FAILED);
    check("dump onto a pipe", mkfifo("pipe", 0600) == 0 && prof_dump("pipe") == PROF_FAILED);
    check("dump onto a directory", prof_dump(".") == PROF_FAILED);
    check("notes stay", strcmp(beginning("notes.txt"), "notes") == 0);
    check("dump onto nothing",
          prof_dump("new.dump") == PROF_OK && prof_dump("new.dump") == PROF_OK);
    check("dump onto an empty file", prof_dump("empty.dump") == PROF_OK);
    check("chrome onto a dump", prof_export_chrome("new.dump") == PROF_FAILED);
    check("the dump stays", memcmp(beginning("new.dump"), "\x89PROF", 5) == 0);
    check("chrome onto notes", prof_export_chrome("notes.txt") == PROF_OK);
    check("the notes were replaced", *beginning("notes.txt") == '{');
}

/* At the limit of file sizes a call fails; the program is not killed. */
static void beyond_the_limit(void)
{
    struct rlimit before, none = {0};
    put("limited.json", "old");
    getrlimit(RLIMIT_FSIZE, &before);
    none.rlim_max = before.rlim_max;
    setrlimit(RLIMIT_FSIZE, &none);
    check("chrome beyond the limit", prof_export_chrome("limited.json") == PROF_FAILED);
    setrlimit(RLIMIT_FSIZE, &before);
    check("what was there stays", strcmp(beginning("limited.json"), "old") == 0);
}

static void recorded(void)
{
    struct prof_loss_counts counts = {.size_bytes = sizeof counts};
    check("flush", prof_flush() == PROF_OK);
    check("loss", prof_loss(&counts) == PROF_OK && counts.total == 8);
    check("loss of nothing", prof_loss(NULL) == PROF_INVALID);
    counts.size_bytes = sizeof counts.size_bytes;
    check("loss without room", prof_loss(&counts) == PROF_INVALID);
    check("table of nothing", prof_table(NULL) == PROF_INVALID);
    check("chrome of nothing", prof_export_chrome(NULL) == PROF_INVALID);
    check("configure", prof_configure(NULL) == PROF_INVALID);
    check("path", strstr(prof_output_path(), ".prof") != NULL);
    check("version", prof_version() && strchr(prof_version(), '.'));
    check("range ids", prof_range_begin("id") != 0);
    onto_files();
    beyond_the_limit();
}

static void absent(void)
{
    struct prof_options options;
    prof_options_default(&options);
    check("start", prof_start() == PROF_ABSENT && prof_stop() == PROF_ABSENT);
    check("flush", prof_flush() == PROF_ABSENT);
    check("configure", prof_configure(&options) == PROF_ABSENT);
    check("table", prof_table(stdout) == PROF_ABSENT);
    check("chrome", prof_export_chrome("x.json") == PROF_ABSENT);
    check("loss", prof_loss(NULL) == PROF_ABSENT);
    check("path", strcmp(prof_output_path(), "") == 0);
    check("version", prof_version() == NULL);
    check("range ids", prof_range_begin("id") == 0);
}

int main(int argc, char **argv)
{
    errno = EXDEV;
    invalid_names();
    if (argc == 2 && strcmp(argv[1], "recorded") == 0)
        recorded();
    else
        absent();
    puts(failures ? "not as documented" : "as documented");
    return failures != 0;
}
