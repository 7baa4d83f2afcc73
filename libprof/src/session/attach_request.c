#include "attach_request.h"

#include "atomic.h"
#include "control_thread.h"
#include "meta.h"
#include "process.h"
#include "session.h"

#include <stdio.h>
#include <string.h>

/* The attacher may send commands at once. */
#define ATTACH_REQUEST_ENTRY_MS 1000u

static void attach_request_answer(struct attach_request *request, enum attach_state state,
                                  const char *text)
{
    snprintf(request->text, sizeof request->text, "%s", text);
    store_release(&request->state, (uint32_t)state);
}

void attach_request_refuse(struct attach_request *request, const char *reason)
{
    attach_request_answer(request, ATTACH_REFUSED, reason);
}

/* The time begins now, also where recording was on. */
static bool attach_request_limit(struct attach_request *request)
{
    const uint32_t *stops = control_thread_stops();
    request->stops_at = (uintptr_t)stops;
    request->stops = load_acquire(stops);
    return !request->for_ms || control_thread_stop_after(request->for_ms);
}

static void attach_request_refuse_file(struct attach_request *request)
{
    char text[ATTACH_TEXT_BYTES];
    const int error = session_error();
    snprintf(text, sizeof text, "%s%s",
             error ? "it cannot create the file: " : "its recording has ended for good",
             error ? strerror(error) : "");
    attach_request_refuse(request, text);
}

void attach_request_run(struct attach_request *request)
{
    const bool had_file = session_has_file();
    const bool switched = session_switch(true, PROF_CONTROL_ATTACH);
    if (!session_ready()) {
        attach_request_refuse_file(request);
        return;
    }
    if (!had_file)
        meta_info(PROF_INFO_NOTE,
                  "libprof was loaded into the running process: what happened before is not "
                  "recorded, such as "
                  "ranges that were open, names, allocations and the making of graphs");
    if (!attach_request_limit(request)) {
        session_switch(false, PROF_CONTROL_ATTACH);
        attach_request_refuse(request, "no thread can be started that would stop the recording");
        return;
    }
    control_thread_await_entry(ATTACH_REQUEST_ENTRY_MS);
    attach_request_answer(request,
                          !had_file  ? ATTACH_RECORDING
                          : switched ? ATTACH_RESUMED
                                     : ATTACH_ON_ALREADY,
                          session_path());
}
