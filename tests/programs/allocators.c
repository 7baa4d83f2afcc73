/* allocators: the program's own allocators, from several threads and in a forked child. What it does is counted in
 * test_recorder_memory.sh. Prints "as documented".
 *
 *     arena     100 allocations of 64 bytes on each of 4 threads; the main thread frees all but one of them
 *     sizes     1000 bytes in all of which only the sizes are known
 *     odd       a free of what was never allocated, unknown allocators, NULL
 *     child     "arena" has the same number; one allocation of 4096 bytes is left
 */
#include <prof/prof.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, BLOCKS = 100 };

static char blocks[THREADS][BLOCKS][64];
static int failures;

static void check(const char *what, int good)
{
    if (!good) {
        failures += printf("wrong: %s\n", what);
    }
}

static void *worker(void *of_thread)
{
    char(*own)[64] = of_thread;
    prof_range_push("worker");
    for (int i = 0; i < BLOCKS; i++) {
        prof_alloc(prof_alloc_track("arena"), own[i], sizeof own[i]);
    }
    prof_range_pop();
    return NULL;
}

static void fill_arena(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, worker, blocks[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void empty_arena(uint32_t arena)
{
    prof_range_push("empty");
    for (int i = 0; i < THREADS * BLOCKS - 1; i++) {
        prof_free(arena, blocks[i / BLOCKS][i % BLOCKS]);
    }
    prof_range_pop();
}

static void odd(uint32_t arena)
{
    check("no name", prof_alloc_track(NULL) == 0); /* counted */
    prof_free(arena, &failures);                   /* counted by the reader */
    prof_free(arena, NULL);
    prof_alloc(0, blocks, 1);      /* counted */
    prof_alloc(999, blocks, 1);    /* counted */
    prof_free(UINT32_MAX, blocks); /* counted */
    check("errno is kept", errno == EXDEV);
}

static void in_child(uint32_t arena)
{
    check("the number in the child", prof_alloc_track("arena") == arena);
    prof_range_push("child");
    prof_alloc(arena, blocks, 4096);
    prof_range_pop();
}

static void all(uint32_t arena, uint32_t sizes)
{
    prof_range_push("main");
    fill_arena();
    empty_arena(arena);
    for (int i = 0; i < 10; i++) {
        prof_alloc(sizes, NULL, 100);
    }
    prof_range_pop();
    odd(arena);
}

int main(int argc, char **argv)
{
    int is_recorded = argc > 1 && strcmp(argv[1], "recorded") == 0, status = 0;
    uint32_t arena = prof_alloc_track("arena"), sizes = prof_alloc_track("sizes");
    check("numbers", is_recorded ? arena == 1 && sizes == 2 : arena == 0 && sizes == 0);
    check("the same number again", prof_alloc_track("arena") == arena);
    errno = EXDEV;
    all(arena, sizes);
    pid_t child = fork();
    if (child == 0) {
        in_child(arena);
        return failures != 0;
    }
    waitpid(child, &status, 0);
    check("the child", status == 0);
    puts(failures ? "not as documented" : "as documented");
    return failures != 0;
}
