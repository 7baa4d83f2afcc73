#!/usr/bin/env bash
# Process 1 of a PID namespace may use CUDA, and have a child, made without libc's fork(), that is process 1 of another one. When
# that child exits, its parent's CUDA and recording are left alone.
. "$(dirname "$0")/cuda_common.sh"

first=(unshare --pid --fork --mount-proc)
((EUID == 0)) || first+=(--user --map-root-user)
"${first[@]}" true 2>stderr.txt || skip "no PID namespaces here: $(cat stderr.txt)"
compile_cuda pid_one
for hangs in 0 1; do # where CUPTI hangs in a child
    read -r status took_ms < <(SIM_FORK_HANG=$hangs simulate $hangs.prof "${first[@]}" ./pid_one)
    same "the child's status" 0 "$status"
    ((took_ms < 1500)) || fail "the child took $took_ms ms to exit"
    no_violations "a child that is process 1 as well"
    expect_cuda $hangs.prof -- "ops['work(float*, int)'] == 200 and loss['launched'] == loss['recorded'] == 200" \
        "facts['mode'] == 'cupti' and process['closed'] and not any(raw.loss)"
done
