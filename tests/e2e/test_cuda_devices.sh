#!/usr/bin/env bash
# Eight devices driven by eight threads: each device, stream and copy between devices is told apart; what overlaps in
# one stream is drawn on lanes of its own.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda devices
for layout in "${layouts[@]}"; do
    same "output" OK "$(SIM_KERNEL_NS=20000 SIM_DEVICES=8 SIM_CUPTI_LAYOUT=$layout simulate $layout.prof ./devices 2>&1)"
done
no_violations "libprof with many devices"
expect_cuda ./*.prof -- \
    "ops['work(float*, int)'] == 8 * 40 + 1 and ops['other()'] == 8 + 2 * 4" \
    "loss['launched'] == loss['recorded'] == 8 * 42 + 2 and loss['launched_graph'] == 8" \
    "sorted(device['id'] for device in devices) == list(range(8))" \
    "[sum(e['args']['device'] == d for e in x('kernel', 'work(float*, int)')) for d in range(8)] == [41] + 7 * [40]" \
    "[sum(e['args']['device'] == d for e in x('kernel', 'other()')) for d in range(8)] == [9] + 7 * [1]" \
    "[len({(e['args']['context'], e['args']['stream']) for e in x('kernel') if e['args']['device'] == d and d}) for d in range(8)] == [0] + 7 * [3]" \
    "len([e for e in x('gpu_memcpy') if 'PtoP' in e['name']]) == 8 and args('gpu_memcpy')['bytes'] == {1 << 20}" \
    "args('gpu_memcpy')['device'] == set(range(8))" \
    "all(rows['range', f'device {d}']['count'] == 1 for d in range(8))" \
    "all(rows['range', f'device {d}']['self_cuda_total_ns'] == under(f'device {d}') >= 41 * 20000 for d in range(8))" \
    "len({s['tid'] for s, f in arrows()}) == 9" \
    "rows['range', 'managed']['self_cuda_total_ns'] == under('managed') > 20000" \
    "sorted(starts) == list(range(8)) and all(len(events) == 1 for events in starts.values())" \
    "len({f['tid'] for s, f in arrows() if s['name'] == 'cudaGraphLaunch'}) >= 4" \
    "all(any(e['name'] == 'thread_name' and e['pid'] == process['pid'] and f'device {d}' in e['args']['name'] for e in trace.all) for d in range(8))"

# --default-stream per-thread: every thread's default stream is a stream of its own.
if [[ -n ${CUDA_NVCC:-} ]]; then
    compile_cuda per_thread --default-stream per-thread
    same "output" OK "$(SIM_KERNEL_NS=7000 simulate per_thread.prof ./per_thread 2>&1)"
    no_violations "libprof with per-thread default streams"
    expect_cuda per_thread.prof -- "ops['by_thread(int*)'] == 30 and loss['launched'] == loss['recorded'] == 33" \
        "len(args('kernel')['stream']) == 3 and len({s['tid'] for s, f in arrows()}) == 3" \
        "rows['range', 'thread']['count'] == 3" \
        "rows['range', 'thread']['self_cuda_total_ns'] == under('thread') == facts['self_cuda_total_ns'] > 30 * 7000"
fi
