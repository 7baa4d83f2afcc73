/* attach_guest.c MODE - does the same thing for ever, checks that nothing disturbs it, and ends when standard input ends:
 * a program for profrun --attach. Prints what it has found out about itself, which is the same in each run. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile bool ended;

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    printf("FAILED: %s, errno %d\n", what, errno);
    fflush(stdout);
    _exit(1);
}

static void *await_end(void *unused)
{
    char byte;
    (void)unused;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    ended = true;
    return NULL;
}

/* Without a second thread: a flag that does not block. */
static bool has_ended(void)
{
    static bool prepared;
    char byte;
    if (!prepared)
        must(fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) == 0, "fcntl");
    prepared = true;
    return ended || read(STDIN_FILENO, &byte, 1) == 0;
}

/* ---- what a thread does in one round; each leaves `errno` and its registers as checks ---- */

static void compute(void)
{
    uint64_t a = 1, b = 2, c = 3, d = 4;
    double x = 1;
    for (int i = 0; i < 200000; i++) {
        a = a * 6364136223846793005u + 1;
        b ^= a >> 7;
        c += b * 3;
        d = (d << 1 | d >> 63) ^ c;
        x = x * 1.0000001 + 1e-9;
    }
    static uint64_t known;
    static double known_x;
    static bool knows;
    if (!knows) {
        known = a ^ b ^ c ^ d;
        known_x = x;
        knows = true;
    }
    must(known == (a ^ b ^ c ^ d) && known_x == x, "registers");
}

static void allocate(void)
{
    enum { COUNT = 64 };
    static __thread unsigned seed = 7;
    unsigned char *blocks[COUNT];
    size_t sizes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        seed = seed * 1103515245u + 12345u;
        sizes[i] = 1 + (seed >> 8) % (i % 8 ? 600 : 300000);
        blocks[i] = malloc(sizes[i]);
        must(blocks[i], "malloc");
        memset(blocks[i], i, sizes[i] < 64 ? sizes[i] : 64);
    }
    for (int i = COUNT; i-- > 0;) {
        must(blocks[i][sizes[i] < 64 ? sizes[i] - 1 : 63] == i, "heap");
        free(blocks[i]);
    }
}

static void doze(void)
{
    struct timespec asked = {0, 20000000}, left;
    must(nanosleep(&asked, &left) == 0, "nanosleep");
}

/* A futex, with and without a timeout. */
static sem_t never;

static void wait_futex(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    must(sem_timedwait(&never, &until) == -1 && errno == ETIMEDOUT, "sem_timedwait");
}

static void wait_epoll(void)
{
    static int poll = -1;
    struct epoll_event event;
    if (poll < 0)
        poll = epoll_create1(EPOLL_CLOEXEC);
    must(epoll_wait(poll, &event, 1, 20) == 0, "epoll_wait");
}

/* A signal comes each millisecond. */
static volatile sig_atomic_t ticks;

static void count_tick(int number)
{
    (void)number;
    ticks++;
}

static void take_signals(void)
{
    static bool begun;
    sigset_t blocked, open;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGALRM);
    sigprocmask(SIG_BLOCK, &blocked, &open);
    sigdelset(&open, SIGALRM);
    if (!begun) {
        struct sigaction action = {.sa_handler = count_tick};
        sigaction(SIGALRM, &action, NULL);
        begun = true;
    }
    const int before = ticks;
    struct itimerspec once = {.it_value.tv_nsec = 1000000};
    static timer_t timer;
    static bool made;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    if (!made)
        must(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "timer_create");
    made = true;
    must(timer_settime(timer, 0, &once, NULL) == 0, "timer_settime");
    must(sigsuspend(&open) == -1 && errno == EINTR, "sigsuspend");
    must(ticks == before + 1, "one signal");
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    must(sigismember(&now, SIGALRM) == 1 && sigismember(&now, SIGUSR1) == 0, "signal mask");
}

static void make_children(void)
{
    const pid_t child = fork();
    must(child >= 0, "fork");
    if (child == 0)
        _exit(3);
    int status;
    must(waitpid(child, &status, 0) == child && status == 3 << 8, "waitpid");
}

struct mode {
    const char *name;
    void (*round)(void);
    int threads; /* beside the main one */
};

static const struct mode modes[] = {
    {"busy", compute, 0},       {"malloc", allocate, 0},  {"sleep", doze, 0},
    {"futex", wait_futex, 0},   {"epoll", wait_epoll, 0}, {"signals", take_signals, 0},
    {"fork", make_children, 0}, {"busy4", compute, 4},    {"malloc4", allocate, 4},
    {"sleep4", doze, 4},        {"futex4", wait_futex, 4}};

static void *repeat(void *round)
{
    const struct mode *mode = round;
    while (!ended)
        mode->round();
    return NULL;
}

static void say_begun(void)
{
    puts("begun");
    fflush(stdout);
}

/* The main thread reads, which waits for ever. "begun" comes after the threads do: while the C library creates one, it
 * blocks every signal, which is not the mask that a test wants to see. */
static void run_threads(const struct mode *mode)
{
    pthread_t threads[8];
    for (int i = 0; i < mode->threads; i++)
        must(pthread_create(&threads[i], NULL, repeat, (void *)(uintptr_t)mode) == 0,
             "pthread_create");
    say_begun();
    await_end(NULL);
    for (int i = 0; i < mode->threads; i++)
        must(pthread_join(threads[i], NULL) == 0, "pthread_join");
}

int main(int argc, char **argv)
{
    sem_init(&never, 0, 0);
    for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(argv[1], modes[i].name) != 0)
            continue;
        if (modes[i].threads) {
            run_threads(&modes[i]);
        } else {
            say_begun();
            while (!has_ended())
                modes[i].round();
        }
        puts("ended");
        return 7;
    }
    return 2;
}
