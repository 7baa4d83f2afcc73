# Acceptance row T3: whoever knows torch.profiler's table finds every sort key, column and option here under its name.
for column in cpu_time cuda_time cpu_time_total cuda_time_total self_cpu_time_total self_cuda_time_total \
    device_time_total self_device_time_total cpu_memory_usage cuda_memory_usage self_cpu_memory_usage \
    self_cuda_memory_usage count; do
    echo "$column: $(profdump --sort "$column" --rows 1 memory.prof | sed -n '/Name/{n;n;p}' | awk '{print $1}')"
done
profdump --header "After the fix" --top-level --total --time-unit ms --rows 3 nvtx.prof | sed -n '/After/,$p'
profdump --name-width 20 --rows 3 nvtx.prof | sed -n '/Name/,/rows/p'
profdump -o - --to folded --metric self_cpu_time_total nvtx.prof
profdump -o - --to folded --metric self_cuda_time_total nvtx.prof
