#include "itt_calls.h"

#include "itt_handles.h"

#include "annotate.h"
#include "memory.h"
#include "thread.h"

#include <string.h>

/* ---- numbers ---- */

#define ITT_NUMBERS_MAX 4096u

/* By number - 1; store_release -> load_acquire. memory_once(), before the first number. */
static struct interned_text **itt_numbers;
static uint32_t itt_numbers_used; /* may pass ITT_NUMBERS_MAX */

static void itt_number_fill(void *handle, const struct interned_text *text)
{
    uint32_t at = MEMORY_ONCE(&itt_numbers, ITT_NUMBERS_MAX)
                      ? fetch_add_relaxed(&itt_numbers_used, 1u)
                      : ITT_NUMBERS_MAX;
    *(int *)handle = at < ITT_NUMBERS_MAX ? (int)at + 1 : 0;
    if (at < ITT_NUMBERS_MAX)
        store_release(&itt_numbers[at], (struct interned_text *)(uintptr_t)text);
    else
        loss_add(PROF_LOSS_NAMES, 1);
}

static int itt_number(const char *name, size_t bytes_max)
{
    if (!name) {
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
        return 0;
    }
    size_t bytes = strnlen(name, bytes_max);
    struct interned_text *text = itt_space_text(ITT_SPACE_EVENTS, 0, name, bytes);
    const int *number = text ? itt_space_handle(text, sizeof *number, itt_number_fill) : NULL;
    return number ? *number : 0;
}

static struct interned_text *itt_numbered(int number)
{
    uint32_t at = (uint32_t)number - 1;
    struct interned_text **numbers = load_acquire(&itt_numbers);
    struct interned_text *text =
        numbers && at < ITT_NUMBERS_MAX ? load_acquire(&numbers[at]) : NULL;
    if (!text)
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
    return text;
}

static size_t itt_bytes(int bytes)
{
    return bytes < 0 ? SIZE_MAX : (size_t)bytes;
}

/* ---- events and marks ---- */

int itt_event_create(const char *name, int bytes)
{
    return itt_number(name, itt_bytes(bytes));
}

int itt_event_start(int event)
{
    struct interned_text *name = itt_numbered(event);
    if (name)
        itt_span_begin_event((uint32_t)event, name);
    return name ? 0 : -1;
}

int itt_event_end(int event)
{
    struct interned_text *name = itt_numbered(event);
    if (name)
        itt_span_end_event((uint32_t)event);
    return name ? 0 : -1;
}

int itt_mark_create(const char *name)
{
    return itt_number(name, SIZE_MAX);
}

static void itt_mark_record(struct interned_text *name, const char *parameter)
{
    uint64_t begun;
    struct attr_value value = {.type = PROF_ATTR_STRING, .text = parameter};
    uint64_t target = itt_record(LABELLED_MARK, 0, name, false, &begun);
    if (!parameter)
        return;
    value.bytes = strlen(parameter);
    attrs_write(target, "parameter", &value);
}

int itt_mark(int mark, const char *parameter)
{
    struct interned_text *name = itt_numbered(mark);
    if (name && thread_ready(&thread_self))
        itt_mark_record(name, parameter);
    return name ? 0 : -1;
}

/* ---- threads ---- */

void itt_thread_set_name(const char *name)
{
    itt_thr_name_set(name, -1);
}

int itt_thr_name_set(const char *name, int bytes)
{
    char text[PROF_NAME_BYTES_MAX + 1];
    if (!name) {
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
        return -1;
    }
    size_t kept =
        strnlen(name, itt_bytes(bytes) < sizeof text - 1 ? itt_bytes(bytes) : sizeof text - 1);
    memcpy(text, name, kept);
    text[kept] = '\0';
    thread_name_self(text);
    return 0;
}

/* ---- pausing ---- */

static uint32_t itt_detached; /* stored by the thread that detaches */

void itt_pause(void)
{
    recorder_pause(true, PROF_CONTROL_ITT);
}

void itt_resume(void)
{
    if (!load_relaxed(&itt_detached))
        recorder_pause(false, PROF_CONTROL_ITT);
}

void itt_pause_scoped(uint32_t scope)
{
    if (scope & ITT_COLLECTION_HOST)
        itt_pause();
}

void itt_resume_scoped(uint32_t scope)
{
    if (scope & ITT_COLLECTION_HOST)
        itt_resume();
}

void itt_detach(void)
{
    store_relaxed(&itt_detached, 1u);
    itt_pause();
}
