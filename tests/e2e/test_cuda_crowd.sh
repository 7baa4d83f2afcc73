#!/usr/bin/env bash
# 64 threads, each on all of 8 devices, at once: every operation is counted, hangs by the call of its own thread, in the
# range of its own device.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda crowd
for layout in "${layouts[@]}"; do
    same "output" OK "$(SIM_KERNEL_NS=2000 SIM_DEVICES=8 SIM_CUPTI_LAYOUT=$layout simulate $layout.prof ./crowd 2>&1)"
done
no_violations "libprof in a crowd"
expect_cuda ./*.prof -- \
    "ops['work(float*, int)'] == 64 * 8 * 10 and loss['launched'] == loss['recorded'] == 64 * 8 * 11" \
    "sorted(device['id'] for device in devices) == list(range(8))" \
    "[sum(e['args']['device'] == d for e in x('kernel')) for d in range(8)] == 8 * [64 * 10]" \
    "len({(e['args']['context'], e['args']['stream']) for e in x('kernel')}) == 64 * 8" \
    "all(rows['range', f'device {d}']['count'] == 64 for d in range(8))" \
    "all(rows['range', f'device {d}']['self_cuda_total_ns'] == under(f'device {d}') >= 64 * 10 * 2000 for d in range(8))" \
    "all(rows['range', f'thread {t}']['count'] == 1 for t in range(64))" \
    "all(int(innermost(s).split()[1]) == f['args']['device'] for s, f in arrows())" \
    "len({s['tid'] for s, f in arrows()}) == 64" \
    "{e['args']['name'].split('(')[-1].rstrip(')') for e in trace.all if e['name'] == 'thread_name'} >= {f'thread {t}' for t in range(64)}"
