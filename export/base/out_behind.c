/* out_behind.c - two buffers that change hands. */
#include "out_behind.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static int write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(fd, bytes, size);
        if (done < 0 && errno != EINTR)
            return errno;
        if (done > 0) {
            bytes += done;
            size -= (size_t)done;
        }
    }
    return 0;
}

int out_write(int fd, FILE *stream, const char *bytes, size_t size)
{
    if (size == 0)
        return 0;
    if (!stream)
        return write_all(fd, bytes, size);
    errno = 0;
    if (fwrite(bytes, 1, size, stream) == size)
        return 0;
    return errno ? errno : EIO;
}

struct out_behind {
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    char *bytes; /* to be written; NULL: the thread has nothing to do */
    size_t size;
    int error; /* errno of the first failure */
    bool ends;
    int fd;
    FILE *stream;
    char *buffers[2];
};

static void *write_behind(void *argument)
{
    struct out_behind *behind = argument;
    pthread_mutex_lock(&behind->lock);
    for (;;) {
        while (!behind->bytes && !behind->ends)
            pthread_cond_wait(&behind->changed, &behind->lock);
        if (!behind->bytes)
            break;
        int error = behind->error;
        pthread_mutex_unlock(&behind->lock);
        if (!error)
            error = out_write(behind->fd, behind->stream, behind->bytes, behind->size);
        pthread_mutex_lock(&behind->lock);
        behind->error = error;
        behind->bytes = NULL;
        pthread_cond_signal(&behind->changed);
    }
    pthread_mutex_unlock(&behind->lock);
    return NULL;
}

static void free_all(struct out_behind *behind)
{
    pthread_cond_destroy(&behind->changed);
    pthread_mutex_destroy(&behind->lock);
    free(behind->buffers[0]);
    free(behind->buffers[1]);
    free(behind);
}

struct out_behind *out_behind_create(int fd, FILE *stream, size_t buffer_bytes)
{
    struct out_behind *behind = calloc(1, sizeof *behind);
    if (!behind)
        return NULL;
    behind->fd = fd;
    behind->stream = stream;
    pthread_mutex_init(&behind->lock, NULL);
    pthread_cond_init(&behind->changed, NULL);
    behind->buffers[0] = malloc(buffer_bytes);
    behind->buffers[1] = malloc(buffer_bytes);
    if (!behind->buffers[0] || !behind->buffers[1] ||
        pthread_create(&behind->thread, NULL, write_behind, behind) != 0) {
        free_all(behind);
        return NULL;
    }
    return behind;
}

char *out_behind_buffer(struct out_behind *behind)
{
    return behind->buffers[0];
}

/* With the lock held. */
static void wait_until_written(struct out_behind *behind)
{
    while (behind->bytes)
        pthread_cond_wait(&behind->changed, &behind->lock);
}

char *out_behind_swap(struct out_behind *behind, char *full, size_t size)
{
    pthread_mutex_lock(&behind->lock);
    wait_until_written(behind);
    if (size) {
        behind->bytes = full;
        behind->size = size;
        pthread_cond_signal(&behind->changed);
    }
    pthread_mutex_unlock(&behind->lock);
    return full == behind->buffers[0] ? behind->buffers[1] : behind->buffers[0];
}

int out_behind_wait(struct out_behind *behind)
{
    pthread_mutex_lock(&behind->lock);
    wait_until_written(behind);
    int error = behind->error;
    pthread_mutex_unlock(&behind->lock);
    return error;
}

int out_behind_destroy(struct out_behind *behind)
{
    int error = out_behind_wait(behind);
    pthread_mutex_lock(&behind->lock);
    behind->ends = true;
    pthread_cond_signal(&behind->changed);
    pthread_mutex_unlock(&behind->lock);
    pthread_join(behind->thread, NULL);
    free_all(behind);
    return error;
}
