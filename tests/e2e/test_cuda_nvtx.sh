#!/usr/bin/env bash
# From NVTX calls to the outputs: kernels belong to the NVTX range that launched them, in whatever domain; crossing ranges
# count once; PyTorch's operators are one row with shapes and an arrow to their backward pass.
. "$(dirname "$0")/cuda_common.sh"
. "$e2e_directory/nvtx_common.sh"

need_nvtx
compile_cuda annotated -D_GNU_SOURCE -I"$nvtx_include" -ldl
same "output" OK "$(simulate annotated.prof ./annotated 2>&1)"
no_violations "libprof with NVTX"
expect_cuda annotated.prof -- \
    "loss['launched'] == loss['recorded'] == 13 and loss['unopened'] == loss['unclosed'] == 0" \
    "count['outer'] == count['io:read'] == count['own'] == count['within'] == count['aten::mm'] == 1" \
    "rows['range', 'outer']['cuda_total_ns'] == 3 * ns('work(float*, int)') // 13" \
    "rows['range', 'io:read']['self_cuda_total_ns'] == 5 * ns('work(float*, int)') // 13" \
    "rows['range', 'within']['self_cuda_total_ns'] == rows['range', 'own']['cuda_total_ns'] == 4 * ns('work(float*, int)') // 13" \
    "rows['range', 'around']['cuda_total_ns'] == 4 * ns('work(float*, int)') // 13" \
    "rows['range', 'autograd::engine::evaluate_function: MmBackward0']['cuda_total_ns'] == 2 * ns('work(float*, int)') // 13" \
    "args('user_annotation', 'read')['domain'] == {'io'} and args('user_annotation', 'read')['category'] == {'files'}" \
    "args('user_annotation', 'read')['color'] == {'#FF00FF00'} and len(x('user_annotation', 'read')) == 2" \
    "args('user_annotation', 'read')['payload'] == {str(2**64 - 1)}" \
    "x('user_annotation', 'aten::mm')[0]['args']['Sequence number'] == 12" \
    "x('user_annotation', 'aten::mm')[0]['args']['Input Dims'] == [[2, 3], [3, 4]]" \
    "[s['name'] for s, f in arrows('fwdbwd')] == ['aten::mm']" \
    "[f['name'] for s, f in arrows('fwdbwd')] == ['autograd::engine::evaluate_function: MmBackward0']" \
    "any('autograd' in e['args']['name'] for e in trace.all if e['name'] == 'thread_name')"
