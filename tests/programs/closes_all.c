/* closes_all.c - closes all descriptors but 0 to 2, as many programs do when they begin, and uses those that it then gets: each must
 * be the program's own. Again and again, for 5 ms.
 */
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int use_descriptors(void)
{
    int ends[2];
    char byte = 0;
    for (int fd = 3; fd < 10; fd++)
        close(fd);
    return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && write(ends[1], "x", 1) == 1 &&
           recv(ends[0], &byte, 1, MSG_DONTWAIT) == 1 && byte == 'x' && close(ends[0]) == 0 &&
           close(ends[1]) == 0;
}

int main(void)
{
    for (clock_t end = clock() + CLOCKS_PER_SEC / 200; clock() < end;)
        if (!use_descriptors()) {
            perror("a descriptor");
            return 1;
        }
    return 0;
}
