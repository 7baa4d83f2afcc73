/* children.c - children HOW: forks after CUDA was used. Each child records ranges of its own, finds CUDA unusable, and
 * ends by HOW (return, _exit); the parent goes on with CUDA. */
#include "cuda_test.h"

#include <prof/prof.h>

#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 3 };

static void be_child(const char *how, int number)
{
    for (int i = 0; i <= number; i++) {
        prof_range_push("child");
        prof_range_pop();
    }
    if (launch_shaped(&kernel_work, 1, 1, 0, NULL) == 0) {
        exit(90);
    }
    if (strcmp(how, "_exit") == 0) {
        _exit(20 + number);
    }
    exit(20 + number);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "return";
    prof_range_push("parent");
    launch_work(5, NULL);
    for (int number = 0; number < CHILDREN; number++) {
        const pid_t child = fork();
        int status = -1;
        if (child == 0) {
            be_child(how, number);
        }
        waitpid(child, &status, 0);
        printf("child %d: %d\n", number, WIFEXITED(status) ? WEXITSTATUS(status) : -status);
    }
    launch_work(5, NULL);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    prof_range_pop();
    return 0;
}
