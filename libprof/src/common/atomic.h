/* atomic.h - atomics whose memory order is in their name.
 *
 * They work on plain integers and pointers (gcc's and clang's __atomic builtins): half of our
 * shared words live in the mapped trace file, whose layout format.h gives to C and C++ alike. A
 * word that is ever accessed through these helpers by one thread is accessed through them by all;
 * the comment at its declaration says who they are.
 */
#ifndef PROF_ATOMIC_H
#define PROF_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__aarch64__) && !defined(__SANITIZE_THREAD__)
/* One load, too: gcc computes the address of an atomic one by an instruction of its own, of which a
 * range had three. */
#define load_relaxed(object) (*(const volatile __typeof__(*(object)) *)(object))
#else
#define load_relaxed(object) __atomic_load_n(object, __ATOMIC_RELAXED)
#endif
#define load_acquire(object) __atomic_load_n(object, __ATOMIC_ACQUIRE)
#define load_seq_cst(object) __atomic_load_n(object, __ATOMIC_SEQ_CST)
#define store_relaxed(object, value) __atomic_store_n(object, value, __ATOMIC_RELAXED)
#define store_seq_cst(object, value) __atomic_store_n(object, value, __ATOMIC_SEQ_CST)
#define store_release(object, value) __atomic_store_n(object, value, __ATOMIC_RELEASE)
#define exchange_seq_cst(object, value) __atomic_exchange_n(object, value, __ATOMIC_SEQ_CST)
#define exchange_acquire(object, value) __atomic_exchange_n(object, value, __ATOMIC_ACQUIRE)
#define fetch_add_relaxed(object, value) __atomic_fetch_add(object, value, __ATOMIC_RELAXED)
#define fetch_add_seq_cst(object, value) __atomic_fetch_add(object, value, __ATOMIC_SEQ_CST)
#define fetch_or_relaxed(object, value) __atomic_fetch_or(object, value, __ATOMIC_RELAXED)
#define fetch_and_relaxed(object, value) __atomic_fetch_and(object, value, __ATOMIC_RELAXED)

#define fence_release() __atomic_thread_fence(__ATOMIC_RELEASE)

/* Strong compare-and-swap: on failure `*expected` holds what was found. */
#define cas_acq_rel(object, expected, desired)                                      \
    __atomic_compare_exchange_n(object, expected, desired, false, __ATOMIC_ACQ_REL, \
                                __ATOMIC_ACQUIRE)
#define cas_seq_cst(object, expected, desired)                                      \
    __atomic_compare_exchange_n(object, expected, desired, false, __ATOMIC_SEQ_CST, \
                                __ATOMIC_SEQ_CST)

#endif
