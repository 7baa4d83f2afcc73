/* server.c PORT - answers "GET /N" with a number, each request on a thread of its own that allocates and ends. */
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Each value goes through a block of its own. */
static unsigned compute(unsigned n)
{
    unsigned sum = 0;
    unsigned **blocks = calloc(n * 10 + 1, sizeof *blocks);
    for (unsigned i = 0; i < n * 10; i++) {
        blocks[i] = malloc(sizeof **blocks + i % 500);
        *blocks[i] = (unsigned)((uint64_t)i * i % 1000003);
    }
    for (unsigned i = 0; i < n * 10; i++) {
        sum = (sum * 31 + *blocks[i]) % 1000003;
        free(blocks[i]);
    }
    free(blocks);
    return sum;
}

static void *serve(void *connection)
{
    char text[4096] = "", body[32];
    const int fd = (int)(intptr_t)connection;
    ssize_t size = 0, got;
    while (!strstr(text, "\r\n\r\n") &&
           (got = read(fd, text + size, sizeof text - 1 - (size_t)size)) > 0)
        text[size += got] = '\0';
    unsigned n = 0;
    if (sscanf(text, "GET /%u", &n) == 1) {
        snprintf(body, sizeof body, "%u", compute(n));
        const int length = snprintf(text, sizeof text,
                                    "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: "
                                    "close\r\n\r\n%s",
                                    strlen(body), body);
        if (write(fd, text, (size_t)length) != length)
            perror("write");
    }
    close(fd);
    return NULL;
}

int main(int argc, char **argv)
{
    const int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)atoi(argc > 1 ? argv[1] : "0")),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&name, sizeof name) != 0 || listen(listener, 64) != 0)
        return 1;
    for (;;) {
        const int connection = accept(listener, NULL, NULL);
        pthread_t thread;
        if (connection < 0) {
            perror("accept"); /* such as EINTR */
            return 1;
        }
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)connection) != 0)
            return 1;
        pthread_detach(thread);
    }
}
