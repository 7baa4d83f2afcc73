/* blocks WHAT: profiling blocks as programs use them, and as they have been misused; each dumps into
 * files of the current directory. test_recorder_blocks.sh says what must be in them. */
#include <prof/block.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

static void check(const char *what, int good)
{
    if (!good)
        failures += printf("wrong: %s\n", what);
}

static void dump(const char *path)
{
    check(path, PROF_DUMP_RESULTS(path) == PROF_OK);
}

static void event(const char *name)
{
    PROF_SCOPE(name);
}

/* 1: after a dump, a new block or a reset made the next dump take text for a pointer. */
static void dump_create_dump(void)
{
    event("a");
    dump("first.etprof");
    PROF_CREATE_BLOCK("B");
    event("b");
    dump("second.etprof");
    PROF_RESET_RESULTS();
    event("c");
    dump("third.etprof");
    dump("fourth.etprof");
}

/* 2: events after a dump were written as raw pointers by the next. */
static void dump_more_dump(void)
{
    event("a");
    dump("first.etprof");
    event("b");
    dump("second.etprof");
}

/* 3: allocators of a later block took the numbers and so the names of an earlier one's. */
static void allocators(void)
{
    PROF_CREATE_BLOCK("A");
    uint32_t first = PROF_TRACK_ALLOCATOR("alloc_of_A");
    PROF_TRACK_ALLOCATION(first, 100);
    PROF_CREATE_BLOCK("B");
    uint32_t second = PROF_TRACK_ALLOCATOR("alloc_of_B");
    PROF_TRACK_ALLOCATION(second, 1000);
    PROF_TRACK_ALLOCATION(first, 10);
    PROF_TRACK_ALLOCATION(first, 0);
    PROF_TRACK_ALLOCATION(PROF_NO_ALLOCATOR, 77);
    PROF_TRACK_ALLOCATION(0, 77);
    dump("out.etprof");
}

/* 4: a block with fewer iterations than the one before it. 7: iterations of different lengths. */
static void iterations(void)
{
    for (int i = 0; i < 3; i++) {
        PROF_CREATE_BLOCK("A");
        for (int j = 0; j <= i; j++)
            event("a");
    }
    PROF_CREATE_BLOCK("B");
    event("b");
    dump("out.etprof");
}

/* 5: an empty block. One that was never used is renamed by the next. */
static void empty(void)
{
    PROF_CREATE_BLOCK("never used");
    check("nothing to dump", PROF_DUMP_RESULTS("none.etprof") == PROF_NOTHING);
    PROF_CREATE_BLOCK("A");
    event("a");
    PROF_CREATE_BLOCK("emptied");
    event("b");
    PROF_RESET_RESULTS();
    PROF_CREATE_BLOCK("last");
    dump("out.etprof");
}

/* 6: an event without end; one that begins in one block and ends in the next. */
static void crossing(void)
{
    PROF_CREATE_BLOCK("A");
    PROF_BEGIN("never ends");
    uint64_t token = PROF_BEGIN("crosses");
    PROF_CREATE_BLOCK("B");
    uint64_t inner = PROF_BEGIN("of B");
    PROF_END(token);
    PROF_END(inner);
    dump("out.etprof");
}

/* 8, 13: several executions in a block, and a kernel's call inside another's. */
static void nested(void)
{
    for (int i = 0; i < 2; i++) {
        PROF_SCOPE("Method::execute");
        PROF_INSTRUCTION_SCOPE(i, 7);
        PROF_SCOPE("native_call_outer");
        PROF_INSTRUCTION_SCOPE(i, 8);
        event("native_call_inner");
    }
    event("outside");
    dump("out.etprof");
}

/* 11: more than a buffer holds, names that do not outlive the call, tokens that are none, an
 * allocation beyond 32 bits. */
static void limits(void)
{
    char name[64];
    for (int i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "event %d", i % 100);
        uint64_t token = PROF_BEGIN(name);
        memset(name, 'x', sizeof name - 1);
        PROF_END(token);
    }
    PROF_END(12345);
    PROF_END(UINT64_MAX);
    PROF_END(0);
    PROF_CREATE_BLOCK("names");
    event("0123456789abcdef0123456789abcdef");
    event("0123456789abcdef0123456789abcdefg");
    event("0123456789abcdef0123456789abcd\xc3\xa9z");
    event("0123456789abcdef0123456789abcde\xc3\xa9");
    event("\xe4\xb8\xad\xe6\x96\x87 \xff");
    event(NULL);
    event("");
    PROF_CREATE_BLOCK(NULL);
    uint32_t pool = PROF_TRACK_ALLOCATOR("pool");
    PROF_TRACK_ALLOCATION(pool, (size_t)UINT32_MAX);
    PROF_TRACK_ALLOCATION(pool, (size_t)5 << 30);
    check("an allocator without a name", PROF_TRACK_ALLOCATOR(NULL) == PROF_NO_ALLOCATOR);
    dump("out.etprof");
    check("a dump nowhere", PROF_DUMP_RESULTS("no/such/out.etprof") == PROF_FAILED);
    check("a dump without a name", PROF_DUMP_RESULTS(NULL) == PROF_INVALID);
}

/* 12: an event before any block. */
static void before_blocks(void)
{
    event("early");
    PROF_CREATE_BLOCK("A");
    event("a");
    dump("out.etprof");
}

struct worker {
    pthread_t thread;
    int32_t chain;
    uint64_t token;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    PROF_INSTRUCTION_SCOPE(worker->chain, 0);
    for (uint32_t i = 0; i < 5000; i++) {
        PROF_INSTRUCTION_SCOPE(worker->chain, i);
        event("step");
    }
    PROF_END(worker->token);
    return NULL;
}

static void threads(void)
{
    struct worker workers[4];
    PROF_CREATE_BLOCK("threads");
    PROF_INSTRUCTION_SCOPE(100, 100);
    for (int32_t i = 0; i < 4; i++) {
        workers[i].chain = i;
        workers[i].token = PROF_BEGIN("ended by its thread");
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(workers[i].thread, NULL);
    PROF_CREATE_BLOCK("afterwards");
    event("main");
    dump("out.etprof");
}

static void forks(void)
{
    PROF_CREATE_BLOCK("parent's");
    uint32_t pool = PROF_TRACK_ALLOCATOR("pool");
    PROF_TRACK_ALLOCATION(pool, 1);
    event("parent");
    PROF_INSTRUCTION_SCOPE(1, 2);
    pid_t child = fork();
    if (child == 0) {
        event("child");
        PROF_TRACK_ALLOCATION(pool, 2);
        PROF_CREATE_BLOCK("child's");
        event("child");
        dump("child.etprof");
        exit(failures != 0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    check("the child", status == 0);
    dump("out.etprof");
}

/* Tracked and entered while recording is off, used while it is on. */
static void switched(void)
{
    uint32_t pool = PROF_TRACK_ALLOCATOR("pool");
    PROF_CREATE_BLOCK("lost");
    check("a token while off", PROF_BEGIN("lost") == 0);
    PROF_RESET_RESULTS();
    check("a dump while off", PROF_DUMP_RESULTS("none.etprof") == PROF_NOTHING);
    PROF_INSTRUCTION_SCOPE(3, 4);
    prof_start();
    event("kept");
    PROF_TRACK_ALLOCATION(pool, 5);
    prof_stop();
    event("lost");
    PROF_TRACK_ALLOCATION(pool, 6);
    dump("out.etprof");
}

static void absent(void)
{
    struct prof_instruction where = prof_instruction_enter(1, 2);
    check("where", where.chain == PROF_NO_CHAIN && where.index == 0);
    prof_instruction_leave(where);
    check("a token", PROF_BEGIN("absent") == 0);
    check("an allocator", PROF_TRACK_ALLOCATOR("absent") == PROF_NO_ALLOCATOR);
    check("a dump", PROF_DUMP_RESULTS("none.etprof") == PROF_ABSENT);
    PROF_CREATE_BLOCK("absent");
    PROF_RESET_RESULTS();
    event("absent");
}

static int late; /* whether the handlers of exit have something to do */

__attribute__((constructor)) static void early(void)
{
    if (getenv("EARLY_BLOCK"))
        event("constructor");
}

__attribute__((destructor)) static void very_late(void)
{
    if (!late)
        return;
    event("destructor");
    dump("out.etprof");
}

static void life(void)
{
    late = 1;
    event("main");
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"dump_create_dump", dump_create_dump},
    {"dump_more_dump", dump_more_dump},
    {"allocators", allocators},
    {"iterations", iterations},
    {"empty", empty},
    {"crossing", crossing},
    {"nested", nested},
    {"limits", limits},
    {"before_blocks", before_blocks},
    {"threads", threads},
    {"forks", forks},
    {"switched", switched},
    {"absent", absent},
    {"life", life},
};

int main(int argc, char **argv)
{
    errno = EXDEV;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (argc == 2 && strcmp(argv[1], modes[i].name) == 0)
            modes[i].run();
    check("errno is kept", errno == EXDEV);
    puts(failures ? "not as documented" : "as documented");
    return failures != 0;
}
