# GNU parallel and xargs: jobs by the hundred, limits, retries, a job that fails, a tree that is killed
# packages: parallel findutils
# commands: parallel xargs

version() { parallel --version | head -n 1; }

workload() {
    mkdir -p "$HOME/.parallel" && : >"$HOME/.parallel/will-cite"
    seq 200 | parallel -j 6 -k 'echo job {}; test {} -ne 77' | sha256sum
    echo "statuses ${PIPESTATUS[*]}"
    seq 6 | parallel -j 3 -k --retries 2 --joblog "$GUEST_DATA/log" 'exit {}'
    echo "status $?"
    awk 'NR > 1 { print $7 }' "$GUEST_DATA/log" | sort | tr '\n' ' '
    seq 3 | parallel -j 3 --timeout 1 'sleep 60' 2>/dev/null
    echo "timeouts $?"
    seq 20000 | parallel -j 3 --pipe --block 20k -k wc -l | awk '{ n += $1 } END { print n }'
    parallel --halt now,fail=1 -j 4 'if [ {} = 3 ]; then exit 9; fi; sleep 60' ::: 1 2 3 4 2>/dev/null
    echo "halted $?"
    parallel -k 'echo {1}{2}' ::: a b c ::: 1 2 | tr '\n' ' '
    seq 500 | xargs -P 5 -n 7 echo | wc -w
    seq 5 | xargs -P 3 -I N sh -c 'exit N'
    echo "xargs $?"
    seq 3 | xargs -n 1 sh -c 'kill -TERM $$' 2>/dev/null
    echo "xargs $?"
    sem --id guest -j 2 'echo in a semaphore' && sem --id guest --wait
}
