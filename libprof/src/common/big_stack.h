/* big_stack.h - a stack for work that a program's thread does for us: its own may be a coroutine's,
 * of a few KiB. */
#ifndef PROF_BIG_STACK_H
#define PROF_BIG_STACK_H

/* Calls work(argument) on the calling thread, on memory of 1 MiB that is given back at its end.
 * Where there is none, or the processor is not known here, on the stack that the thread has.
 * Signals are blocked meanwhile: a handler may have to know the stack that it is on. */
void big_stack_run(void (*work)(void *argument), void *argument);

#endif
