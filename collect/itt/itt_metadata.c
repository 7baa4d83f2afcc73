#include "itt_calls.h"

#include "itt_handles.h"

#include "annotate.h"
#include "thread.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint64_t itt_target_of_scope(int scope)
{
    return scope == ITT_SCOPE_MARKER ? PROF_ATTR_OF_MARK : ATTRS_OF_RANGE;
}

/* The key's text, NULL when there is nothing to record. */
static const char *itt_metadata_key(struct itt_string *key, const void *data)
{
    bool parted;
    if (!thread_ready(&thread_self))
        return NULL;
    const struct interned_text *text = data ? itt_string_text(key, &parted) : NULL;
    if (!text)
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
    return text ? text->text : NULL;
}

/* ---- numbers ---- */

/* Apart, since one number does not need the room. */
static __attribute__((noinline)) void itt_metadata_list(uint64_t target, const char *key, int type,
                                                        size_t count, const void *data)
{
    char text[PROF_NAME_BYTES_MAX];
    int saved_errno = errno;
    struct attr_value value = {.type = PROF_ATTR_STRING, .text = text};
    value.bytes = itt_number_list(type, count, data, text, sizeof text);
    attrs_write(target, key, &value);
    errno = saved_errno;
}

static void itt_metadata_numbers(uint64_t target, const char *key, int type, size_t count,
                                 const void *data)
{
    struct attr_value value;
    if (target == UINT64_MAX)
        return;
    if (count == 0 || !itt_number_read(type, data, &value))
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
    else if (count == 1)
        attrs_write(target, key, &value);
    else
        itt_metadata_list(target, key, type, count, data);
}

void itt_metadata_add(const struct itt_domain *domain, struct itt_id id, struct itt_string *key,
                      int type, size_t count, const void *data)
{
    (void)domain;
    const char *text = itt_metadata_key(key, data);
    if (text)
        itt_metadata_numbers(itt_target(id), text, type, count, data);
}

void itt_metadata_add_with_scope(const struct itt_domain *domain, int scope, struct itt_string *key,
                                 int type, size_t count, const void *data)
{
    (void)domain;
    const char *text = itt_metadata_key(key, data);
    if (text)
        itt_metadata_numbers(itt_target_of_scope(scope), text, type, count, data);
}

/* ---- texts ---- */

static void itt_metadata_text(uint64_t target, const char *key, const char *data, size_t bytes)
{
    struct attr_value value = {.type = PROF_ATTR_STRING, .text = data};
    value.bytes = bytes == ITT_TERMINATED ? strlen(data) : bytes;
    if (target != UINT64_MAX)
        attrs_write(target, key, &value);
}

void itt_metadata_str_add(const struct itt_domain *domain, struct itt_id id, struct itt_string *key,
                          const char *data, size_t bytes)
{
    (void)domain;
    const char *text = itt_metadata_key(key, data);
    if (text)
        itt_metadata_text(itt_target(id), text, data, bytes);
}

void itt_metadata_str_add_with_scope(const struct itt_domain *domain, int scope,
                                     struct itt_string *key, const char *data, size_t bytes)
{
    (void)domain;
    const char *text = itt_metadata_key(key, data);
    if (text)
        itt_metadata_text(itt_target_of_scope(scope), text, data, bytes);
}

/* ---- formatted ---- */

/* libc ends the process for a %n in a format that is not constant. */
static bool itt_format_writes(const char *format)
{
    while ((format = strchr(format, '%')) != NULL) {
        format++;
        format += strspn(format, "#0- +'0123456789.*$hljztqL");
        if (*format == 'n')
            return true;
        format += *format != '\0';
    }
    return false;
}

/* Apart: see itt_metadata_list(). */
static __attribute__((noinline)) void itt_metadata_print(uint64_t target, const char *format,
                                                         va_list arguments)
{
    char text[PROF_NAME_BYTES_MAX];
    int saved_errno = errno;
    int bytes = itt_format_writes(format) ? -1 : vsnprintf(text, sizeof text, format, arguments);
    errno = saved_errno;
    if (bytes < 0)
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
    else
        itt_metadata_text(target, "metadata", text, strnlen(text, sizeof text));
}

void itt_formatted_metadata_add(const struct itt_domain *domain, struct itt_string *format, ...)
{
    (void)domain;
    va_list arguments;
    const char *text = itt_metadata_key(format, format);
    if (!text)
        return;
    va_start(arguments, format);
    itt_metadata_print(ATTRS_OF_RANGE, text, arguments);
    va_end(arguments);
}

void itt_formatted_metadata_add_overlapped(const struct itt_domain *domain, struct itt_id id,
                                           struct itt_string *format, ...)
{
    (void)domain;
    va_list arguments;
    const char *text = itt_metadata_key(format, format);
    uint64_t target = text ? itt_target(id) : UINT64_MAX;
    if (target == UINT64_MAX)
        return;
    va_start(arguments, format);
    itt_metadata_print(target, text, arguments);
    va_end(arguments);
}
