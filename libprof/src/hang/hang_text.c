#include "hang_inside.h"

#include "own_files.h"
#include "process.h"
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HANG_TEXT_BYTES (1u << 20)
#define HANG_TEXT_PART 8192u /* of a record; a record is smaller than a chunk */

static struct {
    char *bytes;
    size_t size;
    bool cut;
} hang_text;

bool hang_text_reserve(void)
{
    void *memory = hang_text.bytes;
    bool reserved = process_memory(&memory, HANG_TEXT_BYTES);
    hang_text.bytes = memory;
    return reserved;
}

void hang_text_clear(void)
{
    hang_text.size = 0;
    hang_text.cut = false;
}

void hang_text_add_bytes(const char *bytes, size_t size)
{
    size_t room = HANG_TEXT_BYTES - hang_text.size;
    hang_text.cut |= size > room;
    if (size > room)
        size = room;
    memcpy(hang_text.bytes + hang_text.size, bytes, size);
    hang_text.size += size;
}

void hang_text_add(const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (size > 0)
        hang_text_add_bytes(line, (size_t)size < sizeof line ? (size_t)size : sizeof line - 1);
}

void hang_text_add_quoted(const char *text)
{
    hang_text_add_bytes("\"", 1);
    for (size_t i = 0; text[i] && i < 512; i++)
        hang_text_add_bytes((unsigned char)text[i] < ' ' || text[i] == '"' ? "?" : text + i, 1);
    hang_text_add_bytes("\"", 1);
}

/* A part ends where a line does, if it can. */
static size_t hang_text_part(size_t from)
{
    size_t left = hang_text.size - from;
    if (left <= HANG_TEXT_PART)
        return left;
    const char *end = memrchr(hang_text.bytes + from, '\n', HANG_TEXT_PART);
    return end ? (size_t)(end + 1 - (hang_text.bytes + from)) : HANG_TEXT_PART;
}

static void hang_text_to_meta(uint32_t number)
{
    size_t part;
    for (size_t from = 0; from < hang_text.size; from += part) {
        part = hang_text_part(from);
        struct prof_rec_hang_text head = {.number = number, .bytes = (uint32_t)part};
        meta_append(PROF_REC_HANG_TEXT, &head, sizeof head, hang_text.bytes + from, part);
    }
}

struct hang_text_writing {
    const char *path;
    int error;
};

static int hang_text_to_file(const char *path)
{
    int fd = own_files_create(path, O_WRONLY | O_APPEND, 0600);
    if (fd < 0)
        return errno;
    size_t done = 0;
    ssize_t written = 1;
    while (done < hang_text.size && written > 0) {
        written = write(fd, hang_text.bytes + done, hang_text.size - done);
        done += written > 0 ? (size_t)written : 0;
    }
    int error = done < hang_text.size ? errno : 0;
    syscall(SYS_close, fd);
    return error;
}

static void hang_text_write_now(void *argument)
{
    struct hang_text_writing *writing = argument;
    writing->error = hang_text_to_file(writing->path);
}

int hang_text_write(uint32_t number, const char *path)
{
    if (hang_text.cut) {
        static const char cut[] = "\ncut: the text was too long\n";
        hang_text.size = HANG_TEXT_BYTES - (sizeof cut - 1);
        hang_text_add_bytes(cut, sizeof cut - 1);
    }
    hang_text_to_meta(number);
    struct hang_text_writing writing = {path, 0};
    if (*path)
        own_files_look(hang_text_write_now, &writing);
    return writing.error;
}
