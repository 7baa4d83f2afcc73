/* control_signal.c - PROF_SIGNAL: the handler of the signal that switches recording. */
#include "control_thread.h"
#include "number.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#define CONTROL_SIGNAL_MAX 64u /* the kernel's */

static const struct {
    const char *name;
    int number;
} control_signals[] = {
    {"HUP", SIGHUP},       {"INT", SIGINT},     {"QUIT", SIGQUIT}, {"USR1", SIGUSR1},
    {"USR2", SIGUSR2},     {"ALRM", SIGALRM},   {"TERM", SIGTERM}, {"CONT", SIGCONT},
    {"URG", SIGURG},       {"WINCH", SIGWINCH}, {"IO", SIGIO},     {"PWR", SIGPWR},
    {"VTALRM", SIGVTALRM}, {"PROF", SIGPROF},
};

static struct sigaction control_signal_before; /* set by install, before the handler can run */
static void (*control_signal_switch)(void);

/* What the number after RTMIN or at the beginning is. */
static bool control_signal_number(const char *text, uint64_t first, uint64_t *number)
{
    uint64_t parsed;
    const char *end = number_parse(text, &parsed);
    *number = first + parsed;
    return end && *end == '\0' && parsed <= CONTROL_SIGNAL_MAX;
}

/* 32 and 33 belong to libc. */
static bool control_signal_is_usable(uint64_t number)
{
    if (number >= (uint64_t)SIGRTMIN && number <= (uint64_t)SIGRTMAX)
        return true;
    for (size_t i = 0; i < sizeof control_signals / sizeof *control_signals; i++)
        if (number == (uint64_t)control_signals[i].number)
            return true;
    return false;
}

bool control_signal_parse(const char *text, uint64_t *number)
{
    if (strncmp(text, "SIG", 3) == 0)
        text += 3;
    for (size_t i = 0; i < sizeof control_signals / sizeof *control_signals; i++)
        if (strcmp(text, control_signals[i].name) == 0) {
            *number = (uint64_t)control_signals[i].number;
            return true;
        }
    bool read = strncmp(text, "RTMIN", 5) != 0 ? control_signal_number(text, 0, number)
                : text[5] == '+'
                    ? control_signal_number(text + 6, (uint64_t)SIGRTMIN, number)
                    : control_signal_number(text[5] ? "" : "0", (uint64_t)SIGRTMIN, number);
    return read && control_signal_is_usable(*number);
}

static void control_signal_handle(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    control_signal_switch();
    errno = saved_errno;
    if (control_signal_before.sa_flags & SA_SIGINFO)
        control_signal_before.sa_sigaction(number, info, context);
    else if (control_signal_before.sa_handler != SIG_DFL &&
             control_signal_before.sa_handler != SIG_IGN)
        control_signal_before.sa_handler(number);
}

/* With the flags and the mask of the handler it calls; without one, so that the program's system
 * calls are restarted where they can be. */
void control_signal_install(int number, void (*switch_over)(void))
{
    if (sigaction(number, NULL, &control_signal_before) != 0)
        return;
    struct sigaction ours = control_signal_before;
    bool chained =
        (ours.sa_flags & SA_SIGINFO) || (ours.sa_handler != SIG_DFL && ours.sa_handler != SIG_IGN);
    if (!chained) {
        sigemptyset(&ours.sa_mask);
        ours.sa_flags = SA_RESTART | SA_ONSTACK;
    }
    ours.sa_flags = (ours.sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO;
    ours.sa_sigaction = control_signal_handle;
    control_signal_switch = switch_over;
    sigaction(number, &ours, NULL);
}
