/* switches WHAT: the control functions; returns 0 when each did what prof.h says.
 *
 *     waits      records "unwanted" until prof_start(), then "wanted"; nested starts and stops; extra stops
 *     open       ranges that are open across a stop
 *     cycles     1,000 starts and stops with 10 ranges each, on two threads
 *     configure  chooses the file by prof_configure()
 *     results    flush, table, Chrome trace and losses in the middle of a recording
 */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void ranges(const char *name, int times)
{
    for (int i = 0; i < times; i++) {
        prof_range_push(name);
        prof_range_pop();
    }
}

static int expect(const char *what, int good)
{
    if (!good)
        printf("wrong: %s\n", what);
    return !good;
}

static int waits(void)
{
    int bad = 0;
    prof_thread_name("named while off");
    ranges("unwanted", 10);
    bad += expect("flush of nothing", prof_flush() == PROF_NOTHING);
    bad += expect("table of nothing", prof_table(stdout) == PROF_NOTHING);
    bad += expect("chrome of nothing", prof_export_chrome("nothing.json") == PROF_NOTHING);
    bad += expect("path of nothing", strcmp(prof_output_path(), "") == 0);
    bad += expect("range id while off", prof_range_begin("unwanted") == 0);
    prof_stop(); /* one too many is none */
    prof_start();
    ranges("wanted", 10);
    prof_start();
    ranges("wanted", 10);
    prof_stop();
    ranges("wanted", 10);
    prof_stop();
    ranges("unwanted", 10);
    prof_mark("unwanted");
    prof_start();
    ranges("wanted", 10);
    return bad;
}

static int open_across(void)
{
    prof_start();
    prof_range_push("cut");
    prof_range_push("cut inside");
    uint64_t id = prof_range_begin("begun");
    prof_stop();
    prof_range_push("unwanted");
    prof_range_pop();
    prof_start();
    ranges("wanted", 10);
    prof_range_pop(); /* what it closed is closed already */
    prof_range_end(id);
    prof_stop();
    return 0;
}

static void *cycle(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        prof_start();
        ranges("cycle", 10);
        prof_stop();
    }
    return unused;
}

static int cycles(void)
{
    pthread_t other;
    pthread_create(&other, NULL, cycle, NULL);
    cycle(NULL);
    pthread_join(other, NULL);
    return 0;
}

static int configure(void)
{
    int bad = 0;
    struct prof_options options;
    prof_options_default(&options);
    options.max_bytes = 1 << 20;
    bad += expect("too small", prof_configure(&options) == PROF_INVALID);
    options.max_bytes = 4 << 20;
    options.ring = true;
    char name[] = "configured-%e.prof";
    options.output = name;
    bad += expect("configure", prof_configure(&options) == PROF_OK);
    memset(name, 'x', sizeof name - 1);
    prof_start();
    ranges("wanted", 10);
    bad += expect("busy", prof_configure(&options) == PROF_BUSY);
    bad += expect("path", strstr(prof_output_path(), "/configured-switches.prof") != NULL);
    return bad;
}

static int results(void)
{
    int bad = 0;
    char table[1 << 16] = "";
    struct prof_loss_counts counts = {.size_bytes = sizeof counts};
    prof_start();
    for (int round = 1; round <= 3; round++) {
        ranges("wanted", 10);
        bad += expect("flush", prof_flush() == PROF_OK);
        FILE *stream = fmemopen(table, sizeof table, "w");
        bad += expect("table", prof_table(stream) == PROF_OK);
        fclose(stream);
        bad += expect("table's row", strstr(table, "wanted") != NULL);
        bad += expect("chrome", prof_export_chrome("inside.json") == PROF_OK);
    }
    errno = EXDEV;
    bad += expect("chrome nowhere", prof_export_chrome("no/such/directory.json") == PROF_FAILED);
    bad += expect("errno is kept", errno == EXDEV);
    bad += expect("loss", prof_loss(&counts) == PROF_OK && counts.total == 0);
    return bad;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    return !strcmp(what, "waits")       ? waits()
           : !strcmp(what, "open")      ? open_across()
           : !strcmp(what, "cycles")    ? cycles()
           : !strcmp(what, "configure") ? configure()
           : !strcmp(what, "results")   ? results()
                                        : 99;
}
