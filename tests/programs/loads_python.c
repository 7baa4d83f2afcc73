/* loads_python.c - records, and computes while another thread loads a library named as Python's, which has not been relocated yet
 * because the loader is still busy with a library that it needs. With NEEDED, that one; with LIBRARY, the one that is loaded.
 * The argument is its path.
 */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOADER_FD \
    100 /* where what the loader calls says that it was called, and is told to go on */

#if defined NEEDED

const char *needed_version(void);

__attribute__((visibility("hidden"))) const char *needed_real(void)
{
    return "3.11.0";
}

/* This library has not been relocated either: it can call nothing. */
static void needed_transfer(long call, char *byte)
{
#if defined(__x86_64__)
    __asm__ volatile("syscall"
                     : "+a"(call)
                     : "D"((long)LOADER_FD), "S"(byte), "d"(1L)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long fd __asm__("x0") = LOADER_FD;
    register char *bytes __asm__("x1") = byte;
    register long size __asm__("x2") = 1, number __asm__("x8") = call;
    __asm__ volatile("svc 0" : "+r"(fd) : "r"(bytes), "r"(size), "r"(number) : "memory");
#endif
}

__attribute__((used)) static const char *(*needed_choose(void))(void)
{
    char byte = 'x';
    needed_transfer(SYS_write, &byte);
    needed_transfer(SYS_read, &byte);
    return needed_real;
}

const char *needed_version(void) __attribute__((ifunc("needed_choose")));

#elif defined LIBRARY

const char *needed_version(void);
char PyCode_Type[512]; /* of an interpreter that never runs */

const char *Py_GetVersion(void)
{
    return needed_version();
}

void *PyGILState_GetThisThreadState(void)
{
    return (void *)needed_version();
}

#else

static volatile unsigned long sink;

static void *load(void *path)
{
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
        fprintf(stderr, "%s\n", dlerror());
    return library;
}

static void compute_meanwhile(double s)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    double end = (double)now.tv_sec + (double)now.tv_nsec / 1e9 + s;
    do {
        PROF_RANGE("meanwhile");
        for (int i = 0; i < 100000; i++)
            sink += (unsigned long)i ^ (sink >> 3);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < end);
}

int main(int count, char **arguments)
{
    pthread_t loader;
    void *library = NULL;
    int ends[2];
    char byte;
    compute_meanwhile(
        0.1); /* libprof's threads begin: pthread_create() waits for a library's relocation, too */
    if (count < 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 ||
        dup2(ends[1], LOADER_FD) < 0 || pthread_create(&loader, NULL, load, arguments[1]) != 0 ||
        read(ends[0], &byte, 1) != 1)
        return 1;
    compute_meanwhile(0.5);
    if (write(ends[0], &byte, 1) != 1)
        return 1;
    pthread_join(loader, &library);
    return library ? 5 : 2;
}

#endif
