/* cleanup.c - see cleanup.h. */
#include "cleanup.h"

#include "out_file.h"

#include <signal.h>

static void on_end(int signal_number)
{
    out_file_remove_temporary();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void cleanup_on_signals(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    struct sigaction action = {.sa_handler = on_end};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
    }
}
