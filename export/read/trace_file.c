/* trace_file.c - opens a trace file and decides whether it is one. */
#define _GNU_SOURCE
#include "spool.h"
#include "trace_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of_file(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a directory";
    if (S_ISCHR(mode) || S_ISBLK(mode))
        return "a device";
    if (S_ISFIFO(mode) || S_ISSOCK(mode))
        return "a pipe";
    return "no regular file";
}

/* A file that went through a text-mode transfer has lost its carriage return or gained one. */
static bool damaged_as_text(const uint8_t *bytes)
{
    return memcmp(bytes, "\x89PROF\n", 6) == 0 || memcmp(bytes, "\x89PROF\r\r", 7) == 0 ||
           memcmp(bytes, "\x09PROF", 5) == 0;
}

static bool check_magic(struct trace_file *file, struct read_error *error)
{
    size_t seen = file->size < PROF_FILE_MAGIC_BYTES ? file->size : PROF_FILE_MAGIC_BYTES;
    if (file->size == 0) {
        trace_error_at(error, file->path, 0, "the file is empty");
        return false;
    }
    if (memcmp(file->bytes, PROF_FILE_MAGIC, seen) == 0)
        return true;
    bool text = seen == PROF_FILE_MAGIC_BYTES && damaged_as_text(file->bytes);
    trace_error_at(error, file->path, 0, "%s",
                   text ? "a libprof trace that was damaged by a text-mode transfer"
                        : "not a libprof trace");
    return false;
}

static bool check_byte_order(const struct trace_file *file, struct read_error *error)
{
    uint32_t mark = file->header.byte_order;
    if (mark == PROF_BYTE_ORDER_MARK)
        return true;
    bool swapped = __builtin_bswap32(mark) == PROF_BYTE_ORDER_MARK;
    trace_error_at(error, file->path, offsetof(struct prof_file_header, byte_order), "%s",
                   swapped ? "the trace was written on a machine of the other byte order: read it "
                             "on such a machine"
                           : "the file header is damaged (byte order mark)");
    return false;
}

static bool check_version(const struct trace_file *file, struct read_error *error)
{
    const struct prof_file_header *header = &file->header;
    if (header->version < PROF_FORMAT_VERSION_OLDEST || header->version > PROF_FORMAT_VERSION) {
        trace_error_at(error, file->path, offsetof(struct prof_file_header, version),
                       "the trace has format version %u, this program reads versions %u to %u",
                       header->version, PROF_FORMAT_VERSION_OLDEST, PROF_FORMAT_VERSION);
        return false;
    }
    if (header->header_bytes != PROF_FILE_HEADER_BYTES || header->chunk_bytes != PROF_CHUNK_BYTES) {
        trace_error_at(error, file->path, offsetof(struct prof_file_header, header_bytes),
                       "the file header is damaged (sizes %u and %u instead of %u and %u)",
                       header->header_bytes, header->chunk_bytes, PROF_FILE_HEADER_BYTES,
                       PROF_CHUNK_BYTES);
        return false;
    }
    return true;
}

/* The size was read before the header: the recorder may have added chunks meanwhile. */
static bool has_grown(const struct trace_file *file)
{
    struct stat status;
    return file->mapping && stat(file->path, &status) == 0 && (uint64_t)status.st_size > file->size;
}

/* A recorder counts a chunk when the file has all of it. Where events are copied to the file at
 * intervals, the header may come before the last chunks. */
static bool may_lack_chunks(const struct trace_file *file)
{
    return file->header.state != PROF_STATE_CLOSED && file->size % PROF_CHUNK_BYTES == 0 &&
           (file->header.flags & PROF_FILE_COPIED || has_grown(file));
}

static bool check_length(struct trace_file *file, struct read_error *error)
{
    uint64_t chunks = file->header.chunk_count;
    uint64_t here = file->size / PROF_CHUNK_BYTES;
    if (chunks <= here || may_lack_chunks(file))
        return true;
    file->truncated = true;
    if (!file->partial)
        trace_error_at(error, file->path, file->size,
                       "the file is truncated: %llu of its %llu chunks of %u bytes are here; "
                       "--partial shows what is readable",
                       (unsigned long long)here, (unsigned long long)chunks, PROF_CHUNK_BYTES);
    return file->partial;
}

static bool check_header(struct trace_file *file, struct read_error *error)
{
    if (!check_magic(file, error))
        return false;
    if (file->size < PROF_FILE_HEADER_BYTES) {
        trace_error_at(error, file->path, file->size,
                       "the file is truncated inside its header of %u bytes: nothing is readable",
                       PROF_FILE_HEADER_BYTES);
        return false;
    }
    memcpy(&file->header, file->bytes, sizeof file->header);
    return check_byte_order(file, error) && check_version(file, error) && check_length(file, error);
}

static struct trace_file *file_create(const char *name, bool partial, struct read_error *error)
{
    struct trace_file *file = calloc(1, sizeof *file);
    char *path = strdup(name);
    if (!file || !path) {
        trace_error(error, name, "out of memory");
        free(file);
        free(path);
        return NULL;
    }
    file->path = path;
    file->partial = partial;
    file->process_count = 1;
    return file;
}

static bool map_descriptor(struct trace_file *file, int descriptor, struct read_error *error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        trace_error(error, file->path, "%s", strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        trace_error(error, file->path, "%s, not a libprof trace", kind_of_file(status.st_mode));
        return false;
    }
    if (status.st_size == 0)
        return true;
    void *mapping = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (mapping == MAP_FAILED) {
        trace_error(error, file->path, "cannot be mapped: %s", strerror(errno));
        return false;
    }
    file->mapping = mapping;
    file->bytes = mapping;
    file->size = (size_t)status.st_size;
    return true;
}

static bool map_path(struct trace_file *file, struct read_error *error)
{
    int descriptor = spool_open(file->path, NULL);
    if (descriptor < 0) {
        trace_error(error, file->path, "%s", strerror(errno));
        return false;
    }
    bool mapped = map_descriptor(file, descriptor, error);
    close(descriptor);
    return mapped;
}

struct trace_file *trace_file_open(const char *path, bool partial, struct read_error *error)
{
    struct trace_file *file = file_create(path, partial, error);
    if (file && map_path(file, error) && check_header(file, error))
        return file;
    trace_file_close(file);
    return NULL;
}

/* Records are read as 64-bit words. */
static bool borrow_bytes(struct trace_file *file, const void *bytes, size_t size,
                         struct read_error *error)
{
    file->bytes = bytes;
    file->size = size;
    if ((uintptr_t)bytes % 8 == 0 || size == 0)
        return true;
    file->copy = malloc(size);
    if (!file->copy) {
        trace_error(error, file->path, "out of memory");
        return false;
    }
    memcpy(file->copy, bytes, size);
    file->bytes = file->copy;
    return true;
}

struct trace_file *trace_file_open_memory(const void *bytes, size_t size, const char *name,
                                          bool partial, struct read_error *error)
{
    struct trace_file *file = file_create(name, partial, error);
    if (file && borrow_bytes(file, bytes, size, error) && check_header(file, error))
        return file;
    trace_file_close(file);
    return NULL;
}

struct trace_file *trace_file_open_owned(void *bytes, size_t size, const char *name, bool partial,
                                         struct read_error *error)
{
    struct trace_file *file = trace_file_open_memory(bytes, size, name, partial, error);
    if (file)
        file->copy = bytes; /* malloc()'s alignment: they were not copied */
    else
        free(bytes);
    return file;
}

struct trace_file *trace_file_adopt(const char *path, const struct trace_reader *reader,
                                    void *foreign, uint32_t process_count,
                                    uint64_t start_realtime_ns, struct read_error *error)
{
    struct trace_file *file = file_create(path, false, error);
    if (!file) {
        reader->close(foreign);
        return NULL;
    }
    file->reader = reader;
    file->foreign = foreign;
    file->process_count = process_count;
    file->header.start_realtime_ns = start_realtime_ns;
    return file;
}

void trace_file_close(struct trace_file *file)
{
    if (!file)
        return;
    if (file->reader)
        file->reader->close(file->foreign);
    if (file->mapping)
        munmap(file->mapping, file->size);
    free(file->copy);
    free(file->path);
    free(file);
}

const char *trace_file_path(const struct trace_file *file)
{
    return file->path;
}

uint32_t trace_file_process_count(const struct trace_file *file)
{
    return file->process_count;
}

void trace_file_skip_before(struct trace_file *file, int64_t from_ns)
{
    file->skips = true;
    file->from_ns = from_ns;
}

bool trace_file_is_recording(const struct trace_file *file)
{
    return !file->reader;
}

bool trace_file_is_closed(const struct trace_file *file)
{
    return file->header.state == PROF_STATE_CLOSED;
}

uint32_t trace_file_pid(const struct trace_file *file)
{
    return file->header.pid;
}

uint64_t trace_file_start_realtime_ns(const struct trace_file *file)
{
    return file->header.start_realtime_ns;
}
