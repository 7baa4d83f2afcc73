/* attach_stub.h - what runs inside the process that profrun attaches to: a few instructions in a
 * gap of its code, and the memory that they work on.
 *
 * 1. A thread of the process is stopped and sent to the code, with a struct attach_frame on its
 * stack. The code saves
 *    the registers there, blocks signals, maps an area and stops at the return of mmap(2), where
 *    profrun fills the area in.
 * 2. It starts a bare thread with clone(2), restores signal mask and registers, and goes back to
 * where the thread was.
 *    An area that profrun has not filled in, because it was killed, is unmapped instead. The only
 *    thread of a process waits until the bare one has ended: until then, libc may leave out locks
 *    in it.
 * 3. The bare thread calls pthread_create(), with a stack in the area, and ends. It has no
 * thread-local storage of the
 *    program's, and no allocator may see it: an allocator keeps data for each thread, and would
 *    refer to that of a thread that is gone. So meanwhile the loader's pointers to malloc() and its
 *    like lead to our code, which serves the bare thread from the area and sends all others on.
 * 4. The first thread is an ordinary one of the C library. It moves what the loader took from the
 * area to the program's
 *    allocator, calls pthread_create() and ends.
 * 5. The second one has nothing in the area. It joins the first, loads libprof.so and calls
 * libprof_attach(), which
 *    never returns here.
 *
 * So the borrowed thread makes five system calls, or six, and takes no lock. All that may wait for
 * a lock of the program happens on threads of our own. If profrun is killed at any moment, the
 * process goes on by itself. The code has no variables: it is the same each time, so one profrun
 * may attach while a thread that another one borrowed is still there.
 */
#ifndef PROFRUN_ATTACH_STUB_H
#define PROFRUN_ATTACH_STUB_H

#include "attach_request.h"

#include <stddef.h>
#include <stdint.h>

enum { ATTACH_PATH_BYTES = 4096, ATTACH_MAGIC = 0x70726f66 };

/* What the loader calls of the program's allocator. */
enum attach_allocation {
    ATTACH_MALLOC,
    ATTACH_CALLOC,
    ATTACH_REALLOC,
    ATTACH_FREE,
    ATTACH_ALLOCATIONS
};

/* Bare threads of one process take turns at the loader's pointers. In memory that is zero at first
 * and stays. A forked child inherits what its parent's threads wrote, and recognizes it by the
 * process's number. */
struct attach_turn {
    uint32_t locked_by; /* the process; 0: nobody */
    uint32_t counted_by;
    uint32_t count; /* of bare threads for which the pointers lead to our code */
    uint32_t unused;
};

/* Beside the bare thread's block (ATTACH_HEAP_AT): the code finds it by the thread's register. */
struct attach_heap {
    uint64_t next;  /* free memory of the heap */
    uint64_t count; /* of allocations */
};

struct attach_area {
    uint64_t magic; /* ATTACH_MAGIC: profrun has filled the area in */
    uint64_t stack; /* of the bare thread: its upper end */
    /* Address at which the kernel stores the bare thread's number, for the C library */
    uint64_t thread_id;
    uint64_t thread_gone;  /* address that the kernel clears when that thread has ended */
    uint64_t thread_block; /* of the bare thread: fs, or tpidr_el0 */
    uint64_t bytes;        /* of the area */
    uint64_t holds;   /* the borrowed thread waits until `done`; 0 when it looks here no more */
    uint64_t created; /* 1 + the error of what could not be done; 0: none */
    uint64_t first, second;                                /* the new threads */
    uint64_t create, join, detach, dlopen, dlsym, dlerror; /* functions of the C library */
    uint64_t dlopen_flags;
    uint64_t pause[2]; /* 2 s, as a timespec: profrun reads an error meanwhile */
    uint64_t blink[2]; /* 1 ms */
    uint64_t turn;     /* address of a struct attach_turn */
    uint64_t pointers[ATTACH_ALLOCATIONS]; /* addresses of the loader's */
    uint64_t ours[ATTACH_ALLOCATIONS];     /* what they are meanwhile */
    uint64_t theirs[ATTACH_ALLOCATIONS];   /* and were */
    uint64_t page, page_bytes; /* of those that the loader makes read-only; 0 bytes: none */
    uint64_t done;             /* the bare thread calls no function any more */
    uint64_t heap;             /* the beginning of the bare thread's heap */
    uint32_t float_state;      /* MXCSR, on x86-64 */
    uint32_t unused;
    char entry_name[16];    /* libprof_attach */
    uint64_t attributes[8]; /* of the first thread, a pthread_attr_t */
    char path[ATTACH_PATH_BYTES];
    struct attach_request request;
};

/* Offsets in the instructions of each processor. */
#define AT(member, offset)                                           \
    _Static_assert(offsetof(struct attach_area, member) == (offset), \
                   #member " is in attach_stub_*.c")
AT(magic, 0);
AT(stack, 8);
AT(thread_id, 16);
AT(thread_gone, 24);
AT(thread_block, 32);
AT(bytes, 40);
AT(holds, 48);
AT(created, 56);
AT(first, 64);
AT(second, 72);
AT(create, 80);
AT(join, 88);
AT(detach, 96);
AT(dlopen, 104);
AT(dlsym, 112);
AT(dlerror, 120);
AT(dlopen_flags, 128);
AT(pause, 136);
AT(blink, 152);
AT(turn, 168);
AT(pointers, 176);
AT(ours, 208);
AT(theirs, 240);
AT(page, 272);
AT(page_bytes, 280);
AT(done, 288);
AT(heap, 296);
AT(entry_name, 312);
AT(attributes, 328);
AT(path, 392);
AT(request, 392 + ATTACH_PATH_BYTES);
AT(request.state, 4488 + 4);
AT(request.thread, 4488 + 12);
AT(request.text, 4488 + 56);
#undef AT
_Static_assert(offsetof(struct attach_turn, counted_by) == 4 &&
                   offsetof(struct attach_turn, count) == 8,
               "in attach_stub_*.c");

/* The code, as it is before the addresses of the program's allocator are put in. */
struct attach_code {
    const void *bytes;
    size_t size;
    size_t theirs; /* offset of those addresses, in the order of enum attach_allocation */
    size_t ours[ATTACH_ALLOCATIONS]; /* offsets of the functions that stand in for them */
};

struct attach_code attach_stub_code(void);

#endif
