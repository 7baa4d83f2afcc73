#!/usr/bin/env bash
# A program of the driver API alone is recorded like one of the runtime: each call once, each launch with its arrow.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda driver_api
for layout in "${layouts[@]}"; do
    same "output" OK "$(SIM_KERNEL_NS=7000 SIM_CUPTI_LAYOUT=$layout simulate $layout.prof ./driver_api 2>&1)"
done
no_violations "libprof under the driver API"
expect_cuda ./*.prof -- \
    "ops['square(int*)'] == 25 and sum(ops.values()) == 25 + 2 + 1" \
    "loss['launched'] == loss['recorded'] == 28 and loss['launched_graph'] == 0" \
    "ns('square(int*)') == 25 * 7000" \
    "calls['cuLaunchKernel'] == 25 and calls['cuMemsetD32Async'] == 1 and calls['cuMemcpyHtoD_v2'] == 1" \
    "not any(name.startswith('cuda') for name in calls) and not x('cuda_runtime')" \
    "calls['cuMemAlloc_v2'] == 1 and calls['cuCtxSynchronize'] == 1" \
    "len(x('cuda_driver', 'cuLaunchKernel')) == 25" \
    "args('kernel')['grid'] == {(6, 5, 4)} and args('kernel')['block'] == {(32, 2, 1)}" \
    "args('kernel')['shared memory'] == {1024} and len(args('kernel')['stream']) == 2" \
    "args('gpu_memset')['bytes'] == {400} and args('gpu_memcpy')['bytes'] == {4096}" \
    "rows['range', 'driver work']['self_cuda_total_ns'] == under('driver work') == facts['self_cuda_total_ns']"
