/* attach_stub.h - what runs inside the process that profrun attaches to: a few instructions in a gap of its code, and
 * the memory that they work on.
 *
 * 1. A thread of the process is stopped and sent to the code, with a struct attach_frame on its stack. The code saves
 *    the registers there, blocks signals, maps an area and stops at the return of mmap(2), where profrun
 *    fills the area in.
 * 2. It starts a bare thread with clone(2), restores signal mask and registers, and goes back to where the thread was.
 *    An area that profrun has not filled in, because it was killed, is unmapped instead.
 * 3. The bare thread lets the loader set up thread-local storage for it, calls pthread_create() and ends.
 * 4. That thread is an ordinary one. It loads libprof.so and calls libprof_attach(), which never returns here.
 *
 * So the borrowed thread makes five system calls and takes no lock. All that may wait for a lock of the program happens
 * on threads of our own. If profrun is killed at any moment, the process goes on by itself. The code has no variables:
 * it is the same each time, so one profrun may attach while a thread that another one borrowed is still there.
 */
#ifndef PROFRUN_ATTACH_STUB_H
#define PROFRUN_ATTACH_STUB_H

#include "attach_request.h"

#include <stddef.h>
#include <stdint.h>

enum { ATTACH_PATH_BYTES = 4096, ATTACH_MAGIC = 0x70726f66 };

/* Offsets are used in attach_stub.c's instructions. */
struct attach_area {
    uint64_t magic; /* ATTACH_MAGIC: profrun has filled the area in */
    uint64_t stack; /* of the bare thread: its upper end */
    uint64_t
        thread_id; /* address at which the kernel stores the bare thread's number, for the C library */
    uint64_t thread_gone;  /* address that the kernel clears when that thread has ended */
    uint64_t thread_block; /* thread-local storage of the bare thread: fs */
    uint64_t bytes;        /* of the area */
    uint64_t unused_word;
    uint64_t created; /* 1 + what pthread_create() returned; 0: not called yet */
    uint64_t pthread; /* the new thread */
    uint64_t tls_init, create, detach, dlopen, dlsym, dlerror; /* functions of the C library */
    uint64_t dlopen_flags;
    uint64_t pause[2];    /* 2 s, as a timespec: profrun reads an error meanwhile */
    uint32_t float_state; /* MXCSR */
    uint32_t unused;
    char entry_name[16]; /* libprof_attach */
    char path[ATTACH_PATH_BYTES];
    struct attach_request request;
};

/* Where a thread enters: two bytes before, the kernel leads it that makes its system call again. */
enum { ATTACH_ENTRY = 2 };

/* What the borrowed thread's stack pointer points to when it enters, below the red zone. The code removes both. */
struct attach_frame {
    uint64_t resume; /* where the thread goes on; makes its system call again two bytes before */
    uint64_t area_bytes;
};
enum { ATTACH_RED_ZONE_BYTES = 128 };

/* Of no bytes on a processor for which there is none. */
const void *attach_stub_code(size_t *bytes);

#endif
