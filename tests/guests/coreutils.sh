# coreutils and friends: tar, xz, find, sort, dd, a bubblewrap sandbox, setpriv
# packages: coreutils tar xz-utils findutils bubblewrap util-linux
# commands: tar xz find bwrap unshare

version() { sort --version | head -n 1; }

prepare() {
    mkdir -p many/{1..9}
    local number
    for number in {1..9}; do
        seq "$number" "$((number * 1000))" >"many/$number/file"
    done
}

workload() {
    tar -cf - --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 many | xz -T2 | xz -d | sha256sum
    find many -type f -exec sha256sum {} + | sort | sha256sum
    find many -name file | xargs -P4 -n1 wc -l | sort
    sort --parallel=4 -rn many/*/file | uniq -c | sort -n | tail -n 3
    dd if=/dev/zero of=zeros bs=64k count=40 status=none conv=fsync
    split -n 7 zeros part.
    cat part.* | cmp - zeros && echo same
    timeout --preserve-status -s INT 0.3 sleep 30
    echo "status $?"
    nohup sh -c 'echo nohup' 2>/dev/null
    env -i sh -c 'echo "$HOME"; ls -d /proc/self/fd/0'
    flock lock -c 'echo locked'
    seq 3 | tee >(cat >copied) >/dev/null
    mktemp -d inside.XXXX --dry-run | cut -c1-7
    if bwrap --ro-bind / / --dev /dev --proc /proc --unshare-all true 2>/dev/null; then
        bwrap --ro-bind / / --dev /dev --proc /proc --unshare-all --die-with-parent sh -c 'echo boxed $$; exit 4' 2>/dev/null
        echo "bwrap $?"
    fi
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups id -u
        echo "setpriv $?"
    fi
    unshare -Ur true 2>/dev/null
    echo "unshare $?"
}
