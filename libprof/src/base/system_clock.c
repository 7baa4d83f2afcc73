/* system_clock.c - asks the kernel; never so that the program could be killed for it.
 *
 * adjtimex() needs no privilege to read, but a seccomp filter may kill whoever calls it: systemd's set @clock has it. So where a
 * filter applies, nobody asks. A child that asks would be no remedy: until Linux 5.16, its end with a core ended all who share
 * its memory.
 */
#include "system_clock.h"

#include "clock.h"
#include "number.h"
#include "own_fd.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

#define STATUS_BYTES 4096u

/* Whether a seccomp filter applies to this thread; true where that is unknown. */
static bool is_filtered(void)
{
    char status[STATUS_BYTES];
    struct own_fd own = own_fd_adopt(open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC));
    ssize_t size = own_fd_is_ours(&own) ? pread(own.fd, status, sizeof status - 1, 0) : -1;
    own_fd_close(&own);
    if (size <= 0)
        return true;
    status[size] = '\0';
    return !strstr(status, "\nSeccomp:") || number_of_field(status, "\nSeccomp:", 10) != 0;
}

bool system_clock_read(struct prof_rec_system_clock *state)
{
    int error = errno;
    struct signals_saved saved;
    struct timex kernel = {.modes = 0};
    signals_block(&saved);
    bool answered = !is_filtered() && adjtimex(&kernel) >= 0;
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
