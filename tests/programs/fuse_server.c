/* fuse_server DIRECTORY LOG [MS]: a FUSE file system with one file, DIRECTORY/file, which takes what is written to it. Adds a
 * line to LOG for each request to flush it, and answers it after MS milliseconds. Creates LOG once it is mounted; ends when
 * it is unmounted, with 77 where it cannot be mounted. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT FUSE_ROOT_ID
#define FILE_NODE 2

static int device, delay_ms;
static FILE *flushes;
static uint64_t file_bytes;

static void answer(const struct fuse_in_header *request, int error, const void *body, size_t bytes)
{
    char message[4096];
    struct fuse_out_header head = {.len = (uint32_t)(sizeof head + (error ? 0 : bytes)),
                                   .error = -error,
                                   .unique = request->unique};
    memcpy(message, &head, sizeof head);
    if (!error && bytes)
        memcpy(message + sizeof head, body, bytes);
    if (write(device, message, head.len) < 0 && errno != ENOENT)
        perror("answer");
}

static struct fuse_attr attributes(uint64_t node)
{
    return (struct fuse_attr){.ino = node,
                              .mode = node == ROOT ? S_IFDIR | 0755 : S_IFREG | 0666,
                              .nlink = 1,
                              .size = node == ROOT ? 0 : file_bytes,
                              .blksize = 4096};
}

static void answer_lookup(const struct fuse_in_header *request, const char *name)
{
    struct fuse_entry_out entry = {
        .nodeid = FILE_NODE, .attr_valid = 1, .entry_valid = 1, .attr = attributes(FILE_NODE)};
    answer(request, strcmp(name, "file") == 0 ? 0 : ENOENT, &entry, sizeof entry);
}

static void answer_write(const struct fuse_in_header *request, const struct fuse_write_in *write)
{
    struct fuse_write_out written = {.size = write->size};
    if (write->offset + write->size > file_bytes)
        file_bytes = write->offset + write->size;
    answer(request, 0, &written, sizeof written);
}

static void answer_flush(const struct fuse_in_header *request)
{
    fprintf(flushes, "%u\n", request->pid);
    fflush(flushes);
    usleep((useconds_t)delay_ms * 1000);
    answer(request, 0, NULL, 0);
}

static bool answer_one(const struct fuse_in_header *request, const void *body)
{
    struct fuse_init_out start = {.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 65536};
    struct fuse_attr_out attr = {.attr_valid = 1, .attr = attributes(request->nodeid)};
    struct fuse_open_out opened = {.fh = 1};
    switch (request->opcode) {
    case FUSE_INIT:
        answer(request, 0, &start, sizeof start);
        break;
    case FUSE_LOOKUP:
        answer_lookup(request, body);
        break;
    case FUSE_GETATTR:
    case FUSE_SETATTR:
        answer(request, 0, &attr, sizeof attr);
        break;
    case FUSE_OPEN:
    case FUSE_OPENDIR:
        answer(request, 0, &opened, sizeof opened);
        break;
    case FUSE_WRITE:
        answer_write(request, body);
        break;
    case FUSE_FLUSH:
        answer_flush(request);
        break;
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
    case FUSE_ACCESS:
        answer(request, 0, NULL, 0);
        break;
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        break;
    default:
        answer(request, ENOSYS, NULL, 0);
    }
    return request->opcode != FUSE_DESTROY;
}

int main(int argc, char **argv)
{
    static char request[1 << 20] __attribute__((aligned(8)));
    char options[128];
    if (argc < 3)
        return 1;
    delay_ms = argc > 3 ? atoi(argv[3]) : 0;
    device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
             device);
    if (device < 0 || mount("counted", argv[1], "fuse", 0, options) != 0) {
        perror("no FUSE file system");
        return 77;
    }
    flushes = fopen(argv[2], "w");
    for (bool mounted = true; mounted && flushes;) {
        ssize_t size = read(device, request, sizeof request);
        if (size > 0)
            mounted = answer_one((void *)request, request + sizeof(struct fuse_in_header));
        else if (errno != EINTR && errno != ENOENT)
            mounted = false;
    }
    return 0;
}
