/* interrupted WHAT: a timer's handler records while main records; prints what was generated as "name count" lines.
 *
 *     ranges   the handler pushes, marks and pops
 *     ids      both begin and end ranges by id
 *     stack    the handler runs on a small stack of its own and uses names that are new each time
 *     jump     the handler leaves by siglongjmp; the timer runs before the first event
 *     control  the handler stops and starts, flushes and asks for losses
 */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile long handled, jumped;
static sigjmp_buf before_push;
static volatile sig_atomic_t may_jump;

static void handle_ranges(int signal_number)
{
    (void)signal_number;
    int saved = errno;
    prof_range_push("handler");
    prof_mark("handler mark");
    prof_range_pop();
    handled++;
    if (errno != saved)
        abort();
}

static void handle_ids(int signal_number)
{
    (void)signal_number;
    uint64_t id = prof_range_begin("handler");
    prof_range_end(id);
    handled++;
}

static void handle_new_names(int signal_number)
{
    (void)signal_number;
    char name[32];
    snprintf(name, sizeof name, "new %ld", handled % 5000);
    prof_range_push(name);
    prof_range_pop();
    handled++;
}

static void handle_jump(int signal_number)
{
    (void)signal_number;
    prof_mark("handler mark");
    handled++;
    if (may_jump) {
        may_jump = 0;
        jumped++;
        siglongjmp(before_push, 1);
    }
}

static void handle_control(int signal_number)
{
    (void)signal_number;
    struct prof_loss_counts counts = {.size_bytes = sizeof counts};
    prof_stop();
    prof_start();
    prof_loss(&counts);
    if (++handled % 16 == 0)
        prof_flush();
}

static void interrupt_every_100_us(void (*handler)(int))
{
    static char stack[16384];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigaction(SIGALRM, &action, NULL);
    struct timeval period = {.tv_usec = 100};
    setitimer(ITIMER_REAL, &(struct itimerval){period, period}, NULL);
}

static void stop_interrupting(void)
{
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}

static long record_ranges(long pairs)
{
    char name[32];
    for (long i = 0; i < pairs; i++) {
        snprintf(name, sizeof name, "main %ld", i % 300); /* more than the cache of names holds */
        prof_range_push(i % 4 ? "main" : name);
        prof_range_pop();
    }
    return pairs;
}

static long record_ids(long pairs)
{
    for (long i = 0; i < pairs; i++)
        prof_range_end(prof_range_begin("main"));
    return pairs;
}

static long record_with_jumps(volatile long pairs)
{
    for (volatile long i = 0; i < pairs; i++) {
        if (sigsetjmp(before_push, 1) == 0) {
            may_jump = 1;
            prof_mark("main");
            prof_mark("main");
        }
        may_jump = 0;
    }
    return pairs;
}

static long record_with_control(long pairs)
{
    for (long i = 0; i < pairs; i++) {
        prof_range_push("main");
        prof_range_pop();
        if (i % 1000 == 0) {
            prof_stop();
            prof_start();
        }
    }
    return pairs;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "ranges";
    long generated = 0;
    if (!strcmp(what, "ranges")) {
        interrupt_every_100_us(handle_ranges);
        generated = record_ranges(2000000);
    } else if (!strcmp(what, "ids")) {
        interrupt_every_100_us(handle_ids);
        generated = record_ids(300000);
    } else if (!strcmp(what, "stack")) {
        interrupt_every_100_us(handle_new_names);
        generated = record_ranges(1000000);
    } else if (!strcmp(what, "jump")) {
        interrupt_every_100_us(handle_jump);
        generated = record_with_jumps(2000000);
    } else if (!strcmp(what, "control")) {
        interrupt_every_100_us(handle_control);
        generated = record_with_control(400000);
    }
    stop_interrupting();
    printf("%ld %ld %ld\n", generated, handled, jumped);
    return 0;
}
