/* steps WHAT [COUNT]: programs whose recording is switched from outside. Each step is a range "step N" within which
 * "work" runs.
 *
 *     run COUNT         COUNT steps
 *     slow COUNT        COUNT steps of 2 ms; prints its number first
 *     empty COUNT       an event, then COUNT starts and stops without one
 *     threads COUNT     as run, on four threads at once, steps counted together; no thread is more than a step ahead
 *     fork COUNT        COUNT steps in the parent and then COUNT in a child
 *     until FILE US     steps of US us (2,000) until FILE is there, and then a range "last"; prints its number first
 *     follow COUNT      prints its number after ten steps, and "on" or "off" ten steps after each time that recording was
 *                       switched; ends after the COUNTth
 *     handler COUNT     installs a handler of SIGUSR2; prints its number, and how often it was called, until COUNT
 *     storm             raises SIGUSR2 from four threads for a second while all record
 *     children COUNT US COUNT forked children, one after the other, that record for US us (1000)
 *     dump COUNT        COUNT events, then prof_dump("inside.prof") while another thread records
 *     flood COUNT       prints its number and records for ten seconds, resting COUNT us after each 1,000 ranges
 *     leaves            the main thread leaves by pthread_exit(), another one ends 0.1 s later
 *     quick             ends by _exit() after 50 ms
 *     closes FILE       prints its number; when FILE is there, closes every descriptor, opens files of its own under them, and
 *                       prints "closed"; steps until FILE is gone, and 100 times more
 */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static volatile int stop, recorded;
static const char *argument;
static int steps_wanted;
static int pause_us;

static void step(int number)
{
    char name[32];
    snprintf(name, sizeof name, "step %d", number);
    prof_step();
    prof_range_push(name);
    prof_range_push("work");
    if (pause_us)
        usleep(pause_us);
    prof_range_pop();
    prof_range_pop();
}

static int run(void)
{
    for (int i = 0; i < steps_wanted; i++)
        step(i);
    return 0;
}

static void say(const char *what)
{
    puts(what);
    fflush(stdout);
}

static void say_number(int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    say(text);
}

static int slow(void)
{
    pause_us = 2000;
    say_number((int)getpid());
    return run();
}

static bool is_there(void)
{
    return access(argument, F_OK) == 0;
}

static int until(void)
{
    pause_us = pause_us ? pause_us : 2000;
    say_number((int)getpid());
    for (int i = 0; !is_there(); i++)
        step(i);
    prof_range_push("last");
    prof_range_pop();
    return 0;
}

static void ten_steps(int *next)
{
    for (int end = *next + 10; *next < end;)
        step((*next)++);
}

static int follow(void)
{
    bool on = *prof_gate() != 0;
    int next = 0;
    pause_us = 2000;
    ten_steps(&next);
    say_number((int)getpid());
    for (int switched = 0; switched < steps_wanted; switched++) {
        while ((*prof_gate() != 0) == on)
            step(next++);
        on = !on;
        ten_steps(&next);
        say(on ? "on" : "off");
    }
    return 0;
}

static int empty(void)
{
    prof_start();
    prof_mark("only");
    prof_stop();
    for (int i = 0; i < steps_wanted; i++) {
        prof_start();
        prof_stop();
    }
    return 0;
}

static void *run_abreast(void *barrier)
{
    for (int i = 0; i < steps_wanted; i++) {
        pthread_barrier_wait(barrier);
        step(i);
    }
    return NULL;
}

static int threads(void)
{
    pthread_t all[4];
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 4);
    for (int i = 0; i < 4; i++)
        pthread_create(&all[i], NULL, run_abreast, &barrier);
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}

static int forks(void)
{
    run();
    pid_t child = fork();
    if (child == 0) {
        run();
        exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return status;
}

static void handle(int number)
{
    (void)number;
    handled++;
}

static int handler(void)
{
    signal(SIGUSR2, handle);
    pause_us = 2000;
    say_number((int)getpid());
    for (int i = 0, said = 0; said < steps_wanted; i++) {
        step(i);
        if (handled > said)
            printf("handled %d\n", said = (int)handled);
        fflush(stdout);
    }
    return 0;
}

static void *raise_often(void *unused)
{
    while (!stop) {
        raise(SIGUSR2);
        prof_range_push("work");
        prof_range_pop();
    }
    return unused;
}

static int storm(void)
{
    pthread_t all[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&all[i], NULL, raise_often, NULL);
    sleep(1);
    stop = 1;
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
    puts("OK");
    return 0;
}

static int children(void)
{
    say_number((int)getpid());
    for (int i = 0; i < steps_wanted; i++) {
        pid_t child = fork();
        if (child == 0) {
            prof_range_push("in child");
            usleep((useconds_t)(pause_us ? pause_us : 1000));
            prof_range_pop();
            exit(0);
        }
        prof_range_push("in parent");
        int status = 0;
        waitpid(child, &status, 0);
        prof_range_pop();
        if (status)
            return 1;
    }
    return 0;
}

static void *record_on(void *unused)
{
    while (!stop) {
        prof_range_push("meanwhile");
        prof_range_pop();
        recorded = 1;
    }
    return unused;
}

static int dump(void)
{
    int bad = 0;
    bad += prof_dump("nothing.prof") != PROF_NOTHING;
    bad += prof_dump(NULL) != PROF_INVALID;
    pthread_t other;
    pthread_create(&other, NULL, record_on, NULL);
    for (int i = 0; i < steps_wanted; i++) {
        prof_range_push("before");
        prof_range_pop();
    }
    while (!recorded)
        usleep(100);
    bad += prof_dump("inside.prof") != PROF_OK;
    bad += prof_dump("inside.prof") != PROF_OK; /* replaced */
    bad += prof_dump("no/such/inside.prof") != PROF_FAILED;
    prof_range_push("after");
    prof_range_pop();
    stop = 1;
    pthread_join(other, NULL);
    return bad;
}

static int flood(void)
{
    say_number((int)getpid());
    for (time_t end = time(NULL) + 10; time(NULL) < end;) {
        for (int i = 0; i < 1000; i++) {
            prof_range_push("flood");
            prof_range_pop();
        }
        if (steps_wanted)
            usleep((useconds_t)steps_wanted);
    }
    return 0;
}

static void *end_later(void *unused)
{
    usleep(100000);
    puts("gone");
    return unused;
}

static int leaves(void)
{
    pthread_t other;
    pthread_create(&other, NULL, end_later, NULL);
    pthread_exit(NULL);
}

static int quick(void)
{
    usleep(50000);
    _exit(7);
}

static int closes(void)
{
    say_number((int)getpid());
    while (!is_there())
        usleep(1000);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    int file = open("victim.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int fd = 512; fd < 540; fd++)
        dup2(file, fd);
    say("closed");
    pause_us = 2000;
    for (int i = 0; is_there(); i++)
        step(i);
    run();
    char byte;
    return pread(file, &byte, 1, 0) != 0; /* nobody wrote into it */
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    alarm(900); /* none outlives its test for long */
    argument = argc > 2 ? argv[2] : "";
    steps_wanted = argc > 2 && atoi(argument) ? atoi(argument) : 100;
    pause_us = argc > 3 ? atoi(argv[3]) : 0;
    return !strcmp(what, "run")        ? run()
           : !strcmp(what, "slow")     ? slow()
           : !strcmp(what, "empty")    ? empty()
           : !strcmp(what, "threads")  ? threads()
           : !strcmp(what, "fork")     ? forks()
           : !strcmp(what, "until")    ? until()
           : !strcmp(what, "follow")   ? follow()
           : !strcmp(what, "handler")  ? handler()
           : !strcmp(what, "storm")    ? storm()
           : !strcmp(what, "children") ? children()
           : !strcmp(what, "dump")     ? dump()
           : !strcmp(what, "flood")    ? flood()
           : !strcmp(what, "leaves")   ? leaves()
           : !strcmp(what, "quick")    ? quick()
           : !strcmp(what, "closes")   ? closes()
                                       : 99;
}
