/* pid_one: as process 1 of its PID namespace, launches 100 kernels; makes, without libc's fork(), a child that is process 1 of
 * another one and exits; and launches 100 more. Prints the child's wait status, and how many milliseconds it took. */
#define _GNU_SOURCE
#include "cuda_test.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(void)
{
    int status = -1;
    if (getpid() != 1)
        return 2;
    launch_work(100, NULL);
    long began_ms = now_ms();
    pid_t child = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0)
        exit(getpid() != 1);
    if (child < 0)
        return 77;
    waitpid(child, &status, 0);
    long took_ms = now_ms() - began_ms;
    launch_work(100, NULL);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    printf("%d %ld\n", status, took_ms);
    return 0;
}
