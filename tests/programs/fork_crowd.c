/* fork_crowd THREADS FORKS: each thread records a range and forks, so many times. One child in 64 records a range of
 * its own. Prints how many children recorded; ends with 1 when a child ended otherwise than it should. */
#include <prof/prof.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECORDING_ONE_OF 64

static int forks, wrong, recorded;

static void *fork_often(void *unused)
{
    for (int i = 0; i < forks; i++) {
        prof_range_push("before fork");
        prof_range_pop();
        int status = -1;
        const pid_t child = fork();
        if (child == 0) {
            if (i % RECORDING_ONE_OF == 0) {
                prof_range_push("child");
                prof_range_pop();
            }
            _exit(7);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
            WEXITSTATUS(status) != 7)
            __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
        else if (i % RECORDING_ONE_OF == 0)
            __atomic_add_fetch(&recorded, 1, __ATOMIC_RELAXED);
    }
    return unused;
}

int main(int argc, char **argv)
{
    const int threads = argc == 3 ? atoi(argv[1]) : 0;
    pthread_t thread[256];
    forks = argc == 3 ? atoi(argv[2]) : 0;
    if (threads < 1 || threads > 256)
        return 2;
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, fork_often, NULL) != 0)
            return 2;
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("%d\n", recorded);
    return wrong > 0;
}
