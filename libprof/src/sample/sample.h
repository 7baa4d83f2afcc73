/* sample.h - what the program's threads do: PROF_SAMPLE times a second of CPU time, the stack of
 * each.
 *
 * A timer of the kernel interrupts each thread that runs. The handler copies the registers, the
 * upper part of the stack and the calls of Python, and returns: 12 to 22 us. A thread of ours
 * unwinds the copies, and writes a SAMPLE record for each. The same thread sees which threads do
 * not run at all; where they wait it reads from /proc, without a signal.
 */
#ifndef PROF_SAMPLE_H
#define PROF_SAMPLE_H

#include "recorder.h"

extern const struct collector sample_collector;

bool sample_runs(void);

#endif
