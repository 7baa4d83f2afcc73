/* endings.c - endings HOW: 50 kernels in the range "before", then the program ends in the named way with status 7. */
#include "cuda_test.h"

#include <prof/prof.h>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void *exit_here(void *unused)
{
    (void)unused;
    exit(7);
}

static pthread_barrier_t both;

static void *exit_with_other(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&both);
    exit(7);
}

static void exit_in_two_threads(void)
{
    pthread_t thread;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, exit_with_other, NULL);
    pthread_barrier_wait(&both);
    exit(7);
}

/* Time for a flush, for which libprof has a thread of its own. */
static void *last_thread(void *unused)
{
    (void)unused;
    usleep(200000);
    prof_range_push("last");
    prof_range_pop();
    return NULL;
}

/* Before anything is launched: kernels run on a thread of the simulation, which never ends. */
static void leave_to_thread(void)
{
    pthread_t thread;
    cuda_check(cudaFree(NULL), "cudaFree");
    prof_range_push("before");
    prof_range_pop();
    pthread_create(&thread, NULL, last_thread, NULL);
    pthread_detach(thread);
    pthread_exit(NULL);
}

static void exit_in_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, exit_here, NULL);
    pthread_join(thread, NULL);
}

/* For whoever kills it; should nobody do so, it ends by itself. */
static void wait_to_be_killed(void)
{
    alarm(60);
    puts("ready");
    fflush(stdout);
    for (;;) {
        pause();
    }
}

static void launch_until_killed(void)
{
    alarm(60);
    for (;;) {
        launch_work(1, NULL);
        cuda_check(cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
    }
}

static void end(const char *how, char **argv)
{
    if (strcmp(how, "two_threads") == 0)
        exit_in_two_threads();
    else if (strcmp(how, "thread") == 0)
        exit_in_thread();
    else if (strcmp(how, "_exit") == 0)
        _exit(7);
    else if (strcmp(how, "quick_exit") == 0)
        quick_exit(7);
    else if (strcmp(how, "abort") == 0)
        abort();
    else if (strcmp(how, "stay") == 0)
        wait_to_be_killed();
    else if (strcmp(how, "launch") == 0)
        launch_until_killed();
    else if (strcmp(how, "exec") == 0)
        execl(argv[0], argv[0], "return", (char *)NULL);
    else if (strcmp(how, "exec_fails") == 0)
        execl("/nonexistent", "nonexistent", (char *)NULL);
}

/* Runs late: registered before CUDA was there. */
static void record_at_exit(void)
{
    prof_range_push("at exit");
    prof_range_pop();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "return";
    if (strcmp(how, "handler") == 0)
        atexit(record_at_exit);
    if (strcmp(how, "main_leaves") == 0)
        leave_to_thread();
    prof_range_push("before");
    launch_work(50, NULL);
    prof_range_pop();
    if (strcmp(how, "unsynchronised") != 0) {
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
    prof_range_push("open");
    end(how, argv);
    launch_work(3, NULL);
    return 7;
}
