/* control.c - the functions of prof.h that control the recording. */
#define PROF_IMPLEMENTATION
#include "prof/prof.h"

#include "atomic.h"
#include "config.h"
#include "log.h"
#include "output.h"
#include "session.h"
#include "thread.h"

#include <errno.h>

const uint32_t *prof_gate(void)
{
    return &thread_gate;
}

const char *prof_status_text(prof_status status)
{
    static const char *const texts[] = PROF_STATUS_TEXTS;
    return (size_t)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

prof_status prof_start(void)
{
    session_start();
    return PROF_OK;
}

prof_status prof_stop(void)
{
    session_stop();
    return PROF_OK;
}

prof_status prof_flush(void)
{
    int saved_errno = errno;
    if (!session_has_file())
        return PROF_NOTHING;
    session_flush((unsigned)config_get()->exit_ms);
    errno = saved_errno;
    return PROF_OK;
}

prof_status prof_dump(const char *path)
{
    if (!path || !*path)
        return PROF_INVALID;
    if (!session_has_file())
        return PROF_NOTHING;
    int saved_errno = errno;
    int error = dump_write(path);
    if (error)
        log_line(LOG_ERROR, "prof_dump: cannot write %s: %s", path, dump_reason(error));
    errno = saved_errno;
    return error ? PROF_FAILED : PROF_OK;
}

prof_status prof_configure(const struct prof_options *options)
{
    if (!options || options->size_bytes < sizeof options->size_bytes)
        return PROF_INVALID;
    if (*session_path())
        return PROF_BUSY;
    struct prof_options known = {0};
    size_t size = options->size_bytes < sizeof known ? options->size_bytes : sizeof known;
    __builtin_memcpy(&known, options, size);
    if (!config_override(known.output, known.max_bytes >> 20, known.ring))
        return PROF_INVALID;
    if (known.emit_nvtx)
        config_emit_nvtx();
    return PROF_OK;
}

prof_status prof_loss(struct prof_loss_counts *counts)
{
    if (!counts || counts->size_bytes < offsetof(struct prof_loss_counts, cause))
        return PROF_INVALID;
    size_t room =
        (counts->size_bytes - offsetof(struct prof_loss_counts, cause)) / sizeof counts->cause[0];
    counts->total = 0;
    for (int cause = 0; cause < PROF_LOSS_COUNT; cause++) {
        uint64_t count = loss_get((enum prof_loss_cause)cause);
        counts->total += count;
        if ((size_t)cause < room)
            counts->cause[cause] = count;
    }
    return PROF_OK;
}

const char *prof_output_path(void)
{
    return session_path();
}

const char *prof_version(void)
{
    return PROF_VERSION_TEXT;
}
