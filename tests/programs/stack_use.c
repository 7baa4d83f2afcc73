/* stack_use: calls the recorder on coroutines' stacks and prints how many bytes of them each call needs, as "CALL: BYTES". */
#include <prof/prof.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#ifdef WITH_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

#define STACK_BYTES (1u << 20)
#define UNUSED 0xa5

static unsigned char *stack, *top;
static ucontext_t here, there;
static void (*call)(void);

static void run(void)
{
    unsigned char mark;
    top = &mark;
    call();
    swapcontext(&there, &here);
}

/* Untouched bytes may be ones that a call has reserved without writing to them, but not the lowest: below them is a return
 * address. */
static size_t use_of(void (*called)(void))
{
    size_t unused = 0;
    memset(stack, UNUSED, STACK_BYTES);
    call = called;
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = STACK_BYTES;
    there.uc_link = NULL;
    makecontext(&there, run, 0);
    swapcontext(&here, &there);
    while (stack[unused] == UNUSED)
        unused++;
    return (size_t)(top - stack) - unused;
}

static void show(const char *what, void (*called)(void))
{
    printf("%s: %zu\n", what, use_of(called));
    fflush(stdout);
}

static void nothing(void) {}

static void push(void)
{
    prof_range_push("range");
}

static void pop(void)
{
    prof_range_pop();
}

static void push_new_name(void)
{
    static char name[] = "name 0";
    name[5]++;
    prof_range_push(name);
    prof_range_pop();
}

static void attribute(void)
{
    prof_attr_int("key", 1);
}

static void counter(void)
{
    prof_counter("counter", 1);
}

static void name_thread(void)
{
    prof_thread_name("named");
}

static void fill_chunks(void)
{
    for (int i = 0; i < 100000; i++)
        prof_mark("mark");
}

#ifdef WITH_NVTX
static void nvtx_push(void)
{
    nvtxRangePushA("NVTX");
}

static void nvtx_pop(void)
{
    nvtxRangePop();
}
#endif

static void *other_thread(void *unused)
{
    (void)unused;
    show("first event of a thread", push);
    pop();
    return NULL;
}

int main(void)
{
    pthread_t other;
    stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        return 1;
    use_of(nothing);
    show("first event of the process", push);
    show("push", push);
    show("pop", pop);
    show("new name", push_new_name);
    show("attribute", attribute);
    show("counter", counter);
    show("thread name", name_thread);
    show("new chunks", fill_chunks);
#ifdef WITH_NVTX
    show("NVTX's first push", nvtx_push);
    show("NVTX push", nvtx_push);
    show("NVTX pop", nvtx_pop);
#endif
    return pthread_create(&other, NULL, other_thread, NULL) || pthread_join(other, NULL);
}
