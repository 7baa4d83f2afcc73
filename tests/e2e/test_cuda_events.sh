#!/usr/bin/env bash
# Ranges timed by CUDA events: each range has its stream time, captures are left alone, contexts may go, nothing waits.
# Without CUPTI: its version, SIM_CUPTI_LAYOUT, is of no matter.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda timed

# timed FILE WORD...: ./timed runs as without libprof.
timed() {
    local file=$1
    shift
    PROF_GPU=events simulate "$file" ./timed "$@" >stdout.txt 2>stderr.txt || fail "$*: status $?: $(cat stderr.txt)"
    same "$*" OK "$(cat stdout.txt)"
    [[ ! -s stderr.txt ]] || fail "$* says: $(cat stderr.txt)"
    no_violations "$*"
}

events="facts['mode'] == 'events' and facts['simulated'] and not ops and not calls"
total="{n: r['cuda_total_ns'] for (k, n), r in rows.items()}"
self="{n: r['self_cuda_total_ns'] for (k, n), r in rows.items()}"
untimed="loss['untimed']"

# A kernel takes 100 us: what a range contains can be told from its time. Outer: total is its own, self what is left.
export SIM_KERNEL_NS=100000
timed nested.prof nested
expect_cuda nested.prof -- "$events" "$untimed == 0 and facts['timed_by_events'] == 4" \
    "300000 <= ($total)['left'] < 20e6 and 200000 <= ($total)['right'] < 20e6 and ($total)['leaf'] <= ($total)['right'] - 200000" \
    "600000 <= ($total)['outer'] < 20e6" \
    "($self)['outer'] == ($total)['outer'] - ($total)['left'] - ($total)['right']" \
    "($self)['right'] == ($total)['right'] - ($total)['leaf']" "sum(($self).values()) == facts['self_cuda_total_ns']" \
    "all(host['name'] == device['name'] for host, device in arrows('timed'))" \
    "args('gpu_user_annotation')['stream handle'] == {1} and devices[0]['name'].startswith('Simulated GPU 0')"

# Beyond every clock error, the device's times are where the host's are: also with clocks that disagree.
SIM_CLOCK_SKEW_NS=5000000000 SIM_CLOCK_DRIFT_PPM=100 timed skewed.prof nested
expect_cuda skewed.prof -- "$events" "600000 <= ($total)['outer'] < 20e6" \
    "all(0 <= device['ts'] + device['dur'] - host['ts'] < 2000 for host, device in arrows('timed'))"

timed threads.prof threads
expect_cuda threads.prof -- "$events" "$untimed == 0 and count['step'] == 100 and facts['timed_by_events'] == 100" \
    "len({(e['pid'], e['tid']) for e in x('gpu_user_annotation')}) == 2" "99 * 100000 <= ($total)['step']" \
    "($total)['first'] >= 50 * 100000 and ($self)['second'] == 0"

# The legacy stream waits for blocking streams, not for others; the thread's own stream for none.
timed streams.prof streams
expect_cuda streams.prof -- "$events" "($total)['blocking'] >= 1000000 and ($total)['non-blocking'] < 900000"
PROF_EVENT_STREAM=thread timed per_thread.prof streams
expect_cuda per_thread.prof -- "$events" "($total)['blocking'] < 900000" \
    "args('gpu_user_annotation')['stream handle'] == {2}"

# A range belongs to the device on which it was pushed, wherever it is popped.
SIM_DEVICES=2 timed devices.prof devices
expect_cuda devices.prof -- "$events" "$untimed == 0 and len(devices) == 2" \
    "{(e['name'], e['args']['device']) for e in x('gpu_user_annotation')} == {('both', 0), ('zero', 0), ('one', 1)}" \
    "($self)['both'] == ($total)['both'] - ($total)['zero']"

# A capture is not disturbed; ranges that begin in it are counted.
timed capture.prof capture
expect_cuda capture.prof -- "$events" "$untimed == 2" \
    "{e['name'] for e in x('gpu_user_annotation')} == {'before', 'around', 'after'}"

# Contexts go while ranges are timed; more of them than are kept track of. A handle that comes again is another context. No
# event is asked for meanwhile: CUDA cannot exclude that its context is destroyed in the same moment.
PROF_FLUSH_MS=60000 timed contexts.prof contexts
expect_cuda contexts.prof -- "$events" "facts['timed_by_events'] + $untimed == 140 and count['nowhere'] == 1"
timed reset.prof reset
# What a busy machine has not read before its context goes is counted.
timed_rounds="count['round'] == 5 and 0 < facts['timed_by_events'] == 5 - $untimed"
expect_cuda reset.prof -- "$events" "$timed_rounds and ($total)['round'] >= facts['timed_by_events'] * 100000"

timed switches.prof switches
expect_cuda switches.prof -- "$events" "$untimed == 0 and {e['name'] for e in x('gpu_user_annotation')} == {'again', 'errno'}"
timed deep.prof deep
expect_cuda deep.prof -- "$events" "$untimed == 70 - 64 and facts['timed_by_events'] == 65"

# The child leaves CUDA alone; the parent goes on.
timed forks.prof forks
expect_cuda forks.prof -- "$events" "$untimed == 0 and facts['timed_by_events'] == 2 and count['child'] == 0"
expect_cuda forks-*.prof -- "facts['mode'] == 'none' and count['child'] == 1 and facts['timed_by_events'] == 0"

# Killed: what was read is there.
PROF_GPU=events simulate killed.prof ./timed killed >stdout.txt 2>stderr.txt || same "killed: status" 137 $?
expect_cuda killed.prof -- "$events" "not process['closed'] and facts['timed_by_events'] == 10 and count['open'] == 1"

# Bounded: at most 8192 in flight, so a push without a free pair reads some itself, or is not timed.
unset SIM_KERNEL_NS
timed many.prof many 100000
expect_cuda many.prof -- "$events" "facts['timed_by_events'] + $untimed == 100001" "facts['timed_by_events'] > 8192"

# What CUDA refuses is counted, and breaks nothing.
for name in cuEventCreate cuEventRecord cuEventQuery cuEventElapsedTime cuStreamIsCapturing cuCtxGetId cuStreamCreate \
    cuCtxGetDevice cuThreadExchangeStreamCaptureMode; do
    SIM_FAIL="$name=999" timed "refused-$name.prof" nested
    SIM_FAIL="$name@3=999" timed "once-$name.prof" nested
done
expect_cuda refused-*.prof once-*.prof -- "facts['mode'] == 'events' and count['outer'] == 1" \
    "facts['timed_by_events'] + $untimed in (0, 4)"
expect_cuda refused-cuEvent*.prof -- "facts['timed_by_events'] == 0 and $untimed == 4"

# CUDA calls one tool: where that is another one, which holds CUPTI too, libprof finds out by itself, within a second or so.
cat >mine.c <<'C'
int InitializeInjection(void);
int InitializeInjection(void)
{
    return 1;
}
C
"$CC" -shared -fPIC mine.c -o mine.so
CUDA_INJECTION64_PATH=$here/mine.so SIM_OTHER_SUBSCRIBER=mine simulate late.prof ./timed reset >stdout.txt 2>stderr.txt
grep -q "^libprof: no GPU times: another tool holds CUPTI" stderr.txt ||
    fail "late: $(cat stderr.txt)"
no_violations "late"
expect_cuda late.prof -- "facts['mode'] == 'unavailable' and facts['timed_by_events'] == 0 and count['round'] == 5"
# Events are asked for: they time what the other tool leaves to them.
CUDA_INJECTION64_PATH=$here/mine.so PROF_GPU=events SIM_OTHER_SUBSCRIBER=mine simulate asked.prof ./timed reset >stdout.txt 2>stderr.txt
expect_cuda asked.prof -- "$events" "$timed_rounds"
