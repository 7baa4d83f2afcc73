/* How ITT is picked up: threads, a forked child, a killed process, a linked library. With WITH_PROF it
 * calls prof.h, too. */
#include "itt_static.h"

#ifdef WITH_PROF
#include <prof/prof.h>
#endif

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8
#define TASKS 10000

static itt_domain *domain;
static itt_string *same, *names[100];

static void *in_a_thread(void *user)
{
    (void)user;
    for (int i = 0; i < TASKS; i++) {
        ITT_CALL(task_begin, domain, itt_null, itt_null, same);
        ITT_CALL(task_begin, domain, itt_null, itt_null, names[i % 100]);
        ITT_CALL(task_begin_overlapped, domain, itt_id_make((unsigned long long)(uintptr_t)&i),
                 itt_null, same);
        ITT_CALL(task_end_overlapped, domain, itt_id_make((unsigned long long)(uintptr_t)&i));
        ITT_CALL(task_end, domain);
        ITT_CALL(task_end, domain);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t all[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&all[i], NULL, in_a_thread, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
}

static void task(const char *name)
{
    ITT_CALL(task_begin, domain, itt_null, itt_null, ITT_GET(string_handle_create, name));
    ITT_CALL(task_end, domain);
}

static void forks(void)
{
    ITT_CALL(task_begin, domain, itt_null, itt_null,
             ITT_GET(string_handle_create, "open in the parent"));
    ITT_CALL(task_begin_overlapped, domain, itt_id_make(1), itt_null, same);
    pid_t child = fork();
    if (child == 0) {
        ITT_CALL(task_end_overlapped, domain, itt_id_make(1));
        task("same");
        task("child");
        exit(0);
    }
    waitpid(child, NULL, 0);
    ITT_CALL(task_end_overlapped, domain, itt_id_make(1));
    task("parent");
    ITT_CALL(task_end, domain);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "none";
    const char *path = getenv("INTEL_LIBITTNOTIFY64");
    puts(path ? path : "not set");
    fflush(stdout);
    domain = itt_early_domain("life");
    itt_bind();
    same = ITT_GET(string_handle_create, "same");
    for (int i = 0; i < 100; i++) {
        char name[32];
        snprintf(name, sizeof name, "task %d", i);
        names[i] = ITT_GET(string_handle_create, name);
    }
#ifdef WITH_PROF
    task("before");
    if (strcmp(mode, "linked") == 0)
        prof_start();
#endif
    if (strcmp(mode, "threads") == 0)
        threads();
    if (strcmp(mode, "fork") == 0)
        forks();
    if (strcmp(mode, "killed") == 0) {
        in_a_thread(NULL);
        kill(getpid(), SIGKILL);
    }
    if (strcmp(mode, "linked") == 0)
        task("linked");
    if (argc > 2)
        return system(argv[2]);
    return 0;
}
