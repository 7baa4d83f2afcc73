# qemu-user: children of an emulated program
# packages: qemu-user dash
# commands: qemu-x86_64 dash
# differs: control sample
# why: QEMU 7.2 aborts when the forked child of an emulated program with two threads starts a thread (its message is "qemu_plugin_vcpu_init_hook: assertion failed"), also without libprof. In these modes, libprof has a thread in the parent and in the child from the start.

version() { qemu-x86_64 --version | head -n 1; }

workload() { qemu-x86_64 /bin/dash -c 'seq 2000 | tail -n 1; for n in 1 2 3; do (exit $n); echo $?; done; exit 3'; }
