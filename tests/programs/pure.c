/* pure seccomp|malloc: after a warm-up, 40,000 pairs, marks and counters with known names must do
 * without any system call (the kernel kills the thread at the first) or, in the other mode, without
 * malloc and locks (abort). */
#define _GNU_SOURCE
#include "raw_seccomp.h"

#include <prof/block.h>

#include <dlfcn.h>
#include <linux/filter.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Standing before libc's; they are called before main and by threads that may. */
static __thread bool trapped;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static void trap(const char *what)
{
    if (trapped) {
        trapped = false;
        fprintf(stderr, "%s on the recording path\n", what);
        abort();
    }
}

void *malloc(size_t size)
{
    trap("malloc");
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    trap("calloc");
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    trap("realloc");
    return __libc_realloc(memory, size);
}

void free(void *memory)
{
    trap("free");
    __libc_free(memory);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static int (*next)(pthread_mutex_t *);
    trap("pthread_mutex_lock");
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    return next(mutex);
}

static void record(int pairs)
{
    uint32_t arena = prof_alloc_track("arena");
    static const char *const names[] = {"first", "second",
                                        "a third name of more than sixteen bytes"};
    char same_content[3][64];
    for (int i = 0; i < 3; i++)
        strcpy(same_content[i], names[i]);
    for (int i = 0; i < pairs; i++) {
        PROF_RANGE("literal");
        prof_range_push(names[i % 3]);
        prof_attr_int("i", i);
        prof_attr_string("key", names[i % 3]);
        prof_range_pop();
        prof_range_push(same_content[i % 3]);
        prof_range_pop();
        prof_range_push_n(names[2], 7);
        prof_range_pop();
        prof_mark("mark");
        prof_counter("counter", i);
        prof_range_end(prof_range_begin("begun"));
        prof_alloc(arena, names, 64);
        prof_free(arena, names);
        PROF_INSTRUCTION_SCOPE(1, (uint32_t)i);
        PROF_SCOPE("event");
    }
}

static void forbid_system_calls(void)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog filter = {sizeof program / sizeof *program, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        raw_seccomp(SECCOMP_SET_MODE_FILTER, 0, &filter) != 0)
        exit(77);
}

int main(int argc, char **argv)
{
    record(1000);
    usleep(200000); /* the writer has prepared space by now */
    if (argc > 1 && !strcmp(argv[1], "seccomp")) {
        forbid_system_calls();
        record(10000);
        syscall(SYS_exit_group, 0);
    }
    trapped = true;
    record(10000);
    trapped = false;
    return 0;
}
