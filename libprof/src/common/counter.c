/* counter.c - whether the processor's counter is a reliable clock although it is not the kernel's
 * clocksource.
 *
 * Under a hypervisor the kernel often uses a paravirtual clock that is computed from the counter
 * (kvm-clock, Hyper-V's page). The counter is as good then, if it never stops and all processors
 * have the same one.
 */
#define _GNU_SOURCE
#include "arch.h"
#include "clock.h"
#include "own_thread.h"
#include "recorder.h"

#include <sched.h>
#include <string.h>

#define COUNTER_PROCESSORS_MAX 16u
#define COUNTER_STEP_NS 1000 /* processors may differ by so much: a launch takes longer */

__extension__ typedef __int128 counter_wide;

bool counter_may_be_good(const char *clocksource)
{
    static const char *const computed_from_it[] = {"kvm-clock", "hyperv_clocksource_tsc_page"};
    for (size_t i = 0; i < sizeof computed_from_it / sizeof *computed_from_it; i++)
        if (strcmp(clocksource, computed_from_it[i]) == 0)
            return true;
    return false;
}

/* ---- all processors at once ---- */

/* Half of the time that the sample took: where in it the clock was read is not known. */
static counter_wide counter_blur_ns(const struct prof_rec_clock *sample, counter_wide ns,
                                    counter_wide ticks)
{
    return (counter_wide)sample->width_ticks * ns / ticks / 2;
}

bool counter_samples_agree(const struct prof_rec_clock *samples, size_t count)
{
    const struct prof_rec_clock *first = &samples[0], *last = &samples[count - 1];
    counter_wide ticks = (counter_wide)last->ticks - first->ticks;
    counter_wide ns = (counter_wide)last->monotonic_ns - first->monotonic_ns;
    if (ticks <= 0 || ns <= 0)
        return false;
    counter_wide allowed =
        COUNTER_STEP_NS + counter_blur_ns(first, ns, ticks) + counter_blur_ns(last, ns, ticks);
    for (size_t i = 1; i + 1 < count; i++) {
        counter_wide line_ns = ((counter_wide)samples[i].ticks - first->ticks) * ns / ticks;
        counter_wide off_ns = (counter_wide)samples[i].monotonic_ns - first->monotonic_ns - line_ns;
        counter_wide allowed_here = allowed + counter_blur_ns(&samples[i], ns, ticks);
        if (off_ns > allowed_here || off_ns < -allowed_here)
            return false;
    }
    return true;
}

static bool counter_sample_on(size_t processor, struct prof_rec_clock *sample)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        return false;
    clock_sample(sample);
    return true;
}

/* On a thread that ends afterwards, or never gets to run on one of the processors. */
static bool counter_compare(void)
{
    struct prof_rec_clock samples[COUNTER_PROCESSORS_MAX + 1];
    cpu_set_t allowed;
    size_t count = 0;
    size_t first = CPU_SETSIZE;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return false;
    unsigned stride = ((unsigned)CPU_COUNT(&allowed) - 1) / COUNTER_PROCESSORS_MAX + 1, number = 0;
    for (size_t processor = 0; processor < CPU_SETSIZE; processor++) {
        if (!CPU_ISSET(processor, &allowed) || number++ % stride)
            continue;
        first = first == CPU_SETSIZE ? processor : first;
        if (!counter_sample_on(processor, &samples[count++]))
            return false;
    }
    return first < CPU_SETSIZE && counter_sample_on(first, &samples[count++]) &&
           counter_samples_agree(samples, count);
}

enum counter_verdict { COUNTER_UNKNOWN, COUNTER_AGREES, COUNTER_DISAGREES };
static uint32_t counter_verdict; /* the thread releases, who waits for it acquires */

static void *counter_main(void *unused)
{
    own_thread_enter("prof-clock");
    thread_mark_silent();
    store_release(&counter_verdict,
                  (uint32_t)(counter_compare() ? COUNTER_AGREES : COUNTER_DISAGREES));
    own_thread_leave();
    return unused;
}

bool counter_is_in_step(void)
{
    enum { PATIENCE_MS = 1000, STACK_BYTES = 64u << 10 };
    uint64_t end_ns = clock_monotonic_ns() + PATIENCE_MS * 1000000ull;
    store_relaxed(&counter_verdict, (uint32_t)COUNTER_UNKNOWN);
    if (!arch_ticks_never_stop() || own_thread_create(STACK_BYTES, counter_main, NULL) != 0)
        return false;
    for (int attempt = 0; !load_acquire(&counter_verdict) && clock_monotonic_ns() < end_ns;
         attempt++)
        clock_wait(attempt);
    return load_acquire(&counter_verdict) == COUNTER_AGREES;
}

/* ---- as time goes by ---- */

/* Of one of the clocks against the other: NTP changes CLOCK_MONOTONIC's rate by 0.05 % at most. */
#define COUNTER_RATE_PER_MILLE 2

bool counter_goes_on(struct counter_watch *watch, const struct prof_rec_clock *sample)
{
    uint64_t ticks = sample->ticks - watch->last.ticks;
    uint64_t ns = sample->monotonic_ns - watch->last.monotonic_ns;
    bool known = watch->ns != 0, began = watch->last.ticks != 0;
    bool back = began && sample->ticks < watch->last.ticks;
    counter_wide expected_ns = known ? (counter_wide)ticks * watch->ns / watch->ticks : 0;
    counter_wide off_ns = expected_ns - (counter_wide)ns;
    counter_wide allowed_ns = (counter_wide)ns * COUNTER_RATE_PER_MILLE / 1000 + 100000;
    watch->last = *sample;
    watch->ticks = began && !back ? ticks : 0;
    watch->ns = began && !back && ticks ? ns : 0;
    return !back && (!known || (off_ns <= allowed_ns && off_ns >= -allowed_ns));
}
