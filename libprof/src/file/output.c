#include "output.h"

#include "environment.h"

#include "prof/format.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

struct output_text {
    char *at;
    size_t size, capacity;
    bool overflow;
};

static void output_put(struct output_text *text, char c)
{
    if (text->size + 1 >= text->capacity)
        text->overflow = true;
    else
        text->at[text->size++] = c;
}

static void output_put_value(struct output_text *text, const char *value)
{
    for (; value && *value; value++)
        output_put(text, *value == '/' ? '_' : *value);
}

static void output_put_number(struct output_text *text, uint32_t number)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", number);
    output_put_value(text, digits);
}

/* `escape` points after "%q{". Returns the character after '}', or NULL when there is none. */
static const char *output_put_variable(struct output_text *text, const char *escape)
{
    char name[128];
    const char *end = strchr(escape, '}');
    if (!end || (size_t)(end - escape) >= sizeof name)
        return NULL;
    memcpy(name, escape, (size_t)(end - escape));
    name[end - escape] = '\0';
    output_put_value(text, environment_get(name));
    return end + 1;
}

/* `escape` points after '%'. Returns where to go on. */
static const char *output_put_escape(struct output_text *text, const char *escape,
                                     const struct output_facts *facts)
{
    if (escape[0] == 'q' && escape[1] == '{') {
        const char *rest = output_put_variable(text, escape + 2);
        if (rest)
            return rest;
    }
    switch (*escape) {
    case 'p':
        output_put_number(text, facts->pid);
        break;
    case 'h':
        output_put_value(text, facts->host);
        break;
    case 'r':
        output_put_number(text, facts->rank < 0 ? 0 : (uint32_t)facts->rank);
        break;
    case 'R':
        if (facts->rank >= 0) {
            output_put_value(text, "-rank");
            output_put_number(text, (uint32_t)facts->rank);
        }
        break;
    case 'n':
        output_put_number(text, facts->number);
        break;
    case 'e':
        output_put_value(text, facts->program);
        break;
    case '%':
        output_put(text, '%');
        break;
    default:
        output_put(text, '%');
        return escape;
    }
    return escape + 1;
}

bool output_expand(const char *pattern, const struct output_facts *facts, char *path,
                   size_t path_bytes)
{
    struct output_text text = {.at = path, .capacity = path_bytes};
    while (*pattern) {
        if (*pattern == '%')
            pattern = output_put_escape(&text, pattern + 1, facts);
        else
            output_put(&text, *pattern++);
    }
    path[text.size] = '\0';
    return !text.overflow && text.size > 0;
}

static bool output_has(const char *pattern, char escape)
{
    for (; *pattern; pattern++)
        if (*pattern == '%' && *++pattern == escape)
            return true;
        else if (!*pattern)
            return false;
    return false;
}

bool output_has_number(const char *pattern)
{
    return output_has(pattern, 'n');
}

bool output_beside(const char *path, uint32_t pid, unsigned attempt, char *other,
                   size_t other_bytes)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const char *extension = dot && dot != base ? dot : base + strlen(base);
    char counter[16] = "";
    if (attempt > 1)
        snprintf(counter, sizeof counter, "-%u", attempt);
    int size = snprintf(other, other_bytes, "%.*s-%u%s%s", (int)(extension - path), path, pid,
                        counter, extension);
    return size > 0 && (size_t)size < other_bytes;
}

bool output_may_replace(const char *path)
{
    char head[PROF_FILE_MAGIC_BYTES];
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool regular = fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
    ssize_t size = regular ? read(fd, head, sizeof head) : -1;
    if (fd >= 0)
        close(fd);
    return size == 0 || (size == sizeof head && memcmp(head, PROF_FILE_MAGIC, sizeof head) == 0);
}

/* ---- disk space ---- */

#define SPACE_XFS 0x58465342u

/* These never write a block in its old place, or not if a snapshot has it. ZFS loses the page
 * without a signal. */
static const uint32_t space_copying[] = {BTRFS_SUPER_MAGIC,         F2FS_SUPER_MAGIC,
                                         NILFS_SUPER_MAGIC,         0x2fc12fc1 /* zfs */,
                                         0xca451a4e /* bcachefs */, 0x7461636f /* ocfs2 */};

/* Whether a file can be copied without copying its blocks: to clone an empty file does nothing, and
 * no file system refuses it that can clone others. Overlay file systems ask the one below, whose
 * type they hide. Others may ask a server. */
static bool space_can_clone(int fd)
{
    struct file_clone_range nothing = {.src_fd = fd};
    return ioctl(fd, FICLONERANGE, &nothing) == 0;
}

static bool space_is_copied(int fd, uint32_t type)
{
    for (size_t i = 0; i < sizeof space_copying / sizeof *space_copying; i++)
        if (type == space_copying[i])
            return true;
    return (type == OVERLAYFS_SUPER_MAGIC || type == SPACE_XFS) && space_can_clone(fd);
}

/* Of the ones above only Btrfs can do that, also below an overlay. The file has no checksums
 * then. */
static void space_write_in_place(int fd)
{
    int flags;
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
        return;
    flags |= FS_NOCOW_FL;
    (void)ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

bool space_keep(int fd)
{
    struct statfs status;
    if (fstatfs(fd, &status) != 0 || !space_is_copied(fd, (uint32_t)status.f_type))
        return true;
    space_write_in_place(fd);
    return false;
}

int space_reserve_if_possible(int fd, uint64_t offset, uint64_t bytes)
{
    int error;
    do
        error = fallocate(fd, 0, (off_t)offset, (off_t)bytes) == 0 ? 0 : errno;
    while (error == EINTR);
    return error == EOPNOTSUPP || error == ENOSYS || error == EINVAL || error == EPERM ? 0 : error;
}
