#include "clock.h"

#include "number.h"
#include "own_files.h"
#include "process.h"
#include "signals.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

#define CLOCK_ATTEMPTS 8
#define CLOCK_YIELDS 100

uint32_t clock_kind = ARCH_CLOCK_KIND;

static uint32_t clock_decided; /* enum clock_reason; clock_decide() */

uint64_t clock_gettime_ns(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
    return clock_gettime_ns(CLOCK_MONOTONIC);
}

void clock_pause(uint32_t us)
{
    int saved_errno = errno;
    struct timespec moment = {.tv_nsec = us * 1000l};
    syscall(SYS_nanosleep, &moment, NULL);
    errno = saved_errno;
}

void clock_wait(int attempt)
{
    if (attempt < CLOCK_YIELDS)
        sched_yield();
    else
        clock_pause(100);
}

uint64_t clock_now(void)
{
    return clock_read();
}

enum clock_reason { CLOCK_UNDECIDED, CLOCK_TRUSTED, CLOCK_IN_STEP, CLOCK_NOT_TRUSTED };

static const char *const clock_reasons[] = {
    [CLOCK_TRUSTED] = "the processor's counter: it is the kernel's clocksource",
    [CLOCK_IN_STEP] = "the processor's counter: the kernel's clocksource derives from it, and all "
                      "processors agree",
    [CLOCK_NOT_TRUSTED] =
        "CLOCK_MONOTONIC: the processor's counter is not the kernel's clocksource",
};

static enum clock_reason clock_judge(void)
{
    char source[64];
    if (ARCH_CLOCK_KIND == PROF_CLOCK_MONOTONIC ||
        !own_files_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
                        sizeof source))
        return CLOCK_NOT_TRUSTED;
    source[strcspn(source, "\n")] = '\0';
    if (strcmp(source, ARCH_TRUSTED_CLOCKSOURCE) == 0)
        return CLOCK_TRUSTED;
    return counter_may_be_good(source) && counter_is_in_step() ? CLOCK_IN_STEP : CLOCK_NOT_TRUSTED;
}

/* Threads that choose at once may judge differently: the first one's word counts. */
static void clock_decide(void *unused)
{
    (void)unused;
    uint32_t decided = CLOCK_UNDECIDED, mine = (uint32_t)clock_judge();
    if (cas_acq_rel(&clock_decided, &decided, mine))
        decided = mine;
    if (decided == CLOCK_NOT_TRUSTED)
        store_relaxed(&clock_kind, (uint32_t)PROF_CLOCK_MONOTONIC);
}

const char *clock_choose(void)
{
    uint32_t decided = load_acquire(&clock_decided);
    if (decided && (decided != CLOCK_NOT_TRUSTED || clock_kind == PROF_CLOCK_MONOTONIC))
        return clock_reasons[decided];
    big_stack_run(clock_decide, NULL);
    return clock_reasons[load_acquire(&clock_decided)];
}

/* The counter's rate is not something the processor tells, so it is measured between the first
 * sample and now; 0 as long as less than 20 us have passed, which a sample's width (tens of ns)
 * would blur. */
uint64_t clock_ticks_per_second(void)
{
    static struct prof_rec_clock first;
    if (clock_kind == PROF_CLOCK_MONOTONIC)
        return 1000000000u;
    if (arch_ticks_per_second())
        return arch_ticks_per_second();
    if (first.ticks == 0)
        clock_sample(&first);
    struct prof_rec_clock now;
    do
        clock_sample(&now);
    while (now.monotonic_ns - first.monotonic_ns < 20000);
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)(now.ticks - first.ticks) * 1000000000u /
                      (now.monotonic_ns - first.monotonic_ns));
}

static void clock_sample_once(struct prof_rec_clock *sample)
{
    uint64_t before = clock_read();
    sample->monotonic_ns = clock_gettime_ns(CLOCK_MONOTONIC);
    sample->realtime_ns = clock_gettime_ns(CLOCK_REALTIME);
    uint64_t after = clock_read();
    sample->ticks = before + (after - before) / 2;
    sample->width_ticks = after - before;
}

void clock_sample(struct prof_rec_clock *sample)
{
    clock_sample_once(sample);
    for (int attempt = 1; attempt < CLOCK_ATTEMPTS; attempt++) {
        struct prof_rec_clock again = *sample;
        clock_sample_once(&again);
        if (again.width_ticks < sample->width_ticks)
            *sample = again;
    }
}

/* ---- how well the kernel's clock agrees with true time ---- */

/* Asks the kernel; never so that the program could be killed for it.
 *
 * adjtimex() needs no privilege to read, but a seccomp filter may kill a process that calls it:
 * systemd's set @clock has it. So where a filter applies, nobody asks. A child that asks would be
 * no remedy: until Linux 5.16, its end with a core ended all who share its memory.
 */

#define STATUS_BYTES 4096u

/* Whether a seccomp filter applies to this thread; true where that is unknown. */
static bool is_filtered(void)
{
    char status[STATUS_BYTES];
    process_read_file("/proc/thread-self/status", status, sizeof status);
    return !strstr(status, "\nSeccomp:") || number_of_field(status, "\nSeccomp:", 10) != 0;
}

/* A job, as the thread that asks must be the one that was looked at. */
static int ask(void *argument)
{
    struct timex *kernel = argument;
    return is_filtered() || adjtimex(kernel) < 0 ? EPERM : 0;
}

bool system_clock_read(struct prof_rec_system_clock *state)
{
    int error = errno;
    struct signals_saved saved;
    struct timex kernel = {.modes = 0};
    signals_block(&saved);
    bool answered = own_files_run(ask, &kernel) == 0;
    signals_restore(&saved);
    errno = error;
    if (answered)
        *state = (struct prof_rec_system_clock){
            .ticks = clock_read(),
            .max_error_ns = (uint64_t)kernel.maxerror * 1000u,
            .estimated_error_ns = (uint64_t)kernel.esterror * 1000u,
            .flags = kernel.status & STA_UNSYNC ? 0 : PROF_SYSTEM_CLOCK_SYNCHRONIZED};
    return answered;
}
