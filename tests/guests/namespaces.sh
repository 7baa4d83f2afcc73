# sandboxes and first processes: bubblewrap, unshare, nsenter, setpriv, tini, fakeroot, chroot
# packages: bubblewrap util-linux tini fakeroot libcap2-bin
# commands: bwrap capsh unshare nsenter tini fakeroot
# needs: root

version() { bwrap --version; }

prepare() {
    mkdir root
    echo inside >root/file
}

workload() {
    local inside base=${GUEST_DATA%/*}
    bwrap --ro-bind / / --bind "$base" "$base" --proc /proc --dev /dev --tmpfs /run --unshare-all --die-with-parent --hostname guest \
        sh -c 'hostname; echo $$ | wc -l; ls /run | wc -l; (sleep 60 & kill $!; wait $!; echo "child $?"); exit 4'
    echo "bwrap $?"
    bwrap --ro-bind / / --bind "$base" "$base" --proc /proc --dev /dev --unshare-pid --as-pid-1 bash -c 'echo "pid $$"; for n in 1 2 3; do (exit $n) & done; wait; kill -TERM $$; exit 5'
    echo "bwrap $?"
    as_user bwrap --ro-bind / / --bind "$base" "$base" --unshare-user --uid 0 --gid 0 id -u
    unshare --user --map-root-user --mount --pid --fork --mount-proc bash -c 'id -u; echo "pid $$"; mount -t tmpfs none /mnt && echo mounted; (kill -KILL $BASHPID); echo "killed $?"; exit 6'
    echo "unshare $?"
    unshare --uts --ipc --net --cgroup sh -c 'hostname guest; hostname; ls /sys/class/net; exit 7'
    echo "unshare $?"
    unshare --mount --propagation private sleep 60 &
    inside=$!
    until [ "$(readlink "/proc/$inside/ns/mnt")" != "$(readlink /proc/self/ns/mnt)" ]; do sleep 0.05; done
    nsenter --mount --target "$inside" sh -c 'mount -t tmpfs none /mnt && : >/mnt/there && ls /mnt; exit 8'
    echo "nsenter $?"
    nsenter --mount --target "$inside" ls /mnt
    ls /mnt | wc -l
    kill "$inside"
    wait "$inside"
    echo "status $?"
    unshare --pid --fork tini -- sh -c '(sleep 0.2; echo orphan) & exit 3'
    echo "tini $?"
    tini -s -g -- sh -c 'trap "echo passed on; exit 9" TERM; echo ready >ready; while :; do sleep 0.1; done' &
    until [ -s ready ]; do sleep 0.05; done
    kill $!
    wait $!
    echo "tini $?"
    fakeroot sh -c 'id -u; : >made; chown 12:34 made; stat -c %u:%g made; tar cf - made | tar tvf - | cut -d" " -f2; exit 2'
    echo "fakeroot $?"
    setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --reuid=65534 --regid=65534 --clear-groups sh -c 'id -u; id -g; cat root/file; grep CapEff /proc/self/status'
    setpriv --securebits=+noroot --pdeathsig KILL sh -c 'echo here; exit 3'
    echo "setpriv $?"
    capsh --drop=cap_net_raw --user=nobody -- -c 'id -un' 2>/dev/null
    echo "capsh $?"
    chroot / sh -c 'pwd; exit 4'
    echo "chroot $?"
    chroot root /bin/sh 2>&1
    echo "chroot $?"
}
