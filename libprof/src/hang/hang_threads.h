/* hang_threads.h - what each thread of the process is doing: native and Python stacks, as text. */
#ifndef PROF_HANG_THREADS_H
#define PROF_HANG_THREADS_H

/* Looks for the interpreter's function that prints stacks. Takes the loader's lock: not once the program hangs. */
void hang_threads_find_python(void);

/* Appends a "thread" line for each thread and a line for each frame, then the Python stacks. The watching thread only. */
void hang_threads_add(void);

#endif
