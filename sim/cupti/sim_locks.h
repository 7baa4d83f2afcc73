/* sim_locks.h - makes violations of the real library's locking rules visible. */
#ifndef SIM_LOCKS_H
#define SIM_LOCKS_H

/* Around the client's buffer functions. CUPTI may hold its locks while it runs them: whatever enters
 * CUPTI from there, other than to read records, ends the process (SIM_BUFFER_CALLS=1: it does not).
 */
void sim_locks_buffer_begin(void);
void sim_locks_buffer_end(void);

/* Around the subscriber's callbacks of CUDA calls: with SIM_API_LOCK=1 one lock is held meanwhile. */
void sim_locks_api_begin(void);
void sim_locks_api_end(void);

/* What every function of CUPTI that may take its locks does first: it waits for the callbacks of
 * other threads (SIM_API_LOCK), and ends the process in a buffer function.
 *
 * name  as exported.
 */
void sim_locks_enter(const char *name);

/* Around a flush, and around switching off a kind. Up to 13.0 both at once on two threads end the
 * process (SIM_FLUSH_DISABLE=1: they do not). */
void sim_locks_flush_begin(void);
void sim_locks_flush_end(void);
void sim_locks_disable_begin(void);
void sim_locks_disable_end(void);

#endif
