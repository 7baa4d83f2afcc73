#include "control_thread.h"

#include "chunks.h"
#include "clock.h"
#include "config.h"
#include "meta.h"
#include "metrics.h"
#include "number.h"
#include "output.h"
#include "process.h"
#include "session.h"
#include "signals.h"
#include "summary.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CONTROL_FOR_MAX_MS 86400000u

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

static void control_list_sessions(struct control_answer *answer)
{
    uint64_t now = clock_monotonic_ns();
    for (const struct control_session *session = control_sessions_next(NULL); session;
         session = control_sessions_next(session)) {
        uint64_t left_ms = session->end_ns > now ? (session->end_ns - now) / 1000000 : 0;
        control_printf(answer, "session %u", session->number);
        if (session->end_ns != UINT64_MAX)
            control_printf(answer, " for=%llu", (unsigned long long)left_ms);
        char detail[32];
        config_gpu_detail_text(session->detail, detail, sizeof detail);
        if (session->has_detail)
            control_printf(answer, " detail=%s", detail);
        control_printf(answer, "\n");
    }
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
    control_list_sessions(answer);
    if (session_has_file())
        control_printf(answer, "bytes %llu\nfile %s\n",
                       (unsigned long long)chunks_count() * PROF_CHUNK_BYTES, session_path());
}

/* Without an end, where recording is on only until sessions end: it stays on after them. */
static bool control_is_on_for_good(void)
{
    const struct control_session *session = control_sessions_next(NULL);
    bool timed = session != NULL;
    for (; session; session = control_sessions_next(session))
        timed &= session->end_ns != UINT64_MAX;
    return recorder_on() && !timed;
}

/* "for=30000 detail=full", either or both or "". Returns what is wrong, or NULL. */
static const char *control_parse_start(const char *options, uint64_t *for_ms, uint64_t *detail,
                                       bool *has_detail)
{
    while (*options) {
        char word[32];
        size_t size = strcspn(options, " ");
        snprintf(word, sizeof word, "%.*s", (int)size, options);
        if (strncmp(word, "for=", 4) == 0) {
            const char *end = number_parse(word + 4, for_ms);
            if (!end || *end || !*for_ms || *for_ms > CONTROL_FOR_MAX_MS)
                return "its time is wrong";
        } else if (strncmp(word, "detail=", 7) == 0) {
            *has_detail = config_parse_gpu_detail(word + 7, detail);
            if (!*has_detail)
                return "it does not know that level of detail";
        } else {
            return "it does not know that option";
        }
        options += size + (options[size] == ' ');
    }
    return NULL;
}

static void control_start(struct control_answer *answer, const char *options)
{
    uint64_t for_ms = 0, detail = 0;
    bool has_detail = false;
    const char *wrong = control_parse_start(options, &for_ms, &detail, &has_detail);
    if (!wrong && !*options && control_is_on_for_good())
        wrong = "it is already recording";
    if (wrong) {
        control_printf(answer, "failed %s\n", wrong);
        return;
    }
    uint32_t number = control_sessions_start(for_ms, has_detail ? &detail : NULL);
    if (number)
        control_printf(answer, "ok\nsession %u\n", number);
    else
        control_printf(answer, "failed its recording has ended for good, or it has 16 sessions\n");
}

static void control_stop(struct control_answer *answer, const char *number_text)
{
    uint64_t number = 0;
    const char *end = number_parse(number_text, &number);
    if (*number_text &&
        (!end || *end || number > UINT32_MAX || !control_sessions_stop((uint32_t)number)))
        control_printf(answer, "failed there is no session %s\n", number_text);
    else if (*number_text || session_switch(false, PROF_CONTROL_CTL))
        control_printf(answer, "ok\n");
    else
        control_printf(answer, "failed it is not recording\n");
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
    else if (strcmp(command, "start") == 0 || strncmp(command, "start ", 6) == 0)
        control_start(&answer, command + 5 + (command[5] == ' '));
    else if (strcmp(command, "stop") == 0 || strncmp(command, "stop ", 5) == 0)
        control_stop(&answer, command + 4 + (command[4] == ' '));
    else if (strncmp(command, "dump ", 5) == 0)
        control_dump(&answer, command + 5);
    else if (strcmp(command, "metrics") == 0)
        control_metrics(&answer);
    else
        control_printf(&answer, "failed unknown command\n");
    return answer.size;
}
