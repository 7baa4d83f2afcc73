profdump --sort count --rows 2 demo.prof | sed -n '/Name/,/rows/p'
profdump --sort name demo.prof | sed -n '/Name/,/Self CPU time/p' | awk '{print $1}'
for column in self_cpu cpu_total cpu_avg self_cuda cuda_total cuda_avg self_cpu_time_total cuda_time_total; do
    echo "$column: $(profdump --sort $column --rows 1 demo.prof | sed -n '/Name/{n;n;p}' | awk '{print $1}')"
done
