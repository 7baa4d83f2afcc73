/* sample_inside.h - what the files of this folder share: the threads that are sampled, and what a
 * signal handler copies. */
#ifndef PROF_SAMPLE_INSIDE_H
#define PROF_SAMPLE_INSIDE_H

#include "unwind.h"

#define SAMPLE_THREADS_MAX 1024u
#define SAMPLE_SHOTS 4u           /* of a thread that the sampler has not read yet */
#define SAMPLE_STACK_BYTES 32768u /* PyTorch's stacks are 10 to 30 KB deep */
#define SAMPLE_CALLS_MAX 64u      /* Python functions */

/* What a handler found. The handler fills it while `full` is 0 and releases it; the sampler, which
 * acquires it, gives it back. */
struct sample_shot {
    uint32_t full;
    uint32_t call_count;
    uint64_t ticks;
    uint64_t cpu_ns; /* of the thread, so far */
    struct unwind_registers registers;
    uint64_t stack_bytes;
    uint64_t calls[SAMPLE_CALLS_MAX]; /* code objects, innermost first */
    uint8_t stack[SAMPLE_STACK_BYTES];
};

/* A thread of the program. The sampler's own, but for what is said. */
struct sample_thread {
    uint32_t tid;  /* 0: free; handlers read it */
    uint32_t next; /* shot that the handler fills next; the handler's */
    uint32_t read; /* shot that the sampler reads next */
    bool armed;
    int timer;           /* the kernel's number */
    uint64_t python;     /* its interpreter state, as the handler saw it last; handlers write */
    uint64_t shot_ns;    /* CPU time of the latest sample, or when it was armed */
    uint64_t cpu_ns;     /* CPU time at the latest look */
    uint64_t queued_ns;  /* that it had waited for a processor by its latest sample */
    uint64_t same_ticks; /* when the CPU time was first seen to stand still; 0: it moved */
    uint32_t wait_stack; /* of the wait that is going on; 0: it is not known */
    uint32_t wait_calls;
    uint32_t wait_names[SAMPLE_CALLS_MAX];
    bool waits;
};

/* ---- sample_signal.c: a timer for each thread, and the handler ---- */

/* Reserves memory, once. False: the system refuses. */
bool sample_signal_reserve(void);

/* Threads by place; constant once prepared. */
struct sample_thread *sample_thread_at(unsigned place);
struct sample_shot *sample_shot_at(const struct sample_thread *thread, uint32_t number);

/* Has the kernel interrupt the thread after each `period_ns` of its CPU time. Before:
 * own_signal_prepare(). Returns 0, or an errno value. */
int sample_signal_arm(struct sample_thread *thread, uint64_t period_ns);
void sample_signal_disarm(struct sample_thread *thread);
void sample_signal_fork_child(unsigned places);

/* ---- sample_python.c: calls of Python functions ---- */

/* Looks for the interpreter, after unwind_prepare(). The sampler. */
void sample_python_find(void);

/* Reads its calls from now on, once it runs. The sampler. */
void sample_python_begin(void);

/* The calling thread's interpreter state, 0: none. In signal handlers. */
uint64_t sample_python_state(void);

/* The code objects of the functions that a thread is in, innermost first. Reads memory through the
 * kernel: what it finds may be wrong while the thread runs, but does no harm. In signal
 * handlers. */
unsigned sample_python_calls(uint64_t state, uint64_t *calls, unsigned limit);

/* Names of the functions, outermost first: "file.py(LINE): name". Returns how many are code
 * objects. The sampler. */
unsigned sample_python_names(const uint64_t *calls, unsigned count, uint32_t *names);

#endif
