/* contained COMMAND...: runs it below a filter of system calls like that of a container: what Docker's default profile refuses
 * fails with EPERM, as there, and clone3() with ENOSYS, as with profiles that do not know it. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REFUSE(call, error)                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

int main(int count, char **arguments)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        REFUSE(ptrace, EPERM),
        REFUSE(process_vm_readv, EPERM),
        REFUSE(process_vm_writev, EPERM),
        REFUSE(perf_event_open, EPERM),
        REFUSE(bpf, EPERM),
        REFUSE(userfaultfd, EPERM),
        REFUSE(kcmp, EPERM),
        REFUSE(add_key, EPERM),
        REFUSE(keyctl, EPERM),
        REFUSE(request_key, EPERM),
        REFUSE(mount, EPERM),
        REFUSE(umount2, EPERM),
        REFUSE(setns, EPERM),
        REFUSE(unshare, EPERM),
        REFUSE(pivot_root, EPERM),
        REFUSE(reboot, EPERM),
        REFUSE(init_module, EPERM),
        REFUSE(finit_module, EPERM),
        REFUSE(delete_module, EPERM),
        REFUSE(kexec_load, EPERM),
        REFUSE(move_pages, EPERM),
        REFUSE(mbind, EPERM),
        REFUSE(get_mempolicy, EPERM),
        REFUSE(set_mempolicy, EPERM),
        REFUSE(open_by_handle_at, EPERM),
        REFUSE(clock_settime, EPERM),
        REFUSE(clock_adjtime, EPERM),
        REFUSE(adjtimex, EPERM),
        REFUSE(acct, EPERM),
        REFUSE(quotactl, EPERM),
        REFUSE(swapon, EPERM),
        REFUSE(swapoff, EPERM),
        REFUSE(clone3, ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("no filter");
        return 77;
    }
    execvp(arguments[1], arguments + 1);
    perror(arguments[1]);
    return 127;
}
