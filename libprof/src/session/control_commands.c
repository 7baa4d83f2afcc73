#include "control_thread.h"

#include "chunks.h"
#include "config.h"
#include "meta.h"
#include "metrics.h"
#include "output.h"
#include "process.h"
#include "session.h"
#include "signals.h"
#include "summary.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct control_answer {
    char *text;
    size_t size, capacity;
};

__attribute__((format(printf, 2, 3))) static void control_printf(struct control_answer *answer,
                                                                 const char *format, ...)
{
    va_list arguments;
    size_t room = answer->capacity - answer->size;
    va_start(arguments, format);
    int size = vsnprintf(answer->text + answer->size, room, format, arguments);
    va_end(arguments);
    if (size > 0 && (size_t)size < room)
        answer->size += (size_t)size;
}

static const char *control_reason_name(enum prof_control_reason reason)
{
#define CONTROL_NAME(symbol, name) name,
    static const char *const names[] = {PROF_CONTROL_REASONS(CONTROL_NAME)};
#undef CONTROL_NAME
    return reason < PROF_CONTROL_COUNT ? names[reason] : names[PROF_CONTROL_UNKNOWN];
}

static uint64_t control_losses(void)
{
    uint64_t total = 0;
    for (int cause = 0; cause < PROF_LOSS_COUNT; cause++)
        total += loss_get((enum prof_loss_cause)cause);
    return total;
}

/* "file" is what is left of its line, and may hold anything but a newline. */
static void control_status(struct control_answer *answer)
{
    struct session_status status;
    session_describe(&status);
    control_printf(answer, "ok\nprogram %s\n", process_program());
    control_printf(answer, "recording %s\nreason %s\n", status.on ? "on" : "off",
                   control_reason_name(status.reason));
    control_printf(answer, "windows %u\nlosses %llu\n", status.windows,
                   (unsigned long long)control_losses());
    control_printf(answer, "limit_mib %llu\nat_limit %s\n",
                   (unsigned long long)config_get()->max_mib,
                   config_get()->full == CONFIG_FULL_RING ? "ring" : "stop");
    control_printf(answer, "gpu_mode %u\ngpu_reason %s\n", status.gpu_mode, status.gpu_reason);
    if (session_has_file())
        control_printf(answer, "bytes %llu\nfile %s\n",
                       (unsigned long long)chunks_count() * PROF_CHUNK_BYTES, session_path());
}

static void control_switch(struct control_answer *answer, bool on)
{
    struct session_status status;
    session_describe(&status);
    if (status.on == on)
        control_printf(answer, "failed it is %s\n", on ? "already recording" : "not recording");
    else if (session_switch(on, PROF_CONTROL_CTL))
        control_printf(answer, "ok\n");
    else
        control_printf(answer, "failed its recording has ended for good\n");
}

static void control_dump(struct control_answer *answer, const char *path)
{
    if (!session_has_file()) {
        control_printf(answer, "failed it is not recording: there is nothing to write yet\n");
        return;
    }
    int error = *path == '/' ? dump_write(path) : EINVAL;
    if (error)
        control_printf(answer, "failed it cannot write %s: %s\n", path, dump_reason(error));
    else
        control_printf(answer, "ok\n");
}

static void control_metrics(struct control_answer *answer)
{
    struct signals_saved saved;
    signals_block(&saved);
    int error = session_has_file() ? summary_write_metrics() : ENODATA;
    signals_restore(&saved);
    if (!metrics_on())
        control_printf(answer, "failed it was started without PROF_PROMETHEUS\n");
    else if (error == ENODATA)
        control_printf(answer, "failed it is not recording: there is nothing to write yet\n");
    else if (error)
        control_printf(answer, "failed it cannot write metrics to %s: %s\n",
                       config_get()->prometheus, strerror(error));
    else
        control_printf(answer, "ok\nfile %s\n", metrics_path());
}

size_t control_commands_run(const char *command, char *text, size_t text_bytes)
{
    struct control_answer answer = {.text = text, .capacity = text_bytes};
    if (strcmp(command, "status") == 0)
        control_status(&answer);
    else if (strcmp(command, "start") == 0 || strcmp(command, "stop") == 0)
        control_switch(&answer, command[2] == 'a');
    else if (strncmp(command, "dump ", 5) == 0)
        control_dump(&answer, command + 5);
    else if (strcmp(command, "metrics") == 0)
        control_metrics(&answer);
    else
        control_printf(&answer, "failed unknown command\n");
    return answer.size;
}
