/* credentials N: records N ranges "range"; as root, becomes an ordinary user that keeps root's capabilities, makes one of
 * them effective, and becomes another user by it; and records as many again. */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define USER 65534
#define OTHER_USER 65533

int capset(cap_user_header_t header, const cap_user_data_t data);

static void ranges(long count)
{
    for (long i = 0; i < count; i++) {
        prof_range_push("range");
        prof_range_pop();
    }
}

static int allow_changing_users(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {
        {.effective = 1u << CAP_SETUID, .permitted = 1u << CAP_SETUID}};
    return capset(&header, data);
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 1000;
    ranges(count);
    if (prctl(PR_SET_KEEPCAPS, 1L, 0L, 0L, 0L) != 0 || setresuid(USER, USER, USER) != 0 ||
        allow_changing_users() != 0 || setresuid(OTHER_USER, OTHER_USER, OTHER_USER) != 0) {
        perror("credentials");
        return 1;
    }
    ranges(count);
    printf("user %u\n", (unsigned)getuid());
    return 0;
}
