# What people try first works, or is answered with what does it.
for word in kernels ranges timeline html tree summary compare open record xyzzyx explian; do
    profdump $word demo.prof
    echo "exit $?"
done 2>&1
for kind in kernel copy memcpy set call api range nvtx; do
    echo "== --kind $kind"
    profdump --kind $kind --csv -n 1 demo.prof | cut -d, -f1,2
done
for way in "-f csv" --csv; do
    profdump $way --top 2 demo.prof | cut -d, -f1,2
done
profdump --csv --sort-by cuda_time_total --row-limit 1 demo.prof | cut -d, -f1,2
profdump --csv --filter KER demo.prof | cut -d, -f1,2
profdump query demo.prof "select count(*) from calls"
profdump query "select count(*) from ranges" demo.prof
profdump query "select * from kernel" demo.prof 2>&1
profdump query "select * from memcpy" demo.prof 2>&1
profdump query demo.prof 2>&1
for column in nope durr start_ns kernels.Nam; do
    profdump query "select $column from kernels" demo.prof 2>&1
done
profdump query "select thread_nam from calls" demo.prof 2>&1
for column in time total self cuda gpu_time cpu cpu_time_total cuda_time_total "Self CUDA" self-cpu "# of Calls" self_cda speed; do
    echo "== --sort $column"
    profdump --sort "$column" --csv -n 1 demo.prof 2>&1 | cut -d, -f1,2
done
for option in --html --perfetto --memory --kernels --from --ledger --by; do
    profdump $option out demo.prof 2>&1 | head -n 1
done
