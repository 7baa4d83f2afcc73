/* system_clock.c - asks the kernel; never so that the program could be killed for it.
 *
 * adjtimex() needs no privilege to read, but a seccomp filter may kill a process that calls it:
 * systemd's set @clock has it. So where a filter applies, nobody asks. A child that asks would be
 * no remedy: until Linux 5.16, its end with a core ended all who share its memory.
 */
#include "system_clock.h"

#include "clock.h"
#include "number.h"
#include "own_files.h"
#include "process.h"
#include "signals.h"

#include <errno.h>
#include <string.h>
#include <sys/timex.h>

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
