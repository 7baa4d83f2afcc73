/* stacks.c - stacks WAY [ARGUMENT]: launches work() from places where finding the callers is not easy, ends with 0.
 *
 *     plain            from outer() -> middle() (inlined) -> inner()
 *     twice            from two lines of one function
 *     deep N           N calls deep
 *     handler, altstack  from a signal handler, on the thread's stack or on one of its own
 *     context          on the stack of a coroutine of 16 KiB, 100 times
 *     tiny             ranges in a thread with the smallest stack there is
 *     jit              called by machine code made at run time, which a perf map names
 *     broken           called with a frame pointer that points to nowhere, into libc, to unmapped memory ...
 *     plugins A B      from a library that is opened, used and closed, then another; from their constructors too
 *     fork             in a thread, while others launch and fork
 *     errno            ends with 1 when a launch or a push changes errno
 */
#include "cuda_test.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <prof/prof.h>

#define NOINLINE __attribute__((noinline))
#define NOT_LAST __asm__ volatile("" ::: "memory") /* no tail call: the caller stays on the stack */

static bool cuda = true; /* the ways that only push ranges need no CUDA */

NOINLINE void inner(void)
{
    if (cuda) {
        launch_work(1, NULL);
    }
    NOT_LAST;
}

static inline __attribute__((always_inline)) void middle(void)
{
    inner();
    NOT_LAST;
}

NOINLINE void outer(void)
{
    middle();
    NOT_LAST;
}

NOINLINE void twice(void)
{
    inner();
    NOT_LAST;
    inner();
    NOT_LAST;
}

NOINLINE void deep(int depth)
{
    if (depth > 1) {
        deep(depth - 1);
    } else {
        inner();
    }
    NOT_LAST;
}

NOINLINE void on_signal(int number)
{
    (void)number;
    inner();
    NOT_LAST;
}

static void use_handler(bool alternate)
{
    static char stack[65536];
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = alternate ? SA_ONSTACK : 0};
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
}

static ucontext_t main_context, other_context;

NOINLINE void coroutine(void)
{
    for (int i = 0; i < 100; i++) {
        prof_range_push("in a coroutine");
        inner();
        prof_range_pop();
        swapcontext(&other_context, &main_context);
    }
}

static void use_context(void)
{
    const size_t bytes = 65536;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory, 4096, PROT_NONE);
    mprotect(memory + bytes - 4096, 4096, PROT_NONE); /* the stack ends at a wall */
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = memory + 4096;
    other_context.uc_stack.ss_size = bytes - 8192;
    makecontext(&other_context, coroutine, 0);
    for (int i = 0; i < 100; i++) {
        swapcontext(&main_context, &other_context);
    }
}

static void *tiny(void *unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++) {
        prof_range_push("in a tiny thread");
        prof_range_pop();
    }
    return NULL;
}

static void use_tiny(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384);
    pthread_create(&thread, &attributes, tiny, NULL);
    pthread_join(thread, NULL);
}

/* push rbp; mov rbp, rsp; mov rax, [argument]; call rax; pop rbp; ret */
static void (*make_code(void (*function)(void)))(void)
{
    unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8, 0,    0,    0,
                            0,    0,    0,    0,    0,    0xff, 0xd0, 0x5d, 0xc3};
    unsigned char *memory =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code + 6, &function, sizeof function);
    memcpy(memory, code, sizeof code);
    void (*made)(void);
    *(void **)&made = memory;
    return made;
}

static void use_jit(void)
{
    char path[64];
    void (*code)(void) = make_code(outer);
    snprintf(path, sizeof path, "perf-%d.map", (int)getpid());
    FILE *map = fopen(path, "w");
    fprintf(map, "%lx 12 made_at_run_time\n", (unsigned long)(uintptr_t)code);
    fclose(map);
    code();
}

/* Calls `function` with a frame pointer of `value`. */
static void call_with_frame(void (*function)(void), uintptr_t value)
{
    __asm__ volatile(
        "push %%rbp\n\tsub $8, %%rsp\n\tmov %1, %%rbp\n\tcall *%0\n\tadd $8, %%rsp\n\tpop %%rbp"
        :
        : "r"(function), "r"(value)
        : "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12");
}

static void use_broken(void)
{
    char *gone = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(gone, 8192);
    char here[64] = "";
    const uintptr_t at = (uintptr_t)here;
    const uintptr_t values[] = {
        0,
        1,
        8,
        UINTPTR_MAX,
        UINTPTR_MAX - 7,
        0x8000000000000000,
        0xffff800000000000,
        (uintptr_t)gone,
        (uintptr_t)printf,
        at,
        at + 1,
        at + 8,
        at - 65536,
        at + 65536,
        at + (1u << 23),
        at | 0xfff,
        (at | 0xffff) + 1,
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        call_with_frame(outer, values[i]);
    }
}

static void use_plugin(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    void (*enter)(void (*)(void));
    *(void **)&enter = dlsym(library, "plugin_enter");
    enter(inner);
    dlclose(library);
}

static volatile bool over;

static void *launch_on(void *unused)
{
    (void)unused;
    while (!over) {
        outer();
        deep(rand() % 60);
    }
    return NULL;
}

static void use_fork(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[i], NULL, launch_on, NULL);
    }
    for (int i = 0; i < 20; i++) {
        const pid_t child = fork();
        if (child == 0) {
            cuda = false; /* which does not work there */
            alarm(20);
            prof_range_push("child");
            outer();
            prof_range_pop();
            _exit(dlopen("libm.so.6", RTLD_NOW) ? 0 : 1); /* the loader's locks are free */
        }
        int status = -1;
        waitpid(child, &status, 0);
        if (status != 0) {
            fprintf(stderr, "child: wait status %d\n", status);
            _exit(1);
        }
    }
    over = true;
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
}

static int use_errno(void)
{
    int changed = 0;
    for (int i = 0; i < 20; i++) {
        errno = 1234;
        prof_range_push(i % 2 ? "odd" : "even");
        changed += errno != 1234;
        prof_range_pop();
    }
    return changed != 0;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    prof_range_push(way);
    if (!strcmp(way, "plain")) {
        outer();
    } else if (!strcmp(way, "twice")) {
        twice();
    } else if (!strcmp(way, "deep")) {
        deep(atoi(argv[2]));
    } else if (!strcmp(way, "handler") || !strcmp(way, "altstack")) {
        use_handler(!strcmp(way, "altstack"));
    } else if (!strcmp(way, "context")) {
        use_context();
    } else if (!strcmp(way, "tiny")) {
        use_tiny();
    } else if (!strcmp(way, "jit")) {
        use_jit();
    } else if (!strcmp(way, "broken")) {
        use_broken();
    } else if (!strcmp(way, "plugins")) {
        use_plugin(argv[2]);
        use_plugin(argv[3]);
    } else if (!strcmp(way, "fork")) {
        use_fork();
    } else if (!strcmp(way, "errno")) {
        return use_errno();
    } else {
        return 2;
    }
    prof_range_pop();
    return 0;
}
