/* helpers: its first event comes from a thread that changes what threads inherit: its processors (to the last one), its
 * scheduling class (SCHED_FIFO, where that is allowed), its niceness, the slack of its timers, and which floating-point
 * exceptions raise SIGFPE. Prints what differs of the threads of libprof, and at last how many of them there are. With an
 * argument, the process is one of a program that forked after such a thread. */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <dirent.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* As this program was started. */
static cpu_set_t processors;
static int niceness, class;

/* A line of a file of /proc, without what precedes it; "" none. */
static const char *line_of(int tid, const char *name, const char *key)
{
    static char line[256];
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", tid, name);
    FILE *file = fopen(path, "r");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file))
        found = strncmp(line, key, strlen(key)) == 0;
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return found ? line + strlen(key) : "";
}

static void *be_different(void *unused)
{
    cpu_set_t last;
    int number = CPU_SETSIZE - 1;
    while (!CPU_ISSET(number, &processors))
        number--;
    CPU_ZERO(&last);
    CPU_SET(number, &last);
    sched_setaffinity(0, sizeof last, &last);
    setpriority(PRIO_PROCESS, 0, 5);
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 10});
    prctl(PR_SET_TIMERSLACK, 5000000ul);
    feenableexcept(FE_ALL_EXCEPT);
    prof_range_push("different");
    prof_range_pop();
    return unused;
}

/* What a library does in a thread of the program's may be blocked or not: SIGSYS is not. */
static void check(int tid, const char *name)
{
    cpu_set_t own;
    unsigned long long blocked = strtoull(line_of(tid, "status", "SigBlk:\t"), NULL, 16);
    sched_getaffinity(tid, sizeof own, &own);
    if (sched_getscheduler(tid) != class)
        printf("%s has class %d\n", name, sched_getscheduler(tid));
    if (!CPU_EQUAL(&own, &processors))
        printf("%s may use %d processors of %d\n", name, CPU_COUNT(&own), CPU_COUNT(&processors));
    if (getpriority(PRIO_PROCESS, (id_t)tid) != niceness && geteuid() == 0)
        printf("%s has niceness %d\n", name, getpriority(PRIO_PROCESS, (id_t)tid));
    for (int number = 1; number < SIGSYS; number++)
        if (number != SIGKILL && number != SIGSTOP && !(blocked >> (number - 1) & 1))
            printf("%s has signal %d unblocked\n", name, number);
}

static int check_all(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        char name[32];
        int tid = atoi(entry->d_name);
        snprintf(name, sizeof name, "%s", tid ? line_of(tid, "comm", "") : "");
        if (strncmp(name, "prof-", 5) != 0)
            continue;
        check(tid, name);
        count++;
    }
    closedir(tasks);
    return count;
}

/* They name themselves, which takes long where only a processor without other work runs them. */
static int await_threads(int wanted)
{
    int count = 0;
    for (time_t end = time(NULL) + 600; count < wanted && time(NULL) < end;) {
        usleep(1000);
        count = 0;
        DIR *tasks = opendir("/proc/self/task");
        for (struct dirent *entry; tasks && (entry = readdir(tasks));)
            count += strncmp(line_of(atoi(entry->d_name), "comm", ""), "prof-", 5) == 0;
        closedir(tasks);
    }
    return count;
}

static void record(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, be_different, NULL) != 0)
        exit(1);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    int wanted = argc > 1 ? atoi(argv[1]) : 2, status = 0;
    sched_getaffinity(0, sizeof processors, &processors);
    niceness = getpriority(PRIO_PROCESS, 0);
    class = sched_getscheduler(0);
    record();
    pid_t child = argc > 2 ? fork() : 0;
    if (child > 0) {
        waitpid(child, &status, 0);
        return WEXITSTATUS(status);
    }
    if (argc > 2)
        record();
    await_threads(wanted);
    for (int i = 0; i < 100000; i++) { /* with whatever the writer does meanwhile */
        prof_range_push("range");
        prof_range_pop();
    }
    usleep(400000);
    printf("%d\n", check_all());
    return 0;
}
