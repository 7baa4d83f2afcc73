#!/usr/bin/env bash
# Whenever a descriptor of a file on a FUSE or network file system is closed, the kernel flushes the file. A recorded
# program's are flushed as often as without libprof, and its first event waits for none.
. "$(dirname "$0")/common.sh"

((EUID == 0)) || skip "mounting takes root"
[[ -c /dev/fuse ]] || skip "no /dev/fuse"
compile flushes
compile fuse_server
mkdir mnt
trap 'status=$?; set +e; umount mnt 2>/dev/null; (exit $status); leave' EXIT

# serve [MS]: mounts ./mnt, where a flush takes MS milliseconds.
is_served() { [[ -e flushed.txt ]] || ! kill -0 "$server" 2>/dev/null; }
serve() {
    rm -f flushed.txt
    ./fuse_server mnt flushed.txt "$@" 2>server.txt &
    server=$!
    await "the file system" is_served
    [[ -e flushed.txt ]] || skip "$(cat server.txt)"
}
unserve() {
    umount mnt
    wait "$server"
}
# flushed COMMAND...: how many flushes it led to; what it printed is in err.txt.
flushed() {
    local before
    before=$(wc -l <flushed.txt)
    "$@" 2>err.txt || fail "$*: $(cat err.txt)"
    echo $(($(wc -l <flushed.txt) - before))
}
redirected() { "$@" >mnt/file; }

# Low descriptors, of which the kernel makes copies, and high ones; files that libprof writes; a table at exit.
serve
bare=$(flushed ./flushes mnt/file 1)
((bare > 0)) || fail "this file system does not note flushes"
same "flushes" "$bare" "$(flushed record low.prof ./flushes mnt/file 200)"
expect low.prof 'count["range"] == 4000000' 'not any(raw.loss)' 'process["closed"]'
same "flushes with a table at exit" "$bare" "$(PROF_TABLE=1 flushed record table.prof ./flushes mnt/file 1)"
grep -q "wrote $here/table.prof" err.txt || fail "no path at exit: $(cat err.txt)"
same "flushes with metrics" "$bare" "$(PROF_PROMETHEUS=$here flushed record metrics.prof ./flushes mnt/file 1)"
same "flushes of descriptor 40" "$(flushed ./flushes mnt/file 1 40)" "$(flushed record 40.prof ./flushes mnt/file 200 40)"
same "flushes of descriptor 100" "$(flushed ./flushes mnt/file 1 100)" "$(flushed record 100.prof ./flushes mnt/file 200 100)"
expect 100.prof 'count["range"] == 4000000' 'not any(raw.loss)' 'process["closed"]'
same "flushes of the output" "$(lib='' flushed redirected record none.prof ./flushes /dev/null 1)" \
    "$(flushed redirected record output.prof ./flushes /dev/null 1)"
unserve

# Where one takes a second, the first event does not.
serve 1000
same "slow flushes" "$bare" "$(flushed record slow.prof ./flushes mnt/file 1)"
(($(cat err.txt) < 900)) || fail "the first event took $(cat err.txt) ms"
unserve
