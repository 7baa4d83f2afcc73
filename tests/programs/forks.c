/* forks HOW: the parent records 100 ranges "parent" before and 100 after each kind of fork; see the
 * functions. */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void ranges(const char *name)
{
    for (int i = 0; i < 100; i++) {
        prof_range_push(name);
        prof_range_pop();
    }
}

static int reap(pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

/* The child and its child record old and new names, each into a file of its own. */
static int generations(void)
{
    pid_t child = fork();
    if (child == 0) {
        ranges("parent");
        ranges("child");
        pid_t grandchild = fork();
        if (grandchild == 0) {
            ranges("child");
            ranges("grandchild");
            exit(4);
        }
        exit(WEXITSTATUS(reap(grandchild)) == 4 ? 3 : 1);
    }
    return WEXITSTATUS(reap(child)) == 3 ? 0 : 1;
}

/* Ranges whose names keep their numbers in the program: a literal, and an attribute's key and text. */
static void literal(void)
{
    PROF_RANGE("literal");
}

static void attributed(void)
{
    static struct prof_site key = {"key"}, text = {"text"};
    const struct prof_attr attribute = {&key, &text, 0};
    prof_range_push_attrs("attributed", &attribute, 1);
    prof_range_pop();
}

/* The child uses few of the many names that its parent knows, and is killed at once. */
static int kept(void)
{
    char name[32];
    int status = 0;
    for (int i = 0; i < 200000; i++) {
        snprintf(name, sizeof name, "of many %d", i);
        prof_range_push(name);
        prof_range_pop();
    }
    prof_attr_string("other key", "other text");
    literal();
    attributed();
    pid_t child = fork();
    if (child == 0) {
        prof_range_push("of many 5");
        prof_range_pop();
        for (int i = 0; i < 3; i++) {
            literal();
            attributed();
        }
        raise(SIGKILL);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 0 : 1;
}

/* The child records when its parent is gone, and somebody else has cut the parent's file: PROF_OUTPUT
 * names it. */
static int orphan(void)
{
    int gone[2];
    char byte;
    const char *path = getenv("PROF_OUTPUT");
    if (!path || pipe(gone) != 0)
        return 1;
    pid_t child = fork();
    if (child)
        return 0;
    close(gone[1]);
    if (read(gone[0], &byte, 1) != 0 || truncate(path, 0) != 0)
        _exit(1);
    ranges("parent");
    ranges("child");
    puts("recorded");
    exit(0);
}

/* The fork is inside of a range, which both close: in the child it is not open. */
static int inside(void)
{
    prof_range_push("around");
    pid_t child = fork();
    if (child == 0)
        ranges("child");
    prof_range_pop();
    if (child == 0)
        _exit(3);
    return WEXITSTATUS(reap(child)) == 3 ? 0 : 1;
}

/* Steps count from 0 in every process. */
static int steps(void)
{
    prof_step();
    prof_step();
    pid_t child = fork();
    prof_step();
    if (child == 0)
        _exit(3);
    return WEXITSTATUS(reap(child)) == 3 ? 0 : 1;
}

/* Children that record nothing: by _exit, exit, exec, and never forked properly. */
static int silent(void)
{
    int bad = 0;
    for (int i = 0; i < 5; i++) {
        pid_t child = i == 3 ? vfork() : fork();
        if (child == 0) {
            if (i == 0)
                _exit(7);
            if (i == 1)
                exit(7);
            if (i == 4)
                for (int fd = 3; fd < 1024; fd++)
                    close(fd);
            execlp("sh", "sh", "-c", "exit 7", (char *)NULL);
            _exit(127);
        }
        bad += WEXITSTATUS(reap(child)) != 7;
    }
    char *argv[] = {"sh", "-c", "exit 7", NULL};
    pid_t spawned;
    bad += posix_spawnp(&spawned, "sh", NULL, NULL, argv, environ) != 0 ||
           WEXITSTATUS(reap(spawned)) != 7;
    bad += WEXITSTATUS(system("exit 7")) != 7;
    FILE *pipe = popen("exit 7", "r");
    bad += WEXITSTATUS(pclose(pipe)) != 7;
    return bad;
}

/* Eight threads record and fork 25 times each; every child records and leaves. */
static void *fork_and_record(void *result)
{
    for (int i = 0; i < 25; i++) {
        ranges("forker");
        pid_t child = fork();
        if (child == 0) {
            ranges("child");
            _exit(3);
        }
        if (WEXITSTATUS(reap(child)) != 3)
            __atomic_store_n((int *)result, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static int concurrent(void)
{
    pthread_t threads[8];
    int bad = 0;
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, fork_and_record, &bad);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    return bad;
}

/* Forks children that do nothing; prints how many page faults each of them had. */
static int faults(void)
{
    struct rusage children;
    int bad = 0;
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(7);
        bad += WEXITSTATUS(reap(child)) != 7;
    }
    getrusage(RUSAGE_CHILDREN, &children);
    printf("%ld\n", children.ru_minflt / 20);
    return bad;
}

/* What the parent has reserved for its threads is no load of the child's. */
static int limited(void)
{
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {256 << 20, 256 << 20};
        setrlimit(RLIMIT_AS, &limit);
        _exit(malloc(64 << 20) ? 3 : 4);
    }
    return WEXITSTATUS(reap(child)) == 3 ? 0 : 1;
}

/* A process made behind libc's back has its parent's memory, file included, and no fork handler
 * ever ran. */
static int raw(void)
{
    pid_t child = (pid_t)syscall(SYS_fork);
    if (child == 0) {
        for (int i = 0; i < 100; i++)
            ranges("raw child");
        syscall(SYS_exit_group, 3);
    }
    ranges("beside");
    return WEXITSTATUS(reap(child)) == 3 ? 0 : 1;
}

/* A handler forks; what it interrupted goes on in both processes. */
static volatile int forks_left = 200, bad_children, is_child;

static void fork_in_handler(int signal_number)
{
    (void)signal_number;
    if (is_child || forks_left <= 0)
        return;
    pid_t child = fork();
    if (child == 0)
        is_child = 1;
    else
        bad_children += reap(child) != 3 << 8;
    forks_left--;
}

static int in_handler(void)
{
    signal(SIGALRM, fork_in_handler);
    struct timeval period = {.tv_usec = 500};
    setitimer(ITIMER_REAL, &(struct itimerval){period, period}, NULL);
    while (forks_left > 0 && !is_child) {
        prof_range_push("interrupted");
        prof_range_pop();
    }
    if (is_child) {
        ranges("child");
        _exit(3);
    }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    return bad_children;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "idle_faults"))
        return faults(); /* nothing is recorded */
    ranges("parent");
    int bad = !strcmp(how, "generations")  ? generations()
              : !strcmp(how, "kept")       ? kept()
              : !strcmp(how, "orphan")     ? orphan()
              : !strcmp(how, "inside")     ? inside()
              : !strcmp(how, "steps")      ? steps()
              : !strcmp(how, "silent")     ? silent()
              : !strcmp(how, "concurrent") ? concurrent()
              : !strcmp(how, "faults")     ? faults()
              : !strcmp(how, "limited")    ? limited()
              : !strcmp(how, "raw")        ? raw()
              : !strcmp(how, "in_handler") ? in_handler()
                                           : 99;
    ranges("parent");
    return bad;
}
